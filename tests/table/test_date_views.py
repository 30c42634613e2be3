"""Which categorical columns are dates, too, and which dates they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from tests.table.category_holders import HOLDERS

from ocelotboost.table.date_parts import MISSING_TICK
from ocelotboost.table.date_texts import DATE_ORDERS, ticks_in
from ocelotboost.table.date_views import date_order, date_views
from ocelotboost.table.derived import derive
from ocelotboost.table.formulas import Formula
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.number_views import number_views, viewed_columns

DAYS = pd.date_range("2023-12-20", periods=200)
ISO = DAYS.strftime("%Y-%m-%d").tolist()


def table_of(values, **arguments):
    frame = pd.DataFrame({"c": pd.Series(values, dtype=object)})
    return table_from_input(frame, cat_features=["c"], **arguments)


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (ISO, "ymd"),
        ([*ISO, None, "?"], "ymd"),
        ([*ISO, *map(str, range(50))], None),
        (DAYS.strftime("%Y/%m/%d %H:%M").tolist(), "ymd"),
        (DAYS.strftime("%Y-%m-%dT%H:%M:%S.%fZ").tolist(), "ymd"),
        (DAYS.strftime("%m/%d/%Y").tolist(), "mdy"),
        (DAYS.strftime("%d.%m.%Y").tolist(), "dmy"),
        (DAYS.strftime("%d-%m-%Y %H:%M:%S").tolist(), "dmy"),
        (["1/2/2024", "3/4/2024", "5/6/2024"], None),  # of which month?
        (["2024-01-01", "2024-1-1", "2024/1/1", "2024-01-01 00:00"], None),  # the same date
        (["2024-01-01", "2024-01-02"] * 9, None),  # too few
        (["192.168.2.1", "10.0.0.1", "10.0.0.2"], None),
        (["2024-2025", "2023-2024", "2022-2023"], None),
        ([str(number) for number in range(100)], None),
        ([None] * 9, None),
        (["x", "y", "z"], None),
    ],
)
def test_only_dates_of_one_order_have_views(values, order):
    table = table_of(values)
    assert date_order(table.categories[0]) == order
    views = date_views(table, ["weekday", "month"])
    kinds = [] if order is None else [order, f"{order}.month", f"{order}.weekday"]
    assert views == [Formula(kind, (0,)) for kind in kinds]
    assert viewed_columns(views) == ({0} if order else set())
    assert not (views and number_views(table))


def test_texts_that_are_none_have_no_views():
    damaged = b"\xff".decode("utf-8", "surrogateescape")
    assert date_order(table_of([damaged, "1", "2"]).categories[0]) is None


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("2024-02-29", "ymd", "2024-02-29"),
        (" 2024/2/9 ", "ymd", "2024-02-09"),
        ("0001-01-01", "ymd", "0001-01-01"),
        ("2024-02-29 7:05", "ymd", "2024-02-29T07:05"),
        ("2024-02-29T18:30:15.123456789+05:30", "ymd", "2024-02-29T18:30:15.123456"),
        ("2024-02-29 18:30 UTC", "ymd", "2024-02-29T18:30"),
        ("2/9/2024", "mdy", "2024-02-09"),
        ("2/9/2024", "dmy", "2024-09-02"),
        ("2023-02-29", "ymd", "NaT"),
        ("2024-13-01", "ymd", "NaT"),
        ("0000-01-01", "ymd", "NaT"),
        ("2024-02-29 24:00", "ymd", "NaT"),
        ("2024-02/29", "ymd", "NaT"),
        ("2024-02-29 UTC", "ymd", "NaT"),
        ("24-02-29", "ymd", "NaT"),
        ("２０２４-02-29", "ymd", "NaT"),
        ("", "ymd", "NaT"),
        (None, "ymd", "NaT"),
    ],
)
def test_a_text_is_a_date(text, order, expected):
    ticks = ticks_in([text], order)
    assert ticks.view("M8[us]")[0] == np.datetime64(expected, "us") or (
        expected == "NaT" and ticks[0] == MISSING_TICK
    )


@pytest.mark.parametrize("order", DATE_ORDERS)
def test_views_are_the_columns_that_dates_have(order):
    form = {"ymd": "%Y-%m-%d %H:%M", "mdy": "%m/%d/%Y %H:%M", "dmy": "%d.%m.%Y %H:%M"}[order]
    dates = pd.Series(pd.date_range("2023-12-20 03:30", periods=300, freq="31h"))
    kinds = [order, f"{order}.day_of_year", f"{order}.hour"]
    table = table_of(dates.dt.strftime(form).tolist())
    table = derive(table, [Formula(kind, (0,)) for kind in kinds])
    rows = np.array([17, 2, 2, 299])
    for chosen, given in ((table, dates), (table.take(rows), dates[rows])):
        elapsed, day, hour = (part.values()[:, 0] for part in chosen.parts[-3:])
        assert_array_equal(elapsed, (given - pd.Timestamp(0)) / pd.Timedelta(days=1))
        assert_array_equal(day, given.dt.day_of_year)
        assert_array_equal(hour, given.dt.hour + given.dt.minute / 60)


@pytest.mark.parametrize("holder", HOLDERS)
def test_whatever_holds_the_texts(holder):
    texts = [*ISO, None, "?"]
    table = table_from_input(HOLDERS[holder](texts), cat_features=[0])
    view = derive(table, [Formula("ymd", (0,))]).parts[-1].values()[:, 0]
    first = (DAYS[0] - pd.Timestamp(0)).days
    assert_array_equal(view, [*range(first, first + len(ISO)), np.nan, np.nan])
