"""A loss of the library, given as a user's own object, trains the same model."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.loss.registry import BINARY_LOSSES, REGRESSION_LOSSES, loss_from
from tests.data import amounts, binary, counts, regression, shares

DATA = {"Poisson": counts, "Tweedie": counts, "Gamma": amounts, "CrossEntropy": shares}
PARAMETERS = {"Quantile": "alpha=0.7", "Huber": "delta=0.5", "Tweedie": "variance_power=1.4"}
CASES = [(OcelotRegressor, name) for name in REGRESSION_LOSSES] + [
    (OcelotClassifier, name) for name in BINARY_LOSSES
]


class Users:
    """What a user would write for a loss, and nothing else of it."""

    def __init__(self, loss):
        self.value = loss.value
        self.derivatives = loss.derivatives
        self.start_value = lambda target, weight: loss.start_value(target, weight)[0]
        self.link = loss.link


def data_of(kind, name):
    make = binary if kind is OcelotClassifier else DATA.get(name, regression)
    X, y = make(400)
    return X, y, np.random.default_rng(3).exponential(size=400).astype(np.float32) + 0.1


def assert_same_model(one, other, X):
    assert_array_equal(one.forest_.split_columns, other.forest_.split_columns)
    assert_array_equal(one.forest_.split_borders, other.forest_.split_borders)
    assert_array_equal(one.forest_.tree_depths, other.forest_.tree_depths)
    size = np.abs(one.forest_.leaf_values).max()
    assert_allclose(one.forest_.leaf_values, other.forest_.leaf_values, rtol=1e-6, atol=1e-6 * size)
    assert_allclose(one.predict(X), other.predict(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
@pytest.mark.parametrize(("method", "steps"), [("Newton", 1), ("Newton", 10), ("Gradient", 7)])
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_object_trains_the_model_of_the_name(kind, name, method, steps, mode):
    if method == "Newton" and name in ("MAE", "Quantile"):
        method = "Gradient"  # no second derivative
    text = f"{name}:{PARAMETERS[name]}" if name in PARAMETERS else name
    X, y, weight = data_of(kind, name)
    settings = {
        "iterations": 8,
        "depth": 4,
        "learning_rate": 0.5,
        "l2_leaf_reg": 0.1,
        "boosting_type": mode,
        "leaf_estimation_method": method,
        "leaf_estimation_iterations": steps,
    }
    loss = loss_from(text, (*REGRESSION_LOSSES, *BINARY_LOSSES))
    by_name = kind(loss_function=text, **settings).fit(X, y, sample_weight=weight)
    by_object = kind(loss_function=Users(loss), **settings).fit(X, y, sample_weight=weight)
    assert_same_model(by_name, by_object, X)
