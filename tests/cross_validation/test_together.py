"""Folds get on together, in as many places as there are."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from ocelotboost.cross_validation.together import _AHEAD, _TURN, Together


class Training:
    """Folds that only count their trees, some of them slowly."""

    def __init__(self, n_trees, slow=()):
        self.n_trees, self.slow = n_trees, slow
        self.at_once, self.most_at_once = 0, 0
        self.counts, self.lead = {}, 0
        self.lock = threading.Lock()

    def __call__(self, fold, reporter):
        for tree in range(1, self.n_trees + 1):
            with self.lock:
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
            time.sleep(0.002 if fold in self.slow else 0)
            with self.lock:
                self.at_once -= 1
                self.counts[fold] = tree
                if len(self.counts) == 4:
                    self.lead = max(self.lead, tree - min(self.counts.values()))
            if reporter._together.report(fold, {}, tree):
                break
        return fold, tree


@pytest.mark.parametrize("n_at_once", [1, 2, 4])
@pytest.mark.parametrize("in_step", [True, False])
def test_all_folds_end_and_no_more_work_than_there_are_places(n_at_once, in_step):
    training = Training(50)
    together = Together(training, 4, n_at_once, in_step)
    assert list(together.rounds()) == list(range(1, 51))
    assert together.results() == [(fold, 50) for fold in range(4)]
    assert training.most_at_once <= n_at_once


def test_nobody_is_far_ahead_of_a_slow_fold():
    training = Training(100, slow={1})
    together = Together(training, 4, 2, in_step=True)
    assert len(list(together.rounds())) == 100
    assert training.lead <= _AHEAD + _TURN


def test_folds_that_wait_have_no_thread():
    n_threads = []

    def train(fold, reporter):
        n_threads.append(threading.active_count())
        return fold

    together = Together(train, 200, 2, in_step=False)
    before = threading.active_count()
    assert list(together.rounds()) == []
    assert together.results() == list(range(200))
    assert max(n_threads) < before + 100  # two that train, and those that are about to end


@pytest.mark.parametrize("n_at_once", [1, 3])
def test_a_stop_ends_all_folds_after_trees_that_all_of_them_have(n_at_once):
    together = Together(Training(10_000), 4, n_at_once, in_step=True)
    with closing(together.rounds()) as rounds:
        for n_trees in rounds:
            if n_trees == 20:
                together.stop_after(20)
    assert n_trees == 20
    assert all(20 <= tree <= 20 + _AHEAD + _TURN for _, tree in together.results())


@pytest.mark.parametrize("in_step", [True, False])
def test_an_error_ends_the_others(in_step):
    def train(fold, reporter):
        if fold == 2:
            raise ValueError("fold 2")
        return Training(1_000_000)(fold, reporter)

    before = threading.active_count()
    with pytest.raises(ValueError, match="fold 2"):
        list(Together(train, 4, 4, in_step).rounds())
    assert threading.active_count() == before


def test_who_stops_listening_ends_all_folds():
    before = threading.active_count()
    together = Together(Training(1_000_000), 4, 2, in_step=True)
    with closing(together.rounds()) as rounds:
        next(rounds)
    assert threading.active_count() == before
