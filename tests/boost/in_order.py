"""Sums and choices of the references that come out the same on every machine.

BLAS and NumPy add in an order, and take exponentials with a last digit, that depend on the
processor. So references sum in the order of the rows, and a last digit decides nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Scores that differ by less, relatively, are equal: the first of them is chosen.
TIE = 1e-10


def total(values: Floats) -> Floats:
    """The sum over the last axis, from the first to the last."""
    if values.shape[-1] == 0:
        return np.zeros(values.shape[:-1])
    summed: Floats = np.add.accumulate(values, axis=-1)[..., -1]
    return summed


def totals_by_leaf(values: Floats, leaves: NDArray[np.intp], n_leaves: int) -> Floats:
    """Sums of values (n,) in the leaves of each line (lines, n), in the order of the rows."""
    own = leaves + n_leaves * np.arange(len(leaves))[:, None]
    repeated = np.broadcast_to(values, leaves.shape)
    summed = np.bincount(own.ravel(), repeated.ravel(), len(leaves) * n_leaves)
    return summed.reshape(len(leaves), n_leaves)


def first_of_the_best(scores: Floats) -> int:
    """The place of the highest score, and of the first one where several tie."""
    best = scores.max()
    return int(np.argmax(scores >= best - TIE * abs(best)))


def solve(matrix: Floats, right: Floats) -> Floats:
    """Gaussian elimination, for a symmetric positive definite matrix: (K, K), (K,) -> (K,)."""
    matrix, right = matrix.copy(), right.copy()
    for k in range(len(right)):
        for below in range(k + 1, len(right)):
            factor = matrix[below, k] / matrix[k, k]
            matrix[below] -= factor * matrix[k]
            right[below] -= factor * right[k]
    for k in reversed(range(len(right))):
        right[k] = (right[k] - total(matrix[k, k + 1 :] * right[k + 1 :])) / matrix[k, k]
    return right
