"""What is searched."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError, tune
from ocelotboost.estimator.parameters import Choices, Range
from ocelotboost.tuning.space import declared_space
from tests.tuning.test_tune import FEW, numbers

OF_CATEGORIES = {"max_combination", "one_hot_max_size", "prior_weight"}


def searched(found):
    return set(found.study.trials[0].params)


def of_space(space, **more):
    X, y = numbers()
    return tune(X, y, estimator=FEW, trials=3, cv=2, space=space, **more)


@pytest.mark.parametrize("kind", [OcelotClassifier, OcelotRegressor])
def test_declared_ranges_are_allowed_values_and_have_the_default(kind):
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name, search in declared_space(kind).items():
        rule, default = fields[name].metadata["rule"], fields[name].default
        ends = search.values if isinstance(search, Choices) else (search.low, search.high)
        assert all(rule.holds(value) for value in ends), name
        if isinstance(search, Range) and default is not None:
            assert search.low <= default <= search.high, name


def test_categories_are_searched_where_there_are_any():
    X, y = numbers()
    assert not searched(of_space(None)) & OF_CATEGORIES
    frame = pd.DataFrame(X).assign(kind=np.where(X[:, 2] > 0, "a", "b")).rename(columns=str)
    assert searched(tune(frame, y, estimator=FEW, trials=1, cv=2)) >= OF_CATEGORIES


def test_more_than_two_classes_are_sampled_by_temperature():
    X, y = numbers()
    labels = np.digitize(y, [-0.5, 0.5])
    names = searched(tune(X, labels, estimator=OcelotClassifier(**FEW), trials=1, cv=2))
    assert "bagging_temperature" in names
    assert "subsample" not in names


def test_what_the_user_has_set_is_kept():
    X, y = numbers()
    base = OcelotRegressor(**FEW, depth=3, l2_leaf_reg=7.0)
    found = tune(X, y, estimator=base, trials=3, cv=2)
    assert not {"depth", "l2_leaf_reg"} & searched(found)
    assert (found.estimator.depth, found.estimator.l2_leaf_reg) == (3, 7.0)


def test_a_space_of_names_has_the_declared_ranges():
    assert searched(of_space(["depth", "rsm"])) == {"depth", "rsm"}


def test_a_space_of_ranges_and_values():
    found = of_space(
        {"depth": (2, 3), "score_function": ["Cosine", "L2"], "l2_leaf_reg": Range(5, 6)}
    )
    for one in found.trials[1:]:
        assert one["depth"] in (2, 3)
        assert one["score_function"] in ("Cosine", "L2")
        assert 5 <= one["l2_leaf_reg"] <= 6
    assert found.trials[0]["state"] == "complete"  # the defaults, which the space does not have


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (["max_depth"], "depth"),
        (["border_type"], "no range is declared"),
        ({"depth": (0, 3)}, "depth=0 is not possible"),
        ({"depth": (8, 3)}, "low < high"),
        ({"depth": "all"}, "give names"),
        ("depth", "give names"),
    ],
)
def test_a_wrong_space_is_named(space, words):
    with pytest.raises(ParameterError, match=words):
        of_space(space)


def test_an_estimator_that_leaves_nothing_open_is_refused():
    X, y = numbers()
    given = {"iterations": 5, "learning_rate": 0.2, "depth": 2, "l2_leaf_reg": 1.0, "rsm": 0.9}
    given |= {"boosting_type": "Plain", "random_strength": 0.0, "subsample": 0.9}
    with pytest.raises(ParameterError, match="leave some"):
        tune(X, y, estimator={**given, "min_data_in_leaf": 2.0}, trials=1, cv=2)
