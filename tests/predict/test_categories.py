"""Categories in prediction: what the tables and questions say, for any rows."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost.model.forest import join_forests
from ocelotboost.order.feature import KINDS
from ocelotboost.predict import predictor as predictor_module
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.predict.statistics import StatisticLookup
from tests.model.forests import (
    CATEGORICAL,
    KEY,
    answer,
    category_forest,
    raw_by_hand,
    rows_of,
    statistic_bin,
)
from tests.predict.lookups import bins_found

SEEDS = st.integers(0, 2**32 - 1)


@given(
    seed=SEEDS,
    n_outputs=st.sampled_from([1, 3]),
    n_tables=st.sampled_from([0, 1, 3, 20]),
    n_rows=st.sampled_from([1, 7, 60]),
    weighted=st.booleans(),
    n_threads=st.sampled_from([1, 2, 5]),
)
def test_any_forest_predicts_as_its_questions_say(
    seed, n_outputs, n_tables, n_rows, weighted, n_threads
):
    forest = category_forest(seed, n_outputs=n_outputs, n_tables=n_tables, weighted=weighted)
    rows = rows_of(seed, n_rows)
    expected = raw_by_hand(forest, rows)
    predictor = make_predictor(forest)
    assert_allclose(predictor.raw(rows, n_threads), expected, rtol=1e-12, atol=1e-12)
    *_, last = predictor.staged(rows, n_threads)
    assert_allclose(last, expected, rtol=1e-12, atol=1e-12)


@given(seed=SEEDS, n_trees=st.integers(0, 12))
def test_parts_of_a_forest_predict_alike(seed, n_trees):
    forest, rows = category_forest(seed), rows_of(seed, 15)
    first = forest.first(n_trees)
    raw = make_predictor(first).raw(rows, 1)
    assert_allclose(raw, raw_by_hand(first, rows), rtol=1e-12, atol=1e-12)
    assert_allclose(raw, raw_by_hand(first.pruned(), rows), rtol=1e-12, atol=1e-12)


@given(seed=SEEDS)
def test_joined_forests_predict_the_sum(seed):
    first, second = category_forest(seed), category_forest(seed + 1, n_tables=3, weighted=True)
    second = type(second)(**{**vars(second), "missing_high": first.missing_high})
    rows = rows_of(seed, 15)
    joined = join_forests(first, second)
    expected = raw_by_hand(first, rows) + raw_by_hand(second, rows)
    assert_allclose(raw_by_hand(joined, rows), expected, rtol=1e-12, atol=1e-12)
    assert_allclose(make_predictor(joined).raw(rows, 1), expected, rtol=1e-12, atol=1e-12)


def test_many_rows_are_predicted_in_chunks_with_the_same_result(monkeypatch):
    forest, rows = category_forest(3, n_tables=20), rows_of(5, 30_000)
    whole = make_predictor(forest).raw(rows, 2)
    monkeypatch.setattr(predictor_module, "_CHUNK_BYTES", 1)
    assert predictor_module._chunk_rows(60) < 5000
    assert_array_equal(make_predictor(forest).raw(rows, 2), whole)


def test_many_rows_do_not_take_a_byte_for_every_column_at_once(monkeypatch):
    forest, rows = category_forest(3, n_tables=100, n_trees=300), rows_of(5, 100_000)
    predictor = make_predictor(forest)
    assert predictor.n_byte_columns > 250
    monkeypatch.setattr(predictor_module, "_CHUNK_BYTES", 1 << 20)
    tracemalloc.start()
    try:
        predictor.raw(rows, 1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10e6


@given(seed=SEEDS)
def test_every_kind_of_feature_has_byte_columns_in_the_order_of_the_forest(seed):
    assert set(KINDS) == {"number", *predictor_module.OTHER_KINDS}
    forest = category_forest(seed).pruned()
    predictor = make_predictor(forest)
    assert predictor.n_byte_columns - predictor.numbers.n_columns == (
        forest.n_columns - forest.n_features
    )
    others = forest.split_columns >= forest.n_features
    first = forest.n_features - predictor.numbers.n_columns
    assert_array_equal(predictor.split_columns[others] + first, forest.split_columns[others])


@given(seed=SEEDS, n_rows=st.sampled_from([1, 50]))
def test_the_lookup_alone_gives_the_bins_of_every_statistic_column(seed, n_rows):
    forest, rows = category_forest(seed), rows_of(seed, n_rows)
    tables = forest.statistics
    based = np.flatnonzero(np.diff(tables.question_offsets))
    answers = np.zeros((len(based), n_rows), dtype=np.uint32)
    for place, table in enumerate(based.tolist()):
        for question in range(tables.question_offsets[table], tables.question_offsets[table + 1]):
            column, border = tables.question_columns[question], tables.question_borders[question]
            answers[place] = 2 * answers[place] + [
                answer(forest, rows, row, int(column), float(border)) for row in range(n_rows)
            ]
    hashes = {column: rows.categories[column].row_hashes() for column in CATEGORICAL}
    found = bins_found(
        StatisticLookup.of(tables, KEY, 2), hashes, answers if len(based) else None, 2
    )
    expected = [
        [statistic_bin(forest, rows, row, column) for row in range(n_rows)]
        for column in range(tables.n_columns)
    ]
    assert_array_equal(found, np.array(expected).reshape(tables.n_columns, n_rows))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_table_of_many_values_finds_every_one(n_threads):
    rng = np.random.default_rng(0)
    keys = np.unique(rng.integers(0, 2**64, size=50_000, dtype=np.uint64))
    forest = category_forest(0, n_tables=1)
    counts = rng.integers(0, 2, size=len(keys)).astype(np.uint8)
    tables = forest.statistics
    tables = type(tables)(
        **{
            **vars(tables),
            "members": np.array([1], dtype=np.uint32),
            "member_offsets": np.array([0, 1], dtype=np.uint32),
            "question_offsets": np.zeros(2, dtype=np.uint32),
            "entry_offsets": np.array([0, len(keys)], dtype=np.uint64),
            "keys": keys,
            "counts": counts,
            "n_targets": np.zeros(1, dtype=np.uint32),
            "sums": counts[:0],
            "column_targets": np.full(3, -1, dtype=np.int32),
            "column_priors": np.zeros(3),
            "column_lows": np.zeros(3),
            "column_highs": np.full(3, 0.5),
        }
    )
    order = rng.permutation(len(keys))
    lookup = StatisticLookup.of(tables, KEY, n_threads)
    found = bins_found(lookup, {1: keys[order]}, None, n_threads)
    assert_array_equal(found, np.tile(15 * counts[order], (3, 1)))
    others = rng.integers(0, 2**64, size=1000, dtype=np.uint64)
    assert (bins_found(lookup, {1: others}, None, n_threads) == 0).all()
