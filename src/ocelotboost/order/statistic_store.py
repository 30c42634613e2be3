"""Statistics of the training rows: made when they are asked for, kept while there is room.

A statistic depends on the combination and the ordering, never on the tree. So it is made once and
not once per tree, as long as memory lasts. Combinations that divide the rows alike, such as a city
and a city with its country, have the same statistic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, Protocol

from ocelotboost.errors import ParameterError
from ocelotboost.order.combination import Combination
from ocelotboost.order.pages import MOST_PAGES
from ocelotboost.order.recently_used import RecentlyUsed
from ocelotboost.order.statistic_rows import Divided, StatisticRule

#: Codes of this many bytes are joined at a time.
_CODE_BYTES = 1 << 26


@dataclass(frozen=True, eq=False, slots=True)
class Statistic:
    """The target statistic of all combinations that divide the rows alike.

    combination  the first of them that was asked for
    n_values     how many values it has
    fingerprint  of how it divides the rows
    """

    combination: Combination
    n_values: int
    fingerprint: int


class Fetched(NamedTuple):
    """Statistics, and the page that each has in one ordering."""

    statistics: list[Statistic]
    pages: list[int]


class StatisticMaker(Protocol):
    """Who fills pages: the rows themselves, or an exchange between shards of them."""

    def look(self, combinations: Sequence[Combination]) -> list[Divided]:
        """How combinations with the same base divide the rows; ``fill`` is about them."""
        ...

    def fill(self, which: Sequence[int], ordering: int, pages: Sequence[int]) -> None:
        """Pages of some of the combinations that were looked at."""
        ...


def page_capacity(cache_bytes: int, n_rows: int, n_bytes: int) -> int:
    """How many pages of ``n_rows`` rows fit."""
    page_bytes = max(n_rows * n_bytes, 1)
    capacity = min(cache_bytes // page_bytes, MOST_PAGES)
    if capacity == 0:
        raise ParameterError(
            f"cache_memory={cache_bytes} is less than one statistic of {n_rows} rows "
            f"needs; give at least {page_bytes} bytes."
        )
    return capacity


class StatisticStore:
    """Hands out the statistic of a combination, and its page in an ordering.

    rule      how statistics are made
    capacity  how many statistics can be asked for at a time
    """

    def __init__(
        self, rule: StatisticRule, maker: StatisticMaker, capacity: int, n_rows: int, n_threads: int
    ) -> None:
        """``n_rows``: those that one process holds."""
        self.rule = rule
        self.capacity = capacity
        self._maker = maker
        self._most_together = max(_CODE_BYTES // (4 * max(n_rows, 1)), n_threads)
        self._pages = RecentlyUsed[tuple[Statistic, int]](capacity)
        self._statistic_of: dict[Combination, Statistic] = {}
        self._by_fingerprint: dict[int, Statistic] = {}

    def pages_of(self, combinations: Sequence[Combination], ordering: int) -> list[int]:
        """The pages of the statistics of combinations."""
        return self.fetch(combinations, ordering).pages

    def fetch(self, combinations: Sequence[Combination], ordering: int) -> Fetched:
        """Statistics of at most ``capacity`` combinations; pages are valid until the next call."""
        if self.rule.n_orderings == 1:
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
        most = self._most_together
        for _, group in groupby(combinations, key=lambda combination: combination.base):
            same_base = list(group)
            for first in range(0, len(same_base), most):
                self._make_together(same_base[first : first + most], ordering)

    def _make_together(self, combinations: list[Combination], ordering: int) -> None:
        which: dict[tuple[Statistic, int], int] = {}  # of those without a page
        for i, divided in enumerate(self._maker.look(combinations)):
            statistic = self._by_fingerprint.get(divided.fingerprint)
            if statistic is None:
                statistic = Statistic(combinations[i], *divided)
                self._by_fingerprint[divided.fingerprint] = statistic
            self._statistic_of[combinations[i]] = statistic
            if self._pages.find((statistic, ordering)) is None:
                which.setdefault((statistic, ordering), i)
        pages = self._pages.take(len(which))
        self._maker.fill(list(which.values()), ordering, pages)
        self._pages.hold(list(which))
