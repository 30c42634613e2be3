"""Byte columns of categories: indicators and statistics of the rows to predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import offsets_of
from ocelotboost.predict.statistics import Hashes, StatisticLookup
from ocelotboost.table.columns import Table


@dataclass(frozen=True, eq=False)
class CategoryBins:
    """How the byte columns of categories are made, and which rows of the bins they become.

    features            the categorical columns that are read
    indicator_sources   uint32 (n_indicators,)  places in ``features``
    indicator_hashes    uint64 (n_indicators,)  yes for this category
    indicator_targets   uint32 (n_indicators,)
    lookup              the tables
    statistic_targets   uint32 (n_columns,)     of ``lookup.columns``
    question_offsets    uint32 (n_based + 1,)   base questions of the tables that have some:
    question_columns    uint32                  byte columns, made before the statistics
    question_bins       uint8                   the answer is yes for a greater bin
    """

    features: tuple[int, ...]
    indicator_sources: NDArray[np.uint32]
    indicator_hashes: Hashes
    indicator_targets: NDArray[np.uint32]
    lookup: StatisticLookup
    statistic_targets: NDArray[np.uint32]
    question_offsets: NDArray[np.uint32]
    question_columns: NDArray[np.uint32]
    question_bins: NDArray[np.uint8]

    @property
    def n_columns(self) -> int:
        return len(self.indicator_targets) + len(self.statistic_targets)

    def row_hashes(self, table: Table) -> list[Hashes]:
        """The categories of all rows, a column after the other."""
        if not np.array_equal(table.hash_key, self.lookup.hash_key):
            raise ValueError("the table's categories are hashed under another key than the model's")
        return [table.categories[feature].row_hashes() for feature in self.features]

    def fill(self, hashes: Hashes, inout_bins: NDArray[np.uint8], n_threads: int) -> None:
        """Make all byte columns of categories; hashes are (n_features, n).

        inout_bins  uint8 (n_used, n); the byte columns of numbers are there already
        """
        native.match_categories(
            hashes,
            self.indicator_sources,
            self.indicator_hashes,
            self.indicator_targets,
            inout_bins,
            n_threads=n_threads,
        )
        n_based = len(self.question_offsets) - 1
        answers = np.empty((n_based, inout_bins.shape[1]), dtype=np.uint32)
        if n_based:
            native.answer_questions(
                inout_bins,
                self.question_offsets,
                self.question_columns,
                self.question_bins,
                answers,
                n_threads=n_threads,
            )
        self.lookup.fill(hashes, answers, self.statistic_targets, inout_bins, n_threads)


def make_category_bins(
    forest: Forest,
    n_numeric: int,
    question_columns: NDArray[np.uint32],
    question_bins: NDArray[np.uint8],
) -> CategoryBins | None:
    """None when the forest asks about numbers only.

    n_numeric  byte columns of numbers; after them come those of all indicators and all statistics
    question_columns, question_bins  the base questions of all tables in terms of byte columns
    """
    indicators, tables = forest.indicators, forest.statistics
    features = tuple(np.union1d(indicators.columns, tables.members).tolist())
    if not features:
        return None
    lookup = StatisticLookup.of(tables, forest.hash_key, features)
    sizes = np.diff(tables.question_offsets.astype(np.int64))
    return CategoryBins(
        features=features,
        indicator_sources=np.searchsorted(features, indicators.columns).astype(np.uint32),
        indicator_hashes=indicators.hashes,
        indicator_targets=np.arange(len(indicators), dtype=np.uint32) + np.uint32(n_numeric),
        lookup=lookup,
        statistic_targets=lookup.columns + np.uint32(n_numeric + len(indicators)),
        question_offsets=offsets_of(sizes[sizes > 0], np.uint32),
        question_columns=question_columns,
        question_bins=question_bins,
    )
