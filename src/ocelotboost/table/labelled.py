"""Rows with their target and weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.columns import Table


def evenly(n_rows: int, n_chosen: int) -> NDArray[np.intp]:
    """Some of the rows, ascending.

    >>> evenly(10, 4).tolist()
    [0, 2, 5, 7]
    """
    return np.arange(n_chosen, dtype=np.intp) * n_rows // n_chosen


@dataclass(frozen=True)
class LabelledTable:
    """Columns, target and weight of the same rows.

    target  float32 (n,)
    weight  float32 (n,), or None when all weigh 1
    """

    table: Table
    target: NDArray[np.float32]
    weight: NDArray[np.float32] | None

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    def some(self, share: float) -> LabelledTable:
        """About this share of the rows, taken evenly, and at least one of them."""
        n_chosen = min(max(round(share * self.n_rows), 1), self.n_rows)
        return self.take(evenly(self.n_rows, n_chosen))

    def take(self, rows: NDArray[np.intp]) -> LabelledTable:
        weight = None if self.weight is None else self.weight[rows]
        return LabelledTable(self.table.take(rows), self.target[rows], weight)


@dataclass(frozen=True)
class WatchedRows:
    """Rows to watch while others train, under the name they have in the history."""

    name: str
    data: LabelledTable
