"""The thread pool lives with forks, threads, joblib and exits; thread_count has its rules."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed

from ocelotboost import OcelotClassifier, ParameterError, threads
from ocelotboost.threads import available_cores, thread_count
from tests.data import binary

TIMEOUT = 60  # seconds; a pool that hangs must not hang the tests


def train(seed: int) -> np.ndarray:
    X, y = binary(20_000, seed=seed)
    return OcelotClassifier(iterations=5, n_jobs=2).fit(X, y).predict_raw(X[:100])


def _send(queue, seed: int) -> None:
    queue.put(train(seed))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_trains_after_its_parent_did():
    expected = train(3)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_send, args=(queue, 3))
    child.start()
    found = queue.get(timeout=TIMEOUT)
    child.join(TIMEOUT)
    assert child.exitcode == 0
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(train(3), expected)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_in_the_middle_of_training_trains():
    expected = train(3)
    context = multiprocessing.get_context("fork")
    done = threading.Event()

    def keep_training():
        while not done.is_set():
            train(1)

    background = threading.Thread(target=keep_training)
    background.start()
    try:
        for _ in range(3):
            queue = context.Queue()
            child = context.Process(target=_send, args=(queue, 3))
            child.start()
            np.testing.assert_array_equal(queue.get(timeout=TIMEOUT), expected)
            child.join(TIMEOUT)
            assert child.exitcode == 0
    finally:
        done.set()
        background.join(TIMEOUT)


def test_one_model_predicts_from_four_threads_at_once():
    X, y = binary(20_000)
    model = OcelotClassifier(iterations=20, n_jobs=2).fit(X, y)
    expected = model.predict_raw(X)
    with ThreadPoolExecutor(4) as executor:
        for found in executor.map(lambda _: model.predict_raw(X), range(8), timeout=TIMEOUT):
            np.testing.assert_array_equal(found, expected)


def test_a_callback_may_train_another_model():
    class Nested:
        found = None

        def after_iteration(self, info):
            self.found = train(2)

    X, y = binary(20_000, seed=1)
    nested, model = Nested(), OcelotClassifier(iterations=5, n_jobs=2)
    model.fit(X, y, callbacks=[nested])
    np.testing.assert_array_equal(model.predict_raw(X[:100]), train(1))
    np.testing.assert_array_equal(nested.found, train(2))


def test_four_python_threads_at_once():
    expected = [train(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as executor:
        found = list(executor.map(train, range(4), timeout=TIMEOUT))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_inside_joblib(backend):
    expected = [train(seed) for seed in range(2)]
    found = Parallel(n_jobs=2, backend=backend, timeout=TIMEOUT)(
        delayed(train)(seed) for seed in range(2)
    )
    np.testing.assert_array_equal(found, expected)


def run_python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True, text=True, timeout=TIMEOUT,
    )  # fmt: skip


EXIT_WITH_A_BUSY_DAEMON = """
import sys, threading, time
from ocelotboost import OcelotClassifier
from tests.data import binary

X, y = binary(5_000, seed=1)
model = OcelotClassifier(iterations=20, n_jobs=2)
model.fit(X, y)
begun = threading.Event()

def work():
    while True:
        model.predict(X) if sys.argv[1] == "predict" else model.fit(X, y)
        begun.set()

threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.parametrize("what", ["fit", "predict"])
@pytest.mark.parametrize("seconds", ["0", "0.003", "0.01"])
def test_the_process_ends_well_while_a_daemon_thread_is_busy(what, seconds):
    process = run_python(EXIT_WITH_A_BUSY_DAEMON, what, seconds)
    assert (process.returncode, process.stderr) == (0, "")


def test_workers_with_nothing_to_do_end_and_new_ones_come():
    program = """
import os, time
import numpy as np
from ocelotboost.kernels import native

def work():
    out = np.empty(400_000, dtype=np.uint64)
    native.hash_integers(np.arange(400_000), np.array([1, 2], dtype=np.uint64), out, n_threads=6)
    return out

def n_threads():
    return len(os.listdir("/proc/self/task"))

before, expected = n_threads(), work()
assert before < n_threads() <= before + 5, (before, n_threads())
while n_threads() > before:
    time.sleep(0.2)
np.testing.assert_array_equal(work(), expected)
assert n_threads() > before
"""
    process = run_python(program)
    assert (process.returncode, process.stderr) == (0, "")


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    monkeypatch.delenv("OCELOT_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@pytest.mark.usefixtures("two_cores")
def test_thread_count_follows_argument_then_environment_then_cores(monkeypatch):
    assert thread_count(None) == 2
    monkeypatch.setenv("OMP_NUM_THREADS", "1,7")
    assert thread_count(None) == 1
    monkeypatch.setenv("OCELOT_NUM_THREADS", "3")
    assert thread_count(None) == 3
    assert thread_count(1) == 1
    assert thread_count(-1) == 2
    assert thread_count(-2) == 1
    assert thread_count(-1000) == 1


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("n_jobs", [3, 3000, 1 << 31, 1 << 80, np.int64(1 << 40)])
def test_there_are_no_more_threads_than_cores(n_jobs, monkeypatch):
    assert thread_count(n_jobs) == 2
    monkeypatch.setenv("OMP_NUM_THREADS", str(n_jobs))
    assert thread_count(None) == 2


@pytest.mark.usefixtures("two_cores")
def test_the_environment_may_ask_for_more_threads_than_cores(monkeypatch):
    monkeypatch.setenv("OCELOT_NUM_THREADS", "5")
    assert thread_count(5) == thread_count(6) == 5
    monkeypatch.setenv("OCELOT_NUM_THREADS", str(1 << 80))
    assert thread_count(None) == 1024


def test_there_is_a_core():
    assert available_cores() >= 1


def test_an_enormous_number_of_jobs_trains_and_predicts():
    X, y = binary(300)
    model = OcelotClassifier(iterations=2, n_jobs=1 << 31).fit(X, y)
    assert len(model.predict(X)) == len(X)


def test_no_threads_at_all_is_an_error():
    with pytest.raises(ParameterError, match="n_jobs=0"):
        thread_count(0)
