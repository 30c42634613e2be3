"""A training that runs away is an error, and nothing else is."""

from __future__ import annotations

import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.boost.stopping import diverges
from tests.data import binary, counts, regression


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
@pytest.mark.parametrize("rate", [3.0, 10.0])
def test_a_rate_that_makes_the_loss_run_away_is_an_error(mode, rate):
    X, y = regression(500)
    model = OcelotRegressor(iterations=100, learning_rate=rate, boosting_type=mode)
    with pytest.raises(ParameterError, match=r"Training diverges: .* learning_rate smaller than"):
        model.fit(X, y)


@pytest.mark.parametrize("rate", [0.03, 0.5, 1.0, 1.5])
@pytest.mark.parametrize(
    ("kind", "make", "loss"),
    [
        (OcelotRegressor, regression, "RMSE"),
        (OcelotRegressor, regression, "MAE"),
        (OcelotRegressor, counts, "Poisson"),
        (OcelotClassifier, binary, "Logloss"),
    ],
)
def test_ordinary_and_bold_rates_raise_no_alarm(kind, make, loss, rate):
    X, y = make(300)
    model = kind(iterations=60, learning_rate=rate, loss_function=loss).fit(X, y)
    assert model.n_iter_ == 60


def test_a_rise_is_no_divergence_while_it_is_small_or_ends():
    assert not diverges([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6])
    assert not diverges([1.0, 4.0, 9.0, 16.0, 25.0, 20.0, 30.0])
    assert not diverges([1.0, float("nan"), 9.0, 16.0, 25.0, 36.0, float("nan")])
    assert diverges([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    assert diverges([-0.1, 2.0, 4.0, 8.0, 16.0, 32.0])
