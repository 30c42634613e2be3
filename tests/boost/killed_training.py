"""A program that trains, is killed at random moments, and trains on: test_killed.py runs it.

    python -m tests.boost.killed_training FOLDER SEED

Each training runs in a child that this process forks and kills by SIGKILL. It has no threads
itself, so that nothing is lost in the fork, and imports the package once for all children.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from tools.fingerprint import categories, numbers
from tools.fingerprint import signal as target

from ocelotboost import OcelotClassifier, OcelotRegressor

KILLS_OF_A_TRAINING = 5


def _categorical(**parameters: Any) -> Any:
    model = OcelotClassifier(cat_features=[3, 4, 5, 6], learning_rate=0.1, **parameters)
    return model, categories(), target() > 0


def _numeric(**parameters: Any) -> Any:
    return OcelotRegressor(learning_rate=0.1, **parameters), numbers(), target()


TRAININGS = {
    "categories, Ordered, MVS": lambda: _categorical(iterations=40, boosting_type="Ordered"),
    "categories, Plain, Bernoulli, early stopping": lambda: _categorical(
        iterations=200, boosting_type="Plain", bootstrap_type="Bernoulli",
        validation_fraction=0.25, early_stopping_rounds=10, refit="replay",
    ),
    "classes, Ordered, Bayesian": lambda: (
        OcelotClassifier(iterations=40, learning_rate=0.1, boosting_type="Ordered"),
        numbers(),
        np.searchsorted([-1.0, 1.5], target()),
    ),
    "numbers, Plain, columns drawn": lambda: _numeric(
        iterations=150, boosting_type="Plain", rsm=0.5
    ),
}  # fmt: skip


def train(name: str, model_file: Path, snapshot: Path | None) -> None:
    model, X, y = TRAININGS[name]()
    model.fit(X, y, snapshot=snapshot, snapshot_interval=0)
    model.save_model(model_file)


def _in_child(name: str, model_file: Path, snapshot: Path | None) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            train(name, model_file, snapshot)
            status = 0
        finally:
            os._exit(status)
    return child


def _seconds(name: str, model_file: Path) -> float:
    """Train without interruption."""
    began = time.perf_counter()
    _, status = os.waitpid(_in_child(name, model_file, None), 0)
    assert status == 0, f"{name}: status {status}"
    return time.perf_counter() - began


def main(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    for number, name in enumerate(TRAININGS):
        whole, killed = folder / f"{number}.whole.ocelot", folder / f"{number}.killed.ocelot"
        snapshot = folder / f"{number}.snapshot"
        seconds = _seconds(name, whole)
        n_kills = 0
        while n_kills < KILLS_OF_A_TRAINING:
            child = _in_child(name, killed, snapshot)
            time.sleep(rng.uniform(0, 0.5 * seconds))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if os.WIFSIGNALED(status):
                n_kills += 1
                print(f"{name}: killed, snapshot {'there' if snapshot.exists() else 'not there'}")
            else:  # it was ready before
                assert status == 0, f"{name}: status {status}"
                assert killed.read_bytes() == whole.read_bytes(), name
                snapshot.unlink()
        _, status = os.waitpid(_in_child(name, killed, snapshot), 0)
        assert status == 0, f"{name}: status {status}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
