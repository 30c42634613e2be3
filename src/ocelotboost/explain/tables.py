"""Shapley values of leaves, and their sums for rows.

An oblivious tree asks all rows the same questions, so a row's Shapley values in a tree depend on
its leaf alone. They are kept in a table with one line per leaf:

    tree 7     age  city  income                      row 3 is in leaf 1 of tree 7,
      leaf 0  +0.2  -0.1   0.0                        in leaf 5 of tree 8, ...
      leaf 1  -0.3   0.0  +0.1    ──► add_tables ──►  and its values are the sums of these lines

With interactions, a line has one cell per pair of columns. Tables of deep trees are large and slow
to make; of those only the lines of leaves that occur are made, for some rows at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.explain.players import Players
from ocelotboost.kernels import native
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import offsets_of
from ocelotboost.predict.predictor import Predictor
from ocelotboost.table.columns import Table

Floats = NDArray[np.float64]
Leaves = NDArray[np.uint32]

#: Trees with more leaves, and more bytes, have no tables of all leaves. Trees with few leaves have
#: them for a single row, too: the next rows will be quicker.
_MOST_LEAVES, _MOST_BYTES, _FEW_LEAVES = 1 << 10, 1 << 28, 1 << 7
#: Rows whose leaves are found together, with and without such a table. The first is no power of
#: two, so that the leaves of a row do not compete for the same lines of the cache.
_ROWS, _ROWS_OF_DEEP = 1920, 8192
_DEEP_TREES = 16


@dataclass(frozen=True, eq=False)
class TreeTables:
    """Lines of Shapley values, of one tree after the other.

    entries       float64                 of each tree (n_lines, its cells, n_outputs)
    n_lines       uint32 (n_trees,)
    cell_offsets  uint64 (n_trees + 1,)   cells of tree t:
    cells         uint32                  which cell of a row's sums
    expected      float64 (n_outputs,)    what the trees say of a row of which nothing is known
    """

    entries: Floats
    n_lines: NDArray[np.uint32]
    cell_offsets: NDArray[np.uint64]
    cells: NDArray[np.uint32]
    expected: Floats

    def add(self, lines: Leaves, inout_sums: Floats, n_threads: int) -> None:
        """Add the lines (n_trees, n) of rows to their sums (n, n_cells, n_outputs)."""
        native.add_tables(
            lines,
            self.entries,
            self.n_lines,
            self.cell_offsets,
            self.cells,
            inout_sums,
            n_threads=n_threads,
        )


@dataclass(frozen=True, eq=False)
class Game:
    """What is shared among whom.

    weights         float64 (n_leaves,)  of the training rows, or of the background rows
    interventional  columns that are not known have the values of background rows; otherwise they
                    follow the training weights down the tree
    interactions    a cell for each pair of columns
    """

    forest: Forest
    players: Players
    weights: Floats
    interventional: bool
    interactions: bool

    @property
    def n_cells(self) -> int:
        n_columns = len(self.players.names)
        return n_columns * n_columns if self.interactions else n_columns

    def needs_whole_tables(self, n_rows: int) -> bool:
        """Are tables of all leaves quicker for some rows, and not too large?"""
        forest, n_columns = self.forest, self.players.n_columns.astype(np.int64)
        n_leaves = np.left_shift(np.int64(1), forest.tree_depths.astype(np.int64))
        n_cells = n_columns * (n_columns + 1) // 2 if self.interactions else n_columns
        n_bytes = 8 * (n_leaves * n_cells).sum() * forest.n_outputs
        largest = int(n_leaves.max(initial=1))
        most = max(n_rows, _FEW_LEAVES)
        return bool(largest <= min(most, _MOST_LEAVES) and n_bytes <= _MOST_BYTES)

    def whole_tables(self, n_threads: int) -> TreeTables:
        """Of all leaves of all trees."""
        sizes = np.left_shift(np.int64(1), self.forest.tree_depths.astype(np.int64)).tolist()
        leaves = [np.arange(size, dtype=np.uint32) for size in sizes]
        return self._tables(0, leaves, n_threads)

    def sums(
        self, predictor: Predictor, table: Table, kept: TreeTables | None, n_threads: int
    ) -> tuple[Floats, Floats]:
        """Shapley values of rows (n_rows, n_cells, n_outputs) and what they start from
        (n_outputs,); ``kept`` are the tables of all leaves, where there are such."""
        sums = np.zeros((table.n_rows, self.n_cells, self.forest.n_outputs))
        expected, begin = np.zeros(self.forest.n_outputs), 0
        for leaves in predictor.leaves(table, _ROWS if kept else _ROWS_OF_DEEP, n_threads):
            own = sums[begin : begin + leaves.shape[1]]
            begin += len(own)
            if kept is None:
                expected = self._add_occurring(leaves, own, n_threads)
            else:
                kept.add(leaves, own, n_threads)
                expected = kept.expected
        return self._mirrored(sums), self.forest.start_value + expected

    def _add_occurring(self, leaves: Leaves, inout_sums: Floats, n_threads: int) -> Floats:
        """Add lines that are made for the leaves (n_trees, n) that occur; what is expected of the
        trees, (n_outputs,)."""
        expected = np.zeros(self.forest.n_outputs)
        for first in range(0, len(leaves), _DEEP_TREES):
            found = [
                np.unique(of_tree, return_inverse=True)
                for of_tree in leaves[first : first + _DEEP_TREES]
            ]
            tables = self._tables(first, [occurring for occurring, _ in found], n_threads)
            lines = np.array([lines for _, lines in found], dtype=np.uint32)
            tables.add(lines, inout_sums, n_threads)
            expected = expected + tables.expected
        return expected

    def _mirrored(self, sums: Floats) -> Floats:
        """Interactions are symmetric, and only those above the diagonal were summed."""
        if not self.interactions:
            return sums
        n_columns = len(self.players.names)
        pairs = sums.reshape(len(sums), n_columns, n_columns, -1)
        below = np.tril_indices(n_columns, -1)
        pairs[:, below[0], below[1]] = pairs[:, below[1], below[0]]
        return pairs

    def _tables(self, first: int, leaves: list[Leaves], n_threads: int) -> TreeTables:
        """Tables of some leaves of the trees from ``first`` on."""
        forest, players = self.forest, self.players
        trees = slice(first, first + len(leaves))
        bounds = slice(first, first + len(leaves) + 1)
        own_splits = forest.split_offsets()[bounds]
        own_leaves = forest.leaf_offsets()[bounds]
        own_players = players.player_offsets[bounds]
        own_members = players.member_offsets[own_players[0] : int(own_players[-1]) + 1]
        n_columns = players.n_columns[trees]
        cells = self._cells(bounds)
        n_lines = np.array([len(own) for own in leaves], dtype=np.uint32)
        n_cells = np.array([len(own) for own in cells], dtype=np.int64)
        entries = np.empty(int((n_lines * n_cells).sum()) * forest.n_outputs)
        expected = np.empty((len(leaves), forest.n_outputs))
        native.shapley_tables(
            forest.tree_depths[trees],
            players.level_players[own_splits[0] : own_splits[-1]],
            forest.leaf_values[own_leaves[0] : own_leaves[-1]],
            self.weights[own_leaves[0] : own_leaves[-1]],
            own_players - own_players[0],
            own_members - own_members[0],
            players.members[own_members[0] : own_members[-1]],
            n_columns,
            offsets_of(n_lines, np.uint64),
            np.concatenate([np.empty(0, np.uint32), *leaves]),
            self.interventional,
            self.interactions,
            entries,
            expected,
            n_threads=n_threads,
        )
        return TreeTables(
            entries=entries,
            n_lines=n_lines,
            cell_offsets=offsets_of(n_cells, np.uint64),
            cells=np.concatenate([np.empty(0, np.uint32), *cells]),
            expected=expected.sum(axis=0),
        )

    def _cells(self, bounds: slice) -> list[NDArray[np.uint32]]:
        """Of each tree, which cells of a row's sums its lines are added to."""
        players, n_columns = self.players, len(self.players.names)
        offsets = players.column_offsets[bounds].astype(np.int64).tolist()
        of_trees = [players.columns[begin:end] for begin, end in pairwise(offsets)]
        if not self.interactions:
            return of_trees
        return [
            np.array(
                [a * n_columns + b for place, b in enumerate(own) for a in own[: place + 1]]
            ).astype(np.uint32)
            for own in (of_tree.tolist() for of_tree in of_trees)
        ]


def training_weights(forest: Forest) -> Floats:
    """The weights of the leaves in training; a model without them cannot be explained by them."""
    offsets = forest.leaf_offsets()
    totals = np.add.reduceat(forest.leaf_weights, offsets[:-1]) if forest.n_trees else np.ones(0)
    if not (totals > 0).all():
        tree = int(np.argmin(totals > 0))
        raise InputError(
            f"The model has no training weights: those of the leaves of tree {tree} are all 0, "
            "and explanations average by them. Pass background=, some typical rows to average "
            "over instead."
        )
    return forest.leaf_weights


def background_weights(predictor: Predictor, table: Table, n_threads: int) -> Floats:
    """How many background rows are in each leaf: (n_leaves,)."""
    offsets = predictor.forest.leaf_offsets()
    counts = np.zeros(int(offsets[-1]))
    for leaves in predictor.leaves(table, _ROWS, n_threads):
        for of_tree, first, end in zip(leaves, offsets[:-1], offsets[1:], strict=True):
            counts[first:end] += np.bincount(of_tree, minlength=int(end - first))
    return counts
