"""Rows with their target and weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.columns import Table


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

    def take(self, rows: NDArray[np.intp]) -> LabelledTable:
        weight = None if self.weight is None else self.weight[rows]
        return LabelledTable(self.table.take(rows), self.target[rows], weight)


@dataclass(frozen=True)
class WatchedRows:
    """Rows to watch while others train, under the name they have in the history."""

    name: str
    data: LabelledTable
