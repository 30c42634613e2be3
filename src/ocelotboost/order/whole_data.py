"""Statistics for rows that are not trained on: from the whole training data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ocelotboost.model.statistic_table import (
    FREQUENCY,
    StatisticTables,
    compact,
    offsets_of,
)
from ocelotboost.order.combination import Combination
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
        """The table of one combination, with all columns of its statistic.

        Questions of a base are the questions of training: columns of the block, and bins as
        borders.
        """
        if combination not in self._tables:
            self._tables[combination] = self._make(combination)
        return self._tables[combination]

    def _make(self, combination: Combination) -> StatisticTables:
        columns, units = self.rule.columns, self.rule.units
        keys, totals = self._value_totals(combination)
        n_columns, base = columns.n_columns, combination.base
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
            column_tables=np.zeros(n_columns, dtype=np.uint32),
            column_targets=np.append(columns.targets, FREQUENCY).astype(np.int32),
            column_priors=np.append(columns.priors, 0.0),
            column_lows=np.append(columns.lows, 0.0),
            column_highs=np.append(columns.highs, 1.0),
        )
