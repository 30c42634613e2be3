"""Which rows judge trials."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

from ocelotboost import OcelotClassifier, OcelotRegressor, tune
from ocelotboost.cross_validation.folds import RowsToSplit
from ocelotboost.tuning.judges import FEWEST_FOR_HOLDOUT, FEWEST_FOR_THREE, choose_judges
from tests.tuning.test_tune import FEW, numbers

MANY = FEWEST_FOR_HOLDOUT


def rows(n_rows, **more):
    return RowsToSplit(None, np.linspace(0.0, 1.0, n_rows), **more)


def test_few_rows_judge_by_five_folds():
    few = FEWEST_FOR_THREE - 1
    judges = choose_judges(None, rows(few), 0)
    assert (judges.n_search, len(judges.folds)) == (5, 5)
    everyone = np.concatenate([fold.test for fold in judges.folds])
    assert sorted(everyone) == list(range(few))
    assert str(judges) == "5 folds"


@pytest.mark.parametrize("n_rows", [FEWEST_FOR_THREE, MANY - 1])
def test_some_thousand_rows_judge_by_three_folds(n_rows):
    judges = choose_judges(None, rows(n_rows), 0)
    assert (judges.n_search, len(judges.folds)) == (3, 3)


def test_many_rows_judge_by_a_holdout_and_finalists_by_other_rows():
    judges = choose_judges(None, rows(MANY), 0)
    assert (list(judges.search), list(judges.others)) == ([0], [1, 2])
    held = [set(fold.test) for fold in judges.folds]
    assert not held[0] & held[1]
    assert not held[0] & held[2]
    assert len(held[0]) == MANY // 5


def test_a_holdout_is_not_larger_than_needed():
    judges = choose_judges(None, rows(200_000), 0)
    for fold in judges.folds:
        assert len(fold.test) == 20_000
        assert len(fold.train) + len(fold.test) == 200_000


def test_rows_that_judge_are_later():
    time = np.random.default_rng(0).permutation(MANY)
    judges = choose_judges(None, rows(MANY, time=time), 0)
    assert len(judges.folds) == 3
    for fold in judges.folds:
        assert time[fold.train].max() < time[fold.test].min()
    assert time[judges.folds[0].test].max() == MANY - 1


def test_no_group_trains_and_judges():
    groups = np.random.default_rng(0).integers(0, 50, MANY)
    for fold in choose_judges(None, rows(MANY, groups=groups), 0).folds:
        assert not set(groups[fold.train]) & set(groups[fold.test])


def test_a_rare_class_is_in_every_fold():
    labels = np.array(["usual"] * 60 + ["rare"] * 3)
    names, codes = np.unique(labels, return_inverse=True)
    judges = choose_judges(None, RowsToSplit(None, labels, names, codes.astype(np.uint32)), 0)
    assert len(judges.folds) == 3
    for fold in judges.folds:
        assert "rare" in labels[fold.test]


def test_a_splitter_and_pairs_of_rows():
    X, y = numbers()
    split = ShuffleSplit(2, test_size=0.3, random_state=0)
    found = tune(X, y, estimator=FEW, trials=2, cv=split)
    pairs = tune(X, y, estimator=FEW, trials=2, cv=list(split.split(X)))
    assert found.best_score == pairs.best_score


def test_has_time_decides_who_judges():
    X, y = numbers()
    found = tune(X, y, estimator=OcelotRegressor(**FEW, has_time=True), trials=1)
    given = tune(
        X, y, estimator=OcelotRegressor(**FEW, has_time=True), trials=1, time=np.arange(len(y))
    )
    assert found.default_score == given.default_score
    assert found.judges == "4 folds"


def test_the_finalists_meet_on_other_rows():
    X, y = numbers(MANY)
    found = tune(X, y, estimator={"iterations": 3}, trials=6)
    assert len(found.finalists) == 4
    first = found.trials[0]
    assert first["judged"] == found.default_score != first["score"]
    assert found.best_score == min(found.finalists.values())
    assert "finalists" in str(found)


@pytest.mark.parametrize("weight", [0.0, 1e-30])
def test_rows_without_weight_do_not_judge(weight):
    X, y = numbers()
    noise = np.where(np.arange(len(y)) % 4 == 0, 100.0, 0.0)
    weights = np.where(noise > 0, weight, 1.0)
    labels = np.where(y + noise > 0, "yes", "no")
    found = tune(
        X, labels, estimator=OcelotClassifier(**FEW), trials=2, cv=2, sample_weight=weights
    )
    assert found.default_score < 0.6
