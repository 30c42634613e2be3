"""A few rows of a pandas or polars frame -> Table, in microseconds.

Whoever asks for the prediction of one row waits for it. The usual way (from_frame.py) looks at one
column after the other by way of narwhals, which costs up to 0.1 ms each. Here numbers are taken
together, and categories as Python values, of which there are few.

Only for columns of the commonest types, and for tables whose categorical columns are known
beforehand. All else, and all that is wrong, is left to the usual way: its result is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.arrow_check import is_arrow_dtype
from ocelotboost.table.cat_features import named_positions
from ocelotboost.table.categories import CategoryColumn, Rows, canonical_text, text_hashes
from ocelotboost.table.columns import DensePart, Table
from ocelotboost.table.values import (
    FLOAT64,
    FloatArray,
    HashKey,
    Origin,
    Reading,
    floats,
    is_missing,
)

FEW_ROWS = 32
PLAIN_TYPES = (str, int, float, bool, type(None))
POLARS_NUMBERS = {
    *("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"),
    *("Float32", "Float64"),
}
POLARS_CATEGORIES = {*POLARS_NUMBERS, "String", "Categorical", "Enum", "Boolean"}


def table_from_few_rows(X: Any, reading: Reading) -> Table | None:
    """The table, or None where the usual way has to be taken."""
    library = type(X).__module__.partition(".")[0]
    if reading.detect or reading.times or library not in ("pandas", "polars"):
        return None
    if type(X) is not getattr(sys.modules[library], "DataFrame", None):
        return None
    n_rows, n_columns = X.shape
    if not (0 < n_rows <= FEW_ROWS and n_columns > 0):
        return None
    names = tuple(X.columns if library == "polars" else X.columns.tolist())
    if set(map(type, names)) != {str} or len(set(names)) < n_columns:
        return None
    reading.check_header(names, n_columns)
    named = named_positions(reading.cat_features, names, n_columns, reading.argument)
    read = _read_pandas if library == "pandas" else _read_polars
    numbers_and_values = read(X, names, sorted(named))
    if numbers_and_values is None:
        return None
    numbers, values = numbers_and_values
    categories = _categories(values, n_rows, reading.hash_key)
    if categories is None:
        return None
    parts = tuple(_parts(floats(numbers, Origin(reading.argument)), n_columns, named))
    by_position = dict(zip(sorted(named), categories, strict=True))
    return Table(n_rows, n_columns, names, parts, by_position, reading.hash_key)


# ---- numbers --------------------------------------------------------------------------------


def _parts(
    numbers: FloatArray, n_columns: int, categorical: Collection[int]
) -> Iterator[DensePart]:
    """Numbers (n_rows, n_numeric) as parts, one for each stretch between categorical columns."""
    first = taken = 0
    for end in [*sorted(categorical), n_columns]:
        if first < end:
            yield DensePart(first, numbers[:, taken : taken + end - first])
            taken += end - first
        first = end + 1


# ---- categories -----------------------------------------------------------------------------


def _categories(
    columns: Sequence[Sequence[Any]], n_rows: int, key: HashKey
) -> list[CategoryColumn] | None:
    """Python values of each column as categories, hashed together; None if one is no category."""
    texts: list[str | None] = []
    for column in columns:
        for value in column:
            if type(value) is not str:
                if type(value) not in PLAIN_TYPES and not is_missing(value):
                    return None
                value = canonical_text(value)
            texts.append(value)
    hashes = text_hashes(texts, key)
    return [
        _category_column(hashes[begin : begin + n_rows], texts[begin : begin + n_rows])
        for begin in range(0, len(texts), n_rows)
    ]


def _category_column(hashes: NDArray[np.uint64], own: Sequence[str | None]) -> CategoryColumn:
    def texts(rows: Rows) -> list[str | None]:
        return [own[int(row)] for row in rows]

    return CategoryColumn(hashes, None, texts)


# ---- libraries ------------------------------------------------------------------------------
# Each returns the numbers, (n_rows, n_numeric), and the values of each categorical column.


def _read_pandas(
    X: Any, names: Sequence[str], categorical: Sequence[int]
) -> tuple[NDArray[Any], list[Sequence[Any]]] | None:
    dtypes = X.dtypes.tolist()
    if not all(_is_number_dtype(dtype) for dtype in set(_without(dtypes, categorical))):
        return None
    values = []
    for position in categorical:
        of_column = _pandas_values(X[names[position]], dtypes[position])
        if of_column is None:
            return None
        values.append(of_column)
    if not categorical:
        return X.to_numpy(), values
    numeric = _without(range(len(names)), categorical)
    numbers = X.take(numeric, axis=1).to_numpy() if numeric else np.empty((len(X), 0))
    return numbers, values


def _is_number_dtype(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "fiu"


def _pandas_values(series: Any, dtype: Any) -> Sequence[Any] | None:
    """The values of a column of text, categories, objects, or NumPy's numbers and booleans."""
    if isinstance(dtype, np.dtype):
        return list(series.tolist()) if dtype.kind in "fiubO" else None
    kind = type(dtype).__name__
    if kind == "StringDtype" and not is_arrow_dtype(dtype):
        return list(series.tolist())
    if kind == "StringDtype":
        return _arrow_values(series.array.__arrow_array__())
    if kind != "CategoricalDtype":
        return None
    codes, entries = series.array.codes.tolist(), series.array.categories
    if not is_arrow_dtype(entries.dtype):
        return [entries[code] if code >= 0 else None for code in codes]
    # One entry at a time: there may be many more of them than rows.
    arrow = entries.array.__arrow_array__()
    each = [_arrow_values(arrow.slice(code, 1)) if code >= 0 else [None] for code in codes]
    return None if None in each else [value for one in each if one for value in one]


def _arrow_values(array: Any) -> list[Any] | None:
    """None when the array is damaged; the usual way says so."""
    try:
        array.validate(full=True)
        return list(array.to_pylist())
    except ValueError:
        return None


def _read_polars(
    X: Any, names: Sequence[str], categorical: Sequence[int]
) -> tuple[NDArray[Any], list[Sequence[Any]]] | None:
    kinds = [str(dtype.base_type()) for dtype in X.dtypes]
    if not POLARS_NUMBERS.issuperset(_without(kinds, categorical)):
        return None
    if not categorical:
        return X.to_numpy(), []
    if not POLARS_CATEGORIES.issuperset(kinds):
        return None
    columns = list(zip(*X.rows(), strict=True))
    numeric = _without(columns, categorical)
    # A null becomes None, and None becomes NaN.
    numbers = np.array(numeric, dtype=FLOAT64).reshape(len(numeric), len(X)).T
    return numbers, [columns[position] for position in categorical]


def _without(items: Iterable[Any], positions: Collection[int]) -> list[Any]:
    left_out = set(positions)
    return [item for position, item in enumerate(items) if position not in left_out]
