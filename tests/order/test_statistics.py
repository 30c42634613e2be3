"""Statistics of training rows: no leak when ordered, and the paper's formulas for every kind."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.kernels.contract import History
from ocelotboost.order.statistic import StatisticTargets, statistic_columns, statistic_units
from tests.kernels.strategies import SEEDS, weights
from tests.order.sources import (
    COMBINATIONS,
    bins_of,
    make_block,
    make_source,
    make_store,
    values_of,
)

ROWS = st.sampled_from([1, 2, 3, 30, 120])


@given(st.data(), SEEDS, ROWS, st.sampled_from([0, 1, 4, 1000]))
def test_a_target_changes_only_statistics_of_later_rows(data, seed, n_rows, window):
    weight = data.draw(weights(n_rows))
    block = make_block(n_rows, seed)
    source = make_source(n_rows, seed, window=window, weight=weight)
    changed_row = data.draw(st.integers(0, n_rows - 1))
    values = source.targets.values.copy()
    values[0, changed_row] = 1 - values[0, changed_row]
    values[1, changed_row] += 1
    changed = dataclasses.replace(
        source, targets=dataclasses.replace(source.targets, values=values)
    )
    cache, changed_cache = make_store(source, block), make_store(changed, block)
    for combination in COMBINATIONS:
        for ordering, rows in enumerate(source.orderings):
            time = int(np.flatnonzero(rows == changed_row)[0])
            until = rows[: time + 1]
            found = bins_of(cache, combination, ordering)
            after = bins_of(changed_cache, combination, ordering)
            np.testing.assert_array_equal(found[:, until], after[:, until])


def test_a_target_does_change_statistics_of_later_rows():
    source, block = make_source(120, 3), make_block(120, 3)
    values = source.targets.values.copy()
    values[0] = 1 - values[0]
    other = dataclasses.replace(source, targets=dataclasses.replace(source.targets, values=values))
    for combination in COMBINATIONS:
        first, second = (bins_of(make_store(s, block), combination) for s in (source, other))
        assert (first[:3] != second[:3]).any()
        np.testing.assert_array_equal(first[-1], second[-1])  # a frequency knows no target


def plain_bin(statistic: float, low: float, high: float) -> int:
    return int(min(max((statistic - low) * (15.0 / (high - low)), 0.0), 15.0))


def expected_bins(source, block, combination, history_of):
    """The formulas of the paper, a row after the other. ``history_of(row)`` are the rows D_k."""
    values = values_of(source, block, combination)
    weight = np.ones(len(values)) if source.weight is None else source.weight.astype(np.float64)
    columns = source.columns
    expected = []
    for row in range(block.n_rows):
        own = [j for j in history_of(row) if values[j] == values[row]]
        count = sum(weight[j] for j in own)
        bins = []
        for target, prior, low, high in zip(
            columns.targets, columns.priors, columns.lows, columns.highs, strict=True
        ):
            total = sum(weight[j] * float(source.targets.values[target, j]) for j in own)
            a = columns.prior_weight
            bins.append(plain_bin((total + a * prior) / (count + a), low, high))
        expected.append(bins)
    return np.array(expected).T


def assert_nearly_all_equal(found, expected):
    """Sums in another order may differ in the last digit, and put a statistic beyond a border."""
    assert (found != expected).mean() < 0.01
    assert np.abs(found.astype(int) - expected).max(initial=0) <= 1


@pytest.mark.parametrize("kind", ["none", "whole", "any"])
@pytest.mark.parametrize(
    ("history", "window"), [*((history, 0) for history in History), (History.BEFORE, 5)]
)
def test_every_kind_follows_its_formula(history, window, kind):
    n_rows, n_apart = 90, 30 if history == History.APART else 0
    rng = np.random.default_rng(7)
    weight = {
        "none": None,
        "whole": rng.integers(1, 4, size=n_rows).astype(np.float32),
        "any": rng.uniform(0.2, 2, size=n_rows).astype(np.float32),
    }[kind]
    block = make_block(n_rows - n_apart, 5)
    source = make_source(n_rows, 5, history=history, weight=weight, window=window, prior_weight=2.0)
    order = source.orderings[0].tolist()

    def history_of(row):
        if history == History.BEFORE:
            before = order[: order.index(row)]
            return before[-window:] if window else before
        everyone = range(n_rows)
        return {
            History.ALL: everyone,
            History.ALL_BUT_OWN: [j for j in everyone if j != row],
            History.APART: range(n_rows - n_apart, n_rows),
        }[history]

    combinations = [c for c in COMBINATIONS if not (c.base and n_apart)]
    for combination in combinations:
        found = bins_of(make_store(source, block), combination)[:-1]
        assert_nearly_all_equal(found, expected_bins(source, block, combination, history_of))


def test_priors_between_the_lowest_and_the_highest_statistic():
    targets = StatisticTargets(
        np.zeros((1, 2), dtype=np.float32),
        np.array([-2.0]), np.array([10.0]), np.array([1.0]), ("a number",),
    )  # fmt: skip
    columns = statistic_columns(targets, (0.0, 0.25, 0.5, 0.75, 1.0), 1.0)
    np.testing.assert_allclose(columns.priors, [-2, -0.5, 1, 5.5, 10])
    assert (columns.lows == -2).all()
    assert (columns.highs == 10).all()
    assert columns.n_columns == 6
    assert columns.n_bytes == 3


def test_a_prior_beyond_them_widens_the_bins():
    targets = StatisticTargets(
        np.zeros((1, 2), dtype=np.float32), np.zeros(1), np.ones(1), np.full(1, 0.5), ("a class",)
    )
    columns = statistic_columns(targets, (-1.0, 2.0), 1.0)
    np.testing.assert_array_equal(columns.lows, [-1, 0])
    np.testing.assert_array_equal(columns.highs, [1, 2])


def units_of(values, weight=None):
    weight = None if weight is None else np.array(weight, dtype=np.float32)
    return statistic_units(np.array(values, dtype=np.float32), weight).tolist()


def test_whole_numbers_are_counted_as_they_are():
    assert units_of([[0, 1, 1], [-3, 7, 1000]]) == [1, 1, 1]
    assert units_of([[0, 1, 1]], [2, 0, 5]) == [1, 1]
    assert units_of([[0, 0]], [0, 0]) == [1, 1]
    assert units_of(np.empty((2, 0))) == [1, 1, 1]


def test_a_unit_is_the_smallest_power_of_two_whose_sums_have_room():
    assert units_of([[0.25, 0.5], [1, 2]]) == [1, 2.0**-62, 1]
    assert units_of([[0.5, 0.5]]) == [1, 2.0**-61]  # room for exactly 2**62 is not enough
    assert units_of([[1, -3]], [0.5, 1.25]) == [2.0**-61, 2.0**-59]
    assert units_of([[1e30, -1e30]]) == [1, 2.0**39]  # whole, but without room


@given(st.data(), SEEDS, ROWS)
def test_sums_in_units_stay_below_62_bits(data, seed, n_rows):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(2, n_rows)).astype(np.float32) * np.float32(10.0) ** rng.integers(
        -30, 30
    )
    weight = data.draw(weights(n_rows))
    units = statistic_units(values, weight)
    own = np.ones(n_rows) if weight is None else weight.astype(np.float64)
    for unit, added in zip(units, [own, *(own * values)], strict=True):
        most = sum(abs(int(x)) for x in np.rint(added / unit))
        assert most < 2**62
        whole = unit == 1 and (np.trunc(added) == added).all()
        assert whole or most >= 2**61 - n_rows or not added.any()
