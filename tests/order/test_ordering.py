"""Orderings: permutations by chance, or by time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ocelotboost import OcelotClassifier, ParameterError
from ocelotboost.estimator.settings import settings_from
from ocelotboost.order.ordering import draw_orderings, halves, rows_by_time
from ocelotboost.order.parcels import one_parcel
from ocelotboost.order.rows_in_order import statistic_orderings
from ocelotboost.table.from_input import table_from_input

FRAME = pd.DataFrame({"when": [3.0, 1.0, 2.0, 1.0, np.nan, 0.5], "who": list("abcabc")})
TABLE = table_from_input(FRAME)


def orderings(has_time=False, *, kind="ordered", count=3, seed=0):
    estimator = OcelotClassifier(
        has_time=has_time, target_statistic=kind, permutation_count=count, random_state=seed
    )
    settings = settings_from(estimator, None, None).order
    return statistic_orderings(TABLE, one_parcel(TABLE.n_rows), 0, settings)


@pytest.mark.parametrize("n_rows", [1, 2, 1000])
@pytest.mark.parametrize("count", [0, 1, 4])
def test_orderings_are_permutations_and_differ(n_rows, count):
    drawn = draw_orderings(one_parcel(n_rows), count, np.random.SeedSequence(0))
    assert drawn.shape == (count + 1, n_rows)
    assert drawn.dtype == np.uint32
    assert (np.sort(drawn, axis=1) == np.arange(n_rows)).all()
    if n_rows == 1000:
        assert len({ordering.tobytes() for ordering in drawn}) == count + 1


def test_the_same_seed_draws_the_same_orderings():
    np.testing.assert_array_equal(orderings(seed=5), orderings(seed=5))
    assert (orderings(seed=5) != orderings(seed=6)).any()


def test_rows_in_the_order_of_time_need_one_ordering():
    np.testing.assert_array_equal(orderings(True), [np.arange(6)])
    np.testing.assert_array_equal(orderings(np.True_), [np.arange(6)])
    assert len(orderings(np.False_)) == 4


@pytest.mark.parametrize("column", ["when", 0])
def test_a_column_of_times_sorts_stably_with_missing_ones_last(column):
    np.testing.assert_array_equal(orderings(column), [[5, 1, 3, 2, 0, 4]])


@pytest.mark.parametrize(("has_time", "earlier"), [(True, [0, 1, 2]), ("when", [1, 3, 5])])
def test_the_earlier_half_is_the_history_of_the_later(has_time, earlier):
    rows, history = halves(6, rows_by_time(TABLE, has_time), np.random.SeedSequence(0))
    assert history.tolist() == earlier
    assert sorted([*rows, *history]) == list(range(6))


def test_statistics_without_an_order_need_none():
    for kind in ("greedy", "leave_one_out", "holdout"):
        assert orderings(kind=kind).shape == (1, 6)


@pytest.mark.parametrize(
    ("column", "text"),
    [("who", "categorical"), (1, "categorical"), ("whom", "not a column"), (2, "not a column")],
)
def test_a_column_that_is_no_time_is_refused(column, text):
    labels = [0, 1] * 3
    for frame in (FRAME, FRAME.assign(who=[1.0, 2.0] * 3)):
        if frame is not FRAME and text == "categorical":
            continue
        with pytest.raises(ParameterError, match=f"has_time={column!r}.*{text}"):
            OcelotClassifier(iterations=1, has_time=column).fit(frame, labels)
