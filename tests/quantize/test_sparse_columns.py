"""Sparse columns are quantized from what they store, and give the same model as dense ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.data import assert_same_bits

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.quantize.borders import BORDER_RULES, choose_borders
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table import SparsePart, table_from_input

FORMS = ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "csc_array", "coo_array"]


def matrix(seed=0, n_rows=120, n_columns=40, dtype=np.float64):
    """Empty, full, negative, infinite and missing columns, stored zeros, and duplicates."""
    rng = np.random.default_rng(seed)
    n_stored = 4 * n_rows
    values = rng.choice([0.0, -0.0, 1.0, -2.5, np.nan, np.inf, 7.25], size=n_stored)
    drawn = rng.normal(size=n_stored).round(1)
    values = np.where(rng.random(n_stored) < 0.5, values, drawn).astype(dtype)
    rows, columns = rng.integers(0, n_rows, n_stored), rng.integers(0, n_columns - 3, n_stored)
    full = np.arange(n_rows)  # a column without any zero: duplicates add up
    rows, columns = np.append(rows, full), np.append(columns, np.full(n_rows, n_columns - 2))
    values = np.append(values, full % 9 + 1).astype(dtype)
    return sp.coo_matrix((values, (rows, columns)), shape=(n_rows, n_columns))


def dense_of(X):
    with np.errstate(invalid="ignore"):
        return X.tocsr().toarray()


@given(
    st.integers(0, 1000), st.sampled_from(list(BORDER_RULES)), st.sampled_from([1, 3, 254]),
    st.sampled_from([None, "whole", "any"]), st.sampled_from([np.float32, np.float64]),
)  # fmt: skip
def test_borders_and_bins_are_those_of_the_dense_table(seed, rule, most, weights, dtype):
    X = matrix(seed, dtype=dtype)
    rng = np.random.default_rng(seed)
    weight = None
    if weights is not None:
        weight = (rng.integers(0, 4, 120) if weights == "whole" else rng.random(120)).astype("f4")
    with np.errstate(invalid="ignore"):
        tables = table_from_input(X.tocsr()), table_from_input(dense_of(X))
    fitted = [
        Quantizer.fit(
            table, weight=weight, border_type=rule, border_count=most,
            rng=np.random.default_rng(0), n_threads=1,
        )
        for table in tables
    ]  # fmt: skip
    for own, dense in zip(fitted[0].borders, fitted[1].borders, strict=True):
        np.testing.assert_array_equal(own, dense)
    np.testing.assert_array_equal(fitted[0].missing, fitted[1].missing)
    blocks = [own.block(table, 1) for own, table in zip(fitted, tables, strict=True)]
    for column in range(blocks[0].n_columns):
        np.testing.assert_array_equal(blocks[0].bins(column), blocks[1].bins(column))
    assert blocks[0].layout.n_slots <= blocks[1].layout.n_slots


def test_borders_of_a_sample_of_rows_are_those_of_the_dense_table(monkeypatch):
    monkeypatch.setattr("ocelotboost.quantize.borders.SAMPLE_SIZE", 50)
    X = matrix()
    found = [
        choose_borders(
            table_from_input(own), None, BORDER_RULES["GreedyLogSum"],
            np.full(40, 254, dtype=np.uint32), np.random.default_rng(1), 1,
        )
        for own in (X.tocsr(), dense_of(X))
    ]  # fmt: skip
    for own, dense in zip(*found, strict=True):
        np.testing.assert_array_equal(own, dense)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [{}, {"validation_fraction": 0.3}, {"nan_mode": "Max"}])
def test_the_model_of_a_sparse_table_is_that_of_the_dense_one(form, options):
    X, y = matrix(), np.arange(120) % 2
    other = matrix(1)
    sparse, other_sparse = (getattr(sp, form)(own.tocsr()) for own in (X, other))
    models = [
        OcelotClassifier(iterations=6, **options).fit(
            train, y, sample_weight=1 + np.arange(120) % 3, eval_set=(watched, y)
        )
        for train, watched in ((sparse, other_sparse), (dense_of(X), dense_of(other)))
    ]
    assert_same_bits(models[0].forest_, models[1].forest_)
    assert models[0].history_ == models[1].history_
    np.testing.assert_array_equal(
        models[0].predict_raw(other_sparse), models[1].predict_raw(dense_of(other))
    )


def test_rows_of_a_sparse_table_stay_sparse():
    X = matrix().tocsr()
    rows = np.random.default_rng(0).permutation(120)[:50]
    taken = table_from_input(X).take(rows)
    assert all(isinstance(part, SparsePart) for part in taken.parts)
    np.testing.assert_array_equal(taken.dense(), dense_of(X)[rows])
    twice = np.array([3, 3, 7])
    np.testing.assert_array_equal(table_from_input(X).take(twice).dense(), dense_of(X)[twice])


def test_no_column_is_made_dense_to_train(monkeypatch):
    def refuse(self):
        raise AssertionError("a sparse column was made dense")

    X = sp.random(200, 3000, density=0.002, random_state=0, format="csr")
    monkeypatch.setattr(SparsePart, "values", refuse)
    model = OcelotRegressor(iterations=2).fit(X, np.arange(200.0), eval_set=(X, np.arange(200.0)))
    assert model.n_iter_ == 2
