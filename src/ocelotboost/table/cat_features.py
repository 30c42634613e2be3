"""cat_features: which columns a user named as categorical."""

from __future__ import annotations

import difflib
import numbers
from typing import Any

import numpy as np

from ocelotboost.errors import ParameterError


def named_positions(
    cat_features: Any, names: tuple[str, ...] | None, n_columns: int, argument: str
) -> frozenset[int]:
    """Positions of the columns that ``cat_features`` names: names and positions, mixed as you like.

    None means no column; a single name or position may stand alone.
    """
    given = [] if cat_features is None else columns_listed(cat_features)
    return frozenset(column_positions(given, names, n_columns, argument, "cat_features"))


def column_positions(
    listed: list[Any],
    names: tuple[str, ...] | None,
    n_columns: int,
    argument: str,
    parameter: str,
) -> list[int]:
    """Positions of columns by name or position, in the order given; ``parameter`` is what errors
    call the list."""
    return [_position(item, names, n_columns, argument, parameter) for item in listed]


def columns_listed(listed: Any, parameter: str = "cat_features") -> list[Any]:
    """What a user gave, a single name, a list, an Index or a generator, as a list."""
    if isinstance(listed, str | numbers.Integral | np.bool_):
        return [listed]
    try:
        return list(listed)
    except TypeError:
        raise _neither(listed, parameter) from None


def _position(
    item: Any, names: tuple[str, ...] | None, n_columns: int, argument: str, parameter: str
) -> int:
    if isinstance(item, str):
        return _position_of_name(str(item), names, argument, parameter)
    if isinstance(item, bool | np.bool_):
        raise ParameterError(
            f"{parameter} has the boolean {bool(item)}: give names or positions; those of a mask "
            "are numpy.flatnonzero(mask)."
        )
    if not isinstance(item, numbers.Integral):
        raise _neither(item, parameter)
    position = int(item)
    if not 0 <= position < n_columns:
        raise ParameterError(
            f"{parameter} has the position {position}, but {argument} has {n_columns} columns: "
            f"positions go from 0 to {n_columns - 1}."
        )
    return position


def _position_of_name(
    name: str, names: tuple[str, ...] | None, argument: str, parameter: str
) -> int:
    if names is None:
        raise ParameterError(
            f"{parameter} has the name {name!r}, but the columns of {argument} have no names: "
            "give positions, or pass a data frame."
        )
    if name not in names:
        by_lower_case = {known.lower(): known for known in names}
        close = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
        hint = f" Did you mean {by_lower_case[close[0]]!r}?" if close else ""
        raise ParameterError(
            f"{parameter} has the name {name!r}, which is not a column of {argument}.{hint}"
        )
    return names.index(name)


def _neither(item: object, parameter: str) -> ParameterError:
    return ParameterError(
        f"{parameter} has {item!r} ({type(item).__name__}): give names or positions of columns, "
        "for example ['city', 3]."
    )
