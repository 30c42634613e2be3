"""Which rows train and which judge, and the errors about them."""

from __future__ import annotations

import datetime
import itertools

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from ocelotboost.cross_validation.folds import RowsToSplit, make_folds
from ocelotboost.errors import InputError, ParameterError


def numbers(n_rows, **known):
    return RowsToSplit(np.zeros((n_rows, 1)), np.arange(n_rows, dtype=float), **known)


def labels(codes, classes=("no", "yes"), **known):
    codes, classes = np.asarray(codes, dtype=np.uint32), np.array(classes)
    return RowsToSplit(np.zeros((len(codes), 1)), classes[codes], classes, codes, **known)


def test_every_row_judges_once_and_never_its_own_model():
    for rows in (numbers(23), labels(np.arange(23) % 2)):
        folds = make_folds(5, rows, 0)
        assert np.array_equal(np.sort(np.concatenate([own.test for own in folds])), np.arange(23))
        for own in folds:
            assert np.array_equal(np.sort(np.concatenate(own)), np.arange(23))


def test_classes_have_equal_shares():
    rows = labels(np.arange(100) % 10 == 0)
    assert [int(rows.codes[own.test].sum()) for own in make_folds(5, rows, 0)] == [2] * 5


def test_the_same_folds_for_the_same_number():
    first, again, other = (make_folds(3, numbers(30), seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("make", [numbers, lambda n, **known: labels(np.arange(n) % 2, **known)])
def test_no_group_both_trains_and_judges(make):
    groups = np.array([f"customer {row // 4}" for row in range(60)])
    for own in make_folds(5, make(60, groups=groups), 0):
        assert not set(groups[own.train]) & set(groups[own.test])


def test_folds_go_forward_in_time():
    time = np.random.default_rng(0).permutation(100) // 3
    folds = make_folds(4, numbers(100, time=time), 0)
    assert len(folds) == 4
    for own in folds:
        assert time[own.train].max() < time[own.test].min()
        assert (np.diff(own.train) > 0).all()
    for before, after in itertools.pairwise(folds):
        assert set(before.train) | set(before.test) == set(after.train)
    assert time[folds[-1].test].max() == time.max()
    assert all(15 <= len(own.test) <= 25 for own in folds)


def test_times_may_be_dates_or_texts():
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=day) for day in range(12)]
    expected = [own.test.tolist() for own in make_folds(3, numbers(12, time=range(12)), 0)]
    for time in (days, np.array(days, dtype="datetime64[ns]"), [day.isoformat() for day in days]):
        found = make_folds(3, numbers(12, time=time), 0)
        assert [own.test.tolist() for own in found] == expected


def test_groups_that_judge_later_do_not_train_earlier():
    groups = np.random.default_rng(0).integers(30, size=40)
    for own in make_folds(3, numbers(40, time=np.arange(40), groups=groups), 0):
        assert own.train.max() < own.test.min()
        assert not set(groups[own.train]) & set(groups[own.test])


def test_splitters_of_scikit_learn_and_pairs():
    found = make_folds(TimeSeriesSplit(3), numbers(20), 0)
    expected = list(TimeSeriesSplit(3).split(np.zeros(20)))
    for own, pair in zip(found, expected, strict=True):
        assert np.array_equal(own.train, pair[0])
        assert np.array_equal(own.test, pair[1])
    grouped = make_folds(GroupKFold(2), numbers(6, groups=[0, 0, 1, 1, 2, 2]), 0)
    assert len(grouped) == 2
    mask = np.arange(6) < 4
    (masked,) = make_folds([(mask, ~mask)], numbers(6), 0)
    assert masked.test.tolist() == [4, 5]
    assert len(make_folds(iter(list(KFold(3).split(np.zeros(6)))), numbers(6), 0)) == 3


@pytest.mark.parametrize(
    ("cv", "rows", "message"),
    [
        (5, numbers(4), "cv=5 needs at least as many rows, and X has 4"),
        (5, labels([0] * 20 + [1] * 3), "class 'yes' has 3 rows.* at most 3 folds"),
        (3, numbers(6, groups=[1, 1, 1, 2, 2, 2]), "groups has 2 distinct values, fewer than cv=3"),
        (2, numbers(3, groups=["a", None, "b"]), "Row 1 of groups is missing"),
        (2, numbers(3, groups=[1.0, np.nan, 2.0]), "Row 1 of groups is missing"),
        (2, numbers(3, groups=[1, 2]), r"groups has shape \(2,\), but X has 3 rows"),
        (2, numbers(3, groups=[1, "a", (2,)]), "groups cannot be read as one value per row"),
        (3, numbers(4, time=[1, 1, 2, 2]), "time has 2 distinct values; cv=3 .* at least 4"),
        (2, numbers(2, time=np.array(["NaT", "2024"], "M8[D]")), "Row 0 of time is missing"),
        ([([0, 1], [1, 2])], numbers(3), "both trains on row 1 and is judged by it"),
        ([([0, 1], [])], numbers(3), "Fold 1 has no rows to judge by"),
        ([([0, 7], [1])], numbers(3), "Fold 1 of cv names row 7, and X has 3 rows"),
        ([([0.5], [1])], numbers(3), "dtype float64"),
        ([([0, 1], [2, 3])], labels([0, 0, 1, 1]), "no row of class 'yes' among the 2 rows"),
        (GroupKFold(2), numbers(4), "cannot split these rows"),
        (
            2,
            numbers(4, weight=np.array([0, 0, 0, 1], np.float32)),
            "All rows that fold . has to .* have weight 0",
        ),
    ],
)
def test_rows_that_cannot_be_split(cv, rows, message):
    with pytest.raises(InputError, match=message):
        make_folds(cv, rows, 0)


@pytest.mark.parametrize("cv", [1, 0, True, "five", None, 2.5, [], [3, 4], {"folds": 3}])
def test_what_is_no_cv(cv):
    with pytest.raises(ParameterError, match="give a number of folds from 2 on"):
        make_folds(cv, numbers(10), 0)


def test_time_makes_folds_of_a_number_only():
    with pytest.raises(ParameterError, match="give cv as a number"):
        make_folds(KFold(3), numbers(10, time=np.arange(10)), 0)
