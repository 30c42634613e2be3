"""Rows sorted by leaf while a tree grows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.answers import Answers, Split
from ocelotboost.kernels import native

Indices = NDArray[np.uint32]


@dataclass(frozen=True)
class Partition:
    """Rows of leaf l are ``rows[offsets[l] : offsets[l + 1]]``, in their original order.

    rows     uint32 (n,)
    offsets  uint32 (n_leaves + 1,)
    sizes    rows of each leaf, as numbers of Python: leaves are few and looked at one by one
    """

    rows: Indices
    offsets: Indices
    sizes: list[int]

    @classmethod
    def of(cls, rows: Indices, offsets: Indices) -> Partition:
        edges = offsets.tolist()
        return cls(rows, offsets, [end - begin for begin, end in pairwise(edges)])

    @property
    def n_leaves(self) -> int:
        return len(self.sizes)

    @property
    def n_filled(self) -> int:
        """Leaves that have rows."""
        return self.n_leaves - self.sizes.count(0)


class RowSorter:
    """Sorts rows by leaf, in memory that is kept from tree to tree.

    A partition it returned is valid until the next call: its rows are sorted further in place.
    """

    def __init__(self, answers: Answers, n_rows: int, n_threads: int) -> None:
        self._answers = answers
        self._n_threads = n_threads
        self._rows = np.empty(n_rows, dtype=np.uint32)
        self._scratch = np.empty(n_rows, dtype=np.uint32)

    def root(self, rows: Indices) -> Partition:
        """One leaf with all the rows."""
        own = self._rows[: len(rows)]
        np.copyto(own, rows)
        return Partition.of(own, np.array([0, len(rows)], dtype=np.uint32))

    def split(self, partition: Partition, split: Split, ordering: int) -> Partition:
        """Leaf l becomes leaves 2l (the answer is no) and 2l + 1 (yes)."""
        place = self._answers.place(split, ordering)
        offsets = np.empty(2 * partition.n_leaves + 1, dtype=np.uint32)
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
        return Partition.of(partition.rows, offsets)
