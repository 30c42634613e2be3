"""Predictor: a forest prepared for fast prediction.

Whatever trees ask about becomes a byte column (predict/byte_columns.py), and the trees are summed
from those:

    byte columns     numbers | category values | statistics
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.lazy import cached_property
from ocelotboost.model.forest import Forest
from ocelotboost.predict.byte_columns import ByteColumns, Located
from ocelotboost.predict.category_values import CategoryValueBytes
from ocelotboost.predict.numbers import NumberBytes, make_number_bytes
from ocelotboost.predict.statistics import StatisticBytes
from ocelotboost.table.columns import Table

#: Of all kinds of features but numbers, in the order of a forest's columns, by the names that they
#: have in training.
OTHER_KINDS: dict[str, type[CategoryValueBytes] | type[StatisticBytes]] = {
    "category value": CategoryValueBytes,
    "statistic": StatisticBytes,
}

_CHUNK_BYTES = 32 << 20

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Predictor:
    """Byte columns to make from a table, and the trees in terms of them.

    numbers        the byte columns of numbers
    others         those of the other kinds of features, in the order of the forest; none that no
                   tree asks about
    split_columns  uint32 (n_splits,)  byte column of each question
    split_bins     uint8 (n_splits,)   the answer is yes for a greater bin
    """

    forest: Forest
    numbers: NumberBytes
    others: tuple[ByteColumns, ...]
    split_columns: NDArray[np.uint32]
    split_bins: NDArray[np.uint8]

    def first(self, n_trees: int) -> Predictor:
        """The same for the first ``n_trees`` trees."""
        n_splits = int(self.forest.split_offsets()[n_trees])
        return replace(
            self,
            forest=self.forest.first(n_trees),
            split_columns=self.split_columns[:n_splits],
            split_bins=self.split_bins[:n_splits],
        )

    def raw(self, table: Table, n_threads: int) -> Floats:
        """Raw predictions (n_outputs, n_rows)."""
        if not self.others:
            return self._sum_trees(self.numbers.of_table(table, n_threads), n_threads)
        chunks = self._chunks_of_bins(table, _chunk_rows(self.n_byte_columns), n_threads)
        return np.concatenate([self._sum_trees(bins, n_threads) for bins in chunks], axis=1)

    def raw_of_matrix(self, values: NDArray[np.floating], n_threads: int) -> Floats:
        """The same for a float32 or float64 array (n_rows, n_features), with little ceremony.

        Only for a model that asks about nothing but numbers.
        """
        return self._sum_trees(self.numbers.of_matrix(values, n_threads), n_threads)

    def staged(self, table: Table, n_threads: int) -> Iterator[Floats]:
        """Raw predictions after the first tree, after the second, ..."""
        (bins,) = self._chunks_of_bins(table, table.n_rows, n_threads)
        forest = self.forest
        raw = np.repeat(forest.start_value[:, None], table.n_rows, axis=1)
        splits, leaves = forest.split_offsets(), forest.leaf_offsets()
        for tree in range(forest.n_trees):
            native.predict_trees(
                bins,
                self.split_columns[splits[tree] : splits[tree + 1]],
                self.split_bins[splits[tree] : splits[tree + 1]],
                forest.tree_depths[tree : tree + 1],
                forest.leaf_values[leaves[tree] : leaves[tree + 1]],
                raw,
                n_threads=n_threads,
            )
            yield raw.copy()

    def leaves(self, table: Table, n_rows: int, n_threads: int) -> Iterator[NDArray[np.uint32]]:
        """The leaf of each row in each tree, (n_trees, n), of ``n_rows`` rows at a time."""
        for bins in self._chunks_of_bins(table, n_rows, n_threads):
            for begin in range(0, bins.shape[1], n_rows):
                own = np.ascontiguousarray(bins[:, begin : begin + n_rows])
                leaves = np.empty((self.forest.n_trees, own.shape[1]), dtype=np.uint32)
                native.find_leaves(
                    own,
                    self.split_columns,
                    self.split_bins,
                    self.forest.tree_depths,
                    leaves,
                    n_threads=n_threads,
                )
                yield leaves

    @property
    def n_byte_columns(self) -> int:
        """How many bytes each row becomes."""
        return self.numbers.n_columns + sum(kind.n_columns for kind in self.others)

    def _chunks_of_bins(
        self, table: Table, n_rows: int, n_threads: int
    ) -> Iterator[NDArray[np.uint8]]:
        """All byte columns (n_byte_columns, n_rows) of some rows at a time, in one memory."""
        numbers = self.numbers.of_table(table, n_threads)
        if not self.others:
            yield numbers
            return
        fills = [kind.reader(table, n_threads) for kind in self.others]
        ends = np.cumsum([len(numbers), *(kind.n_columns for kind in self.others)]).tolist()
        memory = np.empty(self.n_byte_columns * min(n_rows, table.n_rows), dtype=np.uint8)
        for begin in range(0, table.n_rows, n_rows):
            end = min(begin + n_rows, table.n_rows)
            n_bytes = self.n_byte_columns * (end - begin)
            bins = memory[:n_bytes].reshape(self.n_byte_columns, end - begin)
            bins[: len(numbers)] = numbers[:, begin:end]
            for fill, (first, last) in zip(fills, pairwise(ends), strict=True):
                fill(begin, end, bins, bins[first:last])
            yield bins

    def _sum_trees(self, bins: NDArray[np.uint8], n_threads: int) -> Floats:
        forest = self.forest
        raw = forest.start_value.repeat(bins.shape[1]).reshape(-1, bins.shape[1])
        native.predict_trees(
            bins,
            self.split_columns,
            self.split_bins,
            forest.tree_depths,
            forest.leaf_values,
            raw,
            n_threads=n_threads,
        )
        return raw


def _chunk_rows(n_byte_columns: int) -> int:
    """Rows whose byte columns take a few megabytes.

    An odd multiple of 128: were it a power of two, the bytes of a row in all columns would compete
    for the same few lines of the cache.
    """
    return min(max(_CHUNK_BYTES // n_byte_columns, 4096), 1 << 16) // 256 * 256 + 128


class PredictorOnDemand:
    """Prepares a forest when the first prediction asks for it: a fit that is only saved or
    described does without. An object of its own, because predictions may not change the
    attributes of an estimator."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    @cached_property
    def ready(self) -> Predictor:
        return make_predictor(self._forest)


def make_predictor(forest: Forest) -> Predictor:
    """Find the columns and borders in use, and number the trees' questions by them."""
    forest = forest.pruned()
    n_splits = len(forest.split_columns)
    # Base questions of tables are answered from byte columns too.
    columns = np.concatenate([forest.split_columns, forest.statistics.question_columns])
    borders = np.concatenate([forest.split_borders, forest.statistics.question_borders])
    located = Located(np.empty(len(columns), np.uint32), np.empty(len(columns), np.uint8))
    numeric = columns < forest.n_features
    numbers, located_numbers = make_number_bytes(
        columns[numeric], borders[numeric], forest.missing_high
    )
    located.columns[numeric], located.bins[numeric] = located_numbers
    # All other columns of the forest have a byte column each, and borders that are bins.
    located.columns[~numeric] = columns[~numeric] - forest.n_features + numbers.n_columns
    located.bins[~numeric] = borders[~numeric]
    base = Located(located.columns[n_splits:], located.bins[n_splits:])
    others = [kind.of(forest, base) for kind in OTHER_KINDS.values()]
    return Predictor(
        forest=forest,
        numbers=numbers,
        others=tuple(kind for kind in others if kind.n_columns > 0),
        split_columns=located.columns[:n_splits],
        split_bins=located.bins[:n_splits],
    )
