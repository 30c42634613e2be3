"""Which rows judge the trials.

    cv=None, 10,000 rows or more    search    a holdout: the first of five folds
                                    judge     the finalists, by two more of them
    cv=None, fewer rows             search    three folds of five; below 2,000 rows all five
    cv=...                          search    those folds (cross_validation/folds.py)

The best of many trials on a small holdout is partly the luckiest. So the best few and the defaults
meet again on rows that have not chosen them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ocelotboost.boost.identity import digest
from ocelotboost.cross_validation.folds import Fold, RowsToSplit, make_folds

#: With fewer rows, one holdout is too small to tell parameters apart, or three folds are.
FEWEST_FOR_HOLDOUT, FEWEST_FOR_THREE = 10_000, 2_000

#: A holdout is one fold of this many, and at most this many rows.
_FOLDS, _MOST_HELD_OUT = 5, 20_000

#: Folds that judge the finalists, the holdout included.
_JUDGES = 3


@dataclass(frozen=True)
class Judges:
    """Rows to train on and to judge by.

    folds     those of the search first
    n_search  how many of them judge every trial; the others judge the finalists
    """

    folds: tuple[Fold, ...]
    n_search: int

    @property
    def search(self) -> range:
        return range(self.n_search)

    @property
    def others(self) -> range:
        return range(self.n_search, len(self.folds))

    def fingerprint(self) -> str:
        """Of all row numbers."""
        return digest(str(self.n_search), *(rows for fold in self.folds for rows in fold))

    def __str__(self) -> str:
        if self.n_search > 1:
            return f"{self.n_search} folds"
        more = f", the finalists by {len(self.folds)} folds" if self.others else ""
        return f"a holdout of {len(self.folds[0].test):,} rows{more}"


def choose_judges(cv: Any, rows: RowsToSplit, seed: int) -> Judges:
    """As the user says, or by the number of rows."""
    if cv is not None:
        folds = make_folds(cv, rows, seed)
        return Judges(tuple(folds), len(folds))
    folds = make_folds(_n_folds(rows), rows, seed)
    if rows.n_rows < FEWEST_FOR_THREE:
        return Judges(tuple(folds), len(folds))
    if rows.time is not None:
        folds = folds[::-1]  # the latest first
    elif rows.groups is None:  # else rows of one group would be on both sides
        folds = [_at_most(fold, seed) for fold in folds]
    chosen = tuple(folds[:_JUDGES])
    return Judges(chosen, 1 if rows.n_rows >= FEWEST_FOR_HOLDOUT else len(chosen))


def _n_folds(rows: RowsToSplit) -> int:
    """Fewer where a class is rare: each fold needs a row of it."""
    if rows.time is not None:
        return _FOLDS - 1  # of five parts the first never judges
    if rows.codes is None or rows.groups is not None:
        return _FOLDS
    return int(np.clip(np.bincount(rows.codes).min(), 2, _FOLDS))


def _at_most(fold: Fold, seed: int) -> Fold:
    """Of many rows, as many as are enough to judge; the others train."""
    if len(fold.test) <= _MOST_HELD_OUT:
        return fold
    order = np.random.default_rng(seed).permutation(fold.test)
    held, more = np.sort(order[:_MOST_HELD_OUT]), order[_MOST_HELD_OUT:]
    return Fold(np.sort(np.append(fold.train, more)), held)
