"""Shapley values by their definition: the average over all orders in which players can come."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.forest import Forest
from ocelotboost.model.importance import features_of
from tests.model.forests import Rows, answer

Group = tuple[int, ...]
Floats = NDArray[np.float64]


def expected_value(forest: Forest, rows: Rows, row: int, known: set[Group]) -> Floats:
    """What the forest is expected to say of a row when only some groups of columns are known: at
    a question about others both children are followed, by their training weights."""
    total = forest.start_value.copy()
    splits, leaves = forest.split_offsets(), forest.leaf_offsets()
    for tree in range(forest.n_trees):
        chances = np.ones(1)
        weights = forest.leaf_weights[leaves[tree] : leaves[tree + 1]]
        for level, question in enumerate(range(splits[tree], splits[tree + 1])):
            column, border = int(forest.split_columns[question]), forest.split_borders[question]
            pairs = weights.reshape(1 << (level + 1), -1).sum(axis=1).reshape(-1, 2)
            both = pairs.sum(axis=1, keepdims=True)
            shares = np.divide(pairs, both, out=np.full_like(pairs, 0.5), where=both > 0)
            if tuple(features_of(forest, column)) in known:
                yes = answer(forest, rows, row, column, float(border))
                shares = np.broadcast_to([1.0 - yes, float(yes)], pairs.shape)
            chances = (chances[:, None] * shares).reshape(-1)
        total += chances @ forest.leaf_values[leaves[tree] : leaves[tree + 1]]
    return total


def shapley_by_orders(forest: Forest, rows: Rows, row: int) -> Floats:
    """(n_features, n_outputs): a group's share is divided equally among its columns."""
    groups = sorted({tuple(features_of(forest, c)) for c in forest.split_columns.tolist()})
    memory: dict[frozenset[Group], Floats] = {}

    def value(known: frozenset[Group]) -> Floats:
        if known not in memory:
            memory[known] = expected_value(forest, rows, row, set(known))
        return memory[known]

    earned = np.zeros((forest.n_features, forest.n_outputs))
    orders = list(permutations(groups))
    for order in orders:
        known: frozenset[Group] = frozenset()
        for group in order:
            gain = value(known | {group}) - value(known)
            earned[list(group)] += gain / len(group) / len(orders)
            known |= {group}
    return earned
