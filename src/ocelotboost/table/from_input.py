"""X, whatever holds it -> Table.

    NumPy array                          one part, not copied when it is float32 or float64
    scipy.sparse, any format             sixteen columns per part
    pandas, polars, pyarrow, ...         one part per column, by way of narwhals
    a few rows of pandas or polars       numbers together, categories one by one (few_rows.py)
    anything with __arrow_c_stream__     the same, once pyarrow or polars has read the stream
    lists, anything with __array__       through NumPy

Categorical are the columns in cat_features, and by themselves: text, dictionaries (pandas category,
polars Categorical and Enum, Arrow dictionaries), booleans of a data frame, and columns of objects
with any text or boolean among them.

Dates, times of day and durations become numbers: datetime64, timedelta64, the types of data frames,
and columns of Python's objects (times.py). What a model derives from them comes after all columns.

No library is imported before an object of its kind is seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.table.cat_features import named_positions
from ocelotboost.table.categories import category_column
from ocelotboost.table.columns import (
    SPARSE_PART_WIDTH,
    ZERO_KEY,
    DensePart,
    SparsePart,
    Table,
)
from ocelotboost.table.derived import derive
from ocelotboost.table.few_rows import table_from_few_rows
from ocelotboost.table.formulas import Derivation
from ocelotboost.table.from_frame import as_frame, table_from_frame
from ocelotboost.table.shapes import empty, no_table, uneven_rows, wrong_dimensions
from ocelotboost.table.times import TimeColumn, array_kind, check_kind, read_array
from ocelotboost.table.values import (
    FLOAT32,
    FLOAT64,
    HashKey,
    Header,
    Origin,
    Reading,
    floats,
    has_text,
)


def table_from_input(
    X: Any,
    *,
    argument: str = "X",
    cat_features: Any = None,
    detect: bool = True,
    check: Callable[[Header], None] | None = None,
    hash_key: HashKey = ZERO_KEY,
    n_threads: int = 1,
    derivation: Derivation | None = None,
) -> Table:
    """Turn what a user has into a table of numbers and categories, copying as little as possible.

    argument      what error messages call X
    cat_features  names and positions of columns that are categorical whatever their type
    detect        also take the columns that are categorical by themselves; otherwise all columns
                  that are not in cat_features must be numbers
    check         called with the names and number of the columns before any of them is read: what
                  it raises comes first
    hash_key      categories are hashed under it: a model's own where the table is for a model
    n_threads     for hashing categories
    derivation    what a model knows of its columns: those that must hold dates, times of day or
                  durations, and columns to derive. None: columns tell what they hold, and none is
                  derived

    NaN, None and null are missing; ±inf are numbers.
    """
    times = None if derivation is None else derivation.times
    reading = Reading(argument, cat_features, detect, check, hash_key, n_threads, times)
    table = _read(X, reading)
    return derive(table, derivation.formulas) if derivation and derivation.formulas else table


def _read(X: Any, reading: Reading) -> Table:
    # Predicting one row should take microseconds, so what is most common comes first.
    if type(X) is np.ndarray:
        return _from_matrix(X, reading)
    if isinstance(X, np.ndarray):
        return _from_matrix(_plain_array(X, reading), reading)
    if is_sparse(X):
        return _from_sparse(X, reading)
    few = table_from_few_rows(X, reading)
    if few is not None:
        return few
    frame = as_frame(X, reading.argument)
    if frame is not None:
        return table_from_frame(frame, reading)
    return _from_matrix(_array_from_sequence(X, reading.argument), reading)


def is_sparse(X: object) -> bool:
    """Is it a scipy.sparse matrix or array? If so, somebody has imported scipy.sparse."""
    sparse: Any = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


# ---- arrays and lists -----------------------------------------------------------------------


def _from_matrix(X: NDArray[Any], reading: Reading) -> Table:
    if X.ndim != 2:
        raise wrong_dimensions(X, reading.argument)
    n_rows, n_columns = X.shape
    if n_rows == 0 or n_columns == 0:
        raise empty(n_rows, n_columns, reading.argument)
    reading.check_header(None, n_columns)
    categorical = named_positions(reading.cat_features, None, n_columns, reading.argument)
    if not categorical and not reading.times and (X.dtype == FLOAT64 or X.dtype == FLOAT32):
        values = X if X.flags.aligned else floats(X, Origin(reading.argument))
        return Table(n_rows, n_columns, None, (DensePart(0, values),), hash_key=reading.hash_key)
    if reading.detect and X.dtype.kind in "OUT":
        possible = filter(reading.detects, range(n_columns))
        categorical |= {column for column in possible if has_text(X[:, column])}
    parts, times = _times_of_matrix(X, categorical, reading)
    for first, end in _numeric_runs(n_columns, categorical | times.keys()):
        origin = Origin(reading.argument, n_columns=end - first, first_column=first)
        parts.append(DensePart(first, floats(X[:, first:end], origin)))
    parts.sort(key=lambda part: part.first)
    categories = {
        column: category_column(
            X[:, column],
            _origin_of(column, reading),
            reading.hash_key,
            reading.n_threads,
        )
        for column in sorted(categorical)
    }
    return Table(n_rows, n_columns, None, tuple(parts), categories, reading.hash_key, times=times)


def _times_of_matrix(
    X: NDArray[Any], categorical: Collection[int], reading: Reading
) -> tuple[list[DensePart], dict[int, TimeColumn]]:
    """The columns of dates, times of day and durations."""
    parts: list[DensePart] = []
    times: dict[int, TimeColumn] = {}
    if X.dtype.kind not in "MmO" and not reading.times:
        return parts, times
    for column in sorted(set(range(X.shape[1])) - set(categorical)):
        values, origin = X[:, column], _origin_of(column, reading)
        found = array_kind(values)
        wanted = reading.wants_time(column, found)
        check_kind(found, wanted, values, origin)
        if wanted is not None:
            numbers, times[column] = read_array(values, wanted, origin)
            parts.append(DensePart(column, numbers[:, np.newaxis]))
    return parts, times


def _origin_of(column: int, reading: Reading) -> Origin:
    return Origin(reading.argument, f"column {column}", first_column=column)


def _numeric_runs(n_columns: int, categorical: Collection[int]) -> Iterator[tuple[int, int]]:
    """First column and end of each stretch of columns between categorical ones."""
    first = 0
    for end in [*sorted(categorical), n_columns]:
        if first < end:
            yield first, end
        first = end + 1


def _plain_array(X: NDArray[Any], reading: Reading) -> NDArray[Any]:
    """A subclass of ndarray (memory map, np.matrix, masked array) as an ndarray."""
    if not isinstance(X, np.ma.MaskedArray):
        return np.asarray(X)
    if X.ndim != 2:
        raise wrong_dimensions(X, reading.argument)
    mask = np.ma.getmaskarray(X)
    if X.dtype.kind in "OUT" or reading.cat_features is not None:
        objects: NDArray[Any] = np.where(mask, np.array(None), X.data.astype(object))
        return objects
    values = floats(X.data, Origin(reading.argument, n_columns=X.shape[1]))
    return np.where(mask, np.array(np.nan, values.dtype), values)


def _array_from_sequence(X: Any, argument: str) -> NDArray[Any]:
    try:
        array = np.asarray(X)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{argument} cannot be read as a matrix{uneven_rows(X)}: {error}. "
            "Give every row the same number of values."
        ) from error
    if array.ndim == 0:
        raise no_table(X, argument)
    if array.dtype.kind in "US":
        # NumPy turned numbers mixed with text into text; look at what was really given.
        array = np.asarray(X, dtype=object)
    return array


# ---- sparse matrices ------------------------------------------------------------------------


def _from_sparse(X: Any, reading: Reading) -> Table:
    argument = reading.argument
    if X.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {X.ndim}D sparse array instead. Reshape your data: "
            f"{argument}.reshape(1, -1) if it is a single row."
        )
    n_rows, n_columns = X.shape
    if n_rows == 0 or n_columns == 0:
        raise empty(n_rows, n_columns, argument)
    reading.check_header(None, n_columns)
    for column in reading.times or ():
        check_kind(None, reading.wants_time(column, None), [0.0], _origin_of(column, reading))
    by_column = X.tocsc()
    if not by_column.has_canonical_format:
        by_column = by_column.copy()  # the user's own matrix stays as it is
        by_column.sum_duplicates()
    numbers = floats(by_column.data, Origin(argument, "the stored values"))
    starts, rows = by_column.indptr, by_column.indices
    categorical = named_positions(reading.cat_features, None, n_columns, argument)
    parts = tuple(
        SparsePart(first, min(SPARSE_PART_WIDTH, end - first), n_rows, starts, rows, numbers)
        for begin, end in _numeric_runs(n_columns, categorical)
        for first in range(begin, end, SPARSE_PART_WIDTH)
    )
    categories = {
        column: category_column(
            by_column[:, [column]].toarray()[:, 0],
            Origin(argument, f"column {column}"),
            reading.hash_key,
            reading.n_threads,
        )
        for column in sorted(categorical)
    }
    return Table(n_rows, n_columns, None, parts, categories, reading.hash_key)
