"""Partial dependence is the mean prediction of changed rows, however it is found."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.inspection import partial_dependence as by_scikit_learn

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError
from tests.data import features, multiclass, regression
from tests.estimator.category_data import FRAME, fit


def by_hand(predict, X, changes):
    changed = X.copy()
    for column, value in changes.items():
        changed[column] = value
    return predict(changed)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_column_of_numbers(missing):
    X, y = regression(300, missing=missing)
    model = OcelotRegressor(iterations=30).fit(X, y)
    found = model.partial_dependence(X, 1, n_points=7)
    assert found.average.shape == (7,)
    assert found.names == ["feature 1"]
    frame = pd.DataFrame(X)
    expected = [by_hand(lambda f: model.predict(f.to_numpy()), frame, {1: v}).mean()
                for v in found.grid[0]]  # fmt: skip
    assert_allclose(found.average, expected, rtol=0, atol=1e-9)


def test_two_columns_and_curves_of_rows():
    X, y = multiclass(200)
    model = OcelotClassifier(iterations=20).fit(X, y)
    found = model.partial_dependence(X, [0, 4], n_points=4, individual=True)
    fast = model.partial_dependence(X, [0, 4], n_points=4)
    assert found.average.shape == (4, 4, 3)
    assert found.individual.shape == (200, 4, 4, 3)
    assert fast.individual is None
    assert_allclose(fast.average, found.average, rtol=0, atol=1e-9)
    assert_allclose(found.individual.mean(axis=0), found.average)


def test_it_is_that_of_scikit_learn():
    X = features(200, 3)
    model = OcelotClassifier(iterations=20).fit(X, X[:, 0] > X[:, 1])
    theirs = by_scikit_learn(model, X, [0], grid_resolution=5, method="brute")
    ours = model.partial_dependence(X, 0, grid=theirs["grid_values"][0], response="response")
    assert_allclose(ours.average, theirs["average"][0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("column", ["city", "code", "number"])
@pytest.mark.parametrize("response", ["raw", "response"])
def test_categories_alone_and_in_combinations(column, response):
    model = fit(iterations=30)
    predict = model.predict_raw if response == "raw" else lambda X: model.predict_proba(X)[:, 1]
    found = model.partial_dependence(FRAME, column, n_points=6, response=response)
    expected = [by_hand(predict, FRAME, {column: v}).mean() for v in found.grid[0]]
    assert_allclose(found.average, expected, rtol=0, atol=1e-9)
    if column == "city":
        assert None in found.grid[0]


def test_other_libraries_have_the_same_values():
    model = fit(iterations=10)
    of_pandas = model.partial_dependence(FRAME, "city")
    of_polars = model.partial_dependence(pl.from_pandas(FRAME), "city")
    assert of_pandas.grid == of_polars.grid
    assert_allclose(of_pandas.average, of_polars.average)


def test_columns_that_are_not_there_are_named():
    model = fit(iterations=3)
    with pytest.raises(ParameterError, match=r"columns has the name 'town'.*"):
        model.partial_dependence(FRAME, "town")
    with pytest.raises(ParameterError, match="are 3 columns; give one or two"):
        model.partial_dependence(FRAME, ["city", "code", "user"])
    with pytest.raises(ParameterError, match="response='odds' is not possible"):
        model.partial_dependence(FRAME, "city", response="odds")
