"""X, whatever holds it, becomes the same numbers, or an error that names what is wrong."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import sys
from fractions import Fraction

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from sklearn.utils.estimator_checks import _generate_sparse_data, _NotAnArray

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.table import (
    DensePart,
    canonical_text,
    from_frame,
    table_from_input,
    text_hashes,
)

D = decimal.Decimal
NAN = float("nan")


class ArrowStream:
    """Something of an unknown library that speaks Arrow and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def columns_of(matrix):
    return {f"c{j}": matrix[:, j] for j in range(matrix.shape[1])}


HOLDERS = {
    "numpy": lambda m: m,
    "numpy_columns_first": np.asfortranarray,
    "numpy_object": lambda m: m.astype(object),
    "numpy_matrix": lambda m: m.view(np.matrix),
    "numpy_masked": np.ma.masked_invalid,
    "big_endian": lambda m: m.astype(m.dtype.newbyteorder(">")),
    "lists": lambda m: m.tolist(),
    "tuples": lambda m: tuple(tuple(row) for row in m.tolist()),
    "not_an_array": _NotAnArray,
    "pandas": pd.DataFrame,
    "pandas_named": lambda m: pd.DataFrame(columns_of(m)),
    "pandas_object": lambda m: pd.DataFrame(m).astype(object),
    "pandas_sparse": lambda m: pd.DataFrame(m).astype(pd.SparseDtype(m.dtype, 0.0)),
    "pandas_arrow": lambda m: pa.table(columns_of(m)).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas_nullable": lambda m: pd.DataFrame(m).astype(m.dtype.name.capitalize()),
    "polars": lambda m: pl.DataFrame(columns_of(m)),
    "polars_null": lambda m: pl.DataFrame(columns_of(m)).fill_nan(None),
    "polars_chunks": lambda m: pl.concat(
        [pl.DataFrame(columns_of(m))[:1], pl.DataFrame(columns_of(m))[1:]], rechunk=False
    ),
    "narwhals": lambda m: nw.from_native(pl.DataFrame(columns_of(m))),
    "pyarrow_table": lambda m: pa.table(columns_of(m)),
    "pyarrow_batch": lambda m: pa.record_batch(columns_of(m)),
    "pyarrow_reader": lambda m: pa.table(columns_of(m)).to_reader(),
    "pyarrow_chunks": lambda m: pa.concat_tables(
        [pa.table(columns_of(m)), pa.table(columns_of(m))]
    ).slice(0, len(m)),
    "arrow_stream": lambda m: ArrowStream(pa.table(columns_of(m))),
    "csr_matrix": scipy.sparse.csr_matrix,
    "csc_array": scipy.sparse.csc_array,
    "coo_array": scipy.sparse.coo_array,
    "lil_matrix": scipy.sparse.lil_matrix,
}
MASKS_INFINITY = {"numpy_masked"}

matrices = st.sampled_from([np.float32, np.float64]).flatmap(
    lambda dtype: hnp.arrays(
        dtype,
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
        elements=st.sampled_from([0.0, 1.0, -2.5, 2.0**-120, 2.0**120, np.inf, -np.inf, np.nan])
        | st.floats(-1e6, 1e6, width=32),
    )
)


@pytest.mark.parametrize("holder", HOLDERS)
@settings(max_examples=15, deadline=None)
@given(matrix=matrices)
def test_the_same_numbers_come_out_of_every_holder(holder, matrix):
    expected = np.where(np.isinf(matrix), NAN, matrix) if holder in MASKS_INFINITY else matrix
    table = table_from_input(HOLDERS[holder](matrix))
    assert (table.n_rows, table.n_columns) == matrix.shape
    assert_array_equal(table.dense(), expected)


@pytest.mark.parametrize("holder", HOLDERS)
def test_values_are_native_aligned_floats(holder):
    for part in table_from_input(HOLDERS[holder](np.eye(3, dtype=np.float32))).parts:
        values = part.values()
        assert values.dtype in (np.dtype(np.float32), np.dtype(np.float64))
        assert values.dtype.isnative
        assert values.flags.aligned


# ---- nothing is copied that need not be --------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "view",
    [
        lambda m: m,
        np.asfortranarray,
        lambda m: m[::2, 1::2],
        lambda m: m[::-1],
        lambda m: m.T,
        lambda m: np.broadcast_to(m[:1], m.shape),
    ],
)
def test_a_float_matrix_is_one_part_without_a_copy_whatever_its_strides(dtype, view):
    X = view(np.arange(24, dtype=dtype).reshape(4, 6))
    (part,) = table_from_input(X).parts
    assert isinstance(part, DensePart)
    assert part.values() is X


def test_a_read_only_memory_map_is_not_copied(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(3))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    (part,) = table_from_input(X).parts
    assert type(part.values()) is np.ndarray
    assert np.shares_memory(part.values(), X)


def test_float_columns_of_frames_are_not_copied():
    matrix = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    frames = {
        "pandas": pd.DataFrame(matrix, columns=list("abc"), copy=False),
        "polars": pl.DataFrame({"a": [1.0, 2.0]}),
        "pyarrow": pa.table({"a": [1.0, 2.0]}),
    }
    assert np.shares_memory(table_from_input(frames["pandas"]).parts[1].values(), matrix)
    polars_view = frames["polars"]["a"].to_numpy(allow_copy=False)
    assert np.shares_memory(table_from_input(frames["polars"]).parts[0].values(), polars_view)
    arrow_view = frames["pyarrow"]["a"].chunk(0).to_numpy(zero_copy_only=True)
    assert np.shares_memory(table_from_input(frames["pyarrow"]).parts[0].values(), arrow_view)


def test_a_frame_has_one_part_a_column():
    table = table_from_input(pl.DataFrame({"a": [1.0, 2.0], "b": [3, 4]}))
    assert [(part.first, part.width, part.values().shape) for part in table.parts] == [
        (0, 1, (2, 1)),
        (1, 1, (2, 1)),
    ]


def test_an_array_needs_no_data_frame_library():
    # scikit-learn may have loaded some of them already.
    code = (
        "import sys, numpy; from ocelotboost.table import table_from_input;"
        "known = set(sys.modules);"
        "table_from_input(numpy.eye(2)); table_from_input([[1.0]]); new = set(sys.modules) - known;"
        "print([m for m in ('pandas', 'polars', 'pyarrow') if m in new])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


# ---- dtypes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        *((d, np.float32) for d in (bool, "i1", "i2", "u1", "u2", "f2", ">f4", ">i2")),
        *((d, np.float64) for d in ("i4", "u4", "i8", "u8", "g", ">f8", ">i8")),
    ],
)
def test_other_numbers_become_float32_when_that_is_exact(dtype, expected):
    X = np.array([[0, 1], [1, 1]]).astype(dtype)
    values = table_from_input(X).parts[0].values()
    assert values.dtype == expected
    assert_array_equal(values, [[0, 1], [1, 1]])


def test_an_unaligned_array_is_copied_to_an_aligned_one():
    packed = np.zeros(3, dtype=[("flag", "i1"), ("x", "<f8", (2,))])
    packed["x"] = [[1, 2], [3, 4], [5, 6]]
    assert not packed["x"].flags.aligned
    values = table_from_input(packed["x"]).parts[0].values()
    assert values.flags.aligned
    assert_array_equal(values, [[1, 2], [3, 4], [5, 6]])


def test_masked_elements_are_missing():
    X = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    assert_array_equal(table_from_input(X).dense(), [[1, NAN], [3, 4]])
    X = np.ma.array([[1, "junk"], [3, 4]], mask=[[0, 1], [0, 0]], dtype=object)
    assert_array_equal(table_from_input(X).dense(), [[1, NAN], [3, 4]])


BOOLEANS = [
    pd.array([True, None, False], dtype="boolean"),
    pd.array([True, None, False], dtype="bool[pyarrow]"),
    pd.Series([True, None, np.False_], dtype=object),
    pl.Series([True, None, False]),
    pa.array([True, None, False]),
]
NULLABLE = [
    pd.array([1, None, 0], dtype="Int64"),
    pd.array([1, None, 0], dtype="UInt8"),
    pd.array([1, None, 0], dtype="Float32"),
    pd.array([1, None, 0], dtype="int64[pyarrow]"),
    pd.array([1, None, 0], dtype="uint8[pyarrow]"),
    pd.array([1, None, 0], dtype="double[pyarrow]"),
    pd.array([D(1), None, D(0)], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
    pd.Series([1, pd.NA, 0], dtype=object),
    pd.Series([1, None, 0.0], dtype=object),
    pd.Series([D(1), None, D(0)], dtype=object),
    pd.arrays.SparseArray([1.0, NAN, 0.0]),
    pl.Series([1, None, 0]),
    pl.Series([1, None, 0], dtype=pl.UInt8),
    pl.Series([1, None, 0], dtype=pl.Int128),
    pl.Series([1.0, None, 0.0], dtype=pl.Float32),
    pl.Series([D(1), None, D(0)]),
    pl.Series([D(1), None, D(0)], dtype=pl.Object),
    pa.array([1, None, 0]),
    pa.array([1, None, 0], pa.uint8()),
    pa.array([1, None, 0], pa.float32()),
    pa.array([D(1), None, D(0)]),
    pa.array([D(1), None, D(0)], pa.decimal256(50, 3)),
    pa.array(np.array([1, NAN, 0], np.float16)),
]


def library_and_type(column):
    """A name for a test; a repr may hold an address, which is another in every process."""
    dtype = getattr(column, "dtype", None) or getattr(column, "type", None)
    return f"{type(column).__module__.split('.')[0]} {dtype}"


@pytest.mark.parametrize("column", [*NULLABLE, *BOOLEANS], ids=library_and_type)
def test_null_is_missing_for_every_numeric_column_type(column):
    library = {"polars": pl.DataFrame, "pyarrow": pa.table}
    frame = library.get(type(column).__module__.split(".")[0], pd.DataFrame)({"a": column})
    assert_array_equal(table_from_input(frame, detect=False).dense(), [[1], [NAN], [0]])


NO_VALUES = {
    "object": pd.DataFrame({"a": [None, None]}, dtype=object),
    "polars": pl.DataFrame({"a": [None, None]}),
    "pyarrow": pa.table({"a": pa.nulls(2)}),
    "str": pd.DataFrame({"a": [None, None]}, dtype="str"),
    "polars_string": pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)}),
    "pyarrow_string": pa.table({"a": pa.nulls(2, pa.string())}),
}


@pytest.mark.parametrize("holder", NO_VALUES)
def test_a_column_without_any_value_is_all_missing(holder):
    table = table_from_input(NO_VALUES[holder])
    assert_array_equal(table.dense(), [[NAN], [NAN]])
    assert list(table.categories) == ([0] if holder.endswith("str") or "string" in holder else [])
    if table.categories:
        assert_array_equal(table.categories[0].row_hashes(), [0, 0])
    numeric = table_from_input(NO_VALUES[holder], detect=False)
    assert len(numeric.parts) == 1
    assert_array_equal(numeric.dense(), [[NAN], [NAN]])


def test_integers_beyond_2_to_the_53_are_rounded_to_the_nearest_float64():
    big = [2**60 + 1, 3]
    for frame in (pd.DataFrame({"a": big}), pl.DataFrame({"a": big}), pa.table({"a": big})):
        assert_array_equal(table_from_input(frame).dense(), [[2.0**60], [3.0]])


def test_numbers_in_an_object_array_are_converted():
    X = np.array([[1, None], [Fraction(1, 2), D("2.5")], [np.float32(3), True], [pd.NA, -0.0]])
    assert X.dtype == object
    expected = [[1, NAN], [0.5, 2.5], [3, 1], [NAN, 0]]
    assert_array_equal(table_from_input(X, detect=False).dense(), expected)


# ---- sparse ----------------------------------------------------------------------------------


def test_every_sparse_format_and_index_width_is_accepted():
    dense = np.random.default_rng(0).uniform(size=(40, 3))
    dense[dense < 0.6] = 0
    for container in (scipy.sparse.csr_matrix, scipy.sparse.csr_array):
        for _, X in _generate_sparse_data(container(dense)):
            assert_array_equal(table_from_input(X).dense(), dense)


def test_what_a_sparse_matrix_does_not_store_is_zero_and_a_stored_nan_is_missing():
    X = scipy.sparse.csr_array(([NAN, 0.0, 2.0], ([0, 1, 2], [1, 1, 0])), shape=(3, 2))
    assert_array_equal(table_from_input(X).dense(), [[0, NAN], [0, 0], [2, 0]])


def test_repeated_sparse_entries_are_added_and_the_users_matrix_is_left_alone():
    X = scipy.sparse.csc_array(([1.0, 2.0, 4.0], [0, 0, 1], [0, 3]), shape=(2, 1))
    assert_array_equal(table_from_input(X).dense(), [[3], [4]])
    assert X.nnz == 3


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32])
def test_sparse_numbers_are_cast_like_dense_ones(dtype):
    X = scipy.sparse.csr_array(np.array([[0, 1], [1, 0]], dtype=dtype))
    expected = np.float64 if dtype is np.int64 else np.float32
    assert table_from_input(X).parts[0].values().dtype == expected


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
    with pytest.raises(InputError, match=r"\['int', 'str'\].*'age' beside 7"):
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
    with pytest.raises(InputError, match="Arrow stream that is no table"):
        table_from_input(ArrowStream(pa.chunked_array([[1, 2]])))


def test_polars_reads_an_arrow_stream_where_pyarrow_is_missing(monkeypatch):
    installed = {"polars": True}
    monkeypatch.setattr(from_frame, "find_spec", installed.get)
    stream = ArrowStream(pl.DataFrame({"a": [1, None]}))
    assert_array_equal(table_from_input(stream).dense(), [[1], [NAN]])
    installed.clear()
    with pytest.raises(InputError, match="install pyarrow or polars"):
        table_from_input(stream)


# ---- which columns are categorical -----------------------------------------------------------

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
    assert_array_equal(named.categories[3].row_hashes(), text_hashes(["75001", "75002", "184"]))


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
    assert_array_equal(table.categories[3].row_hashes(), text_hashes(texts))
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
    assert_array_equal(table.categories[17].row_hashes(), text_hashes(texts))


def test_masked_elements_of_a_categorical_column_are_missing():
    X = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    table = table_from_input(X, cat_features=[1])
    assert_array_equal(table.categories[1].row_hashes(), text_hashes([None, "4"]))
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
        (["zap"], "name 'zap', which is no column of X. Did you mean 'zip'?"),
        (["CITY"], "name 'CITY', which is no column of X. Did you mean 'city'?"),
        (["temperature"], "name 'temperature', which is no column of X."),
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


# ---- what is no number -----------------------------------------------------------------------

TEXT = "pass numbers, because the model was trained with numbers there"
OTHER = "convert it to a number"
DAY = datetime.datetime(2024, 5, 17)
NO_NUMBERS = [
    (pd.Series([None, "Paris"]), "text .*'Paris'", TEXT),
    (pd.Series([None, "Paris"], dtype=object), "text .*'Paris'", TEXT),
    (pd.Series(["Paris"], dtype="category"), "categories .*'Paris'", TEXT),
    (pd.Series([3], dtype="category"), "categories .*3", TEXT),
    (pd.Series([DAY]), "Datetime.*2024", OTHER),
    (pd.Series([DAY - DAY]), "Duration.*", OTHER),
    (pl.Series([None, "Paris"]), "text .*'Paris'", TEXT),
    (pl.Series(["Paris"], dtype=pl.Categorical), "categories .*'Paris'", TEXT),
    (pl.Series(["Paris"], dtype=pl.Enum(["Paris"])), "categories .*'Paris'", TEXT),
    (pl.Series([DAY]), "Datetime.*2024", OTHER),
    (pl.Series([DAY.date()]), "Date.*2024", OTHER),
    (pl.Series([DAY.time()]), "Time.*", OTHER),
    (pl.Series([[1, 2]]), "List.*", OTHER),
    (pl.Series([{"a": 1}]), "Struct.*", OTHER),
    (pl.Series([b"x"]), "Binary.*b'x'", OTHER),
    (pa.array(["Paris"]), "text .*'Paris'", TEXT),
    (pa.array(["Paris"]).dictionary_encode(), "categories .*'Paris'", TEXT),
    (pa.array([DAY]), "Datetime.*2024", OTHER),
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
        table_from_input(frame, detect=False)


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
        table_from_input(X, detect=False)
