"""Small and awkward tables with categories, and parameters that limit what is made of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor
from ocelotboost.order.statistic import HISTORIES
from tests.data import assert_same_bits
from tests.estimator.category_data import (
    EVAL_FRAME,
    EVAL_Y,
    FRAME,
    LABELS,
    NAMES,
    Y,
    fit,
)


def test_a_single_row():
    one, value = FRAME.iloc[:1], np.array([2.5], dtype=np.float32)
    model = fit(one, value, task="regression")
    np.testing.assert_allclose(model.predict(EVAL_FRAME), 2.5, rtol=1e-6)


@pytest.mark.parametrize("kind", HISTORIES)
@pytest.mark.parametrize("one_hot_max_size", [0, 10])
def test_two_rows(kind, one_hot_max_size):
    two = pd.DataFrame({"city": ["Oslo", "Rome"], "code": [1, 2]})
    parameters = {"target_statistic": kind, "one_hot_max_size": one_hot_max_size, "iterations": 3}
    regressor = OcelotRegressor(**parameters).fit(two, [1.0, 2.0])
    assert np.isfinite(regressor.predict(two)).all()
    classifier = OcelotClassifier(**parameters).fit(two, ["a", "b"])
    assert np.isfinite(classifier.predict_proba(two)).all()


@pytest.mark.parametrize("kind", HISTORIES)
@pytest.mark.parametrize("value", [0.0, 7.0, -1e20])
def test_a_constant_target(kind, value):
    y = np.full(len(Y), value, dtype=np.float32)
    model = fit(FRAME, y, task="regression", target_statistic=kind)
    np.testing.assert_allclose(model.predict(EVAL_FRAME), y[: len(EVAL_Y)], rtol=1e-6)


@pytest.mark.parametrize("kind", HISTORIES)
def test_columns_of_categories_that_say_nothing(kind):
    empty = FRAME.assign(city=None, code="same")
    model = fit(empty, target_statistic=kind, cat_features=["city", "code", "user"])
    assert np.isfinite(model.predict_proba(EVAL_FRAME.assign(code="new"))).all()
    alone = OcelotClassifier(iterations=3, cat_features=[0], target_statistic=kind)
    alone.fit(empty[["city"]], LABELS["binary"](Y))
    assert len(np.unique(alone.predict_proba(EVAL_FRAME[["city"]]), axis=0)) == 1


def test_as_many_categories_as_rows():
    rng = np.random.default_rng(0)
    X = rng.permutation(1000).astype(object)[:, None]
    y = np.arange(1000) % 2
    model = OcelotClassifier(iterations=20, cat_features=[0]).fit(X, y)
    assert model.score(X, y) < 0.7  # ordered statistics do not give a row's own target away
    assert len(np.unique(model.predict_proba(X + 5000), axis=0)) == 1


@pytest.mark.parametrize("depth", [1, 10])
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_combinations_have_at_most_so_many_features(most, depth):
    model = fit(max_combination=most, depth=depth, one_hot_max_size=0, model_size_reg=0)
    tables = model.forest_.statistics
    assert tables.n_tables > 0
    assert np.diff(tables.member_offsets).max() <= (most if depth > 1 else 1)
    assert model.forest_.tree_depths.max() <= depth


@pytest.mark.parametrize("most_values", [0, 2, 10])
def test_features_of_few_values_are_asked_for_each(most_values):
    model = fit(one_hot_max_size=most_values, iterations=20, max_combination=1)
    indicators, tables = model.forest_.indicators, model.forest_.statistics
    asked = {NAMES[column] for column in indicators.columns}
    assert asked <= ({"city", "code"} if most_values == 10 else set())
    assert ("city" in asked) == (most_values == 10)
    assert not asked & {NAMES[column] for column in tables.members}
    if asked:
        assert "Oslo" in indicators.texts


def test_no_statistics_are_made_where_all_features_are_asked_for_each_value():
    options = {"one_hot_max_size": 10, "cat_features": ["city", "code"], "cache_memory": 1}
    X = FRAME[["number", "city", "code"]]
    models = [
        fit(X, max_combination=1, target_statistic=kind, **options)
        for kind in ("ordered", "holdout")
    ]
    assert_same_bits(models[0].forest_, models[1].forest_)  # no row was held back


def test_numbers_are_part_of_combinations_only_when_wanted():
    assert len(fit(iterations=20).forest_.statistics.question_columns) == 0
    model = fit(iterations=20, combine_numbers=True, model_size_reg=0)
    assert len(model.forest_.statistics.question_columns) > 0


def test_a_window_keeps_what_came_last():
    # The target of a city turns over time; the last rows know it best.
    rng = np.random.default_rng(0)
    n_rows, half = 2000, 1000
    city = np.array([f"city {i}" for i in rng.integers(0, 10, size=n_rows)], dtype=object)
    even = np.array([int(text[-1]) % 2 for text in city])
    y = np.where(np.arange(n_rows) < half, even, 1 - even)
    model = OcelotClassifier(iterations=5, has_time=True, statistic_window=200, cat_features=[0])
    model.fit(city[:, None], y)
    assert model.forest_.statistics.counts.sum() == 200
    assert (model.predict(city[:, None]) == 1 - even).all()
    for window in (None, 10**30):
        model = OcelotClassifier(iterations=5, has_time=True, statistic_window=window)
        model.fit(city[:, None], y, cat_features=[0])
        assert model.forest_.statistics.counts.sum() == n_rows


def test_a_holdout_keeps_half_of_the_rows_apart():
    model = fit(target_statistic="holdout", iterations=5, max_combination=1)
    assert model.forest_.leaf_weights[: 1 << model.forest_.tree_depths[0]].sum() == 150
    tables = model.forest_.statistics
    for table in range(tables.n_tables):
        assert tables.counts[tables.entries_of(table)].sum() == 150


def test_missing_and_moved_columns_are_named_before_any_is_read():
    frame = pd.DataFrame(
        {"city": ["a", "b", "c", "a"] * 5, "age": range(20), "kind": ["x", "y"] * 10}
    )
    model = OcelotClassifier(iterations=2).fit(frame, [0, 1] * 10)
    with pytest.raises(InputError, match="yet now missing:\n- city"):
        model.predict(frame.drop(columns="city"))
    with pytest.raises(InputError, match="same order"):
        model.predict(frame[["age", "kind", "city"]])
    with pytest.raises(InputError, match=r"eval_set\[0\]: .*\n.*yet now missing:\n- kind"):
        model.fit(frame, [0, 1] * 10, eval_set=(frame[["city", "age"]], [0, 1] * 10))
