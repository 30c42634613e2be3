"""Which histogram each leaf has, level after level of a tree.

Of two sibling leaves only the smaller is summed over its rows. The larger takes over the histogram
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
    """What to sum and what to score in one level of a tree; arrays have one entry for every leaf
    with rows, in the order of the leaves, unless said otherwise.

    begin, end  uint32             its rows in the partition
    scored      uint32             its histogram. Scores add up in the order of the leaves, which
                                   their sizes do not change
    fresh       uint8              it has to be summed from its rows; others follow from parents
    small       uint32 (n_fresh,)  the histograms of the fresh leaves
    large       uint32 (n_fresh,)  those of their siblings, which still hold the parents
    """

    begin: Indices
    end: Indices
    scored: Indices
    fresh: NDArray[np.uint8]
    small: Indices
    large: Indices

    @classmethod
    def of(
        cls, partition: Partition, histograms: list[int], fresh: list[int], large: list[int]
    ) -> Level:
        """``histograms`` and ``fresh`` have an entry for every leaf, ``large`` for the fresh."""
        filled = [leaf for leaf, size in enumerate(partition.sizes) if size > 0]
        places = np.array(filled, dtype=np.intp)
        scored = np.array([histograms[leaf] for leaf in filled], dtype=np.uint32)
        is_fresh = np.array([fresh[leaf] for leaf in filled], dtype=np.uint8)
        return cls(
            partition.offsets[places],
            partition.offsets[places + 1],
            scored,
            is_fresh,
            scored[is_fresh.view(np.bool_)],
            np.array(large, dtype=np.uint32),
        )

    @classmethod
    def from_rows(cls, partition: Partition) -> Level:
        """Every leaf summed from its rows, into the histogram of its own number."""
        n_leaves = partition.n_leaves
        large = [NO_HISTOGRAM] * partition.n_filled
        return cls.of(partition, list(range(n_leaves)), [1] * n_leaves, large)


class LeafHistograms:
    """Deals out ``capacity`` histograms to the leaves of a growing tree."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._n_used = 0
        self._of_leaf: list[int] | None = []  # None: there are too few

    def next_level(self, partition: Partition) -> Level | None:
        """What there is to sum after a split; None when histograms do not suffice."""
        sizes = partition.sizes
        if len(sizes) == 1:
            self._of_leaf, self._n_used = [0], 1
            return Level.of(partition, [0], [1], [NO_HISTOGRAM])
        siblings = list(zip(sizes[0::2], sizes[1::2], strict=True))
        n_new = sum(left > 0 and right > 0 for left, right in siblings)
        if self._of_leaf is None or self._n_used + n_new > self._capacity:
            self._of_leaf = None
            return None
        of_leaf, fresh, parents = [], [], []
        for parent, (left, right) in zip(self._of_leaf, siblings, strict=True):
            if left > 0 and right > 0:
                own = self._n_used
                self._n_used += 1
                parents.append(parent)
                of_leaf += [parent, own] if right < left else [own, parent]
                fresh += [0, 1] if right < left else [1, 0]
            else:
                # One child has all the rows, or the parent had none; then nobody reads it.
                of_leaf += [parent, parent]
                fresh += [0, 0]
        self._of_leaf = of_leaf
        return Level.of(partition, of_leaf, fresh, parents)
