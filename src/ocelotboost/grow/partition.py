"""Rows sorted by leaf while a tree grows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.order.binned_rows import BinnedRows
from ocelotboost.order.feature import Split

Indices = NDArray[np.uint32]


class Partition(NamedTuple):
    """Rows by cell, a leaf and an era each: the leaves of era 0, then those of era 1, and so on.
    Rows of cell c are ``rows[offsets[c] : offsets[c + 1]]``, in their original order.

    rows      uint32 (n,)
    offsets   uint32 (n_cells + 1,)
    n_eras    1 in Plain mode: a cell is a leaf
    n_filled  leaves that have rows
    """

    rows: Indices
    offsets: Indices
    n_eras: int
    n_filled: int

    @classmethod
    def of(cls, rows: Indices, offsets: Indices, n_eras: int) -> Partition:
        filled = offsets[1:] > offsets[:-1]
        if n_eras > 1:
            filled = np.logical_or.reduce(filled.reshape(n_eras, -1))
        return cls(rows, offsets, n_eras, int(np.count_nonzero(filled)))

    @property
    def n_cells(self) -> int:
        return len(self.offsets) - 1


class RowSorter:
    """Sorts rows by leaf, in memory that is kept from tree to tree.

    A partition it returned is valid until the next call: its rows are sorted further in place.
    """

    def __init__(self, binned: BinnedRows, n_rows: int, n_threads: int) -> None:
        self._binned = binned
        self._n_threads = n_threads
        self._rows = np.empty(n_rows, dtype=np.uint32)
        self._scratch = np.empty(n_rows, dtype=np.uint32)

    def root(self, rows: Indices, eras: Indices) -> Partition:
        """One leaf with all the rows; those of era e are ``rows[eras[e] : eras[e + 1]]``."""
        own = self._rows[: len(rows)]
        np.copyto(own, rows)
        return Partition.of(own, eras, len(eras) - 1)

    def split(self, partition: Partition, split: Split, ordering: int) -> Partition:
        """Cell c becomes cells 2c (the answer is no) and 2c + 1 (yes)."""
        address = split.feature.address(self._binned, ordering)
        bytes_, position = self._binned.bytes_at(address)
        offsets = np.empty(2 * partition.n_cells + 1, dtype=np.uint32)
        native.split_leaves(
            bytes_,
            position,
            address.shift,
            address.mask,
            *address.question(split.bin),
            partition.offsets,
            partition.rows,
            self._scratch,
            offsets,
            n_threads=self._n_threads,
        )
        return Partition.of(partition.rows, offsets, partition.n_eras)
