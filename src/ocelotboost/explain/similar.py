"""Rows that a model treats alike: they share many leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SimilarRows:
    """For each row, those of another table that share the most leaves with it, the nearest first.

    indices     int64 (n_rows, n_nearest) rows of the other table
    similarity  float64 (n_rows, n_nearest) share of the trees in which both are in the same leaf
    """

    indices: NDArray[np.int64]
    similarity: NDArray[np.float64]


def most_similar(
    leaves: NDArray[np.uint32], others: NDArray[np.uint32], n_nearest: int
) -> SimilarRows:
    """By the leaves (n_rows, n_trees) of rows and (n_others, n_trees) of others; of equally similar
    rows, the first."""
    n_trees = max(leaves.shape[1], 1)
    deepest = max(int(array.max(initial=0)) for array in (leaves, others))
    narrow = np.uint8 if deepest < 256 else np.uint16  # a leaf's number has at most 16 bits
    by_tree = np.ascontiguousarray(others.T.astype(narrow))
    indices, similarity = [], []
    for own in leaves.astype(narrow):
        shared = (by_tree == own[:, None]).sum(axis=0, dtype=np.int64)
        nearest = np.argsort(-shared, kind="stable")[:n_nearest]
        indices.append(nearest)
        similarity.append(shared[nearest] / n_trees)
    return SimilarRows(np.array(indices, dtype=np.int64), np.array(similarity))
