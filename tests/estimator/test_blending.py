"""Held-out rows say how much each recipe counts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ocelotboost.estimator.base as base
from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.estimator import ensemble
from ocelotboost.estimator.blending import Member, added, blended_shares, shares_in_words
from ocelotboost.estimator.packing import pack
from ocelotboost.estimator.rows import Division
from ocelotboost.estimator.settings import Recipe
from ocelotboost.loss.pointwise import RMSE
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.labelled import LabelledTable
from tests.data import assert_same_bits, binary, multiclass, regression

PLAIN, ORDERED = Recipe("Plain", 6), Recipe("Ordered", 6, crossed=False)
TARGET = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], dtype=np.float32)
FOLDS = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]


def division(weight=None):
    table = table_from_input(TARGET[:, None])
    held = [np.isin(np.arange(6), fold) for fold in FOLDS]
    return Division(LabelledTable(table, TARGET, weight), held, [])


def member(recipe, fold, errors):
    unseen = (TARGET[FOLDS[fold]] + errors)[np.newaxis].astype(np.float64)
    return Member(SimpleNamespace(unseen=unseen), recipe, fold)


def shares(members, weight=None):
    return blended_shares(members, division(weight), RMSE())


def test_a_recipe_that_is_right_counts_alone():
    members = [member(PLAIN, 0, [0, 0]), member(ORDERED, 0, [1, -1])]
    assert shares(members) == [1, 0]
    assert shares_in_words(members, [1, 0]) == (
        "Plain of depth 6 counts 100%, Ordered of depth 6 counts 0%"
    )


def test_errors_that_cancel_are_averaged():
    members = [member(PLAIN, 0, [-1, -1]), member(ORDERED, 0, [3, 3])]
    assert shares(members) == [0.75, 0.25]


def test_what_would_count_little_is_left_out():
    """The best mean has a twentieth of it."""
    members = [member(PLAIN, 0, [-1, -1]), member(ORDERED, 0, [19, 19])]
    assert shares(members) == [1, 0]


def test_the_share_of_a_recipe_is_divided_among_its_models():
    members = [member(PLAIN, fold, [-1, -1]) for fold in (0, 1, 0)]
    members += [member(ORDERED, fold, [3, 3]) for fold in (0, 1)]
    assert_allclose(shares(members), [0.25, 0.25, 0.25, 0.125, 0.125])


def test_only_rows_that_all_recipes_held_out_are_judged():
    """A recipe whose last models were not trained, because time was over."""
    members = [member(PLAIN, 0, [-1, -1]), member(ORDERED, 0, [3, 3]), member(PLAIN, 1, [9, 9])]
    assert_allclose(shares(members), [0.375, 0.25, 0.375])


def test_rows_count_by_their_weight():
    members = [member(PLAIN, 0, [0, 2]), member(ORDERED, 0, [2, 0])]
    assert shares(members) == [0.5, 0.5]
    weight = np.array([1.0, 3, 1, 1, 1, 1], dtype=np.float32)
    assert shares(members, weight) == [0.25, 0.75]


def test_without_common_rows_or_other_recipes_all_count_the_same():
    assert shares([member(PLAIN, 0, [0, 0]), member(ORDERED, 1, [9, 9])]) == [0.5, 0.5]
    assert shares([member(PLAIN, 0, [0, 0]), member(PLAIN, 1, [9, 9])]) == [0.5, 0.5]


def test_a_loss_that_is_no_number_is_never_the_lowest():
    raws = [np.full((1, 2), np.nan), np.zeros((1, 2))]
    assert added(raws, lambda raw: float(raw.sum())) == [0, 20]


# ---- in a fit ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        (OcelotRegressor, regression(400)),
        (OcelotClassifier, binary(400)),
        (OcelotClassifier, multiclass(300)),
    ],
    ids=["number", "two classes", "classes"],
)
def test_the_model_is_the_blend(kind, made, monkeypatch):
    X, y = made
    seen = {}

    def packing(models, *others):
        *rest, own_shares = others
        seen["forests"] = [pack([own], *rest).forest for own in models]
        seen["shares"] = own_shares
        return pack(models, *others)

    monkeypatch.setattr(base, "pack", packing)
    model = kind(quality="best", n_models=6, crosses=0).fit(X, y)
    assert sum(seen["shares"]) == pytest.approx(1)
    assert model.n_models_ == len(seen["shares"])
    table = table_from_input(X, hash_key=model.forest_.hash_key)
    raws = [make_predictor(forest).raw(table, 1) for forest in seen["forests"]]
    found = model.predict_raw(X)
    expected = np.average(raws, axis=0, weights=seen["shares"])
    assert_allclose(found.T if found.ndim > 1 else found[None], expected, rtol=1e-4, atol=1e-6)


def test_models_have_not_seen_the_rows_that_judge(monkeypatch):
    """Other targets of these rows change nothing but when training stops."""
    X, y = regression(400)
    blended = []

    def noted(members, division, loss):
        blended.append((members, division))
        return blended_shares(members, division, loss)

    monkeypatch.setattr(ensemble, "blended_shares", noted)
    model = OcelotRegressor(quality="best", n_models=3, refit=None, crosses=0, iterations=None)
    model.fit(X, y)
    members, division = blended[0]
    assert [own.fold for own in members] == [0, 0, 0]
    held = division.rows(0).watched[0].data
    for own in members:
        trees = own.trained.boosted.trees
        assert own.trained.unseen.shape == (1, held.n_rows)
        curve = own.trained.boosted.history["validation"]["RMSE"]
        error = np.sqrt(np.mean((own.trained.unseen[0] - held.target) ** 2))
        assert error == pytest.approx(curve[len(trees) - 1], rel=1e-6)


def test_same_bits_for_any_threads():
    X, y = binary(300)
    models = [OcelotClassifier(quality="best", n_models=6, n_jobs=n).fit(X, y) for n in (1, 2)]
    assert_same_bits(models[0].forest_, models[1].forest_)
    assert models[0].choices_ == models[1].choices_
    assert "by held-out rows: " in models[0].choices_["boosting_type"].reason


def test_recipes_differ_and_what_is_given_is_kept(monkeypatch):
    settings = []
    original = ensemble.train

    def train(*arguments):
        settings.append(arguments[6].loop)
        return original(*arguments)

    monkeypatch.setattr(ensemble, "train", train)
    X, y = regression(300)
    given = {"quality": "best", "n_models": 3, "crosses": 0}
    OcelotRegressor(**given).fit(X, y)
    assert [own.bootstrap_type for own in settings[:3]] == ["auto", "auto", "Bayesian"]
    assert [own.random_strength for own in settings[:3]] == [1, 1, 3]
    settings.clear()
    OcelotRegressor(**given, bootstrap_type="MVS", random_strength=0, depth=3).fit(X, y)
    assert {(own.bootstrap_type, own.random_strength, own.depth) for own in settings} == {
        ("MVS", 0, 3)
    }


def test_rows_with_their_time_are_held_out_once():
    """The latest rows judge all models."""
    X, y = regression(300)
    model = OcelotRegressor(quality="best", n_models=6, has_time=True, crosses=0).fit(X, y)
    assert 1 <= model.n_models_ <= 6
    assert_array_equal(np.isfinite(model.predict(X)), True)
