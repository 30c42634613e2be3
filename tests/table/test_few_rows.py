"""A few rows are read by a quick way of their own, with the same result as many rows."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tests.table.test_damaged_arrow import with_offset

from ocelotboost import InputError, OcelotClassifier, OcelotError
from ocelotboost.table import few_rows, table_from_input
from ocelotboost.table.formulas import Derivation, TimeKind

TEXTS = st.none() | st.sampled_from(
    ["", "a", "1", "1.0", "nan", "é🐆", "a longer text than twelve"]
)
FLOATS = st.none() | st.floats(width=32) | st.sampled_from([1.0, -0.0, 0.1, 1e300, 2.0**63])
INTEGERS = st.integers(-128, 127)
BOOLEANS = st.booleans()
OBJECTS = st.sampled_from([
    "a", "", 1, 1.5, True, None, float("nan"), pd.NA, pd.NaT, np.float32(0.1), np.int8(3),
    np.bool_(True), np.str_("a"), Decimal("1.50"), 10**20, 10**400, b"a", [1],
    datetime.date(2024, 1, 1),
])  # fmt: skip
DATES = st.none() | st.just(datetime.datetime(2024, 1, 1))

PANDAS = {
    **dict.fromkeys(["float64", "float32", "Float64", "Float32", "Sparse[float64]"], FLOATS),
    "int8": INTEGERS.map(lambda number: number % 128),
    **dict.fromkeys(["int64", "uint8", "Int64", "UInt8", "category"], INTEGERS.map(abs)),
    **dict.fromkeys(["Int16", pd.ArrowDtype(pa.int32())], st.none() | INTEGERS),
    **dict.fromkeys(["bool", "boolean"], BOOLEANS),
    **dict.fromkeys([pd.BooleanDtype(), pd.ArrowDtype(pa.bool_())], st.none() | BOOLEANS),
    **dict.fromkeys(["str", "string[python]", "string[pyarrow]", "object"], TEXTS),
    pd.ArrowDtype(pa.string()): TEXTS,
    pd.CategoricalDtype(["a", "1", "é🐆", "unused"]): TEXTS,
    pd.CategoricalDtype([0.5, 1.0, 3]): FLOATS,
    pd.CategoricalDtype([True, False]): BOOLEANS,
    np.dtype("O"): OBJECTS,
    np.dtype("M8[ns]"): DATES,
}
POLARS = {
    **dict.fromkeys([pl.Float64, pl.Float32], FLOATS),
    **dict.fromkeys(
        [pl.Int8, pl.Int64, pl.UInt8, pl.UInt64, pl.Int128], st.none() | INTEGERS.map(abs)
    ),
    pl.Boolean: st.none() | BOOLEANS,
    **dict.fromkeys([pl.String, pl.Categorical], TEXTS),
    pl.Enum(["a", "1", "é🐆", "unused"]): st.sampled_from([None, "a", "1"]),
    pl.Decimal(10, 2): st.none() | INTEGERS.map(Decimal),
    pl.Object: OBJECTS,
    pl.Datetime: DATES,
    pl.Null: st.none(),
}


@st.composite
def frames(draw):
    """A frame of a few columns of any types, which of them are categorical, and which times."""
    library = draw(st.sampled_from(["pandas", "polars"]))
    kinds = PANDAS if library == "pandas" else POLARS
    n_rows = draw(st.integers(1, 3))
    columns = {}
    for position in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(list(kinds)))
        values = draw(st.lists(kinds[kind], min_size=n_rows, max_size=n_rows))
        if library == "pandas":
            columns[f"c{position}"] = pd.Series(values, dtype=kind)
        else:
            columns[f"c{position}"] = pl.Series(values, dtype=kind, strict=False)
    categorical = draw(st.lists(st.sampled_from(list(columns)), unique=True))
    kinds_of_times = st.sampled_from([TimeKind("date"), TimeKind("duration")])
    times = draw(st.dictionaries(st.integers(0, len(columns) - 1), kinds_of_times, max_size=2))
    known = Derivation({p: times[p] for p in sorted(times) if f"c{p}" not in categorical})
    derivation = draw(st.sampled_from([None, known]))
    return (pd if library == "pandas" else pl).DataFrame(columns), categorical, derivation


def read(frame, categorical, derivation=None, *, quickly):
    """The table, or the error."""
    with pytest.MonkeyPatch.context() as patch:
        if not quickly:
            patch.setattr(few_rows, "FEW_ROWS", 0)
        try:
            return table_from_input(
                frame, cat_features=categorical, detect=False, derivation=derivation
            )
        except OcelotError as error:
            return error


def assert_same(found, expected):
    if isinstance(expected, OcelotError):
        assert (type(found), str(found)) == (type(expected), str(expected))
        return
    assert (found.names, found.n_rows) == (expected.names, expected.n_rows)
    assert_array_equal(found.dense().astype(float), expected.dense().astype(float))
    numeric = [sum(part.width for part in table.parts) for table in (found, expected)]
    assert numeric[0] == numeric[1]
    assert list(found.categories) == list(expected.categories)
    assert found.derivation == expected.derivation
    rows = np.arange(expected.n_rows)
    for position, column in expected.categories.items():
        assert_array_equal(found.categories[position].row_hashes(), column.row_hashes())
        assert found.categories[position].texts(rows) == column.texts(rows)


@pytest.mark.filterwarnings("ignore")
@given(frames())
def test_the_table_or_the_error_is_that_of_the_usual_way(case):
    assert_same(read(*case, quickly=True), read(*case, quickly=False))


@pytest.mark.parametrize("library", [pd, pl])
def test_numbers_and_common_categories_are_read_quickly(library, monkeypatch):
    frame = library.DataFrame({"n": [1.5], "i": [3], "t": ["a"], "b": [True]})
    expected = read(frame, [2, 3], quickly=False)
    monkeypatch.setattr("ocelotboost.table.from_input.as_frame", None)
    assert_same(read(frame, [2, 3], quickly=True), expected)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]),
        pd.DataFrame([[1.0, 2.0]], columns=["a", 1]),
        pd.DataFrame([[1.0, 2.0]]),
        pd.DataFrame({"a": [], "b": []}),
        pd.DataFrame([[1.0, 2.0]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])),
        pl.DataFrame({"a": []}),
    ],
)
def test_odd_names_and_shapes_go_the_usual_way(frame):
    assert_same(read(frame, [], quickly=True), read(frame, [], quickly=False))


def test_one_row_is_predicted_as_among_many():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "number": rng.random(300), "whole": rng.integers(0, 9, size=300),
        "category": pd.Categorical(rng.choice(["a", "b", None], size=300)),
        "text": rng.choice(["x", "y", "zz"], size=300), "flag": rng.random(300) > 0.5,
    })  # fmt: skip
    y = (frame["number"] + (frame["text"] == "x") + frame["flag"] > 1.4).astype(int)
    model = OcelotClassifier(iterations=10).fit(frame, y)
    frame["text"] = frame["text"].where(frame.index % 7 > 0, "never seen")
    expected = model.predict_raw(frame)
    for row in range(0, 300, 5):
        one = frame.iloc[[row]]
        assert_array_equal(model.predict_raw(one), expected[[row]])
        assert_array_equal(model.predict_raw(pl.from_pandas(one)), expected[[row]])


def test_names_are_checked():
    frame = pd.DataFrame(np.random.default_rng(0).random((50, 2)), columns=["a", "b"])
    model = OcelotClassifier(iterations=2).fit(frame, np.arange(50) % 2)
    with pytest.raises(InputError, match="same order"):
        model.predict(frame[["b", "a"]].head(1))
    with pytest.raises(InputError, match="unseen at fit time"):
        model.predict(frame.rename(columns={"a": "c"}).head(1))


def test_damaged_texts_are_named_in_few_rows_too():
    column = with_offset(pa.large_string(), 4, 1)["town"]
    texts = pd.Series(pd.arrays.ArrowStringArray(column, dtype=pd.StringDtype("pyarrow")))
    model = OcelotClassifier(iterations=2).fit(pd.DataFrame({"town": ["a", "b"] * 6}), [0, 1] * 6)
    with pytest.raises(InputError, match=r"'town'.*damaged"):
        model.predict(pd.DataFrame({"town": texts}))
