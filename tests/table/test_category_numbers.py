"""Which category a number, a boolean or a decimal is, whatever holds it."""

from __future__ import annotations

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.table.category_holders import assert_holds, column_of, matrix

from ocelotboost.table import canonical_text, table_from_input

D = decimal.Decimal
NAN = float("nan")


WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("width", WIDTHS)
def test_integers_of_every_width_are_their_digits(width):
    limits = np.iinfo(width)
    values = [limits.min, limits.max, 0, 1, 100]
    texts = [str(value) for value in values]
    array = np.array(values, dtype=width)
    for X in (
        array[:, None],
        np.stack([array, array], axis=1)[:, :1],
        array.astype(array.dtype.newbyteorder(">"))[:, None],
        pd.DataFrame({"a": array}),
        pl.DataFrame({"a": array}),
        pa.table({"a": array}),
        pd.DataFrame({"a": pd.Categorical(array)}),
        pa.table({"a": pa.array(array).dictionary_encode()}),
    ):
        assert_holds(column_of(X), texts)
    nullable = width.replace("i", "I").replace("u", "U")
    for X in (
        pd.DataFrame({"a": pd.array([*values, None], dtype=nullable)}),
        pd.DataFrame({"a": pd.array([*values, None], dtype=f"{width}[pyarrow]")}),
        pl.DataFrame({"a": pl.Series([*values, None], dtype=getattr(pl, nullable))}),
        pa.table({"a": pa.array([0, *values, None], width)[1:]}),
        np.ma.array([*values, 5], dtype=width, mask=[False] * 5 + [True])[:, None],
    ):
        assert_holds(column_of(X), [*texts, None])


@pytest.mark.parametrize("width", ["float16", "float32", "float64", "longdouble"])
def test_floats_of_every_width(width):
    array = np.array([1, -0.0, 0.5, NAN, np.inf, -np.inf, 65504], dtype=width)
    texts = ["1", "0", "0.5", None, "inf", "-inf", "65504"]
    assert_holds(column_of(array[:, None]), texts)
    assert_holds(column_of(pd.DataFrame({"a": array})), texts)
    if width in ("float32", "float64"):
        assert_holds(column_of(pl.DataFrame({"a": array})), texts)
        assert_holds(column_of(pa.table({"a": array})), texts)
        nullable = pd.array([1, -0.0, 0.5, None], dtype=width.capitalize())
        assert_holds(column_of(pd.DataFrame({"a": nullable})), texts[:4])


@given(st.lists(st.floats() | st.integers(-(2**62), 2**62).map(float), min_size=1))
def test_float_columns_agree_with_the_rule_for_one_value(values):
    texts = [canonical_text(value) for value in values]
    assert_holds(column_of(np.array(values)[:, None]), texts)


BOOLEANS = [True, None, False, True]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.array(BOOLEANS, dtype="boolean")}),
        pd.DataFrame({"a": pd.array(BOOLEANS, dtype="bool[pyarrow]")}),
        pd.DataFrame({"a": pd.Series(BOOLEANS, dtype=object)}),
        pd.DataFrame({"a": pd.Series(BOOLEANS, dtype="category")}),
        pl.DataFrame({"a": BOOLEANS}),
        pa.table({"a": BOOLEANS}),
        pa.table({"a": pa.array([False, *BOOLEANS])[1:]}),
        matrix(BOOLEANS),
        [[value] for value in BOOLEANS],
    ],
    ids=lambda frame: type(frame).__module__,
)
def test_booleans_are_categories_called_true_and_false(frame):
    assert list(table_from_input(frame).categories) == [0]
    assert_holds(column_of(frame), ["True", None, "False", "True"])


def test_a_boolean_matrix_is_numbers_unless_named():
    X = np.array([[True], [False]])
    assert not table_from_input(X).categories
    assert_holds(column_of(X), ["True", "False"])
    frame = pd.DataFrame({"a": X[:, 0]})
    assert_holds(table_from_input(frame).categories[0], ["True", "False"])


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"a": [D("1.50"), None, D("2.00")]}),
        pl.DataFrame({"a": [D("1.50"), None, D("2.00")]}),
        pd.DataFrame({"a": pd.array([D("1.50"), None, D("2.00")],
                                    dtype=pd.ArrowDtype(pa.decimal128(5, 2)))}),
    ],
    ids=["pyarrow", "polars", "pandas"],
)  # fmt: skip
def test_decimal_columns(frame):
    assert_holds(column_of(frame), ["1.5", None, "2"])


def test_sparse_columns_of_pandas():
    for dtype, values in (("float", [0.0, 2.0, NAN]), ("int", [0, 2, 0]), ("bool", [True, False])):
        column = pd.arrays.SparseArray(values, dtype=dtype)
        texts = [canonical_text(value) for value in values]
        assert_holds(column_of(pd.DataFrame({"a": column})), texts)


def test_integers_of_128_bits():
    frame = pl.DataFrame({"a": pl.Series([2**100, None], dtype=pl.Int128)})
    assert_holds(column_of(frame), [str(2**100), None])


def test_true_and_one_in_one_column_are_different():
    column = column_of(matrix([True, 1, 1.0, "1", "True", D(1), None, NAN]))
    assert_holds(column, ["True", "1", "1", "1", "True", "1", None, None])


def test_categories_of_pandas_may_be_numbers():
    assert_holds(
        column_of(pd.DataFrame({"a": pd.Categorical([3, 1.5, None, 3])})), ["3", "1.5", None, "3"]
    )
    mixed = pd.Categorical(["a", 1, True, None], categories=["a", 1, "b"])
    assert column_of(pd.DataFrame({"a": mixed})).texts(np.arange(2)) == ["a", "1"]
    assert_holds(column_of(pd.DataFrame({"a": pd.Categorical([None, None])})), [None, None])
