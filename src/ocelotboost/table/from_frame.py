"""Data frames (pandas, polars, pyarrow, ...) -> Table, by way of narwhals: one part per column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ocelotboost.errors import InputError
from ocelotboost.table.arrow_check import check_arrow, damaged
from ocelotboost.table.cat_features import named_positions
from ocelotboost.table.category_series import category_series, is_category_series
from ocelotboost.table.columns import DensePart, Table
from ocelotboost.table.remedies import as_number, collected
from ocelotboost.table.shapes import empty, wrong_dimensions
from ocelotboost.table.time_series import check_series, series_kind, time_series
from ocelotboost.table.values import (
    FLOAT32,
    FloatArray,
    InputTypeError,
    Origin,
    Reading,
    capital,
    floats,
    shorten,
)

if TYPE_CHECKING:
    import narwhals as nw


def as_frame(X: Any, argument: str) -> nw.DataFrame[Any] | None:
    """X as a narwhals data frame; None when it is no frame at all."""
    if isinstance(X, list | tuple):
        return None
    import narwhals as nw

    try:
        known: Any = nw.from_native(X, pass_through=True, eager_only=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise _duplicate_names(X, argument, error) from error
    except UnicodeDecodeError as error:
        raise damaged(f"{argument}, whose column names are not text,", error) from error
    if isinstance(known, nw.DataFrame):
        return known
    if isinstance(known, nw.Series):
        raise wrong_dimensions(np.empty(len(known)), argument)
    if hasattr(X, "__arrow_c_stream__"):
        return as_frame(_read_arrow_stream(X, argument), argument)
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        library = type(X).__module__.split(".")[0]
        raise InputError(
            f"{argument} is a lazy frame ({library}.{type(X).__name__}), which holds no data yet: "
            f"pass {argument if argument.isidentifier() else 'X'}{collected(library)}."
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
            f"{argument} ({type(X).__name__}) offers an Arrow stream that is not a table: {error}"
        ) from error


def table_from_frame(frame: nw.DataFrame[Any], reading: Reading) -> Table:
    """A part for each numeric column, where the frame has it, and the categorical columns."""
    n_rows, n_columns = frame.shape
    if n_rows == 0 or n_columns == 0:
        raise empty(n_rows, n_columns, reading.argument)
    names = _names(frame.columns)
    reading.check_header(names, n_columns)
    named = named_positions(reading.cat_features, names, n_columns, reading.argument)
    parts, categories, times = [], {}, {}
    for position, column in enumerate(frame.iter_columns()):
        origin = _origin(column, position, reading.argument)
        check_arrow(column.to_native(), origin.whole())
        if position in named or (reading.detects(position) and is_category_series(column)):
            categories[position] = category_series(
                column, origin, reading.hash_key, reading.n_threads
            )
            continue
        found = series_kind(column)
        wanted = reading.wants_time(position, found)
        check_series(column, found, wanted, origin)
        if wanted is None:
            values = _column_values(column, origin)
        else:
            values, times[position] = time_series(column, found, wanted, origin)
        parts.append(DensePart(position, values[:, np.newaxis]))
    return Table(n_rows, n_columns, names, tuple(parts), categories, reading.hash_key, times=times)


def _origin(column: nw.Series[Any], position: int, argument: str) -> Origin:
    described = f"column {column.name!r} (position {position})"
    library = "pandas" if column.implementation.is_pandas_like() else str(column.implementation)
    return Origin(argument, described, library=library.split(".")[-1].lower(), name=column.name)


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
            f"input has {types} as feature name / column name types ({names[0]!r} and "
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


def _column_values(column: nw.Series[Any], origin: Origin) -> FloatArray:
    """One column of a frame as floats (n_rows,); null becomes NaN."""
    import narwhals as nw

    dtype = column.dtype
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

    check_arrow(column.to_native(), origin.whole(), contents=True)
    present = column.drop_nulls()
    example = f" (for example {shorten(present[0])})" if len(present) else ""
    what = capital(origin.whole())
    if column.dtype in (nw.String, nw.Categorical, nw.Enum):
        kind = "text" if column.dtype == nw.String else "categories"
        return InputError(f"{what} holds {kind}{example}: {origin.remedy}.")
    remedy = as_number("other", origin.library, origin.code())
    return InputError(f"{what} has the type {column.dtype}{example}: {remedy}.")
