"""Which histogram each leaf has, level after level of a tree.

In Ordered mode a leaf has one for each era of the ordering (order/segments.py): rows of a cell, one
leaf and one era, are summed together. In Plain mode leaf and cell are the same.

Of two sibling cells only the smaller is summed over its rows. The larger takes over the histogram
of their parent, which becomes parent minus sibling: exactly, because sums are integers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.cells import Cells, Indices
from ocelotboost.kernels import native


class Level(NamedTuple):
    """What to sum and what to score in one level of a tree; arrays have one entry for every cell
    with rows, in the order of the cells, unless said otherwise.

    cells       uint32               its number
    begin, end  uint32               its rows, if there is a single shard
    histograms  uint32               its histogram
    fresh       uint8                it has to be summed from its rows; others follow from parents
    small       uint32 (n_fresh,)    the histograms of the fresh cells
    large       uint32 (n_fresh,)    those of their siblings, which still hold the parents
    scored      uint32 (n_eras, n_leaves) of the leaves with rows. Scores add up in the order of
                                     the leaves, which their sizes do not change
    """

    cells: Indices
    begin: Indices
    end: Indices
    histograms: Indices
    fresh: NDArray[np.uint8]
    small: Indices
    large: Indices
    scored: Indices

    @classmethod
    def plan(cls, cells: Cells, parents: Indices | None, n_used: int) -> tuple[Level, Indices]:
        """The level after a split, and the histogram of every cell. ``parents`` are the histograms
        of the level before; new ones have numbers from ``n_used`` on. Without parents every cell is
        summed from its rows, into the histogram of its own number."""
        n_cells, n_eras = cells.n_cells, cells.n_eras
        plan = np.empty((7, n_cells), dtype=np.uint32)
        fresh = np.empty(n_cells, dtype=np.uint8)
        of_cell, begin, end, histograms, small, large, scored = plan
        n_filled, n_fresh, n_scored = native.plan_level(
            cells.offsets, n_eras, parents, n_used,
            of_cell, begin, end, histograms, small, large, scored, fresh,
        )  # fmt: skip
        level = cls(
            cells=np.flatnonzero(cells.offsets[1:] > cells.offsets[:-1]).astype(np.uint32),
            begin=begin[:n_filled],
            end=end[:n_filled],
            histograms=histograms[:n_filled],
            fresh=fresh[:n_filled],
            small=small[:n_fresh],
            large=large[:n_fresh],
            scored=scored[: n_eras * n_scored].reshape(n_eras, n_scored),
        )
        return level, of_cell

    @classmethod
    def from_rows(cls, cells: Cells) -> Level:
        """Every cell summed from its rows, into the histogram of its own number."""
        return cls.plan(cells, None, 0)[0]


class LeafHistograms:
    """Deals out ``capacity`` histograms to the cells of a growing tree, a leaf and an era each."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._n_used = 0
        self._of_cell: Indices | None = None  # None: there are too few

    def root(self, cells: Cells) -> Level | None:
        """What there is to sum before the first split; None when histograms do not suffice."""
        self._n_used = cells.n_cells
        if self._n_used > self._capacity:
            return None
        level, self._of_cell = Level.plan(cells, None, 0)
        return level

    def after(self, cells: Cells) -> Level | None:
        """What there is to sum after a split; None when histograms do not suffice."""
        if self._of_cell is None:
            return None
        level, self._of_cell = Level.plan(cells, self._of_cell, self._n_used)
        self._n_used += len(level.small)
        if self._n_used > self._capacity:
            self._of_cell = None
            return None
        return level
