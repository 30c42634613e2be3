"""Rows sorted by leaf while a tree grows."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.answers import Answers, Split
from ocelotboost.kernels import native

Indices = NDArray[np.uint32]


class Partition(NamedTuple):
    """Rows by cell, a leaf and an era each: the leaves of era 0, then those of era 1, and so on.
    Rows of cell c are ``rows[offsets[c] : offsets[c + 1]]``, in their original order.

    rows     uint32 (n,)
    offsets  uint32 (n_cells + 1,)
    sizes    rows of each cell, as numbers of Python: cells are few and looked at one by one
    n_eras   1 in Plain mode: a cell is a leaf
    """

    rows: Indices
    offsets: Indices
    sizes: list[int]
    n_eras: int

    @classmethod
    def of(cls, rows: Indices, offsets: Indices, n_eras: int) -> Partition:
        edges = offsets.tolist()
        return cls(rows, offsets, [end - begin for begin, end in pairwise(edges)], n_eras)

    @property
    def n_filled(self) -> int:
        """Leaves that have rows."""
        if self.n_eras == 1:
            return len(self.sizes) - self.sizes.count(0)
        return int(np.array(self.sizes).reshape(self.n_eras, -1).any(axis=0).sum())


class RowSorter:
    """Sorts rows by leaf, in memory that is kept from tree to tree.

    A partition it returned is valid until the next call: its rows are sorted further in place.
    """

    def __init__(self, answers: Answers, n_rows: int, n_threads: int) -> None:
        self._answers = answers
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
        place = self._answers.place(split, ordering)
        offsets = np.empty(2 * len(partition.sizes) + 1, dtype=np.uint32)
        native.split_leaves(
            place.bytes,
            place.position,
            place.shift,
            place.mask,
            split.bin,
            partition.offsets,
            partition.rows,
            self._scratch,
            offsets,
            n_threads=self._n_threads,
        )
        return Partition.of(partition.rows, offsets, partition.n_eras)
