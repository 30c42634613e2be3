"""The trained trees, packed into a few arrays.

An oblivious tree of depth d asks d questions, the same for every row, and has 2^d leaves. The
answers, first question first, are the binary digits of the leaf's number:

    question 0: age > 31.5 ?     yes -> 1
    question 1: income > 20000 ? no  -> 0        leaf 0b101 = 5
    question 2: age > 60.5 ?     yes -> 1
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Forest:
    """Oblivious trees, one after the other.

    split_columns  uint32 (n_splits,)            the column each question asks about
    split_borders  float64 (n_splits,)           the question is "value > border"; a NaN border
                                                 parts missing values from all numbers
    tree_depths    uint32 (n_trees,)             questions of each tree; their sum is n_splits
    leaf_values    float64 (n_leaves, n_outputs) 2^depth rows a tree, learning rate included
    leaf_weights   float64 (n_leaves,)           sum of training weights in each leaf; weights
                                                 that are not whole have mean 1
    start_value    float64 (n_outputs,)          the prediction before the first tree
    missing_high   bool (n_features,)            a missing value is above all numbers (else below)

    A NaN border lies between the missing values and the numbers. So the answer is yes for numbers
    where missing values are low, and yes for missing values where they are high.
    """

    split_columns: NDArray[np.uint32]
    split_borders: NDArray[np.float64]
    tree_depths: NDArray[np.uint32]
    leaf_values: NDArray[np.float64]
    leaf_weights: NDArray[np.float64]
    start_value: NDArray[np.float64]
    missing_high: NDArray[np.bool_]

    @property
    def n_trees(self) -> int:
        return len(self.tree_depths)

    @property
    def n_outputs(self) -> int:
        return len(self.start_value)

    @property
    def n_features(self) -> int:
        return len(self.missing_high)

    def split_offsets(self) -> NDArray[np.int64]:
        """Where each tree's questions begin, and the end: (n_trees + 1,)."""
        return np.concatenate([[0], np.cumsum(self.tree_depths, dtype=np.int64)])

    def leaf_offsets(self) -> NDArray[np.int64]:
        """Where each tree's leaves begin, and the end: (n_trees + 1,)."""
        sizes = np.left_shift(np.int64(1), self.tree_depths.astype(np.int64))
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    def first(self, n_trees: int) -> Forest:
        """The same model cut after its first ``n_trees`` trees."""
        split_end = int(self.split_offsets()[n_trees])
        leaf_end = int(self.leaf_offsets()[n_trees])
        return Forest(
            split_columns=self.split_columns[:split_end],
            split_borders=self.split_borders[:split_end],
            tree_depths=self.tree_depths[:n_trees],
            leaf_values=self.leaf_values[:leaf_end],
            leaf_weights=self.leaf_weights[:leaf_end],
            start_value=self.start_value,
            missing_high=self.missing_high,
        )


def join_forests(first: Forest, second: Forest) -> Forest:
    """One forest that predicts the sum of both; ``second`` was trained to continue ``first``."""
    return Forest(
        split_columns=np.concatenate([first.split_columns, second.split_columns]),
        split_borders=np.concatenate([first.split_borders, second.split_borders]),
        tree_depths=np.concatenate([first.tree_depths, second.tree_depths]),
        leaf_values=np.concatenate([first.leaf_values, second.leaf_values]),
        leaf_weights=np.concatenate([first.leaf_weights, second.leaf_weights]),
        start_value=first.start_value + second.start_value,
        missing_high=first.missing_high,
    )
