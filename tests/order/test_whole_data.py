"""Statistics for rows that are not trained on."""

from __future__ import annotations

import numpy as np
import pytest

from ocelotboost.kernels.contract import History
from ocelotboost.order.whole_data import WholeData
from ocelotboost.predict.statistics import StatisticLookup
from tests.order.sources import (
    COMBINATIONS,
    FEATURES,
    bins_of,
    column_bins,
    make_block,
    make_source,
    make_store,
    values_of,
)
from tests.predict.lookups import bins_found

N_ROWS = 200


def looked_up(source, block, combination, rows):
    """The bins (n_columns, n) of some rows, as if they were new."""
    whole = WholeData(source.rule, make_store(source, block).rows.value_totals)
    hashes = {
        feature: own[source.data.codes[line, rows]]
        for line, (feature, own) in enumerate(zip(FEATURES, source.data.hashes, strict=True))
    }
    answers = None
    if combination.base:
        answers = np.zeros((1, len(rows)), dtype=np.uint32)
        for split in combination.base:
            answers = 2 * answers + (column_bins(block, split.column)[rows] > split.bin)
    lookup = StatisticLookup.of(whole.table(combination), source.data.hash_key, 1)
    return bins_found(lookup, hashes, answers, 1)


def test_training_rows_of_a_greedy_statistic_are_as_new_ones():
    rng = np.random.default_rng(0)
    for weight in (None, rng.uniform(0.5, 2, size=N_ROWS).astype(np.float32)):
        block = make_block(N_ROWS, 2)
        source = make_source(N_ROWS, 2, history=History.ALL, weight=weight)
        for combination in COMBINATIONS:
            expected = bins_of(make_store(source, block), combination)
            found = looked_up(source, block, combination, np.arange(N_ROWS))
            np.testing.assert_array_equal(found, expected)


def test_training_rows_of_a_holdout_statistic_are_as_new_ones():
    n_trained = 120
    block = make_block(n_trained, 3)
    source = make_source(N_ROWS, 3, history=History.APART)
    for combination in [c for c in COMBINATIONS if not c.base]:
        expected = bins_of(make_store(source, block), combination)
        found = looked_up(source, block, combination, np.arange(n_trained))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("window", [0, 1, 20, 500])
def test_a_new_row_is_as_one_that_comes_last(window):
    block = make_block(N_ROWS, 4)
    source = make_source(N_ROWS, 4, window=window)
    order = source.orderings[0]
    for combination in COMBINATIONS:
        values = values_of(source, block, combination)
        history = order[-window:] if window else order
        found = looked_up(source, block, combination, np.arange(N_ROWS))
        counts = np.array([sum(values[j] == value for j in history) for value in values])
        sums = np.array(
            [
                [sum(t[j] for j in history if values[j] == value) for value in values]
                for t in source.targets.values.astype(np.float64)
            ]
        )
        columns = source.columns
        for c, (target, prior) in enumerate(zip(columns.targets, columns.priors, strict=True)):
            statistic = (sums[target] + prior) / (counts + 1)
            low, high = columns.lows[c], columns.highs[c]
            expected = np.clip((statistic - low) * (15 / (high - low)), 0, 15).astype(int)
            assert (found[c] != expected).mean() < 0.01  # sums in another order
        in_history = {values[j] for j in history}
        largest = max(sum(values[j] == value for j in history) for value in in_history)
        np.testing.assert_array_equal(found[-1], (counts / (largest + 1) * 15).astype(int))


def test_training_frequencies_are_measured_as_those_of_new_rows():
    # A row that comes after a full window has as many of its kind before it as a new row would.
    n_rows, window = 300, 30
    block, source = make_block(n_rows, 5), make_source(n_rows, 5, window=window)
    combination = COMBINATIONS[0]  # two values
    trained = bins_of(make_store(source, block), combination)[-1][source.orderings[0][window:]]
    new = looked_up(source, block, combination, np.arange(n_rows))[-1]
    assert abs(trained.mean() - new.mean()) < 2.5
