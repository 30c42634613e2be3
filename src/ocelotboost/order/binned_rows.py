"""Rows in bins, and their answers to the questions of trees.

The rows that train trees and those of an eval set answer alike. The bins of columns are in slots,
those of target statistics in pages, which depend on the ordering.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import NO_PAGE
from ocelotboost.order.combination import Combination
from ocelotboost.order.feature import Address, Split
from ocelotboost.quantize.block import SlottedColumns


class PagedStatistics(Protocol):
    """Target statistics of some rows, in pages.

    capacity  how many statistics can be asked for at a time
    pages     uint8 (n_pages, n, n_bytes), two columns per byte
    """

    @property
    def capacity(self) -> int: ...

    @property
    def pages(self) -> NDArray[np.uint8]: ...

    def pages_of(self, combinations: Sequence[Combination], ordering: int) -> list[int]:
        """The pages of at most ``capacity`` combinations; valid until the next call."""
        ...


class BinnedRows:
    """The bins of some rows.

    slots       uint8 (n_slots, n)
    statistics  None where no feature has any
    """

    def __init__(self, columns: SlottedColumns, statistics: PagedStatistics | None) -> None:
        layout = columns.layout
        bins = map(layout.bins, range(columns.n_columns))
        bits = (layout.slots.tolist(), layout.shifts.tolist(), layout.masks.tolist(), bins)
        self.slots = columns.slots
        self._columns = [Address(NO_PAGE, *of_column) for of_column in zip(*bits, strict=True)]
        self._statistics = statistics

    def column(self, column: int) -> Address:
        return self._columns[column]

    def page(self, combination: Combination, ordering: int) -> int:
        return self._with_pages().pages_of([combination], ordering)[0]

    def bytes_at(self, address: Address) -> tuple[NDArray[np.uint8], int]:
        """An array (n, width) and the position in it of the byte that has an address."""
        if address.page == NO_PAGE:
            return self.slots[address.byte][:, np.newaxis], 0
        return self._with_pages().pages[address.page], address.byte

    def assign_leaves(
        self, splits: Sequence[Split], ordering: int, out: NDArray[np.uint32], n_threads: int
    ) -> None:
        """The leaf number of every row, by the answers in one ordering."""
        out[:] = 0
        # As many questions at a time as can have their statistics in pages at once.
        most = max(len(splits), 1) if self._statistics is None else self._statistics.capacity
        for first in range(0, len(splits), most):
            self._append_answers(splits[first : first + most], ordering, out, n_threads)

    def _append_answers(
        self,
        splits: Sequence[Split],
        ordering: int,
        inout_leaves: NDArray[np.uint32],
        n_threads: int,
    ) -> None:
        asked = (split.feature.statistic for split in splits)
        combinations = [combination for combination in asked if combination is not None]
        if combinations:  # those without a page are made together
            self._with_pages().pages_of(combinations, ordering)
        addresses = [split.feature.address(self, ordering) for split in splits]
        questions = [a.question(split.bin) for a, split in zip(addresses, splits, strict=True)]
        places = np.array([address[:4] for address in addresses], dtype=np.uint32)
        pages, bytes_, shifts, masks = places.T.copy()
        lows, bins = np.array(questions, dtype=np.uint8).T.copy()
        native.assign_leaves(
            self.slots,
            self._with_pages().pages if combinations else self._no_pages(),
            pages,
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

    def _with_pages(self) -> PagedStatistics:
        assert self._statistics is not None, "a statistic, but no categories"
        return self._statistics
