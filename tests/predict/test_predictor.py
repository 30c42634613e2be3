"""Predictions are the sum of the leaves that a row reaches, question by question."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import OcelotClassifier
from ocelotboost.model.forest import Forest, join_forests
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.table import table_from_input
from tests.data import features, leaves_of, multiclass

INF = float("inf")


def random_forest(seed: int, n_outputs: int, borders_a_column: int) -> Forest:
    """Trees of depth 0 to 8 over three columns, some questions about missing values."""
    rng = np.random.default_rng(seed)
    depths = rng.integers(0, 9, size=rng.integers(0, 60)).astype(np.uint32)
    columns = rng.integers(0, 3, size=int(depths.sum())).astype(np.uint32)
    choices = np.sort(rng.normal(size=(3, borders_a_column)))
    borders = choices[columns, rng.integers(0, borders_a_column, size=len(columns))]
    borders[rng.random(len(borders)) < 0.1] = np.nan
    n_leaves = int((1 << depths.astype(np.int64)).sum())
    return Forest(
        split_columns=columns,
        split_borders=borders,
        tree_depths=depths,
        leaf_values=rng.normal(size=(n_leaves, n_outputs)),
        leaf_weights=np.ones(n_leaves),
        start_value=rng.normal(size=n_outputs),
        missing_high=rng.random(3) < 0.5,
    )


def walked(forest: Forest, X: np.ndarray) -> np.ndarray:
    """Raw predictions (n_outputs, n), tree after tree."""
    first_leaves = forest.leaf_offsets()[:-1]
    raw = np.repeat(forest.start_value[:, None], len(X), axis=1)
    for leaves, first in zip(leaves_of(forest, X), first_leaves, strict=True):
        raw += forest.leaf_values[first + leaves].T
    return raw


def rows_to_try(forest: Forest, seed: int, n_rows: int) -> np.ndarray:
    """Random numbers, gaps, infinities, and values that lie exactly on borders."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    finite = forest.split_borders[~np.isnan(forest.split_borders)]
    if len(finite):
        on_border = rng.random(X.shape) < 0.2
        X[on_border] = rng.choice(finite, size=int(on_border.sum()))
    X[rng.random(X.shape) < 0.15] = np.nan
    X[rng.random(X.shape) < 0.05] = INF
    X[rng.random(X.shape) < 0.05] = -INF
    return X


@given(
    seed=st.integers(0, 2**32 - 1),
    n_outputs=st.sampled_from([1, 2, 3, 5]),
    borders_a_column=st.sampled_from([1, 7, 300, 600]),
    n_rows=st.sampled_from([1, 2, 63, 300]),
    n_threads=st.sampled_from([1, 2, 5]),
)
def test_any_forest_predicts_as_its_questions_say(
    seed, n_outputs, borders_a_column, n_rows, n_threads
):
    forest = random_forest(seed, n_outputs, borders_a_column)
    X = rows_to_try(forest, seed, n_rows)
    predictor, table = make_predictor(forest), table_from_input(X)
    expected = walked(forest, X)
    assert_allclose(predictor.raw(table, n_threads), expected, rtol=1e-12, atol=1e-12)
    assert_array_equal(predictor.raw(table, n_threads), predictor.raw_of_matrix(X, n_threads))
    stages = list(predictor.staged(table, n_threads))
    assert len(stages) == forest.n_trees
    if stages:
        assert_allclose(stages[-1], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_trees", [0, 1, 7, 20])
def test_the_first_trees_alone_are_a_stage(n_trees):
    X, y = multiclass(300, missing=0.1)
    model = OcelotClassifier(iterations=20).fit(X, y)
    first = make_predictor(model.forest_.first(n_trees)).raw(table_from_input(X), 1)
    stages = [np.repeat(model.forest_.start_value[:, None], 300, axis=1)]
    stages += list(make_predictor(model.forest_).staged(table_from_input(X), 1))
    assert_allclose(first, stages[n_trees], rtol=1e-12, atol=1e-12)


def test_joined_forests_predict_the_sum():
    first, second = random_forest(1, 2, 50), random_forest(2, 2, 50)
    second = Forest(**{**vars(second), "missing_high": first.missing_high})
    X = rows_to_try(first, 3, 200)
    joined = make_predictor(join_forests(first, second)).raw(table_from_input(X), 2)
    assert_allclose(joined, walked(first, X) + walked(second, X), rtol=1e-12, atol=1e-12)


def test_stages_do_not_share_memory():
    X, y = multiclass(50)
    stages = list(OcelotClassifier(iterations=3).fit(X, y).staged_predict_proba(X))
    assert not np.array_equal(stages[0], stages[1])


def test_a_column_that_no_tree_asks_about_is_not_read():
    class Unreadable:
        first, width = 1, 1

        def values(self):
            raise AssertionError("nobody asked")

    X = features(10, 1)
    forest = random_forest(5, 1, 7)
    only_first = Forest(**{**vars(forest), "split_columns": forest.split_columns * 0})
    table = table_from_input(X)
    with_unreadable = type(table)(10, 2, None, (*table.parts, Unreadable()))
    expected = make_predictor(only_first).raw(table, 1)
    assert_array_equal(make_predictor(only_first).raw(with_unreadable, 1), expected)
