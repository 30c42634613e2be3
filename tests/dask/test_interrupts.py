"""Ctrl-C in the driver, and trainings that go on from a snapshot."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ocelotboost import OcelotClassifier, SnapshotError
from tests.dask.tables import (
    N_ROWS,
    TRAININGS,
    assert_same_model,
    cluster_model,
    collection,
    local_model,
)

NAME = "categories, Ordered"


class Interrupts:
    """Ctrl-C while a tree is grown."""

    def __init__(self, tree):
        self._tree = tree

    def before_iteration(self, info):
        if info.iteration == self._tree:
            raise KeyboardInterrupt


def held_by_workers():
    """What workers still have for trainings; runs in a worker."""
    from ocelotboost.dask import server

    return len(server._HELD)


def test_ctrl_c_keeps_the_trees_and_frees_the_workers(client):
    X, y = TRAININGS[NAME][1](N_ROWS)
    model = cluster_model(NAME, client, interrupt="keep")
    with pytest.warns(UserWarning, match="keeps its 5 trees"):
        model.fit(collection(X, 4), y, callbacks=[Interrupts(5)])
    assert_same_model(model, local_model(NAME, iterations=5, learning_rate=model.learning_rate_))
    assert set(client.run(held_by_workers).values()) == {0}
    model = cluster_model(NAME, client)
    with pytest.raises(KeyboardInterrupt):
        model.fit(collection(X, 4), y, callbacks=[Interrupts(5)])
    assert model.n_iter_ == 5


@pytest.mark.parametrize("n_partitions", [2, 5])
def test_a_training_goes_on_from_its_snapshot(n_partitions, client, threads, tmp_path):
    """On another number of workers, in other partitions."""
    X, y = TRAININGS[NAME][1](N_ROWS)
    path, X_val = tmp_path / "run.snapshot", X.iloc[:100]
    watched = {"eval_set": (collection(X_val, 2), y[:100]), "snapshot": path}
    with pytest.raises(KeyboardInterrupt):
        cluster_model(NAME, client).fit(
            collection(X, 4), y, callbacks=[Interrupts(5)], snapshot_interval=0, **watched
        )
    model = cluster_model(NAME, threads).fit(collection(X, n_partitions), y, **watched)
    assert_same_model(model, local_model(NAME, eval_set=(X_val, y[:100])))


DRIVER = """
import sys, time
from distributed import Client
from tests.dask.tables import TRAININGS, cluster_model, collection

class Tells:
    def after_iteration(self, info):
        print("tree", flush=True)
        time.sleep(0.1)

with Client(sys.argv[1]) as client:
    X, y = TRAININGS["categories, Plain"][1](300)
    model = cluster_model("categories, Plain", client, iterations=1000, timeout=6.0)
    model.fit(collection(X, 2), y, callbacks=[Tells()])
"""


def test_a_driver_that_is_killed_leaves_nothing_behind(client):
    command = [sys.executable, "-c", DRIVER, client.scheduler.address]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "tree\n"
        assert sum(client.run(held_by_workers).values()) > 0
        driver.kill()
    begun = time.monotonic()
    while any(client.run(held_by_workers).values()):
        assert time.monotonic() - begun < 30
        time.sleep(0.2)


def test_a_snapshot_of_other_data_is_refused(client, tmp_path):
    X, y = TRAININGS[NAME][1](N_ROWS)
    path = tmp_path / "run.snapshot"
    with pytest.raises(KeyboardInterrupt):
        cluster_model(NAME, client).fit(
            collection(X, 2), y, callbacks=[Interrupts(3)], snapshot=path
        )
    other = X.assign(city=X["city"].iloc[::-1].to_numpy())
    with pytest.raises(SnapshotError, match="the column 'city' of X is not what it was"):
        cluster_model(NAME, client).fit(collection(other, 2), y, snapshot=path)


def test_the_driver_frees_the_workers_after_an_error(client):
    X, y = TRAININGS[NAME][1](N_ROWS)

    class Fails:
        def after_iteration(self, info):
            raise RuntimeError("a user's mistake")

    with pytest.raises(RuntimeError, match="a user's mistake"):
        cluster_model(NAME, client).fit(collection(X, 2), y, callbacks=[Fails()])
    assert set(client.run(held_by_workers).values()) == {0}
    model = cluster_model(NAME, client).fit(collection(X, 2), y).to_local()
    assert isinstance(model, OcelotClassifier)
    assert np.mean(model.predict(X) == y) > 0.6
