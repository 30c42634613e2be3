"""Every way of holding the same texts, and what a column of categories must then say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ocelotboost.table import ZERO_KEY, CategoryColumn, table_from_input, text_hashes


def column_of(frame, **options) -> CategoryColumn:
    table = table_from_input(frame, cat_features=[0], **options)
    assert not table.parts
    return table.categories[0]


def assert_holds(column, texts):
    """The column's categories are these texts, whichever way one asks."""
    assert_array_equal(column.row_hashes(), text_hashes(texts, ZERO_KEY))
    assert column.row_hashes().dtype == np.uint64
    assert column.n_rows == len(texts)
    assert column.texts(np.arange(len(texts))) == texts
    codes, values = column.encode(2)
    assert codes.dtype == np.uint32
    assert_array_equal(values, np.unique(text_hashes(texts, ZERO_KEY)))
    assert_array_equal(values[codes], column.row_hashes())


def frames(dtype):
    return lambda values: pd.DataFrame({"a": pd.Series(values, dtype=dtype)})


def matrix(values):
    objects = np.empty((len(values), 1), dtype=object)
    objects[:, 0] = values
    return objects


def distinct(values):
    return list(dict.fromkeys(value for value in values if value is not None))


def arrow(dtype):
    return lambda values: pa.table({"a": pa.array(values, dtype)})


def arrow_slice(values):
    """Offsets and validity that do not begin at the beginning."""
    return pa.table({"a": pa.array(["x", None, "yy", *values, "z"])[3:-1]})


def arrow_chunks(make):
    def hold(values):
        cut = len(values) // 3
        pieces = [make(values[:cut]), make([]), make(values[cut:])]
        return pa.table({"a": pa.chunked_array(pieces)})

    return hold


def odd_dictionary(values):
    """Entries that no row uses, that are there twice, and that are null; a slice of it."""
    entries = ["unused", None, *distinct(values), *distinct(values)]
    places = {text: place for place, text in enumerate(entries)}  # the second of the two
    indices = [None if i % 2 and v is None else places[v] for i, v in enumerate(values)]
    indices = pa.array([0, None, 1, *indices], pa.int16())
    return pa.table({"a": pa.DictionaryArray.from_arrays(indices, pa.array(entries))[3:]})


HOLDERS = {
    "list": lambda values: [[value] for value in values],
    "numpy_object": matrix,
    "numpy_T": lambda values: matrix(values).astype(np.dtypes.StringDType(na_object=None)),
    "numpy_masked": lambda values: np.ma.array(
        matrix([value or "" for value in values]).astype(np.dtypes.StringDType()),
        mask=[[value is None] for value in values],
    ),
    "pandas_object": frames(object),
    "pandas_str": frames("str"),
    "pandas_python": frames("string[python]"),
    "pandas_pyarrow": frames("string[pyarrow]"),
    "pandas_arrow": frames(pd.ArrowDtype(pa.large_string())),
    "pandas_category": frames("category"),
    "pandas_unused": lambda values: pd.DataFrame(
        {"a": pd.Categorical(values, categories=["unused", *distinct(values)])}
    ),
    "pandas_dictionary": frames(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "polars_string": lambda values: pl.DataFrame({"a": pl.Series(values, dtype=pl.String)}),
    "polars_categorical": lambda values: pl.DataFrame(
        {"a": pl.Series(values, dtype=pl.Categorical)}
    ),
    "polars_enum": lambda values: pl.DataFrame(
        {"a": pl.Series(values, dtype=pl.Enum(["unused", *distinct(values)]))}
    ),
    "polars_slice": lambda values: pl.DataFrame(
        {"a": pl.Series(["x", None, *values, "z"], dtype=pl.String)[2:-1]}
    ),
    "polars_chunks": lambda values: pl.concat(
        [pl.DataFrame({"a": pl.Series([v], dtype=pl.String)}) for v in values], rechunk=False
    ),
    "polars_object": lambda values: pl.DataFrame({"a": pl.Series(values, dtype=pl.Object)}),
    "arrow_string": arrow(pa.string()),
    "arrow_large": arrow(pa.large_string()),
    "arrow_view": arrow(pa.string_view()),
    "arrow_dictionary": arrow(pa.dictionary(pa.int8(), pa.string())),
    "arrow_dictionary_of_views": lambda values: pa.table(
        {"a": pa.DictionaryArray.from_arrays(
            pa.array([None if v is None else distinct(values).index(v) for v in values],
                     pa.uint64()),
            pa.array(distinct(values), pa.string_view()))}
    ),
    "arrow_slice": arrow_slice,
    "arrow_chunks": arrow_chunks(lambda values: pa.array(values, pa.string())),
    "arrow_dictionary_chunks": arrow_chunks(
        lambda values: pa.array(values, pa.string()).dictionary_encode()
    ),
    "arrow_odd_dictionary": odd_dictionary,
}  # fmt: skip

TEXTS = st.text(max_size=20) | st.sampled_from(
    [
        "",
        "\0",
        "a\0",
        "nan",
        "🐆" * 5,
        "twelve bytes",
        "thirteen byte",
        "long enough to be elsewhere",
    ]
)
COLUMNS = st.lists(st.none() | TEXTS, min_size=1, max_size=15)
