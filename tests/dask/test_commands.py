"""A scheduler and workers that were started as processes of their own, by the `dask` command."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from distributed import Client

from tests.dask.tables import (
    N_ROWS,
    TRAININGS,
    assert_same_model,
    cluster_model,
    collection,
    local_model,
)


def started(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """A client of one scheduler and two workers without nannies."""
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    connect = ["--scheduler-file", str(file)]
    scheduler = started(
        "scheduler", *connect, "--host", "127.0.0.1", "--port", "0", "--no-dashboard"
    )
    where = ["--host", "127.0.0.1", "--no-dashboard", "--nthreads", "1", "--no-nanny"]
    workers = [started("worker", *connect, *where, "--name", str(i)) for i in range(2)]
    try:
        begun = time.monotonic()
        while not file.exists() and time.monotonic() - begun < 60:
            time.sleep(0.1)
        with Client(scheduler_file=str(file), set_as_default=False, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            yield client, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


@pytest.mark.parametrize("name", ["categories, Plain", "numbers, Ordered"])
def test_the_same_bits(name, commands):
    client, _ = commands
    X, y = TRAININGS[name][1](N_ROWS)
    model = cluster_model(name, client).fit(collection(X, 4), y)
    assert_same_model(model, local_model(name))


class Kills:
    """One worker, after some trees."""

    def __init__(self, process):
        self._process = process

    def after_iteration(self, info):
        if info.iteration == 3:
            self._process.kill()


def test_the_others_go_on_without_a_worker_that_nobody_restarts(commands):
    name = "categories, Plain"
    client, workers = commands
    X, y = TRAININGS[name][1](N_ROWS)
    model = cluster_model(name, client)
    model.fit(collection(X, 4), y, callbacks=[Kills(workers[0])])
    assert_same_model(model, local_model(name))
