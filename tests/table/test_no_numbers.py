"""What is no number is an error that names column, row, value and remedy."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from tests.table.holders import library_and_type

from ocelotboost.errors import InputError
from ocelotboost.table import (
    table_from_input,
)
from ocelotboost.table.formulas import NOTHING_DERIVED

D = decimal.Decimal


TEXT = "pass numbers, because the model was trained with numbers there"
OTHER = "convert it to a number"
DAY = datetime.datetime(2024, 5, 17)
NO_NUMBERS = [
    (pd.Series([None, "Paris"]), "text .*'Paris'", TEXT),
    (pd.Series([None, "Paris"], dtype=object), "text .*'Paris'", TEXT),
    (pd.Series(["Paris"], dtype="category"), "categories .*'Paris'", TEXT),
    (pd.Series([3], dtype="category"), "categories .*3", TEXT),
    (pd.Series([DAY]), "dates .*2024", OTHER),
    (pd.Series([DAY - DAY]), "durations .*", OTHER),
    (pl.Series([None, "Paris"]), "text .*'Paris'", TEXT),
    (pl.Series(["Paris"], dtype=pl.Categorical), "categories .*'Paris'", TEXT),
    (pl.Series(["Paris"], dtype=pl.Enum(["Paris"])), "categories .*'Paris'", TEXT),
    (pl.Series([DAY]), "dates .*2024", OTHER),
    (pl.Series([DAY.date()]), "dates .*2024", OTHER),
    (pl.Series([DAY.time()]), "times of day .*", OTHER),
    (pl.Series([[1, 2]]), "List.*", OTHER),
    (pl.Series([{"a": 1}]), "Struct.*", OTHER),
    (pl.Series([b"x"]), "Binary.*b'x'", OTHER),
    (pa.array(["Paris"]), "text .*'Paris'", TEXT),
    (pa.array(["Paris"]).dictionary_encode(), "categories .*'Paris'", TEXT),
    (pa.array([DAY]), "dates .*2024", OTHER),
]


@pytest.mark.parametrize(
    ("column", "found", "remedy"),
    NO_NUMBERS,
    ids=lambda v: v if isinstance(v, str) else library_and_type(v),
)
def test_a_column_of_no_numbers_is_an_error_naming_it(column, found, remedy):
    library = {"polars": pl.DataFrame, "pyarrow": pa.table}
    make = library.get(type(column).__module__.split(".")[0], pd.DataFrame)
    ones = make({"n": np.ones(len(column))})
    frame = make({"n": ones["n"], "city": column})
    with pytest.raises(InputError, match=rf"Column 'city' \(position 1\) of X .*{found}.*{remedy}"):
        table_from_input(frame, detect=False, derivation=NOTHING_DERIVED)


def test_an_error_uses_the_name_of_the_argument():
    with pytest.raises(InputError, match=r"Column 'a' \(position 0\) of eval_set\[1\]"):
        table_from_input(pl.DataFrame({"a": ["x"]}), argument="eval_set[1]", detect=False)


def test_an_object_that_is_no_number_is_a_type_error_in_scikit_learns_words():
    X = np.ones((3, 2), dtype=object)
    X[1, 1] = {"foo": "bar"}
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        table_from_input(X)
    with pytest.raises(InputError, match=r"Row 1, column 1 of X is \{'foo': 'bar'\} \(dict\)"):
        table_from_input(X)


@pytest.mark.parametrize(
    "value",
    ["7", b"7", 1j, [1], DAY, np.datetime64("2024-05-17"), np.timedelta64(3, "s"), pd.NaT, 10**400],
    ids=lambda v: type(v).__name__,
)
def test_an_element_that_is_no_number_is_an_error_naming_row_and_column(value):
    X = np.ones((3, 2), dtype=object)
    X[2, 0] = value
    with pytest.raises(InputError, match=f"Row 2, column 0 of X is .*{type(value).__name__}"):
        table_from_input(X, detect=False)
    frame = pd.DataFrame({"n": [1.0, 1.0, 1.0], "a": pd.Series(X[:, 0], dtype=object)})
    with pytest.raises(InputError, match=r"Row 2, column 'a' \(position 1\) of X is "):
        table_from_input(frame, detect=False)


def test_text_beside_numbers_in_a_list_is_found_where_it_is():
    with pytest.raises(InputError, match=rf"Row 1, column 1 of X is 'three' \(str\).*{TEXT}"):
        table_from_input([["a", 1, 2], ["b", "three", 4]], cat_features=[0], detect=False)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1j]]), "Complex data not supported"),
        (pd.DataFrame({"a": [1j]}), "Complex data not supported: column 'a'"),
        (scipy.sparse.csr_array([[1j]]), "Complex data not supported"),
        (np.array([["a"]]), f"X holds text .*'a'.*{TEXT}"),
        (np.array([[b"a"]]), "X holds bytes .*b'a'.*decode"),
        (np.array([["2024-05-17"]], dtype="M8[D]"), "2024-05-17.*convert it to a number"),
        (np.array([[1]], dtype="m8[s]"), "1 seconds.*convert it to a number"),
        (np.zeros(2, dtype=[("a", "f8")]), r"structured array with the fields \['a'\]"),
        (np.zeros((2, 2), dtype=[("a", "f8")]), r"structured array with the fields \['a'\]"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_arrays_of_no_real_numbers_are_errors(X, message):
    with pytest.raises(InputError, match=message):
        table_from_input(X, detect=False, derivation=NOTHING_DERIVED)
