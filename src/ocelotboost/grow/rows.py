"""Rows while a tree grows: gradients as integers, rows sorted by cell, histograms of cells.

A shard has its own rows here. What it returns are integers, which add up exactly, so that a tree
does not depend on how many shards there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.cells import Cells, Indices
from ocelotboost.grow.level import Level
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import N_BINS, packed_layout
from ocelotboost.kernels.memory import aligned_empty
from ocelotboost.lazy import cached_property
from ocelotboost.order.binned_rows import BinnedRows, PagedStatistics, PageOf, located
from ocelotboost.order.feature import Split
from ocelotboost.order.statistic_rows import StatisticRows
from ocelotboost.quantize.block import ColumnBlock

Answer = TypeVar("Answer")

#: Of one byte of a page: 16 of its low half, 16 of its high half.
STATISTIC_BINS = 32


class Summands(NamedTuple):
    """What the histograms of target statistics are summed from.

    statistics  uint8 (n_pages, n, n_bytes)
    pages       uint32, those to sum
    scratch     int64, as large as the words
    begin, end, histograms, fresh  as in ``Level``; rows, words as in ``GrowingRows``
    """

    statistics: NDArray[np.uint8]
    pages: Indices
    rows: Indices
    words: NDArray[np.int64]
    begin: Indices
    end: Indices
    histograms: Indices
    fresh: NDArray[np.uint8]
    scratch: NDArray[np.int64]


class GrowingRows:
    """The rows of one shard, in memory that is kept from tree to tree.

    words    int64 (n_chunks, n, n_words): gradients and weights, two fields per word
    rows     uint32, the chosen rows by cell, in their original order
    offsets  uint32 (n_cells + 1,): rows of cell c are ``rows[offsets[c] : offsets[c + 1]]``
    """

    def __init__(
        self,
        block: ColumnBlock,
        binned: BinnedRows,
        statistics: StatisticRows | None,
        n_gradients: int,
        n_threads: int,
    ) -> None:
        n_chunks, n_words = packed_layout(n_gradients)
        self._statistics = statistics
        self.words = aligned_empty((n_chunks, block.n_rows, n_words), np.int64)
        self.block = block
        self._binned = binned
        self._n_threads = n_threads
        self._memory = np.empty(block.n_rows, dtype=np.uint32)
        self._scratch = np.empty(block.n_rows, dtype=np.uint32)
        self._sums = np.empty(0, dtype=np.int64)  # grows with the cells

    def root(self, rows: Indices, eras: Indices) -> Indices:
        """One leaf with all the rows; those of era e are ``rows[eras[e] : eras[e + 1]]``. Returns
        the offsets."""
        self.rows = self._memory[: len(rows)]
        np.copyto(self.rows, rows)
        self.offsets = eras
        return self.offsets

    def split(self, split: Split, pages: PageOf) -> Indices:
        """Cell c becomes cells 2c (the answer is no) and 2c + 1 (yes). Returns the offsets."""
        address = self._binned.address(split, pages)
        bytes_, position = self._binned.bytes_at(address)
        offsets = np.empty(2 * len(self.offsets) - 1, dtype=np.uint32)
        native.split_leaves(
            bytes_,
            position,
            address.shift,
            address.mask,
            *address.question(split.bin),
            self.offsets,
            self.rows,
            self._scratch,
            offsets,
            n_threads=self._n_threads,
        )
        self.offsets = offsets
        return offsets

    def accumulate(
        self, groups: slice, cells: Indices, targets: Indices, histograms: NDArray[np.int64]
    ) -> None:
        """Histograms of some cells, over the slots of some groups, in the places ``targets``."""
        layout = self.block.layout
        native.accumulate_histograms(
            self.block.panels,
            layout.group_offsets[groups],
            layout.group_strides[groups],
            layout.group_widths[groups],
            self.rows,
            self.words,
            self.offsets.take(cells),
            self.offsets.take(cells + np.uint32(1)),
            targets,
            histograms,
            n_threads=self._n_threads,
        )

    def sums(self, groups: slice, cells: Indices) -> NDArray[np.int64]:
        """Histograms of some cells, one after the other; valid until the next call."""
        n_chunks, _, n_words = self.words.shape
        n_slots = int(self.block.layout.group_widths[groups].sum())
        shape = (n_chunks, len(cells), n_slots, N_BINS, n_words)
        if self._sums.size < math.prod(shape):
            self._sums = aligned_empty((math.prod(shape),), np.int64)
        found = self._sums[: math.prod(shape)].reshape(shape)
        self.accumulate(groups, cells, np.arange(len(cells), dtype=np.uint32), found)
        return found

    def summands(self, pages: Indices, level: Level) -> Summands:
        """What histograms of pages are summed from."""
        assert self._statistics is not None
        return Summands(
            self._statistics.pages.bytes,
            pages,
            self.rows,
            self.words,
            level.begin,
            level.end,
            level.histograms,
            level.fresh,
            self._scratch_words,
        )

    def statistic_sums(
        self, old_pages: Indices, fresh: Indices, new_pages: Indices, cells: Indices
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Histograms of pages over some cells, (n_pages, n_cells, …): of some pages over the fresh
        cells, of others over all cells."""
        return self._statistic_sums(old_pages, fresh), self._statistic_sums(new_pages, cells)

    def _statistic_sums(self, pages: Indices, cells: Indices) -> NDArray[np.int64]:
        assert self._statistics is not None
        n_chunks, _, n_words = self.words.shape
        bytes_ = self._statistics.pages.bytes
        shape = (len(pages), len(cells), n_chunks, bytes_.shape[2], STATISTIC_BINS, n_words)
        found = aligned_empty(shape, np.int64)
        if found.size:
            native.accumulate_statistics(
                bytes_,
                pages,
                0,
                self.rows,
                self.words,
                self.offsets.take(cells),
                self.offsets.take(cells + np.uint32(1)),
                np.arange(len(cells), dtype=np.uint32),
                np.ones(len(cells), dtype=np.uint8),
                self._scratch_words,
                found,
                n_threads=self._n_threads,
            )
        return found

    @cached_property
    def _scratch_words(self) -> NDArray[np.int64]:
        """As large as the words, for histograms of statistics."""
        return np.empty(self.words.shape, dtype=np.int64)


class GrowingShards(Protocol):
    """The growing rows of all shards, asked together.

    only        those of the single shard, where there is one in this process
    statistics  of all rows; None where there are none
    """

    only: GrowingRows | None
    statistics: PagedStatistics | None

    def each(self, request: Callable[[GrowingRows], Answer]) -> list[Answer]:
        """What every shard answers."""
        ...


class AllRows:
    """The rows of all shards."""

    def __init__(self, shards: GrowingShards) -> None:
        self._shards = shards

    @property
    def only(self) -> GrowingRows | None:
        """Those of the single shard, where there is one in this process."""
        return self._shards.only

    def split(self, cells: Cells, split: Split, ordering: int) -> Cells:
        """Every cell divided in two."""
        ((_, pages),) = located([split], self._shards.statistics, ordering)
        return Cells.of(self._shards.each(lambda rows: rows.split(split, pages)), cells.n_eras)

    def accumulate(
        self, groups: slice, cells: Indices, targets: Indices, histograms: NDArray[np.int64]
    ) -> None:
        """Histograms of some cells, the sums over all shards."""
        if self.only is not None:
            self.only.accumulate(groups, cells, targets, histograms)
            return
        histograms[:, targets] = _sum(self._shards.each(lambda rows: rows.sums(groups, cells)))

    def accumulate_statistics(
        self, pages: Indices, n_old: int, level: Level, shelves: NDArray[np.int64]
    ) -> None:
        """Histograms of pages, each in its shelf, the sums over all shards: of the first ``n_old``
        over the fresh cells alone."""
        fresh = level.fresh.view(np.bool_)
        cells, of_fresh = level.cells, level.cells[fresh]
        sums = self._shards.each(
            lambda rows: rows.statistic_sums(pages[:n_old], of_fresh, pages[n_old:], cells)
        )
        shelves[:n_old, level.histograms[fresh]] = _sum([old for old, _ in sums])
        shelves[n_old:, level.histograms] = _sum([new for _, new in sums])


def _sum(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The sum, in the memory of the first part."""
    total, *others = parts
    for part in others:
        total += part
    return total
