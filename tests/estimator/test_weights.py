"""A weight k is k copies of the row, for every loss; and all that weights do is continuous."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.estimator.rows import MOST_ROWS, in_rows
from tests.data import (
    amounts,
    binary,
    counts,
    fractional_weights,
    multiclass,
    regression,
    shares,
)

SAME = 1e-7
QUIET = {"boosting_type": "Plain", "bootstrap_type": "No", "random_strength": 0}


class LogCosh:
    """A user's own loss: smooth, between squared and absolute error."""

    name = "LogCosh"

    def value(self, target, raw):
        return np.logaddexp(raw - target, target - raw)

    def derivatives(self, target, raw):
        slope = np.tanh(raw - target)
        return slope, 1.0 - slope**2

    def start_value(self, target, weight):
        return np.average(target.astype(np.float64), weights=weight)


LOSSES = {
    "RMSE": (OcelotRegressor, "RMSE", regression),
    "MAE": (OcelotRegressor, "MAE", regression),
    "Quantile": (OcelotRegressor, "Quantile:alpha=0.8", regression),
    "Huber": (OcelotRegressor, "Huber:delta=0.7", regression),
    "Poisson": (OcelotRegressor, "Poisson", counts),
    "Tweedie": (OcelotRegressor, "Tweedie:variance_power=1.4", counts),
    "Gamma": (OcelotRegressor, "Gamma", amounts),
    "CrossEntropy": (OcelotRegressor, "CrossEntropy", shares),
    "Logloss": (OcelotClassifier, "Logloss", binary),
    "MultiClass": (OcelotClassifier, "MultiClass", multiclass),
    "own": (OcelotRegressor, LogCosh(), regression),
}


def weighted_and_copied(make, n_rows, seed):
    """The same rows twice: with weights 0 to 4, and shuffled, as often as the weights say."""
    X, y = make(n_rows, seed=seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 5, size=n_rows)
    copies = rng.permutation(np.repeat(np.arange(n_rows), weight))
    return (X, y, weight), (X[copies], y[copies])


@pytest.mark.parametrize("name", LOSSES)
def test_a_weight_is_so_many_copies(name):
    kind, loss, make = LOSSES[name]
    (X, y, weight), (X_copied, y_copied) = weighted_and_copied(make, 250, seed=3)
    parameters = {"iterations": 40, "depth": 4, "loss_function": loss, **QUIET}
    weighted = kind(**parameters).fit(X, y, sample_weight=weight)
    copied = kind(**parameters).fit(X_copied, y_copied)
    assert weighted.learning_rate_ == copied.learning_rate_
    assert_allclose(weighted.predict_raw(X), copied.predict_raw(X), rtol=SAME, atol=SAME)
    assert_allclose(
        weighted.history_["learn"][weighted._loss_.name],
        copied.history_["learn"][copied._loss_.name],
        rtol=1e-9,
    )
    assert_allclose(weighted.forest_.leaf_weights, copied.forest_.leaf_weights)
    assert_allclose(weighted.feature_importances_, copied.feature_importances_, rtol=1e-6)


@pytest.mark.parametrize(
    "parameters",
    [
        {"score_function": "L2"},
        {"min_data_in_leaf": 9},
        {"random_strength": 1.0},
        {"rsm": 0.5},
        {"leaf_estimation_method": "Gradient", "leaf_estimation_iterations": 3},
        {"border_type": "Quantile", "border_count": 20},
        {"border_type": "Uniform", "nan_mode": "Max"},
        {"l2_leaf_reg": 0.0},
    ],
    ids=lambda p: ", ".join(p),
)
def test_a_weight_is_so_many_copies_whatever_the_parameters(parameters):
    (X, y, weight), (X_copied, y_copied) = weighted_and_copied(binary, 250, seed=4)
    parameters = {"iterations": 30, "depth": 4, **QUIET, **parameters}
    weighted = OcelotClassifier(**parameters).fit(X, y, sample_weight=weight)
    copied = OcelotClassifier(**parameters).fit(X_copied, y_copied)
    assert_allclose(weighted.predict_raw(X), copied.predict_raw(X), rtol=SAME, atol=SAME)


def test_weights_of_an_eval_set_are_copies_too():
    X, y = binary(300, seed=5)
    (X_eval, y_eval, weight), copied = weighted_and_copied(binary, 200, seed=6)
    model = OcelotClassifier(iterations=20, eval_metric="AUC", **QUIET)
    history = model.fit(X, y, eval_set=[(X_eval, y_eval, weight), copied]).history_
    assert_allclose(history["eval_0"]["Logloss"], history["eval_1"]["Logloss"], rtol=1e-9)
    assert_allclose(history["eval_0"]["AUC"], history["eval_1"]["AUC"], rtol=1e-9)


def test_rows_of_weight_zero_are_not_looked_at():
    X, y = regression(200, seed=7)
    weight = np.where(np.arange(200) < 150, 1.0, 0.0)
    X[150:], y[150:] = 1e30, 1e30
    with_zeros = OcelotRegressor(iterations=10).fit(X, y, sample_weight=weight)
    without = OcelotRegressor(iterations=10).fit(X[:150], y[:150])
    np.testing.assert_array_equal(with_zeros.predict(X[:150]), without.predict(X[:150]))


@pytest.mark.parametrize("scale", [0.5, 1e-3, 1e-30])
@pytest.mark.parametrize(
    "kind_and_data",
    [(OcelotRegressor, regression), (OcelotClassifier, binary), (OcelotClassifier, multiclass)],
    ids=["RMSE", "Logloss", "MultiClass"],
)
def test_the_unit_of_small_weights_does_not_matter(kind_and_data, scale):
    kind, make = kind_and_data
    X, y = make(250, seed=8)
    weight = fractional_weights(250)
    weight *= weight.sum() / (weight**2).sum()  # from here on down
    parameters = {"iterations": 30, "depth": 4, **QUIET}
    large = kind(**parameters).fit(X, y, sample_weight=weight)
    small = kind(**parameters).fit(X, y, sample_weight=weight * np.float32(scale))
    assert large.learning_rate_ == pytest.approx(small.learning_rate_, abs=2e-6)
    assert np.abs(large.predict_raw(X) - small.predict_raw(X)).mean() < 1e-3


@pytest.mark.parametrize("weight", [0.02, 0.999, 1.0, 1.5, 50.0, 1e9, 1e30])
@pytest.mark.parametrize("parameters", [QUIET, {}], ids=["quiet", "default"])
def test_a_weight_that_changes_a_little_changes_the_model_a_little(weight, parameters):
    X, y = binary(600, seed=10)
    model = OcelotClassifier(iterations=30, **parameters)
    equal = np.full(600, weight)
    before = model.fit(X, y, sample_weight=equal).predict_proba(X)
    rate = model.learning_rate_
    equal[7] *= 1.0001
    after = model.fit(X, y, sample_weight=equal).predict_proba(X)
    assert model.learning_rate_ == pytest.approx(rate, abs=2e-6)
    # Near ties, of borders for example, go the other way: as much as another seed would change.
    assert np.abs(before - after).mean() < 0.04


@pytest.mark.parametrize("weight", [0.001, 1.0, 50.0])
def test_a_row_fades_away_with_its_weight(weight):
    X, y = regression(300, seed=11)
    fading = np.where(np.arange(300) < 250, weight, weight * 1e-5)
    gone = np.where(np.arange(300) < 250, weight, 0.0)
    rates = [OcelotRegressor(iterations=1).fit(X, y, sample_weight=w) for w in (fading, gone)]
    assert rates[0].learning_rate_ == pytest.approx(rates[1].learning_rate_, abs=2e-6)


def test_small_weights_count_as_many_rows_as_equal_ones_that_tell_as_much():
    def counted(*weights):
        return in_rows(np.array(weights, dtype=np.float32))

    assert_allclose(counted(0.001, 0.001, 0.001), [1, 1, 1], rtol=1e-6)
    assert_allclose(counted(1e-9, 1e-9, 1e-20), [1, 1, 1e-11], rtol=1e-6)
    assert_allclose(counted(0.5, 0.25).sum(), 0.75**2 / 0.3125, rtol=1e-6)
    for as_they_are in ([1, 2, 3], [0, 1, 7], [0.5, 1.5, 1.0], [50.0, 50.001], [2**29, 1.5]):
        assert counted(*as_they_are).tolist() == np.float32(as_they_are).tolist()
    assert counted(3e38, 1e38, 1e-38).sum() == pytest.approx(MOST_ROWS)


@pytest.mark.parametrize("parameters", [QUIET, {}], ids=["quiet", "default"])
@pytest.mark.parametrize("scale", [1e-38, 1e-6, 1e6, 1e37])
def test_weights_of_any_size_give_a_model_that_learns(scale, parameters):
    X, y = regression(400, seed=12)
    weight = fractional_weights(400) * np.float32(scale)
    model = OcelotRegressor(iterations=100, **parameters).fit(X, y, sample_weight=weight)
    assert model.score(X, y) > 0.8


def test_whole_weights_scaled_with_the_regularization_change_nothing():
    X, y = regression(250, seed=9)
    weight = np.random.default_rng(9).integers(1, 4, size=250)
    parameters = {"iterations": 30, "learning_rate": 0.1, **QUIET}
    once = OcelotRegressor(l2_leaf_reg=3.0, **parameters).fit(X, y, sample_weight=weight)
    thrice = OcelotRegressor(l2_leaf_reg=9.0, **parameters).fit(X, y, sample_weight=3 * weight)
    assert_allclose(once.predict(X), thrice.predict(X), rtol=SAME, atol=SAME)
