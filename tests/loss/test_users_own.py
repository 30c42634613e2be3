"""A loss of the library, given as a user's own object, trains the same model."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.loss.links import SOFTMAX
from ocelotboost.loss.registry import LOSSES
from tests.loss.data import data_of, loss_of

ESTIMATORS = {"classifier": OcelotClassifier, "regressor": OcelotRegressor}
# A user's own loss has one output.
CASES = [
    (name, kind, method, steps)
    for name, loss in LOSSES.items()
    for kind in loss.estimators
    for method, steps in (("Newton", 1), ("Newton", 10), ("Gradient", 1), ("Gradient", 7))
    if loss.link is not SOFTMAX
    if not (loss.leaf_rule.method == "Exact" and method == "Newton")  # no second derivative
]


class Users:
    """What a user would write for a loss, and nothing else of it."""

    def __init__(self, loss):
        self.value = loss.value
        self.derivatives = loss.derivatives
        self.start_value = lambda target, weight: loss.start_value(target, weight)[0]
        self.link = loss.link


def assert_same_model(one, other, X):
    assert_array_equal(one.forest_.split_columns, other.forest_.split_columns)
    assert_array_equal(one.forest_.split_borders, other.forest_.split_borders)
    assert_array_equal(one.forest_.tree_depths, other.forest_.tree_depths)
    size = np.abs(one.forest_.leaf_values).max()
    assert_allclose(one.forest_.leaf_values, other.forest_.leaf_values, rtol=1e-6, atol=1e-6 * size)
    assert_allclose(one.predict_raw(X), other.predict_raw(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
@pytest.mark.parametrize(("name", "kind", "method", "steps"), CASES)
def test_the_object_trains_the_model_of_the_name(name, kind, method, steps, mode):
    loss = loss_of(name)
    X, y = data_of(name, kind)(400)
    weight = np.random.default_rng(3).exponential(size=400) + 0.1
    settings = {
        "iterations": 8,
        "depth": 4,
        "learning_rate": 0.5,
        "l2_leaf_reg": 0.1,
        "boosting_type": mode,
        "leaf_estimation_method": method,
        "leaf_estimation_iterations": steps,
    }
    by_name, by_object = (
        ESTIMATORS[kind](loss_function=given, **settings).fit(X, y, sample_weight=weight)
        for given in (loss.name, Users(loss))
    )
    assert_same_model(by_name, by_object, X)
