"""How many rows each cell has while a tree grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.uint32]


class Cells(NamedTuple):
    """The cells of a growing tree, a leaf and an era each: the leaves of era 0, then those of era
    1, and so on.

    offsets   uint32 (n_cells + 1,) how many rows there are before each cell
    n_eras    1 in Plain mode: a cell is a leaf
    n_filled  leaves that have rows
    """

    offsets: Indices
    n_eras: int
    n_filled: int

    @classmethod
    def of(cls, offsets: Sequence[Indices], n_eras: int) -> Cells:
        """By the offsets in all shards."""
        total, *others = offsets
        for own in others:
            total = total + own
        filled = total[1:] > total[:-1]
        if n_eras > 1:
            filled = np.logical_or.reduce(filled.reshape(n_eras, -1))
        return cls(total, n_eras, int(np.count_nonzero(filled)))

    @property
    def n_cells(self) -> int:
        return len(self.offsets) - 1
