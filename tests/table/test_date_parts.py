"""The parts of a date are those of Python's datetime, and of NumPy's beyond Python's years."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.table.date_parts import DATE_PARTS, MISSING_TICK, date_part

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
EXPECTED = {
    "year": lambda at: at.year,
    "month": lambda at: at.month,
    "day": lambda at: at.day,
    "weekday": lambda at: at.weekday(),
    "day_of_year": lambda at: at.timetuple().tm_yday,
    "hour": lambda at: (
        (at - at.replace(hour=0, minute=0, second=0, microsecond=0)) / datetime.timedelta(hours=1)
    ),
    "minute": lambda at: at.minute,
}


def ticks(*at):
    return np.array([(own - EPOCH) // MICROSECOND for own in at], dtype=np.int64)


def test_every_part_is_tested():
    assert tuple(EXPECTED) == DATE_PARTS


@given(at=st.lists(st.datetimes(), min_size=1, max_size=20))
def test_parts_are_those_of_python(at):
    for name, expected in EXPECTED.items():
        assert date_part(name, ticks(*at)).tolist() == [expected(own) for own in at]


@pytest.mark.parametrize("year", [1582, 1600, 1900, 1904, 1969, 1970, 2000, 2024, 2100, 9999])
def test_the_edges_of_a_year(year):
    at = [
        datetime.datetime(year, 1, 1),
        datetime.datetime(year, 2, 28, 23, 59, 59, 999999),
        datetime.datetime(year, 3, 1) - MICROSECOND,
        datetime.datetime(year, 12, 31, 23, 59, 59, 999999),
    ]
    for name, expected in EXPECTED.items():
        assert date_part(name, ticks(*at)).tolist() == [expected(own) for own in at]


@given(day=st.integers(-100_000_000, 100_000_000))
def test_years_that_python_does_not_have(day):
    """A leap cycle of 400 years has 146,097 days, which are whole weeks."""
    at = np.array([day, day % 146_097], dtype=np.int64) * 86_400_000_000
    for name in DATE_PARTS:
        far, near = date_part(name, at).tolist()
        assert far - near == (400 * (day // 146_097) if name == "year" else 0)


def test_a_missing_date_has_missing_parts():
    at = np.array([0, MISSING_TICK, 0], dtype=np.int64)
    for name in DATE_PARTS:
        assert np.isnan(date_part(name, at)).tolist() == [False, True, False]


def test_many_rows_are_as_few():
    at = np.arange(100_000, dtype=np.int64) * 123_456_789_012
    at[5::1000] = MISSING_TICK
    for name in DATE_PARTS:
        whole = date_part(name, at)
        np.testing.assert_array_equal(date_part(name, at[40_000:50_000]), whole[40_000:50_000])
