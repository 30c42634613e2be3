"""Values that are no category: the error names row, column and remedy."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from tests.table.category_holders import column_of

from ocelotboost.errors import InputError
from ocelotboost.table import table_from_input

DAY = datetime.date(2024, 5, 17)


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        (b"x", "decode it to text"),
        (DAY, "make it text"),
        (pd.Timestamp(DAY), "make it text"),
        (np.datetime64(DAY), "make it text"),
        (np.timedelta64(3, "s"), r"\.astype\(str\)"),
        (1j, "or drop its row or column"),
        ([1], "or drop its row or column"),
        ({}, "or drop its row or column"),
        (10**5000, "or drop its row or column"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_that_is_no_category_is_an_error_naming_row_column_and_remedy(value, remedy):
    X = np.full((3, 2), "a", dtype=object)
    X[2, 1] = value
    kind = type(value).__name__
    words = rf"is .*\({kind}\), which is no category.*{remedy}"
    with pytest.raises(InputError, match=rf"Row 2, column 1 of X {words}"):
        table_from_input(X)
    frame = pd.DataFrame({"n": [1, 2, 3], "a": pd.Series(X[:, 1], dtype=object)})
    with pytest.raises(InputError, match=rf"Row 2, column 'a' \(position 1\) of X {words}"):
        table_from_input(frame)


def test_a_foreign_object_is_a_type_error_in_scikit_learns_words():
    X = np.full((3, 2), "a", dtype=object)
    X[1, 1] = {"foo": "bar"}
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        table_from_input(X)


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        (pl.DataFrame({"a": [None, DAY]}), "Row 1, .*2024.*make it text"),
        (pl.DataFrame({"a": [b"x"]}), "Row 0, .*b'x'.*decode"),
        (pl.DataFrame({"a": [[1]]}), "Row 0, .*"),
        (pa.table({"a": [None, DAY]}), "Row 1, .*2024.*make it text"),
        (pa.table({"a": pa.array([None, DAY]).dictionary_encode()}), "Row 1, .*make it text"),
        (pd.DataFrame({"a": [pd.NaT, pd.Timestamp(DAY)]}), "Row 1, .*2024.*make it text"),
        (pd.DataFrame({"a": pd.Categorical([pd.Timestamp(DAY)])}), "Category 0, .*make it text"),
        (pd.DataFrame({"a": pd.cut([1, 5], [0, 3, 9])}), "Category 0, .*Interval.*make it text"),
        (pd.DataFrame({"a": pd.period_range("2024", periods=1)}), "Row 0, .*2024.*make it text"),
        (np.array([[b"x"]]), "Row 0, column 0 of X is b'x'.*decode"),
        (np.array([[DAY]], dtype="M8[D]"), "Row 0, column 0 of X is .*2024.*make it text"),
        (np.array([[1j]]), "Row 0, column 0 of X is 1j"),
    ],
)
def test_a_column_of_no_categories_is_an_error_naming_it(frame, found):
    with pytest.raises(InputError, match=found):
        table_from_input(frame, cat_features=[0])


def test_a_column_of_dates_without_any_is_all_missing():
    frame = pl.DataFrame({"a": pl.Series([None, None], dtype=pl.Date)})
    assert_array_equal(column_of(frame).row_hashes(), [0, 0])
