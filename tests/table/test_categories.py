"""When two texts are the same category, and that it does not matter what holds them."""

from __future__ import annotations

import decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tests.table.category_holders import COLUMNS, HOLDERS, assert_holds, column_of, distinct

from ocelotboost.table import ZERO_KEY, canonical_text, table_from_input, text_hashes

D = decimal.Decimal
NAN = float("nan")


# ---- canonical texts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1", [1, 1.0, "1", np.str_("1"), np.int8(1), np.uint64(1), np.float16(1), np.longdouble(1),
               D("1"), D("1.00"), Fraction(1)]),
        ("-7", [-7, -7.0, "-7", np.int64(-7), D("-7.0")]),
        ("0", [0, 0.0, -0.0, np.float32(-0.0), D("-0.00"), D("0E+3"), "0"]),
        ("True", [True, np.True_, "True"]),
        ("False", [False, np.False_, "False"]),
        ("0.1", [0.1, np.float64(0.1), D("0.1"), D("0.1000"), Fraction(1, 10), "0.1"]),
        ("0.10000000149011612", [np.float32(0.1)]),
        ("1e-07", [1e-7, np.float64(1e-7)]),
        ("100", [D("1E+2"), 1e2]),
        ("10000000000000000000000", [1e22, 10**22, D(10**22)]),
        ("18446744073709551615", [np.uint64(2**64 - 1), 2**64 - 1]),
        ("inf", [float("inf"), np.float32("inf"), D("Infinity"), "inf"]),
        ("-inf", [-float("inf"), D("-Infinity")]),
        ("1.0", ["1.0"]),
        (" a\0", [" a\0"]),
        (None, [None, NAN, np.nan, np.float32("nan"), pd.NA, pd.NaT, D("NaN")]),
    ],
)  # fmt: skip
def test_values_of_one_text_are_one_category(text, values):
    assert [canonical_text(value) for value in values] == [text] * len(values)
    objects = np.empty((len(values), 1), dtype=object)
    objects[:, 0] = values
    assert_array_equal(column_of(objects).row_hashes(), text_hashes([text] * len(values), ZERO_KEY))
    assert_array_equal(column_of(pd.DataFrame(objects)).row_hashes(), column_of(objects).hashes)


def test_missing_is_hash_zero_and_no_text_is():
    assert text_hashes([None, "", "nan", "None"], ZERO_KEY)[0] == 0
    assert (text_hashes(["", "nan", "None", "0"], ZERO_KEY) != 0).all()


@given(st.lists(st.text(st.characters(), max_size=12) | st.none(), max_size=30))
def test_hashes_of_texts_do_not_depend_on_their_neighbours(texts):
    together = text_hashes(texts, ZERO_KEY)
    alone = [int(text_hashes([text], ZERO_KEY)[0]) for text in texts]
    assert together.tolist() == alone


def test_many_texts_are_hashed_a_stretch_at_a_time():
    texts = [None if i % 1000 == 3 else f"é{i}" if i > 40_000 else f"{i}" for i in range(50_000)]
    expected = np.array([text_hashes([text], ZERO_KEY)[0] for text in texts])
    assert_array_equal(text_hashes(texts, ZERO_KEY), expected)


# ---- all ways of holding the same texts --------------------------------------------------------


@pytest.mark.parametrize("holder", HOLDERS)
@settings(max_examples=25, deadline=None)
@given(values=COLUMNS)
def test_the_same_texts_come_out_of_every_holder(holder, values):
    if holder == "pandas_object" and not distinct(values):
        values = [*values, "a"]
    assert_holds(column_of(HOLDERS[holder](values)), values)


@pytest.mark.parametrize("holder", HOLDERS)
def test_text_is_categorical_by_itself_in_every_holder(holder):
    table = table_from_input(HOLDERS[holder](["a", None, "b", "a"]))
    assert list(table.categories) == [0]


def test_a_numpy_array_of_fixed_width_text():
    X = np.array([["a", "1"], ["é🐆", "22"]])
    table = table_from_input(X)
    assert_holds(table.categories[0], ["a", "é🐆"])
    assert_holds(table.categories[1], ["1", "22"])


# ---- columns -----------------------------------------------------------------------------------


@pytest.mark.parametrize("holder", ["numpy_object", "pandas_category", "arrow_dictionary"])
def test_take_chooses_rows_in_the_given_order_and_with_repeats(holder):
    column = column_of(HOLDERS[holder](["a", None, "b", "c"]))
    taken = column.take(np.array([2, 1, 2])).take(np.array([1, 0, 0], dtype=np.uint32))
    assert_holds(taken, [None, "b", "b"])


def test_dictionaries_are_used_as_they_are():
    texts = ["a", "b", "a", None, "a"]
    for frame in (
        HOLDERS["arrow_dictionary"](texts),
        HOLDERS["polars_enum"](texts),
        HOLDERS["pandas_category"](texts),
    ):
        column = column_of(frame)
        assert column.codes is not None
        assert len(column.hashes) <= 4  # a, b, missing, unused


def test_chunks_that_share_a_dictionary_share_its_hashes():
    array = pa.array(["a", "b", "c"] * 10).dictionary_encode()
    chunks = pa.chunked_array([array[i : i + 3] for i in range(0, 30, 3)])
    column = column_of(pa.table({"a": chunks}))
    assert len(column.hashes) == 4
    assert_holds(column, ["a", "b", "c"] * 10)


@pytest.mark.parametrize("entry_type", [pa.string(), pa.string_view(), pa.int64(), pa.float64()])
def test_a_few_rows_of_a_long_dictionary(entry_type):
    entries = pa.array([str(i) for i in range(300)]).cast(entry_type)
    for indices in ([7, None, 250, 7], [0], [None]):
        array = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), entries)
        texts = [None if i is None else str(i) for i in indices]
        assert_holds(column_of(pa.table({"a": array})), texts)
        categories = pd.Categorical.from_codes([-1 if i is None else i for i in indices], entries)
        assert_holds(column_of(pd.DataFrame({"a": categories})), texts)


def test_the_result_is_the_same_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    values = [f"value {i}" for i in rng.integers(0, 60_000, size=100_000)]
    columns = [
        column_of(HOLDERS[holder](values), n_threads=n_threads)
        for holder in ("polars_string", "arrow_string", "pandas_category")
        for n_threads in (1, 3)
    ]
    codes, places = columns[0].encode(1)
    for column in columns:
        for n_threads in (1, 2, 5):
            found_codes, found_places = column.encode(n_threads)
            assert_array_equal(found_codes, codes)
            assert_array_equal(found_places, places)
