"""SHAP values are Shapley values: equal to their definition, and they sum to the prediction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError, load_model
from ocelotboost.explain.players import players_of
from ocelotboost.explain.tables import Game, training_weights
from ocelotboost.model.wording import Wording
from ocelotboost.predict.predictor import make_predictor
from tests.data import features, multiclass, regression
from tests.estimator.category_data import FRAME, X, fit, matrix_of
from tests.explain.by_definition import shapley_by_orders
from tests.model.forests import category_forest, rows_of

SEEDS = st.integers(0, 2**32 - 1)


def sums_of(forest, rows, *, interactions=False, kept=True, n_threads=1):
    predictor = make_predictor(forest)
    forest = predictor.forest
    players = players_of(forest, Wording(forest, None), "columns")
    game = Game(forest, players, training_weights(forest), False, interactions)
    tables = game.whole_tables(n_threads) if kept else None
    return game.sums(predictor, rows, tables, n_threads)


@settings(max_examples=15)
@given(SEEDS, st.sampled_from([1, 2]))
def test_values_are_those_of_the_definition(seed, n_outputs):
    """For numbers, one-hot columns, and statistics of combinations with base questions."""
    forest = category_forest(seed, n_outputs=n_outputs, n_tables=2, n_trees=3)
    rows = rows_of(seed, 3)
    values, expected = sums_of(forest, rows)
    for row in range(rows.n_rows):
        by_hand = shapley_by_orders(forest, rows, row)
        assert_allclose(values[row], by_hand, rtol=0, atol=1e-10)
    raw = make_predictor(forest).raw(rows, 1)
    assert_allclose(values.sum(axis=1) + expected, raw.T, rtol=0, atol=1e-10)


@settings(max_examples=15)
@given(SEEDS, st.sampled_from([1, 3]))
def test_lines_of_leaves_that_occur_are_those_of_all(seed, n_outputs):
    forest, rows = category_forest(seed, n_outputs=n_outputs, n_trees=40), rows_of(seed, 50)
    for interactions in (False, True):
        of_all = sums_of(forest, rows, interactions=interactions)
        of_some = sums_of(forest, rows, interactions=interactions, kept=False)
        for one, other in zip(of_all, of_some, strict=True):
            assert_allclose(one, other, rtol=0, atol=1e-12)


@settings(max_examples=15)
@given(SEEDS)
def test_interactions_of_a_column_sum_to_its_value(seed):
    forest, rows = category_forest(seed, n_outputs=2), rows_of(seed, 20)
    pairs, _ = sums_of(forest, rows, interactions=True)
    values, _ = sums_of(forest, rows)
    assert_allclose(pairs, pairs.swapaxes(1, 2), rtol=0, atol=0)
    assert_allclose(pairs.sum(axis=2), values, rtol=0, atol=1e-10)


def test_a_sum_of_columns_has_no_interactions_and_a_product_has():
    X = features(2000, 3)
    apart = OcelotRegressor(iterations=30, depth=1).fit(X, X.sum(axis=1))
    pairs = apart.explain(X[:50], interactions=True).values
    assert_array_equal(pairs[:, ~np.eye(3, dtype=bool)], 0.0)
    together = OcelotRegressor(iterations=50, depth=4).fit(X, X[:, 0] * X[:, 1])
    strength = np.abs(together.explain(X, interactions=True).values).mean(axis=0)
    assert strength[0, 1] > 5 * strength[0, 2]


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("by", ["columns", "features"])
def test_values_and_base_sum_to_the_raw_prediction(task, by):
    model = fit(task=task, iterations=40)
    explanation = model.explain(FRAME, by=by)
    total = explanation.values.sum(axis=1) + explanation.base_values
    assert_allclose(total, model.predict_raw(FRAME), rtol=0, atol=1e-9)
    if by == "columns":
        assert list(explanation.feature_names) == list(FRAME.columns)
        assert explanation.data.shape == FRAME.shape
        assert explanation.data[0].tolist()[1:] == FRAME.iloc[0].tolist()[1:]
    else:
        assert any("mean target of" in name or "share of" in name
                   for name in explanation.feature_names)  # fmt: skip


def test_columns_are_the_same_for_every_kind_of_input():
    model = fit(iterations=20)
    of_frame = model.explain(FRAME)
    with pytest.warns(UserWarning, match="valid feature names"):
        of_matrix = model.explain(matrix_of(X))
    assert_array_equal(of_frame.values, of_matrix.values)


def test_threads_and_a_saved_model_give_the_same_bits(tmp_path, five_threads):
    X, y = multiclass(3000, missing=0.1)
    model = OcelotClassifier(iterations=30, n_jobs=1).fit(X, y)
    one = model.explain(X)
    five = model.set_params(n_jobs=5).explain(X)
    model.save_model(tmp_path / "model.ocelot")
    loaded = load_model(tmp_path / "model.ocelot").explain(X)
    for other in (five, loaded):
        assert_array_equal(one.values, other.values)
        assert_array_equal(one.base_values, other.base_values)
    assert one.values.shape == (3000, 5, 3)


@pytest.mark.parametrize("depth", [11, 13])
def test_deep_trees_are_explained_too(depth):
    X, y = regression(300, 14)
    model = OcelotRegressor(iterations=3, depth=depth).fit(X, y)
    explanation = model.explain(X[:40])
    total = explanation.values.sum(axis=1) + explanation.base_values
    assert_allclose(total, model.predict_raw(X[:40]), rtol=0, atol=1e-9)


# ---- against a background --------------------------------------------------------------------


def test_values_against_a_background_are_those_of_the_definition():
    X, y = regression(400, 3)
    model = OcelotRegressor(iterations=20, depth=4).fit(X, y)
    background, rows = X[:17], X[100:104]
    explanation = model.explain(rows, background=background)

    def value(row, known):
        mixed = background.copy()
        mixed[:, known] = row[known]
        return model.predict_raw(mixed).mean()

    for row, found in zip(rows, explanation.values, strict=True):
        v = {s: value(row, list(s)) for s in
             [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]}  # fmt: skip
        first = (
            (v[0,] - v[()]) / 3
            + (v[0, 1] - v[1,]) / 6
            + (v[0, 2] - v[2,]) / 6
            + (v[0, 1, 2] - v[1, 2]) / 3
        )
        assert_allclose(found[0], first, rtol=0, atol=1e-9)
        assert_allclose(found.sum(), v[0, 1, 2] - v[()], rtol=0, atol=1e-9)
    assert_allclose(explanation.base_values, model.predict_raw(background).mean())


def test_a_background_may_have_categories():
    model = fit(iterations=20)
    explanation = model.explain(FRAME[:50], background=FRAME[50:80])
    total = explanation.values.sum(axis=1) + explanation.base_values
    assert_allclose(total, model.predict_raw(FRAME[:50]), rtol=0, atol=1e-9)
    assert_allclose(explanation.base_values, model.predict_raw(FRAME[50:80]).mean())


# ---- what cannot be explained ----------------------------------------------------------------


def test_bad_input_is_refused_as_by_predict():
    X, y = regression(100)
    model = OcelotRegressor(iterations=3).fit(X, y)
    for wrong in (X[:, :3], X[0], [["a"] * 5]):
        with pytest.raises(InputError) as by_predict:
            model.predict(wrong)
        with pytest.raises(InputError) as by_explain:
            model.explain(wrong)
        assert str(by_explain.value) == str(by_predict.value)
    with pytest.raises(ParameterError, match="by='rows' is not possible"):
        model.explain(X, by="rows")


def test_a_model_without_training_weights_needs_a_background():
    X, y = regression(100)
    model = OcelotRegressor(iterations=3).fit(X, y)
    forest = model.forest_
    bare = replace(forest, leaf_weights=np.zeros_like(forest.leaf_weights))
    model._fitted = type(model._fitted).of(replace(model.model_, forest=bare), model._fitted.loss)
    with pytest.raises(InputError, match=r"no training weights.*background="):
        model.explain(X)
    explanation = model.explain(X[:5], background=X)
    total = explanation.values.sum(axis=1) + explanation.base_values
    assert_allclose(total, model.predict_raw(X[:5]), rtol=0, atol=1e-9)


def test_a_model_without_trees_explains_nothing():
    X, _ = regression(20)
    model = OcelotRegressor(iterations=5).fit(X, np.full(20, 3.0))
    explanation = model.explain(X)
    assert_array_equal(explanation.values, np.zeros(X.shape))
    assert_allclose(explanation.base_values, 3.0)


def test_an_average_of_models_is_explained_as_one():
    X, y = regression(400)
    model = OcelotRegressor(n_models=3, iterations=20).fit(X, y)
    explanation = model.explain(X)
    total = explanation.values.sum(axis=1) + explanation.base_values
    assert_allclose(total, model.predict_raw(X), rtol=0, atol=1e-9)
