"""X, whatever holds it, becomes the same numbers."""

from __future__ import annotations

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
from tests.table.holders import ArrowStream, library_and_type

from ocelotboost.table import (
    DensePart,
    table_from_input,
)

D = decimal.Decimal
NAN = float("nan")


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
