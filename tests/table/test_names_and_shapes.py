"""Names of columns are kept; what is not a table is an error that says what is needed."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal
from tests.table.holders import ArrowStream

from ocelotboost.errors import InputError
from ocelotboost.table import (
    from_frame,
    table_from_input,
)

NAN = float("nan")


# ---- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1], "b": [2]}),
        pl.DataFrame({"a": [1], "b": [2]}),
        pa.table({"a": [1], "b": [2]}),
        pa.record_batch({"a": [1], "b": [2]}),
        ArrowStream(pa.table({"a": [1], "b": [2]})),
        nw.from_native(pl.DataFrame({"a": [1], "b": [2]})),
    ],
    ids=lambda frame: type(frame).__module__ + type(frame).__name__,
)
def test_column_names_are_remembered(frame):
    assert table_from_input(frame).names == ("a", "b")


@pytest.mark.parametrize(
    "X",
    [
        np.eye(2),
        [[1, 2]],
        scipy.sparse.eye_array(2),
        pd.DataFrame(np.eye(2)),
        pd.DataFrame(np.eye(2), columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
    ],
    ids=["numpy", "list", "sparse", "counted", "multi_index"],
)
def test_input_without_string_names_has_none(X):
    assert table_from_input(X).names is None


def test_names_partly_strings_are_a_type_error():
    X = pd.DataFrame([[1, 2]], columns=["age", 7])
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        table_from_input(X)
    with pytest.raises(InputError, match=r"\['int', 'str'\].*'age' and 7"):
        table_from_input(X)


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.table([pa.array([1])] * 3, names=["a", "b", "a"]),
        pa.record_batch([pa.array([1])] * 3, names=["a", "b", "a"]),
    ],
    ids=["pandas", "pyarrow", "arrow_stream"],
)
def test_a_name_given_twice_is_an_error_naming_it(X):
    with pytest.raises(InputError, match=r"'a' more than once \(positions 0, 2\): rename"):
        table_from_input(X)


# ---- shapes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        np.arange(3.0),
        [1, 2, 3],
        ["a", "b"],
        np.ma.array([1.0, 2.0], mask=[0, 1]),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
        pa.chunked_array([[1, 2]]),
        pa.array([1, 2]),
        scipy.sparse.coo_array([1, 2, 3]),
    ],
    ids=lambda X: type(X).__module__ + type(X).__name__,
)
def test_one_dimension_is_an_error_that_says_to_reshape(X):
    with pytest.raises(InputError, match=r"Expected 2D array, got 1D.*Reshape your data"):
        table_from_input(X)


def test_three_dimensions_are_an_error_that_gives_the_shape():
    with pytest.raises(InputError, match=r"got 3D array instead \(X has shape \(2, 3, 4\)\)"):
        table_from_input(np.zeros((2, 3, 4)))


@pytest.mark.parametrize(
    ("X", "remedy"),
    [
        (None, "Pass a data frame"),
        (5, "Pass a data frame"),
        ("train.csv", "read it first"),
        ({"a": [1]}, r"pandas.DataFrame\(X\)"),
        (iter([[1]]), "Pass a data frame"),
    ],
)
def test_what_is_no_table_is_an_error_with_a_remedy(X, remedy):
    with pytest.raises(InputError, match=f"got scalar array.*{type(X).__name__}.*{remedy}"):
        table_from_input(X)


@pytest.mark.parametrize("holder", [np.asarray, scipy.sparse.csr_array, pd.DataFrame])
def test_no_rows_or_no_columns_is_an_error(holder):
    with pytest.raises(InputError, match=r"0 sample\(s\) \(shape=\(0, 3\)\)"):
        table_from_input(holder(np.empty((0, 3))))
    with pytest.raises(
        InputError,
        match=r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required\.",
    ):
        table_from_input(holder(np.empty((12, 0))))


def test_rows_of_different_lengths_are_an_error_naming_the_row():
    with pytest.raises(InputError, match="row 0 has 2 values, row 2 has 1"):
        table_from_input([[1, 2], [3, 4], [5]])


def test_a_lazy_frame_is_an_error_that_says_to_collect():
    lazy = pl.LazyFrame({"a": [1]})
    for X in (lazy, nw.from_native(lazy)):
        with pytest.raises(InputError, match=r"lazy frame.*\.collect\(\)"):
            table_from_input(X)


def test_an_arrow_stream_that_is_no_table_is_an_error():
    with pytest.raises(InputError, match="Arrow stream that is not a table"):
        table_from_input(ArrowStream(pa.chunked_array([[1, 2]])))


def test_polars_reads_an_arrow_stream_where_pyarrow_is_missing(monkeypatch):
    installed = {"polars": True}
    monkeypatch.setattr(from_frame, "find_spec", installed.get)
    stream = ArrowStream(pl.DataFrame({"a": [1, None]}))
    assert_array_equal(table_from_input(stream).dense(), [[1], [NAN]])
    installed.clear()
    with pytest.raises(InputError, match="install pyarrow or polars"):
        table_from_input(stream)
