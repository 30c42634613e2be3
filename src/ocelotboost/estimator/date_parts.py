"""The parameter ``date_parts``: which parts of dates become columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ocelotboost.table.date_parts import DATE_PARTS, USUAL_PARTS

_WORDS = {"auto": USUAL_PARTS, "none": ()}


def is_date_parts(value: Any) -> bool:
    """'auto', 'none', None, the name of a part, or several names; a generator would be empty in the
    second fit."""
    if value is None or isinstance(value, str):
        return value is None or value in _WORDS or value in DATE_PARTS
    listed = isinstance(value, Iterable) and not isinstance(value, Iterator)
    return listed and all(isinstance(part, str) and part in DATE_PARTS for part in value)


def parts_of(value: Any) -> tuple[str, ...]:
    """The parts that a value of the parameter means.

    >>> parts_of("auto")
    ('month', 'day', 'weekday', 'day_of_year', 'hour')
    >>> parts_of(None), parts_of("year")
    ((), ('year',))
    """
    if value is None:
        return ()
    if isinstance(value, str):
        return _WORDS.get(value, (value,))
    return tuple(value)
