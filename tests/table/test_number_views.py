"""Which categorical columns are numbers, too, and which numbers they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from tests.table.category_holders import HOLDERS

from ocelotboost.table.derived import derive
from ocelotboost.table.formulas import NUMBER_VIEW, Formula
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.number_views import MOST_VALUES, number_views, viewed_columns

HOURS = [str(hour) for hour in range(24)]


def table_of(values, **arguments):
    frame = pd.DataFrame({"c": pd.Series(values, dtype=object)})
    return table_from_input(frame, cat_features=["c"], **arguments)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (HOURS * 9, True),
        ([*HOURS * 9, None, "?"], True),
        ([*HOURS * 9, *"abc"], False),
        ([f"{hour:02}" for hour in range(24)] * 9, True),
        ([str(year) for year in range(1990, 2024)] * 9, True),
        (["0.5", "2.25", "100"] * 9, True),
        ([7, 8, 9.5] * 9, True),
        (["0", "1"] * 9, False),
        (["1", "1.0", "01", None] * 9, False),  # one number, written in three ways
        (["75001", "13002", "69003"] * 9, False),
        (["x", "y", "z"] * 9, False),
        ([None] * 9, False),
        ([True, False] * 9, False),
        ([str(number) for number in range(MOST_VALUES)], True),
        ([str(number) for number in range(MOST_VALUES + 1)], False),
        ([*map(str, range(MOST_VALUES)), None], False),
    ],
)
def test_only_numbers_in_some_order_have_views(values, expected):
    views = number_views(table_of(values))
    assert views == ([Formula(NUMBER_VIEW, (0,))] if expected else [])
    assert viewed_columns(views) == ({0} if expected else set())


def test_texts_that_are_none_have_no_views():
    damaged = b"\xff".decode("utf-8", "surrogateescape")
    assert number_views(table_of([damaged, "1", "2"] * 9)) == []


def view_of(table):
    return derive(table, [Formula(NUMBER_VIEW, (0,))]).parts[-1]


@pytest.mark.parametrize("n_times", [1, 40])
def test_numbers_are_those_of_the_texts(n_times):
    values = ["7", None, " 1.5", "-2e3", "1_000", "inf", "nan", "½", "", "+.5", "7."] * n_times
    expected = [7, np.nan, 1.5, -2000, *[np.nan] * 5, 0.5, 7] * n_times
    view = view_of(table_of(values))
    assert_array_equal(view.values()[:, 0], expected)
    chosen = np.array([9, 0, 0, 3])
    assert_array_equal(view.take(chosen).values()[:, 0], np.array(expected)[chosen])


@pytest.mark.parametrize("holder", HOLDERS)
def test_whatever_holds_the_texts(holder):
    texts = [*HOURS * 5, None, "?"]
    table = table_from_input(HOLDERS[holder](texts), cat_features=[0])
    expected = [*map(float, HOURS * 5), np.nan, np.nan]
    assert_array_equal(view_of(table).values()[:, 0], expected)


def test_a_matrix_of_numbers_that_are_categories():
    table = table_from_input(np.arange(100.0)[:, None] % 7, cat_features=[0])
    assert number_views(table) == [Formula(NUMBER_VIEW, (0,))]
    assert_array_equal(view_of(table).values()[:, 0], np.arange(100) % 7)
