"""Time, trials, and who ends a search."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from ocelotboost import OcelotRegressor, ParameterError, tune
from ocelotboost.tuning.budget import Clock, seconds_of
from tests.tuning.test_tune import FEW, numbers


@pytest.mark.parametrize(
    ("budget", "seconds"),
    [("90s", 90), ("2h", 7200), ("1h30min", 5400), ("0.5 min", 30), (12, 12), (2.5, 2.5),
     (timedelta(minutes=2), 120)],
)  # fmt: skip
def test_times_as_people_write_them(budget, seconds):
    assert seconds_of(budget) == seconds


@pytest.mark.parametrize("budget", ["ten minutes", "10", "", 0, -1, float("nan"), True, [1]])
def test_other_times_are_refused(budget):
    with pytest.raises(ParameterError, match="give a time such as '10min'"):
        tune(*numbers(), budget=budget)


@pytest.mark.parametrize("trials", [0, -1, 2.5, "10", True])
def test_other_numbers_of_trials_are_refused(trials):
    with pytest.raises(ParameterError, match="whole number from 1"):
        tune(*numbers(), trials=trials)


def test_a_clock_keeps_time_for_what_comes_after():
    clock = Clock(1000.0)
    assert not clock.over
    clock.reserved = 2000.0
    assert clock.over
    assert not Clock(None).over


def test_without_time_the_defaults_are_tried_and_fitted():
    X, y = numbers()
    found = tune(X, y, estimator=FEW, budget=1e-6, cv=2)
    assert len(found.trials) == 1
    assert found.best_params == {}
    assert found.estimator.predict(X).shape == y.shape


def test_the_budget_ends_the_search():
    X, y = numbers()
    begun = time.perf_counter()
    found = tune(X, y, estimator=FEW, budget=3, cv=2)
    assert len(found.trials) > 1
    assert time.perf_counter() - begun < 60  # of a busy machine


def test_a_callback_ends_the_search():
    X, y = numbers()
    found = tune(
        X, y, estimator=FEW, trials=20, cv=2, callbacks=lambda study, trial: trial.number == 2
    )
    assert len(found.trials) == 3
    with pytest.raises(ParameterError, match="cannot be called"):
        tune(X, y, callbacks=["print"])


class PressedInTrial:
    """A metric that Ctrl-C hits when it has been asked some times."""

    name, higher_is_better = "Own", False

    def __init__(self, calls):
        self._left = iter(range(calls, -1, -1))

    def __deepcopy__(self, memo):
        return self  # estimators are cloned

    def value(self, target, raw, weight):
        if next(self._left, None) == 0:
            raise KeyboardInterrupt
        return float(((target - raw) ** 2).mean())


def test_ctrl_c_keeps_the_best_so_far_and_fits_it():
    X, y = numbers()
    metric = PressedInTrial(500)  # after some trials
    found = tune(X, y, estimator=OcelotRegressor(**FEW), trials=200, cv=2, metric=metric)
    assert found.interrupted
    assert 1 < len(found.trials) < 200
    assert "interrupted" in str(found)
    assert found.estimator.n_iter_ == 15


def test_ctrl_c_before_the_first_result_is_passed_on():
    X, y = numbers()
    with pytest.raises(KeyboardInterrupt):
        tune(X, y, estimator=FEW, trials=3, cv=2, metric=PressedInTrial(3))
