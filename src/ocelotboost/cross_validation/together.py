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
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from ocelotboost.boost.callback import History, IterationInfo

Result = TypeVar("Result")

#: Trees of a turn, and how many a fold may be ahead of the slowest.
_TURN, _AHEAD = 8, 32


class Together(Generic[Result]):
    """Folds that are being trained.

    n_at_once  how many may train at the same time
    in_step    keep them together; else a fold that has a place keeps it to its end
    """

    def __init__(self, n_folds: int, n_at_once: int, in_step: bool) -> None:
        self._n_at_once = n_at_once
        self._in_step = in_step
        self._n_trees = [0] * n_folds
        self._histories: list[History | None] = [None] * n_folds
        self._results: list[Result | None] = [None] * n_folds
        self._errors: list[BaseException | None] = [None] * n_folds
        self._running: set[int] = set()
        self._waiting: set[int] = set()
        self._ended: set[int] = set()
        self._end: int | None = None
        self._changed = threading.Condition()

    # ---- in the thread that asks ---------------------------------------------------------

    def train(self, train: Callable[[int, _Reporter], Result]) -> Iterator[int]:
        """Begin all folds, and say how many trees all of them have, whenever that grows; after the
        last, all have ended. ``train`` gets the number of a fold, and a callback for its trees."""
        threads = [
            threading.Thread(target=self._run, args=(fold, train), daemon=True)
            for fold in range(len(self._n_trees))
        ]
        for thread in threads:
            thread.start()
        n_seen = 0
        try:
            while True:
                n_common, ended = self._wait_for_more(n_seen)
                while n_seen < n_common and not self._has_ended(n_seen):
                    n_seen += 1
                    yield n_seen
                if ended:
                    break
        finally:
            self.stop_after(0)
            for thread in threads:
                thread.join()
        for error in self._errors:
            if error is not None:
                raise error

    def stop_after(self, n_trees: int) -> None:
        """No fold begins a tree after so many."""
        with self._changed:
            self._end = n_trees if self._end is None else min(self._end, n_trees)
            self._changed.notify_all()

    def histories(self) -> list[History]:
        """Of all folds, each with at least as many trees as all have."""
        return [own for own in self._histories if own is not None]

    def results(self) -> list[Result]:
        return [own for own in self._results if own is not None]

    def _wait_for_more(self, n_seen: int) -> tuple[int, bool]:
        """How many trees all folds have, and whether they have ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._common() > n_seen or self._all_ended())
            return self._common(), self._all_ended()

    def _common(self) -> int:
        return min(self._n_trees)

    def _all_ended(self) -> bool:
        return len(self._ended) == len(self._n_trees)

    def _has_ended(self, n_seen: int) -> bool:
        return self._end is not None and n_seen >= self._end

    # ---- in the thread of a fold ---------------------------------------------------------

    def _run(self, fold: int, train: Callable[[int, _Reporter], Result]) -> None:
        try:
            self._take_place(fold)
            if self._end != 0:
                self._results[fold] = train(fold, _Reporter(self, fold))
        except BaseException as error:
            self._errors[fold] = error
            self.stop_after(0)
        finally:
            with self._changed:
                self._running.discard(fold)
                self._ended.add(fold)
                self._changed.notify_all()

    def report(self, fold: int, history: History, n_trees: int) -> bool:
        """One more tree of a fold; whether it was the last. At the end of a turn it waits."""
        with self._changed:
            self._histories[fold] = history
            self._n_trees[fold] = n_trees
            self._changed.notify_all()
            if self._in_step and n_trees % _TURN == 0:
                self._running.discard(fold)
                self._take_place(fold)
            return self._has_ended(n_trees)

    def _take_place(self, fold: int) -> None:
        with self._changed:
            self._waiting.add(fold)
            self._changed.wait_for(
                lambda: self._has_ended(self._n_trees[fold]) or self._is_next(fold)
            )
            self._waiting.discard(fold)
            self._running.add(fold)
            self._changed.notify_all()

    def _is_next(self, fold: int) -> bool:
        """Whether there is a place, and no fold that is further behind waits for it."""
        if len(self._running) >= self._n_at_once:
            return False
        behind = min(self._waiting, key=lambda own: (self._n_trees[own], own))
        slowest = min(
            (n for own, n in enumerate(self._n_trees) if own not in self._ended), default=0
        )
        return fold == behind and self._n_trees[fold] < slowest + _AHEAD


class _Reporter:
    """A callback of the training loop."""

    def __init__(self, together: Together[Result], fold: int) -> None:
        self._together = together
        self._fold = fold

    def after_iteration(self, info: IterationInfo) -> bool:
        return self._together.report(self._fold, info.history, info.iteration + 1)
