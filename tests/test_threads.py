"""The thread pool lives with forks, Python threads and joblib; thread_count reads its rules."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed

from ocelotboost import OcelotClassifier, ParameterError
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


def test_thread_count_follows_argument_then_environment_then_cores(monkeypatch):
    monkeypatch.delenv("OCELOT_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_count(None) == available_cores()
    monkeypatch.setenv("OMP_NUM_THREADS", "7,2")
    assert thread_count(None) == 7
    monkeypatch.setenv("OCELOT_NUM_THREADS", "3")
    assert thread_count(None) == 3
    assert thread_count(5) == 5
    assert thread_count(-1) == available_cores()
    assert thread_count(-1000) == 1


def test_no_threads_at_all_is_an_error():
    with pytest.raises(ParameterError, match="n_jobs=0"):
        thread_count(0)
