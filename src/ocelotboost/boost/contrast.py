"""With more than two classes, what a tree with target statistics is chosen by: two of them.

A statistic has columns for every class, and a histogram of a column has sums for every class, so
that the cost of a tree grows with the square of their number. A tree whose splits are chosen by the
difference of two classes' gradients, and by the statistics of these two, costs little more than one
for two classes. Its leaves are filled for all classes. The classes that carry most of the gradient
are drawn most often. What was measured is in docs/categories.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.base import Floats


class Contrast(NamedTuple):
    """Two classes, by their outputs."""

    first: int
    second: int

    def of(self, gradients: NDArray[np.float32], n_outputs: int) -> NDArray[np.float32]:
        """(n_slots, n) of gradients (n_slots · n_outputs, n): one for all outputs of a slot."""
        by_slot = gradients.reshape(-1, n_outputs, gradients.shape[1])
        difference: NDArray[np.float32] = by_slot[:, self.first] - by_slot[:, self.second]
        return difference


def draw_contrast(sizes: Floats, seed: np.random.SeedSequence, tree: int) -> Contrast:
    """Two different classes; ``sizes`` (n_classes,) are the sums of their absolute gradients, to
    which the chances are proportional. The draw follows from the seed and the number of the tree.

    >>> draw_contrast(np.array([0.0, 2.0, 0.0, 1.0]), np.random.SeedSequence(0), 0)
    Contrast(first=3, second=1)
    """
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, tree))
    left, drawn = sizes.copy(), list[int]()
    for share in np.random.default_rng(own).random(2).tolist():
        if not left.sum() > 0:  # all others fit perfectly
            left = np.ones(len(sizes))
            left[drawn] = 0
        ends = np.cumsum(left)
        drawn.append(int(np.searchsorted(ends, share * ends[-1], side="right")))
        left[drawn[-1]] = 0
    return Contrast(*drawn)
