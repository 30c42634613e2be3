"""Statistics of the training rows: made when they are asked for, kept while there is room.

A statistic depends on the combination and the ordering, never on the tree. So it is made once and
not once a tree, as long as memory lasts; the one that was not used for longest goes first.
Combinations that divide the rows alike, such as a city and a city with its country, share theirs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import History
from ocelotboost.order.combination import Combination
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.statistic import StatisticColumns, StatisticTargets
from ocelotboost.quantize.block import ColumnBlock
from ocelotboost.quantize.categorical_data import CategoricalData

#: In place of a statistic: nobody has asked for the combination yet.
_UNKNOWN = -1

#: More units than this help nobody: statistics of few rows are made in no time.
_MOST_UNITS = 1 << 16

#: Codes of so many bytes are joined at a time.
_CODE_BYTES = 1 << 26

#: And so many are kept: a combination soon comes again, in another ordering.
_KEPT_CODE_BYTES = 1 << 25


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


class Codes(NamedTuple):
    """Combinations of some features, as if they were one.

    codes         uint32 (n_combinations, n) of all rows
    value_counts  uint32 (n_combinations,) how many codes there are
    fingerprints  uint64 (n_combinations,) equal where all codes are
    """

    codes: NDArray[np.uint32]
    value_counts: NDArray[np.uint32]
    fingerprints: NDArray[np.uint64]


class StatisticCache:
    """Units of bytes, one for each statistic and ordering in use.

    units  uint8 (capacity, n_rows, n_bytes): the bins of all columns of a statistic
    """

    def __init__(
        self, source: StatisticSource, block: ColumnBlock, cache_bytes: int, n_threads: int
    ) -> None:
        self.source = source
        self._block = block
        self.n_rows = block.n_rows
        self._n_threads = n_threads
        unit_bytes = block.n_rows * source.columns.n_bytes
        self.capacity = min(cache_bytes // unit_bytes, _MOST_UNITS)
        if self.capacity == 0:
            raise ParameterError(
                f"cache_memory={cache_bytes} is less than one statistic of {block.n_rows} rows "
                f"needs; give at least {unit_bytes} bytes."
            )
        self.units = np.empty((self.capacity, block.n_rows, source.columns.n_bytes), dtype=np.uint8)
        self._numbers: dict[Combination, int] = {}
        self._combinations: list[Combination] = []
        self._value_counts: list[int] = []
        self._statistics: list[int] = []
        self._first_of: dict[int, int] = {}  # by fingerprint
        # One entry of codes, value_counts and fingerprints each, the oldest first.
        self._kept_codes: dict[Combination, tuple[NDArray[np.uint32], np.uint32, np.uint64]] = {}
        # By statistic and ordering, what was asked for last at the end.
        self._unit_of: OrderedDict[tuple[int, int], int] = OrderedDict()

    def number(self, combination: Combination) -> int:
        """The number of a combination, by which the cache knows it."""
        number = self._numbers.get(combination)
        if number is None:
            number = self._numbers[combination] = len(self._combinations)
            self._combinations.append(combination)
            self._value_counts.append(0)
            self._statistics.append(_UNKNOWN)
        return number

    def combination(self, number: int) -> Combination:
        return self._combinations[number]

    def fetch(self, numbers: Sequence[int], ordering: int) -> NDArray[np.uint32]:
        """The units of combinations with these numbers; at most ``capacity`` of them, valid until
        the next call."""
        if len(self.source.orderings) == 1:
            ordering = 0
        absent = self._touch(numbers, ordering)
        if absent:
            self._make(sorted(absent), ordering)
            self._touch(numbers, ordering)
        statistics = self._statistics
        return np.array(
            [self._unit_of[statistics[number], ordering] for number in numbers], dtype=np.uint32
        )

    def statistic(self, number: int) -> int:
        """The first combination that divides the rows as this one does, which has been fetched
        before: both have the same statistics."""
        return self._statistics[number]

    def value_count(self, number: int) -> int:
        """Distinct values of a combination that has been fetched before."""
        return self._value_counts[number]

    def codes(self, combinations: Sequence[Combination]) -> Codes:
        """The base of all combinations is the same."""
        most = _KEPT_CODE_BYTES // (4 * self.source.data.n_rows)
        # Joining leaves the answers of the base where others read them.
        if combinations[0].base or len(combinations) > most:
            return self._join(combinations)
        kept = self._kept_codes
        absent = [combination for combination in combinations if combination not in kept]
        if absent:
            kept.update(zip(absent, zip(*self._join(absent), strict=True), strict=True))
        codes, counts, fingerprints = zip(*map(kept.__getitem__, combinations), strict=True)
        for oldest in list(kept)[:-most]:
            del kept[oldest]
        return Codes(np.stack(codes), np.array(counts), np.array(fingerprints))

    def _join(self, combinations: Sequence[Combination]) -> Codes:
        data, base = self.source.data, combinations[0].base
        if base:
            data.codes[data.base_line] = 0
            self._block.append_answers(base, data.codes[data.base_line], self._n_threads)
            data.value_counts[data.base_line] = 1 << len(base)
        members = [
            [*map(data.line, combination.features), *([data.base_line] if base else [])]
            for combination in combinations
        ]
        joined = Codes(
            np.empty((len(combinations), data.n_rows), dtype=np.uint32),
            np.empty(len(combinations), dtype=np.uint32),
            np.empty(len(combinations), dtype=np.uint64),
        )
        native.join_codes(
            data.codes,
            data.value_counts,
            np.cumsum([0, *map(len, members)], dtype=np.uint32),
            np.array([line for own in members for line in own], dtype=np.uint32),
            *joined,
            n_threads=self._n_threads,
        )
        return joined

    def _touch(self, numbers: Sequence[int], ordering: int) -> set[int]:
        """Note that these are asked for; those that have no unit are returned."""
        absent = set()
        for number in numbers:
            statistic = self._statistics[number]
            if (statistic, ordering) in self._unit_of:
                self._unit_of.move_to_end((statistic, ordering))
            else:
                absent.add(number if statistic == _UNKNOWN else statistic)
        return absent

    def _make(self, numbers: list[int], ordering: int) -> None:
        most = max(_CODE_BYTES // (4 * self.source.data.n_rows), self._n_threads)
        for _, group in groupby(numbers, key=lambda number: self._combinations[number].base):
            same_base = list(group)
            for first in range(0, len(same_base), most):
                self._make_together(same_base[first : first + most], ordering)

    def _make_together(self, numbers: list[int], ordering: int) -> None:
        source = self.source
        joined = self.codes([self._combinations[number] for number in numbers])
        new, units = self._take_units(numbers, joined, ordering)
        native.target_statistics(
            joined.codes[new] if len(new) < len(numbers) else joined.codes,
            joined.value_counts[new],
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
        """Positions of the combinations whose statistics have no unit yet, and a unit for each:
        one never used, or that of the statistic which was not asked for the longest."""
        new, units = [], []
        for i, number in enumerate(numbers):
            statistic = self._first_of.setdefault(int(joined.fingerprints[i]), number)
            self._statistics[number] = statistic
            self._value_counts[number] = int(joined.value_counts[i])
            key = statistic, ordering
            if key in self._unit_of:
                self._unit_of.move_to_end(key)
                continue
            unit = len(self._unit_of)
            if unit == self.capacity:
                _, unit = self._unit_of.popitem(last=False)
            self._unit_of[key] = unit
            new.append(i)
            units.append(unit)
        return new, units
