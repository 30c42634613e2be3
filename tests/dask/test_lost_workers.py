"""Workers may die, hang, join late: the model has the same bits, or there is an error. Nothing
hangs."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from contextlib import contextmanager

import pytest
from distributed import Client, LocalCluster

from ocelotboost.dask import ClusterError
from ocelotboost.dask import rows as cluster_rows
from tests.dask.tables import (
    N_ROWS,
    TRAININGS,
    assert_same_model,
    cluster_model,
    collection,
    local_model,
)

ITERATIONS = 40

#: In all; `make kills` asks for more.
N_KILLS = int(os.environ.get("OCELOT_KILLS", "4"))


@contextmanager
def three_workers():
    """A cluster per kill: whether and when Dask starts another worker in place of the lost one is
    its own affair, and on a busy machine it may give up."""
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(3, timeout=60)
        yield client


def one_worker(client):
    """Its address and process."""
    return random.choice(list(client.run(os.getpid).items()))


class Killer(threading.Thread):
    """Sends a signal to a worker after a while."""

    def __init__(self, process, seconds, sent=signal.SIGKILL):
        super().__init__(daemon=True)
        self._process, self._seconds, self._sent = process, seconds, sent

    def run(self):
        time.sleep(self._seconds)
        os.kill(self._process, self._sent)


def fitted(name, client, **more):
    X, y = TRAININGS[name][1](N_ROWS)
    model = cluster_model(name, client, iterations=ITERATIONS, **more)
    return model.fit(collection(X, 4), y)


@pytest.mark.parametrize("name", ["numbers, Ordered", "categories, Plain"])
def test_killed_at_random_moments_the_model_is_the_same(name):
    expected = local_model(name, iterations=ITERATIONS)
    seed = random.randrange(1 << 30)
    random.seed(seed)
    for number in range(N_KILLS // 2):
        with three_workers() as client:
            begun = time.monotonic()
            assert_same_model(fitted(name, client), expected)
            usual = time.monotonic() - begun
            killer = Killer(one_worker(client)[1], random.uniform(0, usual))
            killer.start()
            try:
                assert_same_model(fitted(name, client), expected)
            except Exception as problem:
                raise AssertionError(f"kill {number} with the seed {seed}") from problem
            killer.join()


def test_a_worker_that_hangs_is_done_without():
    name = "numbers, Plain"
    with three_workers() as client:
        fitted(name, client)  # whoever is slow to import is ready then
        hanging = one_worker(client)[1]
        stopper = Killer(hanging, 0.4, signal.SIGSTOP)
        try:
            stopper.start()
            model = fitted(name, client, timeout=8.0)
        finally:
            stopper.join()
            os.kill(hanging, signal.SIGKILL)
    assert_same_model(model, local_model(name, iterations=ITERATIONS))


class Slow:
    """Gives others time."""

    def after_iteration(self, info):
        time.sleep(0.05)


class Scaling:
    """Starts a second worker after some trees, and waits for it."""

    def __init__(self, cluster):
        self._cluster = cluster

    def after_iteration(self, info):
        if info.iteration == 5:
            self._cluster.scale(2)
            self._cluster.wait_for_workers(2)


def test_a_worker_that_joins_late_is_used(monkeypatch):
    monkeypatch.setattr(cluster_rows, "LOOK_SECONDS", 0.2)
    name, used = "categories, Plain", []
    cut_parcels = cluster_rows.cut_parcels
    monkeypatch.setattr(
        cluster_rows, "cut_parcels", lambda n, t: (used.append(len(t)), cut_parcels(n, t))[1]
    )
    X, y = TRAININGS[name][1](N_ROWS)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        model = cluster_model(name, client, iterations=60)
        model.fit(collection(X, 3), y, callbacks=[Slow(), Scaling(cluster)])
    assert used[0] == 1
    assert used[-1] == 2
    assert_same_model(model, local_model(name, iterations=60))


def test_without_workers_there_is_an_error_in_time():
    X, y = TRAININGS["numbers, Plain"][1](N_ROWS)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        threading.Timer(1.0, cluster.scale, [0]).start()
        model = cluster_model("numbers, Plain", client, iterations=1000, timeout=2.0)
        begun = time.monotonic()
        with pytest.raises(ClusterError, match="No worker of the cluster has been there"):
            model.fit(collection(X, 3), y, callbacks=[Slow()])
        assert time.monotonic() - begun < 30


def test_data_that_died_with_its_worker_is_named():
    """Scattered data cannot be made again."""
    import dask.dataframe as dd

    X, y = TRAININGS["numbers, Plain"][1](N_ROWS)
    with three_workers() as client:
        address, process = one_worker(client)
        futures = [
            client.scatter(X.iloc[: N_ROWS // 2], workers=[address]),
            client.scatter(X.iloc[N_ROWS // 2 :], workers=[address]),
        ]
        parts = dd.from_delayed(futures, meta=X.iloc[:0])
        killer = Killer(process, 1.0)
        killer.start()
        model = cluster_model("numbers, Plain", client, iterations=1000, timeout=10.0)
        with pytest.raises(ClusterError, match="can no longer be computed"):
            model.fit(parts, y, callbacks=[Slow()])
        killer.join()
