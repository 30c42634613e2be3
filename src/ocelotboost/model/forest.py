"""The trained trees, packed into a few arrays.

An oblivious tree of depth d asks d questions, the same for every row, and has 2^d leaves. The
answers, first question first, are the binary digits of the leaf's number:

    question 0: age > 31.5 ?     yes -> 1
    question 1: income > 20000 ? no  -> 0        leaf 0b101 = 5
    question 2: age > 60.5 ?     yes -> 1

Questions are about columns of three kinds, numbered in this order:

    the features, derived ones last    "value > border"
    indicators of categories           "is the category of this feature that one?", border 0.5
    statistics of combinations         "bin > border", 16 bins
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.statistic_table import (
    Indicators,
    StatisticTables,
    join_indicators,
    join_statistics,
    no_indicators,
    no_statistics,
)
from ocelotboost.table.crosses import CROSSES
from ocelotboost.table.formulas import NOTHING_DERIVED, Derivation


@dataclass(frozen=True)
class Forest:
    """Oblivious trees, one after the other.

    split_columns  uint32 (n_splits,)            the column each question asks about
    split_borders  float64 (n_splits,)           the question is "value > border"; a NaN border
                                                 parts missing values from all numbers
    tree_depths    uint32 (n_trees,)             questions of each tree; their sum is n_splits
    leaf_values    float64 (n_leaves, n_outputs) 2^depth rows per tree, learning rate included
    leaf_weights   float64 (n_leaves,)           sum of training weights in each leaf; weights
                                                 that are not whole have mean 1
    start_value    float64 (n_outputs,)          the prediction before the first tree
    missing_high   bool (n_features,)            a missing value is above all numbers (else below)
    categorical    bool (n_features,)            features that hold categories, not numbers; not
                                                 given: none
    indicators     Indicators                    yes/no columns of categories
    statistics     StatisticTables               statistic columns, and the tables behind them
    hash_key       uint64 (2,)                   what categories are hashed under
    derivation     Derivation                    which columns hold dates, and how the last of the
                                                 features are derived from the user's columns

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
    categorical: NDArray[np.bool_] = field(default_factory=lambda: _NOT_GIVEN)
    indicators: Indicators = field(default_factory=no_indicators)
    statistics: StatisticTables = field(default_factory=no_statistics)
    hash_key: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(2, dtype=np.uint64))
    derivation: Derivation = NOTHING_DERIVED

    def __post_init__(self) -> None:
        if self.categorical is _NOT_GIVEN:
            object.__setattr__(self, "categorical", np.zeros(self.n_features, dtype=np.bool_))

    @property
    def n_trees(self) -> int:
        return len(self.tree_depths)

    @property
    def n_outputs(self) -> int:
        return len(self.start_value)

    @property
    def n_features(self) -> int:
        return len(self.missing_high)

    @property
    def n_given(self) -> int:
        """Features that the user gives; the derived ones come after them."""
        return self.n_features - len(self.derivation.formulas)

    @property
    def first_statistic(self) -> int:
        """Number of the first statistic column: features and indicators are before it."""
        return self.n_features + len(self.indicators)

    @property
    def n_columns(self) -> int:
        """Features, indicators and statistic columns."""
        return self.first_statistic + self.statistics.n_columns

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
        return replace(
            self,
            split_columns=self.split_columns[:split_end],
            split_borders=self.split_borders[:split_end],
            tree_depths=self.tree_depths[:n_trees],
            leaf_values=self.leaf_values[:leaf_end],
            leaf_weights=self.leaf_weights[:leaf_end],
        )

    def pruned(self) -> Forest:
        """The same model without the indicators, statistic columns, tables and sums of no use."""
        asked = np.unique(self.split_columns).astype(np.int64)
        statistics = self.statistics.select(
            asked[asked >= self.first_statistic] - self.first_statistic
        )
        asked = np.union1d(asked, statistics.question_columns).astype(np.int64)
        chosen = asked[(asked >= self.n_features) & (asked < self.first_statistic)]
        kept = np.concatenate(
            [np.arange(self.n_features), chosen, asked[asked >= self.first_statistic]]
        )
        if len(kept) == self.n_columns and _sizes(statistics) == _sizes(self.statistics):
            return self
        return replace(
            self,
            split_columns=_renumbered(self.split_columns, kept),
            indicators=self.indicators.select(chosen - self.n_features),
            statistics=replace(
                statistics, question_columns=_renumbered(statistics.question_columns, kept)
            ),
        )

    def with_used_crosses(self) -> Forest:
        """The same model without the crosses that no question is about."""
        asked = np.union1d(self.split_columns, self.statistics.question_columns)
        formulas = self.derivation.formulas
        used = [
            place
            for place, formula in enumerate(formulas, start=self.n_given)
            if formula.kind not in CROSSES or place in asked
        ]
        if len(used) == len(formulas):
            return self
        features = np.concatenate([np.arange(self.n_given), np.array(used, dtype=np.int64)])
        kept = np.concatenate([features, np.arange(self.n_features, self.n_columns)])
        tables = self.statistics
        return replace(
            self,
            split_columns=_renumbered(self.split_columns, kept),
            missing_high=self.missing_high[features],
            categorical=self.categorical[features],
            statistics=replace(tables, question_columns=_renumbered(tables.question_columns, kept)),
            derivation=replace(
                self.derivation, formulas=tuple(formulas[own - self.n_given] for own in used)
            ),
        )


_NOT_GIVEN: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)


def _sizes(tables: StatisticTables) -> tuple[int, int]:
    return tables.n_tables, len(tables.sums)


def _renumbered(columns: NDArray[Any], kept: NDArray[Any]) -> NDArray[np.uint32]:
    """The place of each column among those that are kept, which ascend."""
    return np.searchsorted(kept, columns).astype(np.uint32)


def join_forests(first: Forest, second: Forest) -> Forest:
    """One forest that predicts the sum of both; ``second`` was trained to continue ``first``.

    Each keeps its own tables: two tables of the same combination may come from different rows.
    Both know categories by hashes under the same key.
    """
    if not np.array_equal(first.hash_key, second.hash_key):
        raise ValueError("the two forests hash categories under different keys")
    ours, theirs = len(first.indicators), len(second.indicators)
    statistics = second.first_statistic  # number of the second's first statistic column

    def of_first(columns: NDArray[np.uint32]) -> NDArray[np.uint32]:
        after = columns >= first.first_statistic
        return columns + np.where(after, theirs, 0).astype(np.uint32)

    def of_second(columns: NDArray[np.uint32]) -> NDArray[np.uint32]:
        shift = np.where(columns >= second.n_features, ours, 0)
        shift += np.where(columns >= statistics, first.statistics.n_columns, 0)
        return columns + shift.astype(np.uint32)

    return Forest(
        split_columns=np.concatenate(
            [of_first(first.split_columns), of_second(second.split_columns)]
        ),
        split_borders=np.concatenate([first.split_borders, second.split_borders]),
        tree_depths=np.concatenate([first.tree_depths, second.tree_depths]),
        leaf_values=np.concatenate([first.leaf_values, second.leaf_values]),
        leaf_weights=np.concatenate([first.leaf_weights, second.leaf_weights]),
        start_value=first.start_value + second.start_value,
        missing_high=first.missing_high,
        categorical=first.categorical,
        indicators=join_indicators(first.indicators, second.indicators),
        statistics=join_statistics(
            first.statistics,
            replace(
                second.statistics, question_columns=of_second(second.statistics.question_columns)
            ),
        ),
        hash_key=first.hash_key,
        derivation=first.derivation,
    )
