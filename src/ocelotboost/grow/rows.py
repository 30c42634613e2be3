"""Rows while a tree grows: gradients as integers, rows sorted by cell, histograms of cells.

A shard has its own rows here. What it returns are integers, which add up exactly, so that a tree
does not depend on how many shards there are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.cells import Cells, Indices
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import packed_layout
from ocelotboost.kernels.memory import aligned_empty
from ocelotboost.order.binned_rows import BinnedRows
from ocelotboost.order.feature import Split
from ocelotboost.quantize.block import ColumnBlock


class GrowingRows:
    """The rows of one shard, in memory that is kept from tree to tree.

    words    int64 (n_chunks, n, n_words): gradients and weights, two fields per word
    rows     uint32, the chosen rows by cell, in their original order
    offsets  uint32 (n_cells + 1,): rows of cell c are ``rows[offsets[c] : offsets[c + 1]]``
    """

    def __init__(
        self, block: ColumnBlock, binned: BinnedRows, n_gradients: int, n_threads: int
    ) -> None:
        n_chunks, n_words = packed_layout(n_gradients)
        self.words = aligned_empty((n_chunks, block.n_rows, n_words), np.int64)
        self.block = block
        self._binned = binned
        self._n_threads = n_threads
        self._memory = np.empty(block.n_rows, dtype=np.uint32)
        self._scratch = np.empty(block.n_rows, dtype=np.uint32)

    def root(self, rows: Indices, eras: Indices) -> Indices:
        """One leaf with all the rows; those of era e are ``rows[eras[e] : eras[e + 1]]``. Returns
        the offsets."""
        self.rows = self._memory[: len(rows)]
        np.copyto(self.rows, rows)
        self.offsets = eras
        return self.offsets

    def split(self, split: Split, ordering: int) -> Indices:
        """Cell c becomes cells 2c (the answer is no) and 2c + 1 (yes). Returns the offsets."""
        address = split.feature.address(self._binned, ordering)
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


class AllRows:
    """The rows of all shards, asked together."""

    def __init__(self, shards: Sequence[GrowingRows]) -> None:
        self.shards = shards

    @property
    def only(self) -> GrowingRows:
        """The single shard."""
        (shard,) = self.shards
        return shard

    def split(self, cells: Cells, split: Split, ordering: int) -> Cells:
        """Every cell divided in two."""
        return Cells.of([shard.split(split, ordering) for shard in self.shards], cells.n_eras)

    def accumulate(
        self, groups: slice, cells: Indices, targets: Indices, histograms: NDArray[np.int64]
    ) -> None:
        """Histograms of some cells, the sums over all shards."""
        first, *others = self.shards
        first.accumulate(groups, cells, targets, histograms)
        if others:
            n_chunks, _, *shape = histograms.shape
            own = aligned_empty((n_chunks, len(targets), *shape), np.int64)
            places = np.arange(len(targets), dtype=np.uint32)
            for shard in others:
                shard.accumulate(groups, cells, places, own)
                histograms[:, targets] += own
