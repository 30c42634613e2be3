"""Rows in bins, and their answers to the questions of trees.

The rows that train trees and those of an eval set answer alike. The bins of columns are in slots,
those of target statistics in pages, which depend on the ordering.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import NO_PAGE
from ocelotboost.order.combination import Facet
from ocelotboost.order.feature import Address, Split
from ocelotboost.order.pages import PageBytes
from ocelotboost.quantize.block import SlottedColumns

#: The page of each facet of a statistic.
PageOf = Mapping[Facet, int]


class PagedStatistics(Protocol):
    """Target statistics of some rows, in pages.

    capacity  how many facets can be asked for at a time
    """

    @property
    def capacity(self) -> int: ...

    def pages_of(self, facets: Sequence[Facet], ordering: int) -> list[int]:
        """The pages of at most ``capacity`` facets; valid until the next call."""
        ...


class Located(NamedTuple):
    """Questions, and the pages of the statistics that they are about."""

    splits: Sequence[Split]
    pages: PageOf


def located(
    splits: Sequence[Split], statistics: PagedStatistics | None, ordering: int
) -> Iterator[Located]:
    """As many questions at a time as can have their statistics in pages at once."""
    most = max(len(splits), 1) if statistics is None else statistics.capacity
    for first in range(0, len(splits), most):
        some = splits[first : first + most]
        asked = (split.feature.statistic for split in some)
        facets = [facet for facet in asked if facet is not None]
        pages = []
        if facets:
            assert statistics is not None, "a statistic, but no categories"
            pages = statistics.pages_of(facets, ordering)
        yield Located(some, dict(zip(facets, pages, strict=True)))


class BinnedRows:
    """The bins of some rows.

    slots       uint8 (n_slots, n)
    statistics  the bytes of pages; None where no feature has any
    """

    def __init__(self, columns: SlottedColumns, statistics: PageBytes | None) -> None:
        layout = columns.layout
        bins = map(layout.bins, range(columns.n_columns))
        bits = (layout.slots.tolist(), layout.shifts.tolist(), layout.masks.tolist(), bins)
        self.slots = columns.slots
        self._columns = [Address(NO_PAGE, *of_column) for of_column in zip(*bits, strict=True)]
        self._statistics = statistics

    def address(self, split: Split, pages: PageOf) -> Address:
        """Where the bins are that a question is about."""
        return split.feature.address(self._columns, pages)

    def bytes_at(self, address: Address) -> tuple[NDArray[np.uint8], int]:
        """An array (n, width) and the position in it of the byte that has an address."""
        if address.page == NO_PAGE:
            return self.slots[address.byte][:, np.newaxis], 0
        assert self._statistics is not None, "a statistic, but no categories"
        return self._statistics.bytes[address.page], address.byte

    def append_answers(
        self,
        splits: Sequence[Split],
        pages: PageOf,
        inout_leaves: NDArray[np.uint32],
        n_threads: int,
    ) -> None:
        """The answers of every row, as further digits of its leaf number."""
        addresses = [self.address(split, pages) for split in splits]
        questions = [a.question(split.bin) for a, split in zip(addresses, splits, strict=True)]
        places = np.array([address[:4] for address in addresses], dtype=np.uint32)
        pages_asked, bytes_, shifts, masks = places.T.copy()
        lows, bins = np.array(questions, dtype=np.uint8).T.copy()
        native.assign_leaves(
            self.slots,
            self._no_pages() if self._statistics is None else self._statistics.bytes,
            pages_asked,
            bytes_,
            shifts,
            masks,
            lows,
            bins,
            inout_leaves,
            n_threads=n_threads,
        )

    def _no_pages(self) -> NDArray[np.uint8]:
        return np.empty((0, self.slots.shape[1], 1), dtype=np.uint8)
