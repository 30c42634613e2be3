"""Tables of statistics: packed, selected, joined; importances go to the features behind them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost.model.check_model import validate
from ocelotboost.model.forest import join_forests
from ocelotboost.model.importance import feature_importances
from ocelotboost.model.statistic_table import compact, join_statistics, no_indicators, no_statistics
from tests.data import assert_same_bits
from tests.model.forests import category_forest
from tests.model.models import small_model

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([], np.uint8),
        ([0, 255], np.uint8),
        ([0, 256], np.uint16),
        ([65536], np.uint32),
        ([2**32], np.float64),
        ([-1], np.float64),
        ([0.5], np.float64),
        ([3.0], np.uint8),
        ([np.inf], np.float64),
        ([np.nan], np.float64),
    ],
)
def test_numbers_are_packed_into_the_smallest_dtype_that_holds_them(numbers, dtype):
    array = np.array(numbers)
    assert compact(array).dtype == dtype
    assert_array_equal(compact(array), array)


@given(SEEDS)
def test_selected_columns_keep_their_tables_and_sums(seed):
    tables = category_forest(seed, n_tables=6).statistics
    rng = np.random.default_rng(seed)
    columns = rng.permutation(tables.n_columns)[: rng.integers(0, tables.n_columns + 1)]
    found = tables.select(columns)
    assert found.n_columns == len(columns)
    assert found.n_tables == len(np.unique(tables.column_tables[columns]))
    for new, old in enumerate(columns.tolist()):
        table, before = int(found.column_tables[new]), int(tables.column_tables[old])
        assert_array_equal(found.members_of(table), tables.members_of(before))
        for name in ("question_columns", "question_borders"):
            ours = getattr(found, name)[found.questions_of(table)]
            assert_array_equal(ours, getattr(tables, name)[tables.questions_of(before)])
        for name in ("keys", "counts"):
            ours = getattr(found, name)[found.entries_of(table)]
            assert_array_equal(ours, getattr(tables, name)[tables.entries_of(before)])
        target, former = int(found.column_targets[new]), int(tables.column_targets[old])
        assert (target == -1) == (former == -1)
        if target != -1:
            assert_array_equal(found.sums_of(table)[:, target], tables.sums_of(before)[:, former])
            assert found.target_names[table][target] == tables.target_names[before][former]
    used = {
        (t, k) for t, k in zip(found.column_tables, found.column_targets, strict=True) if k >= 0
    }
    assert int(found.n_targets.sum()) == len(used)


@given(SEEDS)
def test_joined_tables_follow_each_other(seed):
    first = category_forest(seed, n_tables=3).statistics
    second = category_forest(seed + 1, n_tables=2, weighted=True).statistics
    joined = join_statistics(first, second)
    assert joined.n_tables == 5
    for table in range(2):
        assert_array_equal(joined.sums_of(3 + table), second.sums_of(table))
        assert_array_equal(joined.members_of(3 + table), second.members_of(table))
    assert_array_equal(joined.column_tables[first.n_columns :], second.column_tables + 3)


@given(SEEDS)
def test_joining_nothing_changes_nothing(seed):
    forest = category_forest(seed)
    nothing = dataclasses.replace(
        forest.first(0),
        start_value=np.zeros(1),
        indicators=no_indicators(),
        statistics=no_statistics(),
    )
    assert_same_bits(join_forests(forest, nothing), forest)
    assert_same_bits(join_forests(nothing, forest), forest)


@given(SEEDS)
def test_pruning_keeps_what_is_valid_and_does_it_once(seed):
    forest = category_forest(seed, n_tables=8, n_trees=4)
    pruned = forest.pruned()
    validate(dataclasses.replace(small_model(), forest=forest, feature_names=None))
    validate(dataclasses.replace(small_model(), forest=pruned, feature_names=None))
    assert pruned.pruned() is pruned
    asked = {*pruned.split_columns.tolist(), *pruned.statistics.question_columns.tolist()}
    assert set(range(pruned.n_features, pruned.n_columns)) <= asked


def test_a_forest_of_numbers_has_no_categories():
    forest = dataclasses.replace(small_model().forest).first(0)
    plain = type(forest)(
        **{
            name: getattr(forest, name)
            for name in (
                "split_columns", "split_borders", "tree_depths", "leaf_values", "leaf_weights",
                "start_value", "missing_high",
            )
        }
    )  # fmt: skip
    assert_array_equal(plain.categorical, [False] * 5)
    assert plain.n_columns == plain.first_statistic == 5


def test_the_features_of_a_combination_share_its_importance():
    model = small_model()
    forest = dataclasses.replace(
        model.forest,
        split_columns=model.forest.split_columns[8:],
        split_borders=model.forest.split_borders[8:],
        tree_depths=np.ones(1, np.uint32),
        leaf_values=np.array([[0.0], [1.0]]),
        leaf_weights=np.ones(2),
    )
    # (device × [age > 31.5] × [city is 'Paris'])
    assert_allclose(feature_importances(forest), [1 / 3, 1 / 3, 0, 0, 1 / 3])
    indicator = dataclasses.replace(forest, split_columns=np.array([6], np.uint32))
    assert_allclose(feature_importances(indicator), [0, 0, 0, 0, 1])


@given(SEEDS)
def test_importances_sum_to_one(seed):
    forest = category_forest(seed)
    importances = feature_importances(forest)
    assert importances.shape == (forest.n_features,)
    if len(forest.split_columns):
        assert_allclose(importances.sum(), 1.0)
