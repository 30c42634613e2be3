"""Statistics for rows that are not trained on: from the whole training data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.statistic_table import (
    FREQUENCY,
    StatisticTables,
    compact,
    offsets_of,
)
from ocelotboost.order.combination import Combination, Facet
from ocelotboost.order.statistic_rows import StatisticRule, ValueTotals


class WholeData:
    """Tables of the combinations that trees use, made when they are first asked for.

    rule  how statistics are made
    """

    def __init__(
        self, rule: StatisticRule, value_totals: Callable[[Combination], ValueTotals]
    ) -> None:
        """``value_totals`` are those of the rows that count for new ones."""
        self.rule = rule
        self._value_totals = value_totals
        self._tables: dict[Combination, StatisticTables] = {}

    def table(self, combination: Combination) -> StatisticTables:
        """The table of one combination, with all columns of its statistic, facet after facet.

        Questions of a base are the questions of training: columns of the block, and bins as
        borders.
        """
        if combination not in self._tables:
            self._tables[combination] = self._make(combination)
        return self._tables[combination]

    def facet_table(self, facet: Facet) -> StatisticTables:
        """The same with the columns of one facet."""
        table, n_own = self.table(facet.combination), self.rule.columns.n_columns
        own = slice(facet.number * n_own, (facet.number + 1) * n_own)
        return replace(
            table,
            column_tables=table.column_tables[own],
            column_targets=table.column_targets[own],
            column_priors=table.column_priors[own],
            column_lows=table.column_lows[own],
            column_highs=table.column_highs[own],
        )

    def _make(self, combination: Combination) -> StatisticTables:
        columns, units = self.rule.columns, self.rule.units
        keys, totals = self._value_totals(combination)
        base = combination.base

        def with_frequency(entries: NDArray[Any], of_frequency: float) -> NDArray[Any]:
            """Entries of all columns, for the frequency too, which comes last in each facet."""
            by_facet = entries.reshape(columns.n_facets, -1)
            return np.insert(by_facet, by_facet.shape[1], of_frequency, axis=1).ravel()

        return StatisticTables(
            prior_weight=np.array([columns.prior_weight]),
            member_offsets=np.array([0, len(combination.features)], dtype=np.uint32),
            members=np.array(combination.features, dtype=np.uint32),
            question_offsets=np.array([0, len(base)], dtype=np.uint32),
            question_columns=np.array([split.column for split in base], dtype=np.uint32),
            question_borders=np.array([split.bin for split in base], dtype=np.float64),
            entry_offsets=offsets_of([len(keys)], np.uint64),
            keys=keys,
            counts=compact(totals[:, 0] * units[0]),
            n_targets=np.array([len(units) - 1], dtype=np.uint32),
            sums=compact((totals[:, 1:] * units[1:]).reshape(-1)),
            target_names=(self.rule.names,),
            column_tables=np.zeros(columns.n_facets * columns.n_columns, dtype=np.uint32),
            column_targets=with_frequency(columns.targets, FREQUENCY),
            column_priors=with_frequency(columns.priors, 0.0),
            column_lows=with_frequency(columns.lows, 0.0),
            column_highs=with_frequency(columns.highs, 1.0),
        )
