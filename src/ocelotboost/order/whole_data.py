"""Statistics for rows that are not trained on: from the whole training data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import History
from ocelotboost.model.statistic_table import (
    FREQUENCY,
    StatisticTables,
    compact,
    offsets_of,
)
from ocelotboost.order.combination import Combination
from ocelotboost.order.statistic_store import StatisticSource, StatisticStore


class WholeData:
    """Tables of the combinations that trees use, made when they are first asked for."""

    def __init__(self, store: StatisticStore, n_threads: int) -> None:
        self._store = store
        self._n_threads = n_threads
        self._history = _history_of_new_rows(store)
        self._tables: dict[Combination, StatisticTables] = {}

    @property
    def source(self) -> StatisticSource:
        return self._store.source

    def table(self, combination: Combination) -> StatisticTables:
        """The table of one combination, with all columns of its statistic.

        Questions of a base are the questions of training: columns of the block, and bins as
        borders.
        """
        if combination not in self._tables:
            self._tables[combination] = self._make(combination)
        return self._tables[combination]

    def _make(self, combination: Combination) -> StatisticTables:
        source, columns = self.source, self.source.columns
        answers = self._store.codes.base_answers(combination.base)
        joined = self._store.codes.of([combination], answers)
        codes, n_values = joined.codes[joined.lines[0]], int(joined.value_counts[joined.lines[0]])
        counts = np.empty(n_values)
        sums = np.empty((n_values, len(source.targets.values)))
        rows = np.empty(n_values, dtype=np.uint32)  # one of each value
        native.total_by_value(
            codes, source.targets.values, source.weight, self._history, counts, sums, rows
        )
        keys = self._keys(combination, rows, answers)
        order = np.empty(n_values, dtype=np.uint32)
        native.order_keys(keys, order)
        if counts.min() == 0:
            order = order[counts.take(order) > 0]
        n_columns, base = columns.n_columns, combination.base
        return StatisticTables(
            prior_weight=np.array([columns.prior_weight]),
            member_offsets=np.array([0, len(combination.features)], dtype=np.uint32),
            members=np.array(combination.features, dtype=np.uint32),
            question_offsets=np.array([0, len(base)], dtype=np.uint32),
            question_columns=np.array([split.column for split in base], dtype=np.uint32),
            question_borders=np.array([split.bin for split in base], dtype=np.float64),
            entry_offsets=offsets_of([len(order)], np.uint64),
            keys=keys.take(order),
            counts=compact(counts.take(order)),
            n_targets=np.array([sums.shape[1]], dtype=np.uint32),
            sums=compact(sums.take(order, axis=0).reshape(-1)),
            target_names=(source.targets.names,),
            column_tables=np.zeros(n_columns, dtype=np.uint32),
            column_targets=np.append(columns.targets, FREQUENCY).astype(np.int32),
            column_priors=np.append(columns.priors, 0.0),
            column_lows=np.append(columns.lows, 0.0),
            column_highs=np.append(columns.highs, 1.0),
        )

    def _keys(
        self,
        combination: Combination,
        rows: NDArray[np.uint32],
        answers: NDArray[np.uint32] | None,
    ) -> NDArray[np.uint64]:
        data = self.source.data
        hashes = data.member_hashes(combination.features, rows)
        if answers is not None:
            hashes = np.concatenate([hashes, answers[rows].astype(np.uint64)[np.newaxis]])
        keys = np.empty(len(rows), dtype=np.uint64)
        native.combination_keys(
            np.ascontiguousarray(hashes), data.hash_key, keys, n_threads=self._n_threads
        )
        return keys


def _history_of_new_rows(store: StatisticStore) -> NDArray[np.uint32] | None:
    """The rows that count for new ones; None: all."""
    source = store.source
    if source.history == History.APART:
        return np.arange(store.n_rows, source.data.n_rows, dtype=np.uint32)
    if source.window > 0:
        last: NDArray[np.uint32] = source.orderings[0][-source.window :]
        return np.ascontiguousarray(last)
    return None
