"""The same numbers give the same model, whatever holds them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from ocelotboost import InputError, OcelotRegressor
from tests.data import assert_same_bits, regression

NAMES = list("abcde")
X, Y = regression(250, seed=5)
X[:, 3] = np.where(X[:, 3] > 0, 0, X[:, 3])  # something to leave out of a sparse matrix
HOLDERS = {
    "float64": X.astype(np.float64),
    "Fortran order": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "pandas": pd.DataFrame(X, columns=NAMES),
    "polars": pl.DataFrame(dict(zip(NAMES, X.T, strict=True))),
    "pyarrow": pa.table(dict(zip(NAMES, X.T, strict=True))),
    "CSR": sp.csr_matrix(X),
    "CSC": sp.csc_array(X),
    "lists": X.tolist(),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
def test_same_model_and_same_predictions(holder):
    expected = OcelotRegressor(iterations=10).fit(X, Y)
    model = OcelotRegressor(iterations=10).fit(HOLDERS[holder], Y)
    assert_same_bits(model.forest_, expected.forest_)
    np.testing.assert_array_equal(model.predict(HOLDERS[holder]), expected.predict(X))
    np.testing.assert_array_equal(expected.predict(HOLDERS[holder]), expected.predict(X))


@pytest.mark.parametrize("make", [pd.Series, pl.Series, pa.array, list, np.asarray])
def test_targets_and_weights_of_any_kind(make):
    weight = np.linspace(1, 2, len(Y)).astype(np.float32)
    expected = OcelotRegressor(iterations=5).fit(X, Y, sample_weight=weight)
    model = OcelotRegressor(iterations=5).fit(X, make(Y), sample_weight=make(weight))
    assert_same_bits(model.forest_, expected.forest_)


def test_nulls_are_missing_values():
    with_gaps = X.astype(np.float64)
    with_gaps[::7, 1] = np.nan
    expected = OcelotRegressor(iterations=5).fit(with_gaps, Y)
    columns = {
        name: [None if np.isnan(v) else float(v) for v in column]
        for name, column in zip(NAMES, with_gaps.T, strict=True)
    }
    for frame in (pl.DataFrame(columns), pa.table(columns)):
        assert_same_bits(OcelotRegressor(iterations=5).fit(frame, Y).forest_, expected.forest_)


def test_columns_are_checked_by_name():
    frame = pl.DataFrame(dict(zip(NAMES, X.T, strict=True)))
    model = OcelotRegressor(iterations=3).fit(frame, Y)
    assert model.feature_names_in_.tolist() == NAMES
    with pytest.raises(InputError, match="now missing:\n- c"):
        model.predict(frame.drop("c"))
    with pytest.raises(InputError, match="unseen at fit time:\n- extra"):
        model.predict(frame.with_columns(extra=pl.lit(1.0)))
    with pytest.raises(InputError, match="same order"):
        model.predict(frame.select(NAMES[::-1]))


def test_one_row_by_the_quick_way_equals_the_general_way():
    model = OcelotRegressor(iterations=20).fit(X, Y)
    quick = np.concatenate([model.predict(row[None]) for row in X[:20]])
    np.testing.assert_array_equal(quick, model.predict(X.tolist())[:20])
