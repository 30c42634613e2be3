"""Which histogram each leaf has, level after level of a tree.

In Ordered mode a leaf has one for each era of the ordering (order/segments.py): rows of a cell, one
leaf and one era, are summed together. In Plain mode leaf and cell are the same.

Of two sibling cells only the smaller is summed over its rows. The larger takes over the histogram
of their parent, which becomes parent minus sibling: exactly, because sums are integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.partition import Partition
from ocelotboost.kernels.contract import NO_HISTOGRAM

Indices = NDArray[np.uint32]


@dataclass(frozen=True)
class Level:
    """What to sum and what to score in one level of a tree; arrays have one entry for every cell
    with rows, in the order of the cells, unless said otherwise.

    begin, end  uint32               its rows in the partition
    histograms  uint32               its histogram
    fresh       uint8                it has to be summed from its rows; others follow from parents
    small       uint32 (n_fresh,)    the histograms of the fresh cells
    large       uint32 (n_fresh,)    those of their siblings, which still hold the parents
    scored      uint32 (n_eras, n_leaves) of the leaves with rows. Scores add up in the order of
                                     the leaves, which their sizes do not change
    """

    begin: Indices
    end: Indices
    histograms: Indices
    fresh: NDArray[np.uint8]
    small: Indices
    large: Indices
    scored: Indices

    @classmethod
    def of(
        cls, partition: Partition, histograms: list[int], fresh: list[int], large: list[int]
    ) -> Level:
        """``histograms`` and ``fresh`` have an entry for every cell, ``large`` for the fresh."""
        is_filled = np.array(partition.sizes) > 0
        filled = np.flatnonzero(is_filled)
        of_cell = np.array(histograms, dtype=np.uint32)
        is_fresh = np.array(fresh, dtype=np.uint8)[filled]
        of_filled = of_cell[filled]
        scored = np.where(is_filled, of_cell, np.uint32(NO_HISTOGRAM))
        scored = scored.reshape(partition.n_eras, -1)
        return cls(
            begin=partition.offsets[filled],
            end=partition.offsets[filled + 1],
            histograms=of_filled,
            fresh=is_fresh,
            small=of_filled[is_fresh.view(np.bool_)],
            large=np.array(large, dtype=np.uint32),
            scored=np.ascontiguousarray(scored[:, (scored != NO_HISTOGRAM).any(axis=0)]),
        )

    @classmethod
    def from_rows(cls, partition: Partition) -> Level:
        """Every cell summed from its rows, into the histogram of its own number."""
        n_cells = len(partition.sizes)
        large = [NO_HISTOGRAM] * sum(size > 0 for size in partition.sizes)
        return cls.of(partition, list(range(n_cells)), [1] * n_cells, large)


class LeafHistograms:
    """Deals out ``capacity`` histograms to the cells of a growing tree, a leaf and an era each."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._n_used = 0
        self._of_cell: list[int] | None = None  # None: there are too few

    def root(self, partition: Partition) -> Level | None:
        """What there is to sum before the first split; None when histograms do not suffice."""
        n_cells = len(partition.sizes)
        if n_cells > self._capacity:
            return None
        self._of_cell, self._n_used = list(range(n_cells)), n_cells
        return Level.from_rows(partition)

    def after(self, partition: Partition) -> Level | None:
        """What there is to sum after a split; None when histograms do not suffice."""
        sizes = partition.sizes
        siblings = list(zip(sizes[0::2], sizes[1::2], strict=True))
        n_new = sum(left > 0 and right > 0 for left, right in siblings)
        if self._of_cell is None or self._n_used + n_new > self._capacity:
            self._of_cell = None
            return None
        of_cell, fresh, parents = [], [], []
        for parent, (left, right) in zip(self._of_cell, siblings, strict=True):
            if left > 0 and right > 0:
                own = self._n_used
                self._n_used += 1
                parents.append(parent)
                of_cell += [parent, own] if right < left else [own, parent]
                fresh += [0, 1] if right < left else [1, 0]
            else:
                # One child has all the rows, or the parent had none; then nobody reads it.
                of_cell += [parent, parent]
                fresh += [0, 0]
        self._of_cell = of_cell
        return Level.of(partition, of_cell, fresh, parents)
