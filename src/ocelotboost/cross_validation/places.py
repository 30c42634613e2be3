"""How many folds train at a time, and on how many threads each."""

from __future__ import annotations

from dataclasses import dataclass

from ocelotboost.cross_validation.fitting import Common

#: With more folds, those that have not begun take no memory.
_MOST_IN_STEP = 16


@dataclass(frozen=True)
class Places:
    """
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
    inside = Places(1, n_threads, keeps_in_step=False)
    if parallel == "inside" or n_threads == 1 or n_folds == 1:
        return inside
    if parallel == "auto" and (common.calls_python or n_folds < n_threads):
        return inside
    return Places(min(n_folds, n_threads), 1, n_folds <= _MOST_IN_STEP)
