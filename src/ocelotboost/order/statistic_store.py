"""Statistics of the training rows: made when they are asked for, kept while there is room.

A statistic depends on the combination and the ordering, never on the tree. So it is made once and
not once per tree, as long as memory lasts. Combinations that divide the rows alike, such as a city
and a city with its country, have the same statistic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import History
from ocelotboost.order.combination import Combination
from ocelotboost.order.combination_codes import CombinationCodes
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.pages import MOST_PAGES, Pages
from ocelotboost.order.statistic import StatisticColumns, StatisticTargets
from ocelotboost.quantize.block import ColumnBlock
from ocelotboost.quantize.categorical_data import CategoricalData

#: Codes of this many bytes are joined at a time.
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


@dataclass(frozen=True, eq=False, slots=True)
class Statistic:
    """The target statistic of all combinations that divide the rows alike.

    combination  the first of them that was asked for
    n_values     how many values it has
    fingerprint  of the codes of all rows
    """

    combination: Combination
    n_values: int
    fingerprint: int


class Fetched(NamedTuple):
    """Statistics, and the page that each has in one ordering."""

    statistics: list[Statistic]
    pages: list[int]


class StatisticStore:
    """Hands out the statistic of a combination, and its page in an ordering.

    source  what they are made from
    codes   of combinations
    """

    def __init__(
        self, source: StatisticSource, block: ColumnBlock, cache_bytes: int, n_threads: int
    ) -> None:
        self.source = source
        self.n_rows = block.n_rows
        self.codes = CombinationCodes(source.data, block, n_threads)
        self._n_threads = n_threads
        page_bytes = block.n_rows * source.columns.n_bytes
        capacity = min(cache_bytes // page_bytes, MOST_PAGES)
        if capacity == 0:
            raise ParameterError(
                f"cache_memory={cache_bytes} is less than one statistic of {block.n_rows} rows "
                f"needs; give at least {page_bytes} bytes."
            )
        self._pages = Pages[tuple[Statistic, int]](capacity, block.n_rows, source.columns.n_bytes)
        self._statistic_of: dict[Combination, Statistic] = {}
        self._by_fingerprint: dict[int, Statistic] = {}

    @property
    def capacity(self) -> int:
        """How many statistics can be asked for at a time."""
        return self._pages.capacity

    @property
    def pages(self) -> NDArray[np.uint8]:
        """uint8 (n_pages, n_rows, n_bytes): bins of statistics, two columns per byte."""
        return self._pages.bytes

    def pages_of(self, combinations: Sequence[Combination], ordering: int) -> list[int]:
        """The pages of the statistics of combinations."""
        return self.fetch(combinations, ordering).pages

    def fetch(self, combinations: Sequence[Combination], ordering: int) -> Fetched:
        """Statistics of at most ``capacity`` combinations; pages are valid until the next call."""
        if len(self.source.orderings) == 1:
            ordering = 0
        known, find = self._statistic_of, self._pages.find
        absent: dict[Combination, None] = {}
        statistics, pages = [], []
        for combination in combinations:
            statistic = known.get(combination)
            page = None if statistic is None else find((statistic, ordering))
            if statistic is None or page is None:
                absent[combination if statistic is None else statistic.combination] = None
            else:
                statistics.append(statistic)
                pages.append(page)
        if not absent:
            return Fetched(statistics, pages)
        self._make(absent, ordering)
        return self.fetch(combinations, ordering)

    def _make(self, combinations: Iterable[Combination], ordering: int) -> None:
        most = max(_CODE_BYTES // (4 * self.source.data.n_rows), self._n_threads)
        for base, group in groupby(combinations, key=lambda combination: combination.base):
            answers = self.codes.base_answers(base)
            same_base = list(group)
            for first in range(0, len(same_base), most):
                self._make_together(same_base[first : first + most], answers, ordering)

    def _make_together(
        self,
        combinations: list[Combination],
        answers: NDArray[np.uint32] | None,
        ordering: int,
    ) -> None:
        """``answers`` are those to the base that all have in common."""
        source, joined = self.source, self.codes.of(combinations, answers)
        line_of: dict[tuple[Statistic, int], int] = {}  # of those without a page
        for combination, line in zip(combinations, joined.lines.tolist(), strict=True):
            fingerprint = int(joined.fingerprints[line])
            statistic = self._by_fingerprint.get(fingerprint)
            if statistic is None:
                n_values = int(joined.value_counts[line])
                statistic = Statistic(combination, n_values, fingerprint)
                self._by_fingerprint[fingerprint] = statistic
            self._statistic_of[combination] = statistic
            if self._pages.find((statistic, ordering)) is None:
                line_of.setdefault((statistic, ordering), line)
        pages = self._pages.take(len(line_of))
        native.target_statistics(
            joined.codes,
            joined.value_counts,
            np.array(list(line_of.values()), dtype=np.uint32),
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
            pages[:, np.newaxis],
            self._pages.bytes,
            n_threads=self._n_threads,
        )
        self._pages.hold(list(line_of))
