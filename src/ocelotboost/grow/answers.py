"""Where the answers to a tree's questions are: in the table's columns, or in target statistics.

The answer to a question about a statistic depends on the ordering; a column's does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import NO_UNIT
from ocelotboost.order.combination import Combination, StatisticSplit
from ocelotboost.order.statistic_cache import StatisticCache
from ocelotboost.quantize.block import ColumnBlock, ColumnSplit

Split: TypeAlias = ColumnSplit | StatisticSplit

_HALF_A_BYTE = 15


class Place(NamedTuple):
    """Bits [shift, ...) under mask of byte ``position`` of every row of ``bytes`` (n, width)."""

    bytes: NDArray[np.uint8]
    position: int
    shift: int
    mask: int


class Questions(NamedTuple):
    """Some questions of a tree as arrays, one entry a question unless said otherwise.

    units             uint32  NO_UNIT: those of statistics depend on the ordering
    slots             uint32  slot of the table, or byte of the statistic
    shifts, masks     uint32  bits of that byte
    bins              uint8   the answer is yes for a greater bin
    about_statistics  bool
    numbers           of the combinations in the cache, one for each question about a statistic
    """

    units: NDArray[np.uint32]
    slots: NDArray[np.uint32]
    shifts: NDArray[np.uint32]
    masks: NDArray[np.uint32]
    bins: NDArray[np.uint8]
    about_statistics: NDArray[np.bool_]
    numbers: list[int]


class Answers:
    """The columns of a table and, where there are categories, their statistics."""

    def __init__(self, block: ColumnBlock, statistics: StatisticCache | None) -> None:
        self._block = block
        self._statistics = statistics

    def place(self, split: Split, ordering: int) -> Place:
        """The bytes that answer one question; valid until statistics are fetched again."""
        if isinstance(split, ColumnSplit):
            layout, column = self._block.layout, split.column
            slot = self._block.slots[layout.slots[column]]
            return Place(
                slot[:, np.newaxis], 0, int(layout.shifts[column]), int(layout.masks[column])
            )
        cache = self._cache()
        unit = int(cache.fetch([cache.register.number(split.combination)], ordering)[0])
        return Place(cache.units[unit], split.column // 2, split.column % 2 * 4, _HALF_A_BYTE)

    def questions(self, splits: Sequence[Split]) -> list[Questions]:
        """The questions of a finished tree, ready to be answered in any ordering; cut where the
        cache could not hold all their statistics at once."""
        if not any(isinstance(split, StatisticSplit) for split in splits):
            return [self._questions(splits)]
        runs: list[list[Split]] = [[]]
        held: set[Combination] = set()
        for split in splits:
            if isinstance(split, StatisticSplit):
                if len(held | {split.combination}) > self._cache().capacity:
                    runs.append([])
                    held = set()
                held.add(split.combination)
            runs[-1].append(split)
        return [self._questions(run) for run in runs]

    def assign_leaves(
        self,
        questions: Sequence[Questions],
        ordering: int,
        out: NDArray[np.uint32],
        n_threads: int,
    ) -> None:
        """The leaf number of every row, by the answers in one ordering."""
        out[:] = 0
        for some in questions:
            if some.numbers:
                cache = self._cache()
                of_units = some.units.copy()
                of_units[some.about_statistics] = cache.fetch(some.numbers, ordering)
                units = cache.units
            else:
                units, of_units = np.empty((0, len(out), 1), dtype=np.uint8), some.units
            native.assign_leaves(
                self._block.slots,
                units,
                of_units,
                some.slots,
                some.shifts,
                some.masks,
                some.bins,
                out,
                n_threads=n_threads,
            )

    def _questions(self, splits: Sequence[Split]) -> Questions:
        layout = self._block.layout
        places = [
            (split.column // 2, split.column % 2 * 4, _HALF_A_BYTE, split.bin)
            if isinstance(split, StatisticSplit)
            else (
                layout.slots[split.column],
                layout.shifts[split.column],
                layout.masks[split.column],
                split.bin,
            )
            for split in splits
        ]
        slots, shifts, masks, bins = np.array(places, dtype=np.uint32).reshape(-1, 4).T.copy()
        about = [isinstance(split, StatisticSplit) for split in splits]
        return Questions(
            units=np.full(len(splits), NO_UNIT, dtype=np.uint32),
            slots=slots,
            shifts=shifts,
            masks=masks,
            bins=bins.astype(np.uint8),
            about_statistics=np.array(about, dtype=np.bool_),
            numbers=[
                self._cache().register.number(split.combination)
                for split in splits
                if isinstance(split, StatisticSplit)
            ],
        )

    def _cache(self) -> StatisticCache:
        assert self._statistics is not None, "a statistic, but no categories"
        return self._statistics
