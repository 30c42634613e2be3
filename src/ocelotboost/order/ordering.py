"""Orderings: an artificial time for the rows, so that each may learn from those before it alone.

σ₁ … σ_s choose the structures of trees, each tree by one of them at random; σ₀ fills the leaves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Orderings = NDArray[np.uint32]


def draw_orderings(n_rows: int, count: int, rng: np.random.Generator) -> Orderings:
    """σ₀ … σ_s, s = ``count``: the row at each time, uint32 (count + 1, n_rows)."""
    return np.stack([rng.permutation(n_rows).astype(np.uint32) for _ in range(count + 1)])


def single_ordering(rows: NDArray[np.intp]) -> Orderings:
    """The rows in one order, which is σ₀ = σ₁."""
    return rows.astype(np.uint32)[np.newaxis]
