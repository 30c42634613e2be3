"""Statistics of the training rows: made when they are asked for, kept while there is room.

A statistic depends on the combination and the ordering, never on the tree. So it is made once and
not once a tree, as long as memory lasts; the one that was not used for longest goes first.
Combinations that divide the rows alike, such as a city and a city with its country, share theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import NO_UNIT, History
from ocelotboost.order.joined_codes import Codes, JoinedCodes
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.register import UNKNOWN, Register, doubled
from ocelotboost.order.statistic import StatisticColumns, StatisticTargets
from ocelotboost.quantize.block import ColumnBlock
from ocelotboost.quantize.categorical_data import CategoricalData

#: More units than this help nobody: statistics of few rows are made in no time.
_MOST_UNITS = 1 << 16

#: Units take at most this many bytes at first, or one unit; they grow as they are needed.
_FIRST_BYTES = 1 << 22

#: Codes of so many bytes are joined at a time.
_CODE_BYTES = 1 << 26


@dataclass(frozen=True)
class StatisticSource:
    """All that statistics are made from.

    targets    of all rows of ``data``
    weight     float32 (n,) of all rows, or None
    orderings  uint32 (s + 1, n); a single one serves for all
    window     rows of an ordered history; 0: all before
    """

    data: CategoricalData
    targets: StatisticTargets
    weight: NDArray[np.float32] | None
    orderings: Orderings
    columns: StatisticColumns
    history: History
    window: int


class StatisticCache:
    """Units of bytes, one for each statistic and ordering in use.

    capacity  the most units there will be
    units     uint8 (at most capacity, n_rows, n_bytes): the bins of all columns of a statistic;
              another array once there are more
    register  of the combinations that were asked for, or will be
    codes     of the same
    """

    def __init__(
        self, source: StatisticSource, block: ColumnBlock, cache_bytes: int, n_threads: int
    ) -> None:
        self.source = source
        self.n_rows = block.n_rows
        self.register = Register()
        self.codes = JoinedCodes(source.data, block, n_threads)
        self._n_threads = n_threads
        unit_bytes = block.n_rows * source.columns.n_bytes
        self.capacity = min(cache_bytes // unit_bytes, _MOST_UNITS)
        if self.capacity == 0:
            raise ParameterError(
                f"cache_memory={cache_bytes} is less than one statistic of {block.n_rows} rows "
                f"needs; give at least {unit_bytes} bytes."
            )
        n_units = self.capacity
        while n_units > 1 and n_units * unit_bytes > _FIRST_BYTES:
            n_units = (n_units + 1) // 2
        self.units = np.empty((n_units, block.n_rows, source.columns.n_bytes), dtype=np.uint8)
        self._first_of: dict[int, int] = {}  # by fingerprint
        # By ordering and statistic: the unit, and when it was asked for last. An UNKNOWN statistic
        # is the last entry, which never has a unit.
        self._unit_of = np.full((len(source.orderings), 1), NO_UNIT, dtype=np.uint32)
        self._asked = np.zeros((len(source.orderings), 1), dtype=np.int64)
        # Of each unit in use, its ordering and statistic.
        self._holders = np.empty((2, self.capacity), dtype=np.intp)
        self._n_used = 0
        self._clock = 0

    def fetch(self, numbers: Sequence[int] | NDArray[np.intp], ordering: int) -> NDArray[np.uint32]:
        """The units of combinations with these numbers; at most ``capacity`` of them, valid until
        the next call."""
        if len(self.source.orderings) == 1:
            ordering = 0
        self._clock += 1
        statistics = self.register.statistics.take(numbers)
        units: NDArray[np.uint32] = self._unit_of[ordering].take(statistics)
        self._asked[ordering][statistics] = self._clock
        if NO_UNIT in units.tolist():  # quicker than any(): they are few
            first = np.where(statistics == UNKNOWN, numbers, statistics)
            self._make(np.unique(first[units == NO_UNIT]).tolist(), ordering)
            statistics = self.register.statistics.take(numbers)
            units = self._unit_of[ordering].take(statistics)
        return units

    def _make(self, numbers: list[int], ordering: int) -> None:
        while self._unit_of.shape[1] < len(self.register.statistics):
            self._unit_of = doubled(self._unit_of, NO_UNIT)
            self._asked = doubled(self._asked, 0)
        most = max(_CODE_BYTES // (4 * self.source.data.n_rows), self._n_threads)
        combination = self.register.combination
        for _, group in groupby(numbers, key=lambda number: combination(number).base):
            same_base = list(group)
            for first in range(0, len(same_base), most):
                self._make_together(same_base[first : first + most], ordering)

    def _make_together(self, numbers: list[int], ordering: int) -> None:
        source = self.source
        joined = self.codes.of([self.register.combination(number) for number in numbers])
        lines, units = self._take_units(numbers, joined, ordering)
        native.target_statistics(
            joined.codes,
            joined.value_counts,
            np.array(lines, dtype=np.uint32),
            source.orderings[ordering : ordering + 1],
            int(source.history),
            source.window,
            source.targets.values,
            source.weight,
            source.columns.prior_weight,
            source.columns.priors,
            source.columns.lows,
            source.columns.highs,
            True,
            np.array(units, dtype=np.uint32)[:, np.newaxis],
            self.units,
            n_threads=self._n_threads,
        )

    def _take_units(
        self, numbers: list[int], joined: Codes, ordering: int
    ) -> tuple[list[int], list[int]]:
        """The lines of the combinations whose statistics have no unit yet, and a unit for each."""
        register, lines, units = self.register, [], []
        for number, line in zip(numbers, joined.lines.tolist(), strict=True):
            statistic = self._first_of.setdefault(int(joined.fingerprints[line]), number)
            register.statistics[number] = statistic
            register.value_counts[number] = joined.value_counts[line]
            self._asked[ordering, statistic] = self._clock
            if self._unit_of[ordering, statistic] == NO_UNIT:
                lines.append(line)
                units.append(self._take_unit(ordering, statistic))
        return lines, units

    def _take_unit(self, ordering: int, statistic: int) -> int:
        """One never used, or that of the statistic which was not asked for the longest."""
        if self._n_used < self.capacity:
            unit = self._n_used
            self._n_used += 1
            if unit == len(self.units):
                self._grow()
        else:
            unit = int(self._asked[tuple(self._holders)].argmin())
            self._unit_of[tuple(self._holders[:, unit])] = NO_UNIT
        self._holders[:, unit] = ordering, statistic
        self._unit_of[ordering, statistic] = unit
        return unit

    def _grow(self) -> None:
        """Room for twice as many units. Capacity was halved to get here, so that the old units and
        their copies together fill no more than the whole cache will."""
        old = self.units
        shape = (min(2 * len(old), self.capacity), *old.shape[1:])
        try:
            self.units = np.empty(shape, dtype=np.uint8)
        except MemoryError:
            raise MemoryError(
                f"No memory for {np.prod(shape, dtype=np.int64)} bytes of target statistics; make "
                f"cache_memory smaller, for example {old.nbytes}."
            ) from None
        self.units[: len(old)] = old
