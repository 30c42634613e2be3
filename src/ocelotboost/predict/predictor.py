"""Predictor: a forest prepared for fast prediction.

Only the columns that trees ask about are quantized, and only at borders that occur in the trees.
A column with more borders than a byte can count is quantized several times, at different borders.
Categories become byte columns too, a stretch of rows at a time: there can be hundreds of them.

    byte columns     numbers | indicators | statistics
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import Missing
from ocelotboost.model.forest import Forest
from ocelotboost.predict.categories import CategoryBins, make_category_bins
from ocelotboost.table.columns import Table

_MOST_BORDERS = 254
_CHUNK_BYTES = 32 << 20

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Predictor:
    """Byte columns to make from a table, and the trees in terms of them.

    sources        uint32 (n_numeric,)      table column behind each byte column, ascending
    borders        float64                  of each byte column, one after the other
    offsets        uint32 (n_numeric + 1,)  where each column's borders begin
    missing        uint8 (n_numeric,)       of ``Missing``
    split_columns  uint32 (n_splits,)       byte column of each question
    split_bins     uint8 (n_splits,)        the answer is yes for a greater bin
    targets        uint32 (n_numeric,)      0, 1, 2, ...: each byte column has a row of its own
    shifts         uint32 (n_numeric,)      zeros: and the whole byte
    categories     the byte columns after those of numbers; None when no tree asks about any
    """

    forest: Forest
    sources: NDArray[np.uint32]
    borders: Floats
    offsets: NDArray[np.uint32]
    missing: NDArray[np.uint8]
    split_columns: NDArray[np.uint32]
    split_bins: NDArray[np.uint8]
    targets: NDArray[np.uint32]
    shifts: NDArray[np.uint32]
    categories: CategoryBins | None

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
        if self.categories is None:
            return self._sum_trees(self._numeric_bins(table, n_threads), n_threads)
        chunks = self._chunks_of_bins(table, _chunk_rows(self.n_byte_columns), n_threads)
        return np.concatenate([self._sum_trees(bins, n_threads) for bins in chunks], axis=1)

    def raw_of_matrix(self, values: NDArray[np.floating], n_threads: int) -> Floats:
        """The same for a float32 or float64 array (n_rows, n_features), with little ceremony.

        Only for a model without categories.
        """
        bins = np.zeros((len(self.sources), len(values)), dtype=np.uint8)
        self._quantize(values, 0, len(self.sources), self.sources, bins, n_threads)
        return self._sum_trees(bins, n_threads)

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

    @property
    def n_byte_columns(self) -> int:
        """How many bytes a row becomes."""
        n_numeric = len(self.sources)
        return n_numeric if self.categories is None else n_numeric + self.categories.n_columns

    def _chunks_of_bins(
        self, table: Table, n_rows: int, n_threads: int
    ) -> Iterator[NDArray[np.uint8]]:
        """All byte columns, so many rows at a time, in one memory: (n_byte_columns, n_rows)."""
        numeric = self._numeric_bins(table, n_threads)
        categories = self.categories
        if categories is None:
            yield numeric
            return
        hashes = categories.row_hashes(table)
        memory = np.empty(self.n_byte_columns * min(n_rows, table.n_rows), dtype=np.uint8)
        for begin in range(0, table.n_rows, n_rows):
            end = min(begin + n_rows, table.n_rows)
            n_bytes = self.n_byte_columns * (end - begin)
            bins = memory[:n_bytes].reshape(self.n_byte_columns, end - begin)
            bins[: len(numeric)] = numeric[:, begin:end]
            chosen = np.array([of_column[begin:end] for of_column in hashes], dtype=np.uint64)
            categories.fill(chosen, bins, n_threads)
            yield bins

    def _numeric_bins(self, table: Table, n_threads: int) -> NDArray[np.uint8]:
        """The byte columns of numbers: (n_numeric, n_rows)."""
        bins = np.zeros((len(self.sources), table.n_rows), dtype=np.uint8)
        for part in table.parts:
            begin, end = np.searchsorted(self.sources, [part.first, part.first + part.width])
            if begin < end:
                sources = self.sources[begin:end] - np.uint32(part.first)
                self._quantize(part.values(), begin, end, sources, bins, n_threads)
        return bins

    def _quantize(
        self,
        values: NDArray[np.floating],
        begin: int,
        end: int,
        sources: NDArray[np.uint32],
        bins: NDArray[np.uint8],
        n_threads: int,
    ) -> None:
        first_border = self.offsets[begin]
        native.quantize(
            values,
            sources,
            self.borders[first_border : self.offsets[end]],
            self.offsets[begin : end + 1] - first_border,
            self.missing[begin:end],
            self.targets[begin:end],
            self.shifts[begin:end],
            bins,
            n_threads=n_threads,
        )

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
    # Base questions of tables are answered from byte columns too.
    asked_columns = np.concatenate([forest.split_columns, forest.statistics.question_columns])
    asked_borders = np.concatenate([forest.split_borders, forest.statistics.question_borders])
    sources: list[int] = []
    missing: list[int] = []
    borders: list[Floats] = []
    split_columns = np.zeros(len(asked_columns), dtype=np.uint32)
    split_bins = np.zeros(len(asked_columns), dtype=np.uint8)
    numeric = asked_columns < forest.n_features
    for source in np.unique(asked_columns[numeric]):
        questions = np.flatnonzero(asked_columns == source)
        asked = asked_borders[questions]
        distinct = np.unique(asked[~np.isnan(asked)])
        own_bin = bool(np.isnan(asked).any())
        high = bool(forest.missing_high[source])
        for first in range(0, max(len(distinct), 1), _MOST_BORDERS):
            chunk = distinct[first : first + _MOST_BORDERS]
            # The question about missing values goes with the first chunk.
            asks_missing = own_bin and first == 0
            here = np.isin(asked, chunk) | (np.isnan(asked) & asks_missing)
            numbers = np.searchsorted(chunk, asked[here]) + (asks_missing and not high)
            numbers[np.isnan(asked[here])] = len(chunk) if high else 0
            split_columns[questions[here]] = len(sources)
            split_bins[questions[here]] = numbers
            sources.append(int(source))
            borders.append(chunk)
            missing.append(_missing_kind(asks_missing, high))
    split_columns[~numeric] = asked_columns[~numeric] - forest.n_features + len(sources)
    split_bins[~numeric] = asked_borders[~numeric]
    offsets = np.concatenate([[0], np.cumsum([len(b) for b in borders])]).astype(np.uint32)
    n_splits = len(forest.split_columns)
    return Predictor(
        forest=forest,
        sources=np.array(sources, dtype=np.uint32),
        borders=np.concatenate([np.empty(0), *borders]),
        offsets=offsets,
        missing=np.array(missing, dtype=np.uint8),
        split_columns=split_columns[:n_splits],
        split_bins=split_bins[:n_splits],
        targets=np.arange(len(sources), dtype=np.uint32),
        shifts=np.zeros(len(sources), dtype=np.uint32),
        categories=make_category_bins(
            forest, len(sources), split_columns[n_splits:], split_bins[n_splits:]
        ),
    )


def _missing_kind(own_bin: bool, high: bool) -> Missing:
    if own_bin:
        return Missing.OWN_HIGH if high else Missing.OWN_LOW
    return Missing.HIGH if high else Missing.LOW
