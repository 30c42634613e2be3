"""A search in a storage goes on after a kill, and only with the same data and settings."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ocelotboost import InputError, ParameterError, tune
from tests.tuning.test_tune import FEW, numbers

ROOT = Path(__file__).parents[2]

#: A search that would go on for long, of which somebody kills the process.
PROGRAM = """
import sys
from ocelotboost import tune
from tests.tuning.test_tune import FEW, numbers

def tell(study, trial):
    print("trial", trial.number, flush=True)

tune(*numbers(), estimator=FEW, trials=500, cv=2, storage=sys.argv[1], callbacks=tell)
"""


def without_times(trials):
    return [{key: value for key, value in one.items() if key != "seconds"} for one in trials]


def test_a_killed_search_goes_on_as_if_it_had_not_been(tmp_path):
    path = tmp_path / "study.db"
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line == "trial 3\n":
            time.sleep(0.01)  # into the next trial
            process.send_signal(signal.SIGKILL)
            break
    process.wait()
    process.stdout.close()
    X, y = numbers()
    went_on = tune(X, y, estimator=FEW, trials=12, cv=2, storage=path)
    never_killed = tune(X, y, estimator=FEW, trials=12, cv=2)
    assert without_times(went_on.trials) == without_times(never_killed.trials)
    assert went_on.best_params == never_killed.best_params


def test_enough_trials_are_not_repeated(tmp_path):
    X, y = numbers()
    told = []
    first = tune(X, y, estimator=FEW, trials=3, cv=2, storage=tmp_path / "study.db")
    again = tune(
        X, y, estimator=FEW, trials=3, cv=2, storage=f"sqlite:///{tmp_path}/study.db",
        callbacks=lambda study, trial: told.append(trial),
    )  # fmt: skip
    assert told == []
    np.testing.assert_array_equal(first.estimator.predict(X), again.estimator.predict(X))


def other_data(X, y):
    return {"X": X + 1.0, "y": y}, InputError, "other data"


def other_folds(X, y):
    return {"X": X, "y": y, "cv": 3}, ParameterError, "rows to judge by"


def other_parameters(X, y):
    return {"X": X, "y": y, "estimator": {"iterations": 9}}, ParameterError, "other parameters"


def other_space(X, y):
    return {"X": X, "y": y, "space": ["depth"]}, ParameterError, "search space"


def other_metric(X, y):
    return {"X": X, "y": y, "metric": "R2"}, ParameterError, "maximize"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.db"
    tune(*numbers(), estimator=FEW, trials=1, cv=2, storage=path)
    return path


@pytest.mark.parametrize(
    "other", [other_data, other_folds, other_parameters, other_space, other_metric]
)
def test_a_study_of_something_else_is_refused(stored, other):
    arguments, error, words = other(*numbers())
    with pytest.raises(error, match=words):
        tune(**{"estimator": FEW, "trials": 2, "cv": 2, "storage": stored, **arguments})
    tune(*numbers(), estimator=FEW, trials=1, cv=2, storage=stored)


def test_another_name_is_another_study(stored):
    X, y = numbers()
    found = tune(X + 1.0, y, estimator=FEW, trials=1, cv=2, storage=stored, study_name="other")
    assert found.study.study_name == "other"
