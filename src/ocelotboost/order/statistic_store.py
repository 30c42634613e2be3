"""Statistics of the training rows: made when they are asked for, kept while there is room.

A statistic depends on the combination and the ordering, never on the tree. So it is made once and
not once per tree, as long as memory lasts. Of its facets only those are made that are asked for.
Combinations that divide the rows alike, such as a city and a city with its country, have the same
statistic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, Protocol

from ocelotboost.errors import ParameterError
from ocelotboost.order.combination import Combination, Facet
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


class PageKey(NamedTuple):
    """What is on a page."""

    statistic: Statistic
    facet: int
    ordering: int


class Fetched(NamedTuple):
    """Statistics, and the page that the facet asked for of each has in one ordering."""

    statistics: list[Statistic]
    pages: list[int]


class StatisticMaker(Protocol):
    """Who fills pages: the rows themselves, or an exchange between shards of them."""

    def look(self, combinations: Sequence[Combination]) -> list[Divided]:
        """How combinations with the same base divide the rows; ``fill`` is about them."""
        ...

    def fill(self, which: Sequence[int], facet: int, ordering: int, pages: Sequence[int]) -> None:
        """Pages of a facet, for some of the combinations that were looked at."""
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
    """Hands out the statistic of a combination, and the page of a facet of it in an ordering.

    rule      how statistics are made
    capacity  how many facets can be asked for at a time
    """

    def __init__(
        self, rule: StatisticRule, maker: StatisticMaker, capacity: int, n_rows: int, n_threads: int
    ) -> None:
        """``n_rows``: those that one process holds."""
        self.rule = rule
        self.capacity = capacity
        self._maker = maker
        self._most_together = max(_CODE_BYTES // (4 * max(n_rows, 1)), n_threads)
        self._pages = RecentlyUsed[PageKey](capacity)
        self._statistic_of: dict[Combination, Statistic] = {}
        self._by_fingerprint: dict[int, Statistic] = {}

    def pages_of(self, facets: Sequence[Facet], ordering: int) -> list[int]:
        """The pages of facets."""
        return self.fetch(facets, ordering).pages

    def fetch(self, facets: Sequence[Facet], ordering: int) -> Fetched:
        """Statistics of at most ``capacity`` facets; pages are valid until the next call."""
        if self.rule.n_orderings == 1:
            ordering = 0
        known, find = self._statistic_of, self._pages.find
        absent: dict[Facet, None] = {}
        statistics, pages = [], []
        for combination, number in facets:
            statistic = known.get(combination)
            page = None if statistic is None else find(PageKey(statistic, number, ordering))
            if statistic is None or page is None:
                made_of = combination if statistic is None else statistic.combination
                absent[Facet(made_of, number)] = None
            else:
                statistics.append(statistic)
                pages.append(page)
        if not absent:
            return Fetched(statistics, pages)
        self._make(absent, ordering)
        return self.fetch(facets, ordering)

    def _make(self, facets: Iterable[Facet], ordering: int) -> None:
        most = self._most_together
        for _, group in groupby(facets, key=lambda facet: facet.combination.base):
            same_base = list(group)
            for first in range(0, len(same_base), most):
                self._make_together(same_base[first : first + most], ordering)

    def _make_together(self, facets: list[Facet], ordering: int) -> None:
        combinations = list(dict.fromkeys(facet.combination for facet in facets))
        places = {combination: i for i, combination in enumerate(combinations)}
        for combination, divided in zip(combinations, self._maker.look(combinations), strict=True):
            statistic = self._by_fingerprint.get(divided.fingerprint)
            if statistic is None:
                statistic = Statistic(combination, *divided)
                self._by_fingerprint[divided.fingerprint] = statistic
            self._statistic_of[combination] = statistic
        which: dict[PageKey, int] = {}  # of those without a page
        for combination, number in facets:
            key = PageKey(self._statistic_of[combination], number, ordering)
            if self._pages.find(key) is None:
                which.setdefault(key, places[combination])
        pages = self._pages.take(len(which))
        for number in {key.facet: None for key in which}:
            own = [i for i, key in enumerate(which) if key.facet == number]
            looked_at = list(which.values())
            self._maker.fill([looked_at[i] for i in own], number, ordering, [pages[i] for i in own])
        self._pages.hold(list(which))
