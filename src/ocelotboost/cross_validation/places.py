"""How many folds train at a time, and on how many threads each."""

from __future__ import annotations

from dataclasses import dataclass

from ocelotboost.cross_validation.fitting import Common

#: With more folds, those that have not begun take no memory.
_MOST_IN_STEP = 16

#: Bins of all folds that may be in memory at the same time.
_MOST_BYTES = 2 << 30

#: With more rows, many threads inside a fold are as good as a few folds at a time.
_MANY_ROWS = 100_000


@dataclass(frozen=True)
class Places:
    """Who works on what at the same time.

    n_at_once       folds that train at the same time
    n_threads       of each of them
    keeps_in_step   all folds get on together, so that no core is idle at the end
    """

    n_at_once: int
    n_threads: int
    keeps_in_step: bool


def choose_places(parallel: str, n_folds: int, common: Common) -> Places:
    """By what the user said, or by rule."""
    n_threads = common.n_threads
    if parallel == "auto":
        parallel = "folds" if _folds_are_faster(n_folds, n_threads, common) else "inside"
    if parallel == "inside" or n_threads == 1 or n_folds == 1:
        return Places(1, n_threads, keeps_in_step=False)
    return Places(min(n_folds, n_threads), 1, keeps_in_step=n_folds <= _MOST_IN_STEP)


def _folds_are_faster(n_folds: int, n_threads: int, common: Common) -> bool:
    """Threads inside a fold wait for each other many times per tree, folds hardly ever. But there
    have to be as many folds as threads, and memory for all of them."""
    table = common.data.table
    n_alive = n_folds if n_folds <= _MOST_IN_STEP else n_threads
    n_bytes = 2 * table.n_rows * table.n_columns * n_alive
    if common.calls_python or common.settings.read.memory_limit or n_bytes > _MOST_BYTES:
        return False
    return n_folds >= n_threads or (2 * n_folds >= n_threads and table.n_rows <= _MANY_ROWS)
