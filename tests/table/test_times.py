"""Whatever holds dates, times of day and durations, they become the same numbers."""

from __future__ import annotations

import datetime
import zoneinfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.errors import InputError
from ocelotboost.table import table_from_input
from ocelotboost.table.date_parts import MISSING_TICK
from ocelotboost.table.formulas import Derivation, Formula, TimeKind

DAYS = [datetime.date(2024, 2, 29), None, datetime.date(1960, 2, 29), datetime.date(2500, 1, 1)]
AT = [
    datetime.datetime(2024, 7, 1, 12, 30, 1, 5),
    None,
    datetime.datetime(1960, 1, 2, 23, 59),
    datetime.datetime(2200, 12, 31),
]
CLOCK = [datetime.time(1, 2, 3), None, datetime.time(23, 59, 59, 999), datetime.time(0)]
WAITS = [datetime.timedelta(days=2, hours=3), None, datetime.timedelta(seconds=-4)]
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
ZONED = [None if at is None else at.replace(tzinfo=BERLIN) for at in AT]


def objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def frames(values, arrow, polars=None, pandas=None):
    """The same values in columns of many types."""
    stored = pa.array(values, type=arrow)
    made = {
        "pyarrow": pa.table({"at": stored}),
        "pandas of arrow": pd.DataFrame({"at": pd.arrays.ArrowExtensionArray(stored)}),
        "polars": pl.DataFrame({"at": pl.Series(values, dtype=polars)}),
        "pandas objects": pd.DataFrame({"at": pd.Series(values, dtype=object)}),
        "numpy objects": objects(values)[:, np.newaxis],
    }
    if pandas is not None:
        made["pandas"] = pd.DataFrame({"at": pandas})
    return made


HOLDERS = {
    "days": frames(DAYS, pa.date32())
    | {"pyarrow date64": pa.table({"at": pa.array(DAYS, pa.date64())})}
    | {"numpy": np.array([DAYS], dtype="M8[D]").T},
    "dates": frames(AT, pa.timestamp("us"), pandas=pd.Series(AT, dtype="M8[us]"))
    | {"pandas, ns": pd.DataFrame({"at": pd.Series(AT, dtype="M8[ns]")})}
    | {"polars, ns": pl.DataFrame({"at": pl.Series(AT, dtype=pl.Datetime("ns"))})}
    | {"numpy": np.array([AT], dtype="M8[us]").T}
    | {"numpy, other order of bytes": np.array([AT], dtype=">M8[us]").T},
    "zoned": frames(
        ZONED,
        pa.timestamp("us", "Europe/Berlin"),
        pl.Datetime("us", "Europe/Berlin"),
        pd.Series(AT, dtype="M8[us]").dt.tz_localize("Europe/Berlin"),
    ),
    "clock": frames(CLOCK, pa.time64("us"), pl.Time)
    | {"pyarrow ns": pa.table({"at": pa.array(CLOCK, pa.time64("ns"))})},
    "waits": frames(WAITS, pa.duration("us"), pandas=pd.Series(WAITS, dtype="m8[us]"))
    | {"numpy": np.array([WAITS], dtype="m8[us]").T},
}
EXPECTED = {
    "days": [
        None if day is None else float((day - datetime.date(1970, 1, 1)).days) for day in DAYS
    ],
    "dates": [
        None
        if at is None
        else ((at - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)) / 86.4e9
        for at in AT
    ],
    "zoned": [None if at is None else at.timestamp() / 86400 for at in ZONED],
    "clock": [
        None if at is None else at.hour + at.minute / 60 + (at.second + at.microsecond / 1e6) / 3600
        for at in CLOCK
    ],
    "waits": [None if wait is None else wait / datetime.timedelta(days=1) for wait in WAITS],
}
KINDS = {
    "days": TimeKind("date"),
    "dates": TimeKind("date"),
    "zoned": TimeKind("date", "Europe/Berlin"),
    "clock": TimeKind("time"),
    "waits": TimeKind("duration"),
}
EVERY = [(kind, holder) for kind, holders in HOLDERS.items() for holder in holders]


@pytest.mark.parametrize(("kind", "holder"), EVERY)
def test_every_type_gives_the_same_numbers(kind, holder):
    table = table_from_input(HOLDERS[kind][holder])
    first = table_from_input(HOLDERS[kind]["pyarrow"])
    assert table.derivation == Derivation({0: KINDS[kind]})
    assert table.dense().tobytes() == first.dense().tobytes()
    expected = np.array(EXPECTED[kind], dtype=float)
    np.testing.assert_allclose(table.dense()[:, 0], expected, rtol=1e-14)
    if KINDS[kind].what == "date":
        shown = {"days": DAYS, "dates": AT, "zoned": AT}[kind]
        local = table.times[0].values().view("M8[us]").tolist()
        midnight = datetime.time()
        assert local == [
            at if type(at) is not datetime.date else datetime.datetime.combine(at, midnight)
            for at in shown
        ]


@pytest.mark.parametrize(("kind", "holder"), EVERY)
def test_a_model_reads_every_type_alike_row_by_row(kind, holder):
    X = HOLDERS[kind][holder]
    formulas = (Formula("month", (0,)),) if KINDS[kind].what == "date" else ()
    known = Derivation({0: KINDS[kind]}, formulas)
    table = table_from_input(X, detect=False, derivation=known)
    rows = [
        table_from_input(X[row : row + 1], detect=False, derivation=known).dense()
        for row in range(table.n_rows)
    ]
    assert np.concatenate(rows).tobytes() == table.dense().tobytes()
    assert table.n_columns == 1 + len(formulas)
    assert table.n_given == 1


@given(
    at=st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2250, 1, 1)),
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC", "+05:30"]),
)
def test_local_time_is_what_python_says(at, zone):
    utc = at.replace(tzinfo=datetime.timezone.utc)
    aware = pd.Series([utc]).dt.tz_convert(zone)
    table = table_from_input(pd.DataFrame({"at": aware}))
    offset = aware[0].utcoffset() // datetime.timedelta(microseconds=1)
    elapsed = (at - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    assert table.dense()[0, 0] == elapsed / 86_400_000_000
    assert table.times[0].values()[0] == elapsed + offset
    assert table.times[0].kind.zone == zone


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_model_keeps_its_zone(make):
    known = Derivation({0: TimeKind("date", "Europe/Berlin")}, (Formula("hour", (0,)),))
    at = pl.Series([datetime.datetime(2024, 7, 1, 10), None]).dt.replace_time_zone("UTC")
    column = {pd.DataFrame: at.to_pandas, pl.DataFrame: lambda: at, pa.table: at.to_arrow}[make]()
    table = table_from_input(make({"at": column}), derivation=known)
    assert table.dense()[0].tolist() == [19905 + 10 / 24, 12.0]
    assert np.isnan(table.dense()[1]).all()


def test_objects_of_several_zones_say_what_to_do():
    X = pd.DataFrame({"at": pd.Series([ZONED[0], AT[0]], dtype=object)})
    with pytest.raises(InputError, match=r"Row 0, column 'at'.*convert all to one zone.*utc=True"):
        table_from_input(X)


@pytest.mark.parametrize("nothing", [np.nan, None, pd.NaT])
@pytest.mark.parametrize("kind", [TimeKind("date"), TimeKind("time"), TimeKind("date", "UTC")])
def test_missing_values_may_stand_for_dates(nothing, kind):
    known = Derivation({0: kind})
    for X in (
        pd.DataFrame({"at": [nothing, nothing]}),
        pd.DataFrame({"at": pd.Series([nothing, nothing], dtype=object)}),
        np.array([[nothing], [nothing]], dtype=object),
    ):
        table = table_from_input(X, detect=False, derivation=known)
        assert np.isnan(table.dense()).all()


@pytest.mark.parametrize(
    ("unit", "count", "days"),
    [("Y", 54, 19723), ("M", 12, 365), ("W", 2, 14), ("D", 3, 3), ("h", -12, -0.5),
     ("s", 1, 1 / 86400), ("ns", -1, -1 / 86.4e9), ("ps", 10**6, 1 / 86.4e9)],
)  # fmt: skip
def test_units_of_numpy(unit, count, days):
    """What is finer than a microsecond is rounded down."""
    table = table_from_input(np.array([[count]], dtype=f"M8[{unit}]"))
    assert table.dense()[0, 0] == days


def test_times_far_away_are_named():
    X = np.array([[0], [10**18]], dtype="M8[s]")
    with pytest.raises(InputError, match=r"Row 1, column 0 of X is .*within 290,000 years"):
        table_from_input(X)
    with pytest.raises(InputError, match="no fixed length"):
        table_from_input(np.array([[1]], dtype="m8[M]"))


def test_rows_are_taken_with_their_parts():
    known = Derivation({0: TimeKind("date")}, (Formula("weekday", (0,)), Formula("hour", (0,))))
    table = table_from_input(HOLDERS["dates"]["pandas"], derivation=known)
    taken = table.take(np.array([3, 0])).take(np.array([1, 0, 0]))
    np.testing.assert_array_equal(taken.dense(), table.dense()[[0, 3, 3]])
    assert taken.times[0].values().tolist() == table.times[0].values()[[0, 3, 3]].tolist()
    assert table.times[0].values()[1] == MISSING_TICK


@pytest.mark.parametrize("text", ["2024-01-01", "not a date"])
def test_texts_are_not_taken_for_dates(text):
    table = table_from_input(pd.DataFrame({"at": [text, "2024-01-02"]}))
    assert list(table.categories) == [0]
    assert not table.derivation
