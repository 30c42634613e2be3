"""When two values are the same category, and that it does not matter what holds them."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ocelotboost.errors import InputError
from ocelotboost.table import CategoryColumn, canonical_text, table_from_input, text_hashes

D = decimal.Decimal
NAN = float("nan")


def column_of(frame, **options) -> CategoryColumn:
    table = table_from_input(frame, cat_features=[0], **options)
    assert not table.parts
    return table.categories[0]


def assert_holds(column, texts):
    """The column's categories are these texts, whichever way one asks."""
    assert_array_equal(column.row_hashes(), text_hashes(texts))
    assert column.row_hashes().dtype == np.uint64
    assert column.n_rows == len(texts)
    assert column.texts(np.arange(len(texts))) == texts
    codes, values = column.encode(2)
    assert codes.dtype == np.uint32
    assert_array_equal(values, np.unique(text_hashes(texts)))
    assert_array_equal(values[codes], column.row_hashes())


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
    assert_array_equal(column_of(objects).row_hashes(), text_hashes([text] * len(values)))
    assert_array_equal(column_of(pd.DataFrame(objects)).row_hashes(), column_of(objects).hashes)


def test_missing_is_hash_zero_and_no_text_is():
    assert text_hashes([None, "", "nan", "None"])[0] == 0
    assert (text_hashes(["", "nan", "None", "0"]) != 0).all()


@given(st.lists(st.text(st.characters(), max_size=12) | st.none(), max_size=30))
def test_hashes_of_texts_do_not_depend_on_their_neighbours(texts):
    together = text_hashes(texts)
    alone = [int(text_hashes([text])[0]) for text in texts]
    assert together.tolist() == alone


def test_many_texts_are_hashed_a_stretch_at_a_time():
    texts = [None if i % 1000 == 3 else f"é{i}" if i > 40_000 else f"{i}" for i in range(50_000)]
    expected = np.array([text_hashes([text])[0] for text in texts])
    assert_array_equal(text_hashes(texts), expected)


# ---- all ways of holding the same texts --------------------------------------------------------


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


# ---- all ways of holding the same numbers ------------------------------------------------------

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


# ---- what is no category -----------------------------------------------------------------------

DAY = datetime.date(2024, 5, 17)


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        (b"x", "decode it to text"),
        (DAY, "make it text"),
        (pd.Timestamp(DAY), "make it text"),
        (np.datetime64(DAY), "make it text"),
        (np.timedelta64(3, "s"), "or drop its row or column"),
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


# ---- libraries that are not there --------------------------------------------------------------

WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {absent!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import {present} as library
from ocelotboost.table import table_from_input, text_hashes
X = {make}
table = table_from_input(X)
for position, column in table.categories.items():
    assert column.row_hashes().tolist() == text_hashes(["a", None, "long enough text"]).tolist()
    assert column.texts([2, 1]) == ["long enough text", None]
print(sorted(table.categories))
"""
VALUES = '["a", None, "long enough text"]'


@pytest.mark.parametrize(
    ("present", "absent", "make"),
    [
        ("polars", ["pyarrow", "pandas"],
         f"library.DataFrame({{'a': {VALUES}, 'b': library.Series({VALUES},"
         f" dtype=library.Categorical)}})"),
        ("pyarrow", ["polars", "pandas"],
         f"library.table({{'a': {VALUES}, 'b': library.array({VALUES}).dictionary_encode()}})"),
        ("pandas", ["polars", "pyarrow"],
         f"library.DataFrame({{'a': {VALUES}, 'b': library.Categorical({VALUES})}})"),
    ],
    ids=["polars", "pyarrow", "pandas"],
)  # fmt: skip
def test_one_library_needs_no_other(present, absent, make):
    code = WITHOUT.format(present=present, absent=absent, make=make)
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "[0, 1]"
