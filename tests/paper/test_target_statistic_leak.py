"""Section 3.2 of the paper: two examples in which a target statistic gives the target away.

What training sees of its own rows is in ``history_["learn"]``: predictions of them use other
statistics.
"""

from __future__ import annotations

import numpy as np
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.order.statistic import HISTORIES


def accuracies(kind, X, y, test_X, test_y, **parameters):
    """Of training rows as training sees them, and of new rows."""
    model = OcelotClassifier(
        iterations=5,
        depth=1,
        learning_rate=0.5,
        target_statistic=kind,
        one_hot_max_size=0,
        cat_features=[0],
        eval_metric="Accuracy",
        random_strength=0,
        bootstrap_type="No",
        **parameters,
    ).fit(X, y, eval_set=(test_X, test_y))
    return model.history_["learn"]["Accuracy"][-1], model.history_["eval_0"]["Accuracy"][-1]


@pytest.mark.parametrize("kind", HISTORIES)
@pytest.mark.parametrize("prior", [0.0, 0.5, 1.0])
def test_a_greedy_statistic_of_categories_that_are_all_different(kind, prior):
    rng = np.random.default_rng(1)
    y = rng.permutation(np.arange(400) % 2)
    X, test_X = np.arange(800, dtype=object).reshape(2, 400, 1)
    learn, test = accuracies(kind, X, y, test_X, y, priors=[prior])
    # A category of one row: (y + a p) / (1 + a), which one split tells from the other.
    assert learn == (1.0 if kind == "greedy" else pytest.approx(0.5, abs=0.05))
    assert test == 0.5  # all new rows get the prior, and the same answer


@pytest.mark.parametrize("kind", HISTORIES)
def test_a_leave_one_out_statistic_of_one_category_for_all(kind):
    # The threshold (n⁺ - 0.5 + a p) / (n - 1 + a) is a border of the bins: 8 of 15.
    n, n_positive, prior = 150, 80, 0.5
    rng = np.random.default_rng(2)
    y = rng.permutation((np.arange(n) < n_positive).astype(int))
    assert (n_positive - 0.5 + prior) / n == pytest.approx(8 / 15)
    X = np.full((n, 1), "A", dtype=object)
    test_y = np.arange(n) % 2
    learn, test = accuracies(kind, X, y, X, test_y, priors=[prior])
    assert learn == (1.0 if kind == "leave_one_out" else pytest.approx(n_positive / n, abs=0.07))
    assert test == 0.5


@pytest.mark.parametrize("kind", ["ordered", "holdout"])
def test_an_unrelated_category_teaches_nothing_when_its_own_target_is_unseen(kind):
    # The paper's property P1: the statistic of a training row is distributed as that of a new row.
    rng = np.random.default_rng(3)
    y, test_y = rng.integers(0, 2, size=(2, 2000))
    X, test_X = rng.integers(0, 700, size=(2, 2000, 1)).astype(object)
    learn, test = accuracies(kind, X, y, test_X, test_y)
    assert learn == pytest.approx(test, abs=0.06)
    greedy_learn, greedy_test = accuracies("greedy", X, y, test_X, test_y)
    assert greedy_learn > greedy_test + 0.15


def errors(kind, X, y, test_X, test_y, **parameters):
    """Root mean squares of training rows as training sees them, and of new rows."""
    model = OcelotRegressor(
        iterations=20,
        learning_rate=0.3,
        target_statistic=kind,
        one_hot_max_size=0,
        cat_features=[0],
        **parameters,
    ).fit(X, y, eval_set=(test_X, test_y))
    return model.history_["learn"]["RMSE"][-1], model.history_["eval_0"]["RMSE"][-1]


@pytest.mark.parametrize("statistic", ["mean", "binarized", "both"])
@pytest.mark.parametrize("kind", ["ordered", "holdout"])
def test_an_unrelated_category_teaches_nothing_about_a_number_either(kind, statistic):
    # Middle, mean and range of the target are of all rows, which tells a row next to nothing of
    # its own: new rows would be further from their targets than training rows if it did.
    rng = np.random.default_rng(4)
    y, test_y = rng.normal(size=(2, 2000))
    X, test_X = rng.integers(0, 700, size=(2, 2000, 1)).astype(object)
    parameters = {"regression_statistic": statistic, "depth": 1, "bootstrap_type": "No"}
    learn, test = errors(kind, X, y, test_X, test_y, **parameters)
    assert learn / y.std() == pytest.approx(test / test_y.std(), abs=0.04)
    greedy_learn, greedy_test = errors("greedy", X, y, test_X, test_y, **parameters)
    assert greedy_learn / y.std() < greedy_test / test_y.std() - 0.12
