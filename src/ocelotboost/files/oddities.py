"""What looks odd about a column: codes, dates, ids, constants, and the target in disguise.

Each remark says what was seen and what to do. They are guesses: nothing is changed by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.number_texts import FEWEST_DISTINCT, LEAST_SHARE, are_numbers
from ocelotboost.table.sources import pyarrow_module

_CODE_NAME = re.compile(
    r"(^|[_\W])(id|ids|code|codes|zip|zipcode|zip_code|postcode|postal|plz|sku|isbn|key|uuid)"
    r"($|[_\W])",
    re.IGNORECASE,
)
_DATE_TEXT = re.compile(r"\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([ T]\d{1,2}:\d{2}.*)?\s*")
_LOOKED_AT = 1000
_FEWEST_ROWS = 20  # of fewer rows nothing is said
_CODE_DIGITS = 5


def oddities(
    name: str, column: Any, kind: str, n_distinct: int, target: Any, roles: Any
) -> Iterator[str]:
    """What looks odd about a feature.

    kind    its type in words
    target  the target of the same rows, or None
    roles   what the user said of the columns, which is not questioned
    """
    compute = pyarrow_module("pyarrow.compute", "files")
    n_known = len(column) - column.null_count
    if n_distinct <= 1:
        yield "constant: --ignore it" if n_distinct else "no values: --ignore it"
        return
    if len(column) < _FEWEST_ROWS:
        return
    named = name in roles.cat or name in roles.num
    is_id = n_distinct == n_known and _is_numbered(name, column, kind)
    if is_id:
        yield "different in every row, like an id: --ignore it"
    elif not named and kind == "whole number":
        low, high = (abs(v.as_py()) for v in compute.min_max(column).values())
        if _are_dates(column, low, high):
            yield "looks like dates: write them as 2024-01-31"
        elif _are_codes(name, low, high, n_distinct):
            yield "numbers that look like codes: --cat them"
    elif not named and kind == "category":
        yield from _odd_texts(column, n_distinct)
    if target is not None and not is_id and tells_target(column, kind, n_distinct, target):
        yield "tells the target: is it known beforehand?"


def _is_numbered(name: str, column: Any, kind: str) -> bool:
    """Texts that are all different; whole numbers in steps of 1, or called an id."""
    if kind == "category":
        return True
    if kind != "whole number":
        return False
    compute = pyarrow_module("pyarrow.compute", "files")
    low, high = (v.as_py() for v in compute.min_max(column).values())
    return high - low == len(column) - 1 or _CODE_NAME.search(name) is not None


def _are_dates(column: Any, low: int, high: int) -> bool:
    """20240131, and the like."""
    if not 19000101 <= low <= high <= 21001231:
        return False
    values = np.array(column.drop_null()[:_LOOKED_AT])
    month, day = values // 100 % 100, values % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


def _are_codes(name: str, low: int, high: int, n_distinct: int) -> bool:
    """Called a code, or all of the same five or more digits, as postcodes are."""
    same_digits = len(str(low)) == len(str(high)) >= _CODE_DIGITS
    return _CODE_NAME.search(name) is not None or (same_digits and n_distinct >= FEWEST_DISTINCT)


def _odd_texts(column: Any, n_distinct: int) -> Iterator[str]:
    values = [str(value) for value in column.drop_null()[:_LOOKED_AT].to_pylist()]
    n_dates = sum(_DATE_TEXT.fullmatch(text) is not None for text in values)
    if n_dates >= LEAST_SHARE * len(values) > 0:
        yield "looks like dates: write them as 2024-01-31"
    elif n_distinct > FEWEST_DISTINCT and are_numbers(values, LEAST_SHARE):
        yield "numbers stored as text: --num or --cat them"
    elif n_distinct > 0.9 * (len(column) - column.null_count):
        yield "nearly every value is different"


# ---- the target among the features -----------------------------------------------------------

_NEARLY_ONE = 0.9999
_MOST_GROUPS = 0.1  # distinct values per row, above which every group is small


def tells_target(column: Any, kind: str, n_distinct: int, target: Any) -> bool:
    """Is a column the target in other words? A number that is proportional to it, or values that
    each have one class, though many rows share them."""
    codes, numbers = _codes(target), _numbers(target)
    values = _numbers(column) if kind in ("number", "whole number") else None
    if numbers is not None and values is not None and _proportional(values, numbers):
        return True
    if codes is None or n_distinct > _MOST_GROUPS * len(column):
        return False
    own = _codes(column)
    if own is None:
        return False
    pairs = len(np.unique(own.astype(np.int64) * (int(codes.max()) + 1) + codes))
    return pairs == len(np.unique(own)) and len(np.unique(codes)) > 1


def _proportional(values: NDArray[np.float64], target: NDArray[np.float64]) -> bool:
    both = np.isfinite(values) & np.isfinite(target)
    if both.sum() < _FEWEST_ROWS:
        return False
    first, second = values[both], target[both]
    if first.std() == 0 or second.std() == 0:
        return False
    return bool(abs(np.corrcoef(first, second)[0, 1]) > _NEARLY_ONE)


def _numbers(column: Any) -> NDArray[np.float64] | None:
    types = pyarrow_module("pyarrow.types", "files")
    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        return None
    found: NDArray[np.float64] = column.cast("float64").to_numpy()
    return found


def _codes(column: Any) -> NDArray[np.int32] | None:
    """Whole numbers for the distinct values; None where there are too many."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    codes: NDArray[np.int32] = encoded.indices.to_numpy(zero_copy_only=False)
    return codes if len(encoded.dictionary) <= max(_MOST_GROUPS * len(column), 2) else None
