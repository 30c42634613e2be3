"""Bins that are made once and then taken: for trainings on different rows of the same table."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ocelotboost.quantize.block import SlottedColumns
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.columns import Table


@dataclass(frozen=True, kw_only=True)
class BinnedOnce(Quantizer):
    """A quantizer that has the bins of a table, and knows them again in some of its rows.

    whole   the table
    binned  its bins
    """

    whole: Table
    binned: SlottedColumns

    @classmethod
    def of(cls, quantizer: Quantizer, whole: Table, n_threads: int) -> BinnedOnce:
        borders = {own.name: getattr(quantizer, own.name) for own in fields(Quantizer)}
        return cls(**borders, whole=whole, binned=quantizer.slots(whole, n_threads))

    def slots(
        self, table: Table, n_threads: int, rows: NDArray[np.uint32] | None = None
    ) -> SlottedColumns:
        if table.taken is None or table.taken.whole is not self.whole:
            return super().slots(table, n_threads, rows)
        chosen = table.taken.rows if rows is None else table.taken.rows[rows]
        given = self.binned
        slots = table.memory.zeros((len(given.slots), len(chosen)), np.uint8)
        for own, of_all in zip(slots, given.slots, strict=True):
            own[:] = of_all[chosen]
        return SlottedColumns(slots, given.layout.for_rows(len(chosen)))
