"""Folds that are trained side by side, each in a thread of its own.

A fold does one tree after the other while it has a place. There are as many places as folds may
train at once: one, when all cores work inside a fold, or one per core. After a turn of some trees
a fold gives its place to the one that is furthest behind. So all of them get on together, and what
they have in common can be looked at tree by tree, by the thread that asked for it:

    trees    1   2   3   4   5   6
    fold 1   ■   ■   ■   ■   ■   ■        waits for its next turn
    fold 2   ■   ■   ■   ■                has a place
    fold 3   ■   ■                        has a place
             └───┴── all have these: their mean may stop all of them

Which fold has its place when does not change a bit of any model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

from ocelotboost.boost.callback import History, IterationInfo
from ocelotboost.kernels.turns import taking_turns

Result = TypeVar("Result")

#: Trees of a turn, and how many a fold may be ahead of the slowest.
_TURN, _AHEAD = 8, 32

#: Seconds after which Ctrl-C is looked for: the system may tell another thread of it, and then
#: nobody wakes the one that waits.
_NAP = 0.2


class Together(Generic[Result]):
    """Folds that are being trained.

    train      gets the number of a fold, and a callback for its trees
    n_at_once  how many may train at the same time
    in_step    keep them together; else a fold that has a place keeps it to its end
    """

    def __init__(
        self, train: Callable[[int, Reporter], Result], n_folds: int, n_at_once: int, in_step: bool
    ) -> None:
        self._train = train
        self._n_at_once = n_at_once
        self._in_step = in_step
        self._n_trees = [0] * n_folds
        self._histories: dict[int, History] = {}
        self._results: dict[int, Result] = {}
        self._errors: dict[int, BaseException] = {}
        self._threads: dict[int, threading.Thread] = {}
        self._turns = [threading.Event() for _ in range(n_folds)]
        self._waiting, self._running = set(range(n_folds)), set[int]()
        self._last: int | None = None
        self._news = threading.Condition()  # its lock is that of all that changes here

    # ---- in the thread that asks ---------------------------------------------------------

    def rounds(self) -> Generator[int, None, None]:
        """Train all folds, and say how many trees all of them have, whenever that grows. At the
        end all have ended; an error of one of them is raised."""
        n_seen = 0
        try:
            with self._news:
                self._give_places()
            while self._wait_for_more(n_seen):
                n_seen += 1
                yield n_seen
        finally:
            with self._news:
                if self._waiting or self._running:
                    self.stop_after(0)
            for thread in list(self._threads.values()):
                thread.join()
        if self._errors:
            raise self._errors[min(self._errors)]

    def stop_after(self, n_trees: int) -> None:
        """No fold keeps more trees than this; 0: nobody waits for the results."""
        with self._news:
            self._last = n_trees if self._last is None else min(self._last, n_trees)
            for fold in self._waiting & self._threads.keys():
                self._turns[fold].set()
            self._news.notify()

    @property
    def is_over(self) -> bool:
        """Nobody waits for the results."""
        return self._last == 0

    def histories(self) -> list[History]:
        """Of all folds, each with at least as many trees as all have."""
        return [self._histories[fold] for fold in range(len(self._n_trees))]

    def results(self) -> list[Result]:
        return [self._results[fold] for fold in range(len(self._n_trees))]

    def _wait_for_more(self, n_seen: int) -> bool:
        """Whether all folds have, or will have, a tree more than these; false: all have ended."""
        with self._news:
            while not self.is_over:
                if min(self._n_trees) > n_seen and not self._is_last(n_seen):
                    return True
                if not (self._waiting or self._running):
                    break
                self._news.wait(_NAP)
            return False

    # ---- in the thread of a fold ---------------------------------------------------------

    def report(self, fold: int, history: History, n_trees: int) -> bool:
        """One more tree of a fold; whether it was the last. At the end of a turn it waits."""
        with self._news:
            self._histories[fold] = history
            self._n_trees[fold] = n_trees
            waits = self._in_step and n_trees % _TURN == 0 and not self._is_last(n_trees)
            if waits:
                self._turns[fold].clear()
                self._running.discard(fold)
                self._waiting.add(fold)
            self._give_places()
            self._news.notify()
        if waits:
            with taking_turns(False):
                self._turns[fold].wait()
        return self._is_last(n_trees)

    def _run(self, fold: int) -> None:
        try:
            with taking_turns():
                self._results[fold] = self._train(fold, Reporter(self, fold))
        except BaseException as error:
            self._errors[fold] = error
            self.stop_after(0)
        finally:
            with self._news:
                self._running.discard(fold)
                self._waiting.discard(fold)
                self._give_places()
                self._news.notify()

    def _give_places(self) -> None:
        """To those that are furthest behind, as long as there are places."""
        while self._waiting and len(self._running) < self._n_at_once and not self.is_over:
            behind = min(self._waiting, key=lambda fold: (self._n_trees[fold], fold))
            slowest = min(self._n_trees[fold] for fold in self._waiting | self._running)
            if self._n_trees[behind] >= slowest + _AHEAD:
                break
            self._waiting.remove(behind)
            self._running.add(behind)
            self._turns[behind].set()
            if behind not in self._threads:
                self._threads[behind] = threading.Thread(
                    target=self._run, args=(behind,), daemon=True
                )
                self._threads[behind].start()

    def _is_last(self, n_trees: int) -> bool:
        return self._last is not None and n_trees >= self._last


class Reporter:
    """A callback of the training loop of a fold."""

    def __init__(self, together: Together[Any], fold: int) -> None:
        self._together = together
        self._fold = fold

    def after_iteration(self, info: IterationInfo) -> bool:
        return self._together.report(self._fold, info.history, info.iteration + 1)

    def only_stopping(self) -> Stopper:
        """For a fold of several models, whose trees are not counted together."""
        return Stopper(self._together)


class Stopper:
    """A callback that ends a training when nobody waits for it."""

    def __init__(self, together: Together[Any]) -> None:
        self._together = together

    def after_iteration(self, info: IterationInfo) -> bool:
        return self._together.is_over
