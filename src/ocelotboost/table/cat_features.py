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
    return frozenset(_position(item, names, n_columns, argument) for item in given)


def columns_listed(cat_features: Any) -> list[Any]:
    """What a user gave, a single name, a list, an Index or a generator, as a list."""
    if isinstance(cat_features, str | numbers.Integral | np.bool_):
        return [cat_features]
    try:
        return list(cat_features)
    except TypeError:
        raise _neither(cat_features) from None


def _position(item: Any, names: tuple[str, ...] | None, n_columns: int, argument: str) -> int:
    if isinstance(item, str):
        return _position_of_name(str(item), names, argument)
    if isinstance(item, bool | np.bool_):
        raise ParameterError(
            f"cat_features has the boolean {bool(item)}: give names or positions; those of a mask "
            "are numpy.flatnonzero(mask)."
        )
    if not isinstance(item, numbers.Integral):
        raise _neither(item)
    position = int(item)
    if not 0 <= position < n_columns:
        raise ParameterError(
            f"cat_features has the position {position}, but {argument} has {n_columns} columns: "
            f"positions go from 0 to {n_columns - 1}."
        )
    return position


def _position_of_name(name: str, names: tuple[str, ...] | None, argument: str) -> int:
    if names is None:
        raise ParameterError(
            f"cat_features has the name {name!r}, but the columns of {argument} have no names: "
            "give positions, or pass a data frame."
        )
    if name not in names:
        by_lower_case = {known.lower(): known for known in names}
        close = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
        hint = f" Did you mean {by_lower_case[close[0]]!r}?" if close else ""
        raise ParameterError(
            f"cat_features has the name {name!r}, which is not a column of {argument}.{hint}"
        )
    return names.index(name)


def _neither(item: object) -> ParameterError:
    return ParameterError(
        f"cat_features has {item!r} ({type(item).__name__}): give names or positions of columns, "
        "for example ['city', 3]."
    )
