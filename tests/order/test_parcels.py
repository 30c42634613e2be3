"""Parcels: every row is in one, at random, or by its time."""

from __future__ import annotations

import numpy as np
import pytest

from ocelotboost.order import parcels as module
from ocelotboost.order.ordering import draw_orderings, make_orderings
from ocelotboost.order.parcels import deal, one_parcel

SEED = np.random.SeedSequence(3)


@pytest.fixture(autouse=True)
def small_parcels(monkeypatch):
    monkeypatch.setattr(module, "PARCEL_ROWS", 64)


def test_few_rows_are_one_parcel_as_they_come():
    assert deal(64, None, SEED) == one_parcel(64)
    assert deal(0, None, SEED).slices == [slice(0, 0)]
    values = np.arange(64)
    assert one_parcel(64).deal(values) is values


@pytest.mark.parametrize("n_rows", [65, 1000])
def test_every_row_has_one_place_and_ascends_in_its_parcel(n_rows):
    dealt = deal(n_rows, None, SEED)
    assert dealt.n_parcels == -(-n_rows // 64)
    assert sorted(dealt.rows.tolist()) == list(range(n_rows))
    for part in dealt.slices:
        assert (np.diff(dealt.rows[part].astype(np.int64)) > 0).all()
    values = np.arange(2 * n_rows).reshape(2, -1)
    np.testing.assert_array_equal(dealt.deal(values), values[:, dealt.rows])
    rows = np.arange(n_rows)
    np.testing.assert_array_equal(dealt.rows[dealt.places(rows)], rows)


def test_parcels_are_random_sets_of_about_the_same_size():
    dealt = deal(64 * 100, None, SEED)
    sizes = np.diff(dealt.edges)
    assert sizes.sum() == 6400
    assert sizes.min() > 30
    assert sizes.max() < 110
    middles = [dealt.rows[part].mean() for part in dealt.slices]
    assert np.std(middles) < 6400 / np.sqrt(12 * 64) * 1.5
    assert (deal(6400, None, np.random.SeedSequence(4)).rows != dealt.rows).any()


def test_where_rows_have_their_time_a_parcel_is_a_stretch_of_it():
    by_time = np.random.default_rng(0).permutation(200)
    dealt = deal(200, by_time, SEED)
    assert np.diff(dealt.edges).tolist() == [50] * 4
    for number, part in enumerate(dealt.slices):
        assert set(dealt.rows[part]) == set(by_time[50 * number : 50 * (number + 1)])
    ordering = make_orderings(dealt, by_time, 3, SEED)
    np.testing.assert_array_equal(dealt.rows[ordering[0]], by_time)


def test_an_ordering_runs_through_one_parcel_after_the_other():
    dealt = deal(640, None, SEED)
    drawn = draw_orderings(dealt, 2, SEED)
    assert drawn.shape == (3, 640)
    sequences = []
    for ordering in drawn:
        assert sorted(ordering.tolist()) == list(range(640))
        parcel = np.searchsorted(dealt.edges, ordering, side="right") - 1
        (changes,) = np.nonzero(np.diff(parcel))
        assert len(changes) == 9
        sequences.append(tuple(dict.fromkeys(parcel.tolist())))
        assert (np.diff(ordering.astype(np.int64)) < 0).sum() > 200  # shuffled inside
    assert len(set(sequences)) == 3
