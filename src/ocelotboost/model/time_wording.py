"""Borders of dates, times of day and durations in words."""

from __future__ import annotations

import calendar
import math

import numpy as np

from ocelotboost.table.formulas import TimeKind

_WEEKDAYS, _MONTHS = list(calendar.day_name), list(calendar.month_name)[1:]
_UNITS = (("days", 1.0), ("hours", 24.0), ("minutes", 1440.0), ("seconds", 86400.0))


def time_text(kind: TimeKind, number: float) -> str:
    """The number of a column of times as the column would show it.

    >>> time_text(TimeKind("date"), 18262.5), time_text(TimeKind("date", "Asia/Tokyo"), 0.0)
    ('2020-01-01 12:00', '1970-01-01 UTC')
    >>> time_text(TimeKind("duration"), 0.25), time_text(TimeKind("time"), 17.5)
    ('6 hours', '17:30')
    """
    if not math.isfinite(number):
        return f"{number:g}"
    if kind.what == "duration":
        unit, factor = next(
            (own for own in _UNITS if abs(number) * own[1] >= 1 or number == 0), _UNITS[-1]
        )
        return f"{number * factor:.6g} {unit}"
    if kind.what == "time":
        return _clock(round(number * 3600))
    seconds = round(number * 86400)
    date = str(np.datetime64(seconds // 86400, "D"))
    clock = f" {_clock(seconds % 86400)}" if seconds % 86400 else ""
    return date + clock + ("" if kind.zone is None else " UTC")


def part_text(part: str, border: float) -> str | None:
    """What is above a finite border of a part of dates, where that reads better than numbers.

    >>> part_text("weekday", 4.5), part_text("month", 9.5), part_text("hour", 8.25)
    ('Saturday, Sunday', 'October to December', 'after 08:15')
    """
    if not math.isfinite(border):
        return None
    if part == "hour" and 0 <= border < 24:
        return f"after {_clock(round(border * 3600))}"
    names, first = {"weekday": (_WEEKDAYS, 0), "month": (_MONTHS, 1)}.get(part, ([], 0))
    above = names[max(math.floor(border) + 1 - first, 0) :]
    if not above:
        return None
    return ", ".join(above) if len(above) <= 2 else f"{above[0]} to {above[-1]}"


def _clock(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}"
    return text if rest == 0 else f"{text}:{rest:02}"
