"""Twins: Shapley values of leaves, from their definition, and sums of tables."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.uint32]
Offsets = NDArray[np.uint64]
Floats = NDArray[np.float64]
Coalition = frozenset[int]


def worth(
    coalition: Coalition,
    leaf: int,
    level_players: list[int],
    values: Floats,
    weights: Floats,
    interventional: bool,
) -> Floats:
    """What a tree is expected to say, (n_outputs,), of a row in ``leaf`` of which only the answers
    of the coalition are known."""
    depth = len(level_players)
    answers = [leaf >> (depth - 1 - level) & 1 for level in range(depth)]
    if interventional:
        known = sum(
            1 << (depth - 1 - level)
            for level, player in enumerate(level_players)
            if player in coalition
        )
        mixed = (leaf & known) | (np.arange(len(values)) & ~known)
        expected: Floats = weights @ values[mixed] / weights.sum()
        return expected
    if depth == 0:
        only: Floats = values[0]
        return only
    halves = np.split(values, 2), np.split(weights, 2)
    below = leaf & ((1 << (depth - 1)) - 1)
    no, yes = (
        worth(coalition, below, level_players[1:], v, w, interventional)
        for v, w in zip(*halves, strict=True)
    )
    if level_players[0] in coalition:
        return yes if answers[0] else no
    total = weights.sum()
    share = halves[1][1].sum() / total if total > 0 else 0.5
    return (1 - share) * no + share * yes


def shapley_tables(
    depths: Indices,
    level_players: Indices,
    leaf_values: Floats,
    leaf_weights: Floats,
    player_offsets: Indices,
    column_offsets: Indices,
    columns: Indices,
    n_columns: Indices,
    asked_offsets: Offsets,
    asked_leaves: Indices,
    interventional: bool,
    interactions: bool,
    out_tables: Floats,
    out_expected: Floats,
    *,
    n_threads: int,
) -> None:
    """Of each tree, and each leaf asked for: what its columns earn, or its pairs of columns."""
    level = first_leaf = 0
    lines = []
    for tree, depth in enumerate(depths.tolist()):
        own = slice(first_leaf, first_leaf + (1 << depth))
        game = (
            level_players[level : level + depth].tolist(),
            leaf_values[own],
            leaf_weights[own],
            interventional,
        )
        level, first_leaf = level + depth, own.stop
        first, end = int(player_offsets[tree]), int(player_offsets[tree + 1])
        shares = np.zeros((end - first, n_columns[tree]))
        for player in range(first, end):
            members = columns[column_offsets[player] : column_offsets[player + 1]]
            shares[player - first, members] = 1 / len(members)
        out_expected[tree] = worth(frozenset(), 0, *game)
        for leaf in asked_leaves[int(asked_offsets[tree]) : int(asked_offsets[tree + 1])].tolist():
            earned = _pairs(leaf, end - first, game, leaf_values.shape[1])
            by_columns = np.einsum("ia,ijk,jb->abk", shares, earned, shares)
            if interactions:
                below, above = np.tril_indices(int(n_columns[tree]))
                lines.append(by_columns[above, below].reshape(-1))
            else:
                lines.append(by_columns.sum(axis=1).reshape(-1))
    out_tables[:] = np.concatenate([np.empty(0), *lines])


def _pairs(leaf: int, n_players: int, game: tuple[object, ...], n_outputs: int) -> Floats:
    """Interactions of players (n_players, n_players, n_outputs); rows sum to Shapley values."""
    everyone = range(n_players)
    of = {
        frozenset(members): worth(frozenset(members), leaf, *game)  # type: ignore[arg-type]
        for size in range(n_players + 1)
        for members in combinations(everyone, size)
    }
    pairs = np.zeros((n_players, n_players, n_outputs))
    for a in everyone:
        alone = np.zeros(n_outputs)
        for others in (s for s in of if a not in s):
            weight = _weight(len(others), n_players - 1)
            alone += weight * (of[others | {a}] - of[others])
        for b in (player for player in everyone if player != a):
            for others in (s for s in of if a not in s and b not in s):
                gain = of[others | {a, b}] - of[others | {a}] - of[others | {b}] + of[others]
                pairs[a, b] += _weight(len(others), n_players - 2) / 2 * gain
        pairs[a, a] = alone - pairs[a].sum(axis=0)
    return pairs


def _weight(size: int, n_others: int) -> float:
    return factorial(size) * factorial(n_others - size) / factorial(n_others + 1)


def add_tables(
    lines: Indices,
    tables: Floats,
    n_lines: Indices,
    cell_offsets: Offsets,
    cells: Indices,
    inout_sums: Floats,
    *,
    n_threads: int,
) -> None:
    """Add the line that each row has in each tree's table to the row's sums."""
    begin = 0
    for tree, own_lines in enumerate(lines):
        own = cells[int(cell_offsets[tree]) : int(cell_offsets[tree + 1])]
        shape = (int(n_lines[tree]), len(own), inout_sums.shape[2])
        table = tables[begin : begin + int(np.prod(shape))].reshape(shape)
        begin += table.size
        inout_sums[:, own] += table[own_lines]
