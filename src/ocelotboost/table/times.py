"""Dates, times of day and durations -> numbers, and ticks of which the parts of dates are made.

    a date       days since 1970, of UTC where it has a time zone; the time of day is a fraction
    a duration   days
    a time       hours since midnight

NumPy's datetime64 and timedelta64 of any unit, and Python's objects. Times are known to the
microsecond.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.table.date_parts import MISSING_TICK, TICKS_PER_DAY, TICKS_PER_HOUR, Ticks
from ocelotboost.table.formulas import TimeKind
from ocelotboost.table.remedies import as_number, as_time, with_zone, without_zone
from ocelotboost.table.values import Origin, capital, first_where, is_missing, shorten

#: What the number 1 means, in ticks.
_UNITS = {"date": TICKS_PER_DAY, "duration": TICKS_PER_DAY, "time": TICKS_PER_HOUR}

_TICKS_OF_UNIT = {
    "us": 1,
    "ms": 1000,
    "s": 10**6,
    "m": 60 * 10**6,
    "h": TICKS_PER_HOUR,
    "D": TICKS_PER_DAY,
    "W": 7 * TICKS_PER_DAY,
}
_UNITS_OF_TICK = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}
_FIXED_ZONE = re.compile(r"(?:UTC|GMT)?([+-])(\d\d):?(\d\d)")
_WORDS = {"date": "dates", "time": "times of day", "duration": "durations"}


@dataclass(frozen=True, eq=False)
class TimeColumn:
    """A column of dates, times of day or durations; its numbers are in the table's parts.

    local  int64 (n,) ticks of the dates as the column shows them; None: it holds no dates
    """

    kind: TimeKind
    local: Ticks | None

    def values(self) -> Ticks:
        assert self.local is not None, "only dates have parts"
        return self.local

    def take(self, rows: NDArray[np.intp]) -> TimeColumn:
        return self if self.local is None else TimeColumn(self.kind, self.local[rows])


def join_times(columns: Sequence[TimeColumn]) -> TimeColumn:
    """The rows of several columns of the same kind."""
    first = columns[0]
    if first.local is None:
        return first
    return TimeColumn(first.kind, np.concatenate([column.values() for column in columns]))


class TimesRead(NamedTuple):
    """The numbers of a column of times, float64 (n,), and the rest of it."""

    numbers: NDArray[np.float64]
    column: TimeColumn


# ---- which kind -----------------------------------------------------------------------------


def array_kind(array: NDArray[Any]) -> TimeKind | None:
    """What an array (n,) holds; None: no times, or nothing at all."""
    if array.dtype.kind == "M":
        return TimeKind("date")
    if array.dtype.kind == "m":
        return TimeKind("duration")
    return _kind_of_objects(array) if array.dtype.kind == "O" else None


def _kind_of_objects(array: NDArray[Any]) -> TimeKind | None:
    found = {_what(kind) for kind in set(map(type, array))} - {"missing"}
    if "float" in found and all(is_missing(value) for value in array if type(value) is float):
        found.discard("float")
    if len(found) != 1 or not found <= _WORDS.keys():
        return None
    zones = {canonical_zone(getattr(v, "tzinfo", None)) for v in array if not is_missing(v)}
    return TimeKind(found.pop(), zones.pop() if len(zones) == 1 else None)


def _what(kind: type) -> str:
    if kind is type(None) or kind.__name__ in ("NAType", "NaTType"):
        return "missing"
    if issubclass(kind, datetime.date | np.datetime64):
        return "date"
    if issubclass(kind, datetime.timedelta | np.timedelta64):
        return "duration"
    if issubclass(kind, datetime.time):
        return "time"
    return "float" if kind is float else "other"


def canonical_zone(zone: Any) -> str | None:
    """The name of a time zone, the same for all libraries.

    >>> canonical_zone("UTC+02:00"), canonical_zone("+02:00"), canonical_zone("Europe/Berlin")
    ('+02:00', '+02:00', 'Europe/Berlin')
    """
    if zone is None:
        return None
    fixed = _FIXED_ZONE.fullmatch(str(zone))
    return str(zone) if fixed is None else "{}{}:{}".format(*fixed.groups())


def fixed_offset(zone: str) -> int | None:
    """Ticks that a zone without summer time is ahead of UTC; None: another zone."""
    fixed = _FIXED_ZONE.fullmatch(zone)
    if fixed is None:
        return 0 if zone == "UTC" else None
    ticks = (int(fixed[2]) * 60 + int(fixed[3])) * 60 * 10**6
    return -ticks if fixed[1] == "-" else ticks


# ---- is it what the model wants? ------------------------------------------------------------


def check_kind(
    found: TimeKind | None, wanted: TimeKind | None, values: Iterable[Any], origin: Origin
) -> None:
    """Raise InputError unless a column holds what the model was trained with there. Values that are
    all missing may stand for anything; the zones of dates may differ."""
    if is_alike(found, wanted):
        return
    present = next((value for value in values if not is_missing(value)), None)
    if present is None:
        return
    if found is not None and wanted is not None and found.what == wanted.what:
        raise _zone_mismatch(found, wanted, origin)
    holds = "text" if isinstance(present, str) else "numbers"
    if found is not None:
        holds = _WORDS[found.what]
    what, example = capital(origin.whole()), f"(for example {shorten(present)})"
    if wanted is None:
        assert found is not None
        kind = "zoned date" if found.zone is not None else found.what
        remedy = as_number(kind, origin.library, origin.code())
        trained = "numbers"
    else:
        remedy = as_time(wanted.what, origin.library, origin.code())
        trained = _WORDS[wanted.what]
    raise InputError(
        f"{what} holds {holds} {example}, but the model was trained with {trained} there: {remedy}."
    )


def is_alike(found: TimeKind | None, wanted: TimeKind | None) -> bool:
    """Can what a column holds be read as what is wanted?"""
    if found is None or wanted is None:
        return found is wanted
    return found.what == wanted.what and (found.zone is None) == (wanted.zone is None)


def _zone_mismatch(found: TimeKind, wanted: TimeKind, origin: Origin) -> InputError:
    what, code = capital(origin.whole()), origin.code()
    if wanted.zone is None:
        remedy = f"drop the zone, for example by {without_zone(origin.library, code)}"
        return InputError(
            f"{what} has the time zone {found.zone}, but the model was trained with dates without "
            f"a time zone: {remedy}."
        )
    remedy = f"say which zone it is, for example by {with_zone(origin.library, code, wanted.zone)}"
    return InputError(
        f"{what} has dates without a time zone, but the model was trained with those of "
        f"{wanted.zone}: {remedy}."
    )


# ---- reading --------------------------------------------------------------------------------


def read_array(array: NDArray[Any], kind: TimeKind, origin: Origin) -> TimesRead:
    """Times (n,) of the kind that they are wanted as, or that they were found to have."""
    if array.dtype.kind in "Mm":
        return times_read(kind, ticks_of(array, origin), None)
    if array.dtype.kind != "O":  # nothing but NaN
        return all_missing(kind, len(array))
    if kind.what == "time":
        ticks = [MISSING_TICK if is_missing(value) else _ticks_of_time(value) for value in array]
        return times_read(kind, np.array(ticks, dtype=np.int64), None)
    if kind.zone is None:
        _refuse_zones(array, origin)
        return times_read(kind, _ticks_of_objects(array, kind.what), None)
    utc, local = (
        _ticks_of_objects(_in_zone(array, zone), "date")
        for zone in (datetime.timezone.utc, _zone_info(kind.zone))
    )
    return times_read(kind, utc, local)


def times_read(kind: TimeKind, ticks: Ticks, local: Ticks | None) -> TimesRead:
    """``ticks`` are of UTC; ``local`` is what the column shows, where that differs."""
    numbers = ticks / _UNITS[kind.what]
    numbers[ticks == MISSING_TICK] = np.nan
    if kind.what != "date":
        return TimesRead(numbers, TimeColumn(kind, None))
    return TimesRead(numbers, TimeColumn(kind, ticks if local is None else local))


def all_missing(kind: TimeKind, n_rows: int) -> TimesRead:
    return times_read(kind, np.full(n_rows, MISSING_TICK, dtype=np.int64), None)


def ticks_of(array: NDArray[Any], origin: Origin) -> Ticks:
    """datetime64 or timedelta64 of any unit as whole microseconds, rounded down."""
    unit, count = np.datetime_data(array.dtype)
    if array.dtype.kind == "M" and unit in ("Y", "M"):
        array, unit, count = array.astype("M8[D]"), "D", 1
    values = array.astype(array.dtype.newbyteorder("="), copy=False).view(np.int64)
    missing = values == MISSING_TICK
    if unit in _UNITS_OF_TICK:
        ticks = values * count // _UNITS_OF_TICK[unit]
    elif unit in _TICKS_OF_UNIT:
        factor = _TICKS_OF_UNIT[unit] * count
        ticks = values if factor == 1 else values * factor
        beyond = (np.abs(values) > np.iinfo(np.int64).max // factor) & ~missing
        if beyond.any():
            row = first_where(beyond)
            raise InputError(
                f"{capital(origin.element(row))} is {shorten(array[row])}: times must be within "
                "290,000 years of 1970. Replace it, for example by a missing value."
            )
    elif missing.all():
        return np.full(len(values), MISSING_TICK, dtype=np.int64)
    else:
        raise InputError(
            f"{capital(origin.whole())} has dtype {array.dtype}, whose unit has no fixed length: "
            "convert it, for example to timedelta64[D]."
        )
    return np.where(missing, MISSING_TICK, ticks) if missing.any() else ticks


def _ticks_of_objects(array: Iterable[Any], what: str) -> Ticks:
    values = [None if is_missing(value) else value for value in array]
    return np.array(values, dtype="M8[us]" if what == "date" else "m8[us]").view(np.int64)


def _in_zone(array: NDArray[Any], zone: datetime.tzinfo) -> list[datetime.datetime | None]:
    """The local times of a zone, as datetimes without a zone."""
    return [
        None if is_missing(value) else value.astimezone(zone).replace(tzinfo=None)
        for value in array
    ]


def _ticks_of_time(value: datetime.time) -> int:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * 10**6 + value.microsecond


def _zone_info(zone: str) -> datetime.tzinfo:
    offset = fixed_offset(zone)
    if offset is not None:
        return datetime.timezone(datetime.timedelta(microseconds=offset))
    return ZoneInfo(zone)


def _refuse_zones(array: NDArray[Any], origin: Origin) -> None:
    zoned = [getattr(value, "tzinfo", None) is not None for value in array]
    if any(zoned):
        row = first_where(zoned)
        raise InputError(
            f"{capital(origin.element(row))} is {shorten(array[row])}, and other rows have another "
            "time zone, or none: convert all to one zone, for example by "
            f"pandas.to_datetime({origin.code()}, utc=True)."
        )
