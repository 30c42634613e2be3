"""The parts of a date: month, weekday, hour and so on, as numbers of their own.

A date is given as ticks: microseconds since 1970 of the local time that the column shows, int64,
of which the least is "missing". All arithmetic is on integers, so that it is exact for any year.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ticks: TypeAlias = NDArray[np.int64]

MISSING_TICK = np.iinfo(np.int64).min
TICKS_PER_HOUR = 3_600_000_000
TICKS_PER_DAY = 24 * TICKS_PER_HOUR

#: Rows at a time: the intermediate arrays stay in the cache, and small for tables in files.
_STRETCH = 1 << 15


def _year(days: Ticks) -> Ticks:
    return _periods(days, "Y") + 1970


def _month(days: Ticks) -> Ticks:
    return _periods(days, "M") % 12 + 1


def _day(days: Ticks) -> Ticks:
    return _since_start(days, "M") + 1


def _weekday(days: Ticks) -> Ticks:
    return (days + 3) % 7  # 1970 began with a Thursday, and Monday is 0


def _day_of_year(days: Ticks) -> Ticks:
    return _since_start(days, "Y") + 1


def _periods(days: Ticks, unit: str) -> Ticks:
    """Whole years or months since 1970."""
    return days.view("M8[D]").astype(f"M8[{unit}]").astype(np.int64)


def _since_start(days: Ticks, unit: str) -> Ticks:
    """Days since the year or month began."""
    dates = days.view("M8[D]")
    since: Ticks = (dates - dates.astype(f"M8[{unit}]").astype("M8[D]")).astype(np.int64)
    return since


#: By name: of days since 1970.
_OF_DAYS: dict[str, Callable[[Ticks], Ticks]] = {
    "year": _year,
    "month": _month,
    "day": _day,
    "weekday": _weekday,
    "day_of_year": _day_of_year,
}

#: By name: of the ticks since midnight.
_OF_CLOCK: dict[str, Callable[[Ticks], Any]] = {
    "hour": lambda since_midnight: since_midnight / TICKS_PER_HOUR,
    "minute": lambda since_midnight: since_midnight // 60_000_000 % 60,
}

#: In the order of their columns.
DATE_PARTS = (*_OF_DAYS, *_OF_CLOCK)

#: Without the year, whose questions are questions about the elapsed time, and without the minute:
#: the hour has it as its fraction.
USUAL_PARTS = ("month", "day", "weekday", "day_of_year", "hour")


def elapsed_days(ticks: Ticks) -> NDArray[np.float64]:
    """Days since 1970, (n,), with the time of day as a fraction; NaN where the date is missing."""
    days: NDArray[np.float64] = ticks / TICKS_PER_DAY
    days[ticks == MISSING_TICK] = np.nan
    return days


def date_part(name: str, ticks: Ticks) -> NDArray[np.float64]:
    """One part of dates, (n,); NaN where the date is missing.

    >>> at = np.array(["2024-02-29T18:30", "NaT"], dtype="M8[us]").view(np.int64)
    >>> [float(date_part(name, at)[0]) for name in DATE_PARTS]
    [2024.0, 2.0, 29.0, 3.0, 60.0, 18.5, 30.0]
    >>> date_part("month", at).tolist()
    [2.0, nan]
    """
    values = np.empty(len(ticks))
    for begin in range(0, len(ticks), _STRETCH):
        own = ticks[begin : begin + _STRETCH]
        missing = own == MISSING_TICK
        known = np.where(missing, own.max(), own)
        days = known // TICKS_PER_DAY
        out = values[begin : begin + _STRETCH]
        if name in _OF_DAYS:
            out[:] = _looked_up(_OF_DAYS[name], days)
        else:
            out[:] = _OF_CLOCK[name](known - days * TICKS_PER_DAY)
        out[missing] = np.nan
    return values


def _looked_up(part: Callable[[Ticks], Ticks], days: Ticks) -> Ticks:
    """A part of days, computed once per day where rows are more than days."""
    first, last = int(days.min()), int(days.max())
    if last - first >= len(days):
        return part(days)
    return part(np.arange(first, last + 1))[days - first]
