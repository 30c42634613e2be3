"""Texts that are dates, such as "2024-02-29" or "29.02.2024 18:30".

Files without types have them, and so has whatever was read from such files. What a text means
depends on the order of year, month and day, which all texts of a column share:

    ymd    2024-02-29    2024/2/29    2024-02-29T18:30:00.5Z
    mdy    02/29/2024    2/29/2024 18:30
    dmy    29.02.2024    29/2/2024    29-02-2024 18:30

The date is what the text shows; a time zone behind it is passed over.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

import numpy as np

from ocelotboost.table.date_parts import MISSING_TICK, Ticks

_CLOCK = (
    r"(?:[T ](?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?"
    r"(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?"
)
_YEAR, _MONTH, _DAY = r"(?P<year>\d{4})", r"(?P<month>\d\d?)", r"(?P<day>\d\d?)"


def _pattern(first: str, second: str, third: str) -> re.Pattern[str]:
    text = rf"\s*{first}(?P<between>[-/.]){second}(?P=between){third}{_CLOCK}\s*"
    return re.compile(text, re.ASCII)


_PATTERNS = {
    "ymd": _pattern(_YEAR, _MONTH, _DAY),
    "mdy": _pattern(_MONTH, _DAY, _YEAR),
    "dmy": _pattern(_DAY, _MONTH, _YEAR),
}
DATE_ORDERS = tuple(_PATTERNS)

#: The rest may be marks of missing values, such as "?".
_LEAST_SHARE = 0.95

_EPOCH, _TICK = datetime.datetime(1970, 1, 1), datetime.timedelta(microseconds=1)


def order_of(texts: Sequence[str]) -> str | None:
    """The order in which most of these texts are dates; None where they are none, or where they may
    be read in two ways.

    >>> order_of(["2024-02-29", "2024-03-01"]), order_of(["2/29/2024", "3/1/2024"])
    ('ymd', 'mdy')
    >>> order_of(["1.2.2024", "3.4.2024"]), order_of(["75001", "13002"])
    (None, None)
    """
    counts = count_dates(texts)
    most = max(counts)
    if most < max(_LEAST_SHARE * len(texts), 1) or counts.count(most) > 1:
        return None
    return DATE_ORDERS[counts.index(most)]


def count_dates(texts: Sequence[str]) -> list[int]:
    """How many of them are dates, in each order."""
    return [int(np.count_nonzero(ticks_in(texts, order) != MISSING_TICK)) for order in DATE_ORDERS]


def ticks_in(texts: Sequence[str | None], order: str) -> Ticks:
    """The dates as ticks; missing where a text is none.

    >>> ticks_in(["1970-01-01T00:00:01.5+02:00", "1970-02-30"], "ymd").tolist()
    [1500000, -9223372036854775808]
    """
    return np.array([_tick_in(text, _PATTERNS[order]) for text in texts], dtype=np.int64)


def _tick_in(text: str | None, pattern: re.Pattern[str]) -> int:
    found = pattern.fullmatch(text) if text else None
    if found is None:
        return MISSING_TICK
    year, month, day, hour, minute, second = (
        int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")
    )
    microsecond = int((found["fraction"] or "").ljust(6, "0")[:6])
    try:
        date = datetime.datetime(year, month, day, hour, minute, second, microsecond)
    except ValueError:  # a 30th of February
        return MISSING_TICK
    return (date - _EPOCH) // _TICK
