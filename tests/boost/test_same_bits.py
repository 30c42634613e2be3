"""The same model, to the last bit, for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from tests.data import assert_same_bits, binary, multiclass, regression

pytestmark = pytest.mark.usefixtures("five_threads")


def forests(estimator, X, y, **fit):
    return [estimator.set_params(n_jobs=n).fit(X, y, **fit).forest_ for n in (1, 2, 5)]


@pytest.mark.parametrize("bootstrap_type", ["No", "Bayesian", "Bernoulli", "MVS"])
@pytest.mark.parametrize(
    "loss", ["RMSE", "Quantile:alpha=0.8", "Huber:delta=1", "Logloss", "MultiClass"]
)
def test_every_loss_and_sampling(loss, bootstrap_type):
    parameters = {"iterations": 8, "loss_function": loss, "bootstrap_type": bootstrap_type}
    if loss == "MultiClass":
        X, y = multiclass(20_000, n_classes=4, missing=0.05)
        estimator = OcelotClassifier(**parameters)
    elif loss == "Logloss":
        X, y = binary(20_000, missing=0.05)
        estimator = OcelotClassifier(**parameters)
    else:
        X, y = regression(20_000, missing=0.05)
        estimator = OcelotRegressor(**parameters)
    first, *others = forests(estimator.set_params(rsm=0.7, random_strength=2), X, y)
    for other in others:
        assert_same_bits(first, other)


def test_long_segments_that_threads_share():
    X, y = binary(90_000, missing=0.02)
    weight = np.random.default_rng(1).exponential(size=len(y))
    estimator = OcelotClassifier(iterations=5)
    first, *others = forests(estimator, X, y, sample_weight=weight)
    for other in others:
        assert_same_bits(first, other)


def test_predictions():
    X, y = multiclass(10_000, n_classes=3)
    model = OcelotClassifier(iterations=20).fit(X, y)
    found = [model.set_params(n_jobs=n).predict_raw(X) for n in (1, 2, 5)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_predictions_of_training_rows_are_those_of_training():
    X, y = regression(3000)
    model = OcelotRegressor(iterations=30).fit(X, y, eval_set=(X, y))
    error = np.sqrt(np.mean((model.predict(X) - y.astype(np.float32)) ** 2))
    assert error == pytest.approx(min(model.history_["learn"]["RMSE"]), rel=1e-9)
