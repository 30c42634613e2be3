"""A column of a data frame -> CategoryColumn.

pandas keeps most of its columns in NumPy arrays and its categories next to their codes; all else
comes as Arrow buffers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ocelotboost.table.arrow import ArrowDataError, ArrowTypeError, arrow_hashes
from ocelotboost.table.arrow_check import check_arrow, damaged, is_arrow_dtype
from ocelotboost.table.categories import (
    MISSING_HASH,
    CategoryColumn,
    Codes,
    Hashes,
    Rows,
    canonical_text,
    category_column,
    unsupported,
)
from ocelotboost.table.values import HashKey, Origin, has_text

if TYPE_CHECKING:
    import narwhals as nw


def is_category_series(column: nw.Series[Any]) -> bool:
    """Is this column categorical by itself? Text, dictionaries and booleans are."""
    import narwhals as nw

    if holds_objects(column):
        return has_text(column.to_numpy())
    return column.dtype in (nw.String, nw.Categorical, nw.Enum, nw.Boolean)


def category_series(
    column: nw.Series[Any], origin: Origin, key: HashKey, n_threads: int
) -> CategoryColumn:
    """One column of a frame as categories; null and NaN are missing."""

    def texts(rows: Rows) -> list[str | None]:
        return [canonical_text(column[int(row)]) for row in rows]

    hashes, codes = _hashes_and_codes(column, origin, key, n_threads)
    return CategoryColumn(hashes, codes, texts)


def _hashes_and_codes(
    column: nw.Series[Any], origin: Origin, key: HashKey, n_threads: int
) -> tuple[Hashes, Codes | None]:
    import narwhals as nw

    if holds_objects(column):
        return _from_array(column.to_numpy(), origin, key, n_threads)
    if column.dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        return _from_array(np.array(column.to_list(), dtype=object), origin, key, n_threads)
    if column.implementation.is_pandas_like() and not is_arrow_dtype(column.to_native().dtype):
        return _from_pandas(column, origin, key, n_threads)
    try:
        return arrow_hashes(column, key, n_threads)
    except ArrowTypeError:
        check_arrow(column.to_native(), origin.whole(), contents=True)
        return _no_categories(column, origin), None
    except ArrowDataError as error:
        raise damaged(origin.whole(), error) from error


def _from_array(
    array: Any, origin: Origin, key: HashKey, n_threads: int
) -> tuple[Hashes, Codes | None]:
    column = category_column(array, origin, key, n_threads)
    return column.hashes, column.codes


def _from_pandas(
    column: nw.Series[Any], origin: Origin, key: HashKey, n_threads: int
) -> tuple[Hashes, Codes | None]:
    import narwhals as nw

    dtype, series = column.dtype, column.to_native()
    if dtype in (nw.Categorical, nw.Enum):
        return _from_pandas_categories(series, origin, key, n_threads)
    if dtype == nw.String:
        return _from_array(series.to_numpy(dtype=object), origin, key, n_threads)
    if isinstance(series.dtype, np.dtype) or not (dtype.is_integer() or dtype == nw.Boolean):
        array = column.to_numpy()
        if array.dtype.kind in "biufO":
            return _from_array(array, origin, key, n_threads)
        return _no_categories(column, origin), None
    filled = column.fill_null(False if dtype == nw.Boolean else 0).to_numpy()
    hashes = category_column(filled, origin, key, n_threads).row_hashes()
    hashes[column.is_null().to_numpy()] = MISSING_HASH
    return hashes, None


def _from_pandas_categories(
    series: Any, origin: Origin, key: HashKey, n_threads: int
) -> tuple[Hashes, Codes | None]:
    import narwhals as nw

    if len(series) < len(series.cat.categories):
        series = series.cat.remove_unused_categories()
    check_arrow(series.cat.categories, origin.whole())
    categories = nw.from_native(series.cat.categories.to_series(), series_only=True)
    entries = category_series(categories, origin.of_category(), key, n_threads)
    codes = series.cat.codes.to_numpy().astype(np.int64)
    codes[codes < 0] = len(categories)
    return np.append(entries.row_hashes(), np.uint64(MISSING_HASH)), codes.astype(np.uint32)


def _no_categories(column: nw.Series[Any], origin: Origin) -> Hashes:
    """All missing, or an error: dates, lists and the like are no categories."""
    missing = column.is_null().to_numpy()
    if not missing.all():
        row = int(np.argmin(missing))
        raise unsupported(column[row], row, origin)
    return np.full(len(missing), MISSING_HASH, dtype=np.uint64)


def holds_objects(column: nw.Series[Any]) -> bool:
    """Does it hold Python objects, of which pandas may say that they are text?"""
    import narwhals as nw

    dtype: object = getattr(column.to_native(), "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.kind == "O"
    return column.dtype == nw.Object
