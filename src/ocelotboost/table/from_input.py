"""X, whatever holds it -> Table.

    NumPy array                          one part, not copied when it is float32 or float64
    scipy.sparse, any format             sixteen columns a part
    pandas, polars, pyarrow, ...         one part a column, by way of narwhals
    anything with __arrow_c_stream__     the same, once pyarrow or polars has read the stream
    lists, anything with __array__       through NumPy

No library is imported before an object of its kind is seen.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.table.columns import SPARSE_PART_WIDTH, DensePart, SparsePart, Table
from ocelotboost.table.values import (
    FLOAT32,
    FLOAT64,
    OTHER_REMEDY,
    TEXT_REMEDY,
    FloatArray,
    InputTypeError,
    Origin,
    capital,
    floats,
    not_numbers,
    shorten,
)

if TYPE_CHECKING:
    import narwhals as nw


def table_from_input(X: Any, *, argument: str = "X") -> Table:
    """Turn what a user has into a table of numbers, copying as little as possible.

    ``argument`` is what error messages call X. NaN, None and null are missing; ±inf are numbers.
    """
    # Predicting one row should take microseconds, so what is most common comes first.
    if type(X) is np.ndarray:
        return _from_matrix(X, argument)
    if isinstance(X, np.ndarray):
        return _from_matrix(_plain_array(X, argument), argument)
    if is_sparse(X):
        return _from_sparse(X, argument)
    frame = _as_frame(X, argument)
    if frame is not None:
        return _from_frame(frame, argument)
    return _from_matrix(_array_from_sequence(X, argument), argument)


def is_sparse(X: object) -> bool:
    """Is it a scipy.sparse matrix or array? If so, somebody has imported scipy.sparse."""
    sparse: Any = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


# ---- arrays and lists -----------------------------------------------------------------------


def _from_matrix(X: NDArray[Any], argument: str) -> Table:
    if X.ndim != 2:
        raise _wrong_dimensions(X, argument)
    n_rows, n_columns = X.shape
    if n_rows == 0 or n_columns == 0:
        raise _empty(n_rows, n_columns, argument)
    values = X
    if (X.dtype != FLOAT64 and X.dtype != FLOAT32) or not X.flags.aligned:
        values = floats(X, Origin(argument, n_columns=n_columns))
    return Table(n_rows, n_columns, None, (DensePart(0, values),))


def _plain_array(X: NDArray[Any], argument: str) -> NDArray[Any]:
    """A subclass of ndarray (memory map, np.matrix, masked array) as an ndarray."""
    if not isinstance(X, np.ma.MaskedArray):
        return np.asarray(X)
    if X.ndim != 2:
        raise _wrong_dimensions(X, argument)
    mask = np.ma.getmaskarray(X)
    data = np.where(mask, np.array(None), X.data) if X.dtype == object else X.data
    values = floats(data, Origin(argument, n_columns=X.shape[1]))
    return np.where(mask, np.array(np.nan, values.dtype), values)


def _array_from_sequence(X: Any, argument: str) -> NDArray[Any]:
    try:
        array = np.asarray(X)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{argument} cannot be read as a matrix{_uneven_rows(X)}: {error}. "
            "Give every row the same number of values."
        ) from error
    if array.ndim == 0:
        raise _no_table(X, argument)
    if array.dtype.kind in "US":
        # NumPy turned numbers beside text into text; look at what was really given.
        array = np.asarray(X, dtype=object)
    return array


def _uneven_rows(X: Any) -> str:
    """Which row of a list of lists differs from the first, if that is what is wrong."""
    try:
        lengths = [len(row) for row in X]
    except TypeError:
        return ""
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            return f" (row 0 has {lengths[0]} values, row {row} has {length})"
    return ""


def _wrong_dimensions(X: NDArray[Any], argument: str) -> InputError:
    if X.dtype.names is not None:
        return not_numbers(X, Origin(argument))
    remedy = (
        f"Reshape your data: {argument}.reshape(-1, 1) if it is a single column, "
        f"{argument}.reshape(1, -1) if it is a single row."
    )
    if X.ndim > 2:
        remedy = f"Reshape your data to rows and columns: {argument}.reshape(len({argument}), -1)."
    return InputError(
        f"Expected 2D array, got {X.ndim}D array instead ({argument} has shape {X.shape}). {remedy}"
    )


def _no_table(X: object, argument: str) -> InputError:
    remedy = "Pass a data frame, a NumPy array or a list of rows."
    if isinstance(X, str | PathLike):
        remedy = "To train on a file, read it first, for example with polars.read_csv."
    if isinstance(X, dict):
        remedy = "Make a data frame of it first, for example pandas.DataFrame(X)."
    return InputError(
        f"Expected 2D array, got scalar array instead ({argument} is {shorten(X)}, "
        f"a {type(X).__name__}). {remedy}"
    )


def _empty(n_rows: int, n_columns: int, argument: str) -> InputError:
    found = "0 sample(s)" if n_rows == 0 else "0 feature(s)"
    return InputError(
        f"Found array with {found} (shape=({n_rows}, {n_columns})) while a minimum of 1 is "
        f"required. Check how {argument} was selected: nothing is left of it."
    )


# ---- sparse matrices ------------------------------------------------------------------------


def _from_sparse(X: Any, argument: str) -> Table:
    if X.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {X.ndim}D sparse array instead. Reshape your data: "
            f"{argument}.reshape(1, -1) if it is a single row."
        )
    n_rows, n_columns = X.shape
    if n_rows == 0 or n_columns == 0:
        raise _empty(n_rows, n_columns, argument)
    by_column = X.tocsc()
    if not by_column.has_canonical_format:
        by_column = by_column.copy()  # the user's own matrix stays as it is
        by_column.sum_duplicates()
    numbers = floats(by_column.data, Origin(argument, "the stored values"))
    starts, rows = by_column.indptr, by_column.indices
    parts = tuple(
        SparsePart(first, min(SPARSE_PART_WIDTH, n_columns - first), n_rows, starts, rows, numbers)
        for first in range(0, n_columns, SPARSE_PART_WIDTH)
    )
    return Table(n_rows, n_columns, None, parts)


# ---- data frames ----------------------------------------------------------------------------


def _as_frame(X: Any, argument: str) -> nw.DataFrame[Any] | None:
    """X as a narwhals data frame; None when it is no frame at all."""
    if isinstance(X, list | tuple):
        return None
    import narwhals as nw

    try:
        known: Any = nw.from_native(X, pass_through=True, eager_only=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise _duplicate_names(X, argument, error) from error
    if isinstance(known, nw.DataFrame):
        return known
    if isinstance(known, nw.Series):
        raise _wrong_dimensions(np.empty(len(known)), argument)
    if hasattr(X, "__arrow_c_stream__"):
        return _as_frame(_read_arrow_stream(X, argument), argument)
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        raise InputError(
            f"{argument} is a lazy frame ({type(X).__module__.split('.')[0]}."
            f"{type(X).__name__}), which holds no data yet: call .collect() first."
        )
    return None


def _read_arrow_stream(X: Any, argument: str) -> Any:
    """The Arrow stream as a frame of whichever of pyarrow and polars is installed."""
    readers = {"pyarrow": "table", "polars": "DataFrame"}
    library = next((name for name in readers if find_spec(name) is not None), None)
    if library is None:
        raise InputError(
            f"{argument} ({type(X).__name__}) is an Arrow stream: install pyarrow or polars to "
            "read it."
        )
    try:
        return getattr(import_module(library), readers[library])(X)
    except Exception as error:
        raise InputError(
            f"{argument} ({type(X).__name__}) offers an Arrow stream that is no table: {error}"
        ) from error


def _from_frame(frame: nw.DataFrame[Any], argument: str) -> Table:
    n_rows, n_columns = frame.shape
    if n_rows == 0 or n_columns == 0:
        raise _empty(n_rows, n_columns, argument)
    names = _names(frame.columns)
    parts = tuple(
        DensePart(position, _column_values(column, position, argument)[:, np.newaxis])
        for position, column in enumerate(frame.iter_columns())
    )
    return Table(n_rows, n_columns, names, parts)


def _names(columns: Iterable[object]) -> tuple[str, ...] | None:
    """The names when all are strings, None when none is (pandas counts nameless columns)."""
    columns = tuple(columns)
    names = tuple(name for name in columns if isinstance(name, str))
    if len(names) == len(columns):
        return names
    if names:
        types = sorted({type(name).__qualname__ for name in columns})
        other = next(name for name in columns if not isinstance(name, str))
        raise InputTypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {types} as feature name / column name types ({names[0]!r} beside "
            f"{other!r}). Convert them, for example by X.columns = X.columns.astype(str)."
        )
    return None


def _duplicate_names(X: Any, argument: str, error: Exception) -> InputError:
    # The attributes of the type, because a pandas column may well be called "column_names".
    arrow = hasattr(type(X), "column_names")
    columns = list(X.column_names if arrow else getattr(X, "columns", []))
    name = next((name for name, count in Counter(columns).items() if count > 1), None)
    if name is None:
        return InputError(f"{argument} has a column name more than once: {error}")
    positions = ", ".join(str(i) for i, other in enumerate(columns) if other == name)
    return InputError(
        f"{argument} has the column name {name!r} more than once (positions {positions}): rename "
        "or drop all but one of these columns."
    )


def _column_values(column: nw.Series[Any], position: int, argument: str) -> FloatArray:
    """One column of a frame as floats (n_rows,); null becomes NaN."""
    import narwhals as nw

    name = f"column {column.name!r} (position {position})"
    origin, dtype = Origin(argument, name), column.dtype
    if dtype == nw.Boolean:
        return floats(column.cast(nw.Float32).to_numpy(), origin)
    if dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        return floats(column.cast(nw.Float64).to_numpy(), origin)
    if dtype.is_numeric() or dtype in (nw.Object, nw.Unknown):
        return floats(column.to_numpy(), origin)
    if dtype == nw.String and column.null_count() == len(column):
        return np.full(len(column), np.nan, dtype=FLOAT32)
    raise _no_numeric_column(column, origin)


def _no_numeric_column(column: nw.Series[Any], origin: Origin) -> InputError:
    import narwhals as nw

    present = column.drop_nulls()
    example = f" (for example {shorten(present[0])})" if len(present) else ""
    what = capital(origin.whole())
    if column.dtype in (nw.String, nw.Categorical, nw.Enum):
        kind = "text" if column.dtype == nw.String else "categories"
        return InputError(f"{what} holds {kind}{example}: {TEXT_REMEDY}.")
    return InputError(f"{what} has the type {column.dtype}{example}: {OTHER_REMEDY}.")
