"""Targets far from zero, whose differences single precision cannot hold."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import InputError, OcelotRegressor, load_model
from tests.data import regression

FAR = 1e9
SETTINGS = {"iterations": 40, "learning_rate": 0.2, "random_state": 0}


def far_regression(n=400):
    X, y = regression(n)
    return X, y.astype(np.float64), y.astype(np.float64) + FAR


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
@pytest.mark.parametrize("loss", ["RMSE", "MAE", "Quantile:alpha=0.8", "Huber:delta=0.5"])
def test_a_far_target_is_learned_like_the_same_one_near_zero(loss, mode, tmp_path):
    X, near, far = far_regression()
    settings = {**SETTINGS, "loss_function": loss, "boosting_type": mode}
    expected = OcelotRegressor(**settings).fit(X[:300], near[:300], eval_set=(X[300:], near[300:]))
    model = OcelotRegressor(**settings).fit(X[:300], far[:300], eval_set=(X[300:], far[300:]))
    assert_allclose(model.predict(X) - FAR, expected.predict(X), atol=0.2 * near.std())
    assert np.corrcoef(model.predict(X) - FAR, expected.predict(X))[0, 1] > 0.98
    for data in ("learn", "eval_0"):
        last = model.history_[data][loss][-1]
        assert last == pytest.approx(expected.history_[data][loss][-1], rel=0.2)
    model.save_model(tmp_path / "model.ocelot")
    assert_array_equal(load_model(tmp_path / "model.ocelot").predict(X), model.predict(X))


def test_metrics_see_the_target_where_the_user_has_it():
    X, _, far = far_regression()
    model = OcelotRegressor(**SETTINGS, eval_metric=["MAPE", "R2"]).fit(X, far)
    predicted = model.predict(X)
    mape = np.abs((far - predicted) / far).mean()
    assert model.history_["learn"]["MAPE"][-1] == pytest.approx(mape, rel=1e-6)
    r2 = 1 - ((far - predicted) ** 2).sum() / ((far - far.mean()) ** 2).sum()
    assert model.history_["learn"]["R2"][-1] == pytest.approx(r2, rel=1e-5)


def test_a_far_target_is_continued_and_replayed():
    X, _, far = far_regression()
    first = OcelotRegressor(**SETTINGS).fit(X, far)
    second = OcelotRegressor(**SETTINGS).fit(X, far, init_model=first)
    errors = [np.sqrt(np.mean((model.predict(X) - far) ** 2)) for model in (first, second)]
    assert errors[1] < errors[0] < 0.8 * far.std()
    replayed = OcelotRegressor(**SETTINGS, validation_fraction=0.2, refit="replay").fit(X, far)
    assert np.sqrt(np.mean((replayed.predict(X) - far) ** 2)) < 0.8 * far.std()


@pytest.mark.parametrize("loss", ["Poisson", "Gamma"])
def test_what_cannot_be_represented_is_an_error(loss):
    X, _, far = far_regression()
    message = "single precision, which cannot tell them apart .* Subtract a constant"
    with pytest.raises(InputError, match=message):
        OcelotRegressor(loss_function=loss).fit(X, far)
    with pytest.raises(InputError, match=r"cannot tell them apart .* Rescale the target"):
        OcelotRegressor().fit(X, far_regression()[1] * 1e-45)


def test_ordinary_targets_are_left_as_they_are():
    X, near, _ = far_regression()
    for y in (near, near + 1000, near * 1e20, np.full(400, 7.0), np.round(near * 10)):
        assert OcelotRegressor()._target_settings().learn(y, None, len(X)).centre == 0
