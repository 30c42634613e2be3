"""Which columns are categorical: by themselves, when named, or because the model says so."""

from __future__ import annotations

import decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal
from tests.table.holders import ArrowStream

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.table import (
    ZERO_KEY,
    canonical_text,
    table_from_input,
    text_hashes,
)

D = decimal.Decimal
NAN = float("nan")


MIXED = {
    "n": [1.5, 2.5, None],
    "city": ["Paris", None, "Rome"],
    "flag": [True, None, False],
    "zip": [75001, 75002, 184],
    "m": [1, 2, 3],
}
MIXED_FRAMES = {
    "pandas": pd.DataFrame(MIXED),
    "polars": pl.DataFrame(MIXED),
    "pyarrow": pa.table(MIXED),
    "arrow_stream": ArrowStream(pa.table(MIXED)),
}
MIXED_ROWS = list(zip(*MIXED.values(), strict=True))


@pytest.mark.parametrize("holder", MIXED_FRAMES)
def test_text_and_booleans_are_categorical_and_integers_only_when_named(holder):
    table = table_from_input(MIXED_FRAMES[holder])
    assert sorted(table.categories) == [1, 2]
    assert [part.first for part in table.parts] == [0, 3, 4]
    named = table_from_input(MIXED_FRAMES[holder], cat_features=["zip", 0, "zip", 3])
    assert sorted(named.categories) == [0, 1, 2, 3]
    assert [part.first for part in named.parts] == [4]
    assert_array_equal(
        named.categories[3].row_hashes(), text_hashes(["75001", "75002", "184"], ZERO_KEY)
    )


@pytest.mark.parametrize("rows", [MIXED_ROWS, np.array(MIXED_ROWS, dtype=object)])
def test_columns_of_objects_are_looked_at_one_by_one(rows):
    table = table_from_input(rows)
    assert sorted(table.categories) == [1, 2]
    assert [(part.first, part.width) for part in table.parts] == [(0, 1), (3, 2)]
    assert_array_equal(table.parts[0].values(), [[1.5], [2.5], [NAN]])
    assert_array_equal(table.parts[1].values(), [[75001, 1], [75002, 2], [184, 3]])


@pytest.mark.parametrize(
    ("values", "categorical"),
    [
        ([1, 2.5, None], False),
        ([D(1), Fraction(1, 2), NAN], False),
        ([None, None, None], False),
        ([1, "a", None], True),
        ([1, True, None], True),
        ([np.True_, None, None], True),
        (["a", "b", "a"], True),
    ],
)
def test_a_column_of_objects_is_numbers_unless_it_has_text_or_booleans(values, categorical):
    column = np.empty((3, 1), dtype=object)
    column[:, 0] = values
    for X in (column, pd.DataFrame(column), [[value] for value in values]):
        assert list(table_from_input(X).categories) == [0] * categorical


def test_a_choice_of_rows_keeps_categories():
    taken = table_from_input(MIXED_FRAMES["polars"]).take(np.array([2, 0, 2]))
    assert taken.categories[1].texts(np.arange(3)) == ["Rome", "Paris", "Rome"]
    assert_array_equal(taken.dense()[:, [0, 3]], [[NAN, 184], [1.5, 75001], [NAN, 184]])
    assert np.isnan(taken.dense()[:, [1, 2]]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
def test_named_columns_of_a_matrix_and_views_of_the_rest(dtype):
    X = (np.arange(24).reshape(4, 6) % 5).astype(dtype)
    table = table_from_input(X, cat_features=np.array([0, 3, 3]))
    assert sorted(table.categories) == [0, 3]
    assert [(part.first, part.width) for part in table.parts] == [(1, 2), (4, 2)]
    texts = [canonical_text(value) for value in X[:, 3].tolist()]
    assert_array_equal(table.categories[3].row_hashes(), text_hashes(texts, ZERO_KEY))
    if dtype in (np.float32, np.float64):
        assert all(np.shares_memory(part.values(), X) for part in table.parts)


def test_named_columns_of_a_sparse_matrix_have_zeros_where_nothing_is_stored():
    X = scipy.sparse.random_array((5, 40), density=0.3, rng=np.random.default_rng(0))
    X.data[:] = np.arange(len(X.data)) % 3 + 1
    table = table_from_input(X.tocsr(), cat_features=[17, 39])
    assert [(part.first, part.width) for part in table.parts] == [
        (0, 16),
        (16, 1),
        (18, 16),
        (34, 5),
    ]
    for part in table.parts:
        dense = X.toarray()[:, part.first : part.first + part.width]
        assert_array_equal(part.values(), dense)
    texts = [canonical_text(value) for value in X.toarray()[:, 17].tolist()]
    assert_array_equal(table.categories[17].row_hashes(), text_hashes(texts, ZERO_KEY))


def test_masked_elements_of_a_categorical_column_are_missing():
    X = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    table = table_from_input(X, cat_features=[1])
    assert_array_equal(table.categories[1].row_hashes(), text_hashes([None, "4"], ZERO_KEY))
    assert_array_equal(table.parts[0].values(), [[1], [3]])


def test_a_model_decides_which_columns_are_categorical():
    # Trained on text in "zip" and numbers elsewhere; booleans are numbers then.
    frame = MIXED_FRAMES["polars"].drop("city")
    table = table_from_input(frame, cat_features=[2], detect=False)
    assert sorted(table.categories) == [2]
    assert_array_equal(table.parts[1].values(), [[1], [NAN], [0]])
    with pytest.raises(
        InputError, match=r"'city' \(position 1\) of X holds text .*trained with num"
    ):
        table_from_input(MIXED_FRAMES["polars"], cat_features=[3], detect=False)


@pytest.mark.parametrize("cat_features", [None, [], ()])
def test_no_column_need_be_named(cat_features):
    assert not table_from_input(np.eye(2), cat_features=cat_features).categories


@pytest.mark.parametrize("cat_features", ["zip", 3, np.int64(3), ("zip",), pd.Index(["zip"])])
def test_one_name_or_position_may_stand_alone(cat_features):
    table = table_from_input(MIXED_FRAMES["pandas"], cat_features=cat_features)
    assert sorted(table.categories) == [1, 2, 3]


@pytest.mark.parametrize(
    ("cat_features", "message"),
    [
        (["zap"], "name 'zap', which is not a column of X. Did you mean 'zip'?"),
        (["CITY"], "name 'CITY', which is not a column of X. Did you mean 'city'?"),
        (["temperature"], "name 'temperature', which is not a column of X."),
        ([5], "position 5, but X has 5 columns: positions go from 0 to 4"),
        ([-1], "position -1, but X has 5 columns: positions go from 0 to 4"),
        ([False, True], "boolean False: give names or positions; .*flatnonzero"),
        (np.array([True]), "boolean True"),
        ([1.0], r"1.0 \(float\): give names or positions"),
        ([None], "None"),
        (2.5, "2.5"),
    ],
)
def test_a_column_that_is_not_there_is_an_error(cat_features, message):
    with pytest.raises(ParameterError, match=f"cat_features has .*{message}"):
        table_from_input(MIXED_FRAMES["pandas"], cat_features=cat_features)


@pytest.mark.parametrize(
    "X", [np.eye(2), [[1, 2]], scipy.sparse.eye_array(2), pd.DataFrame(np.eye(2))]
)
def test_a_name_where_there_are_none_is_an_error(X):
    with pytest.raises(ParameterError, match="'a', but the columns of X have no names: give pos"):
        table_from_input(X, cat_features=["a"])
