"""What statistics average."""

from __future__ import annotations

import numpy as np
import pytest

from ocelotboost.order.target import ClassTargets, NumberTargets, TotalsOfRows
from tests.order.sources import make_data

N_ROWS = 200


def numbers(seed=0):
    return np.random.default_rng(seed).gamma(2.0, size=N_ROWS).astype(np.float32)


def test_of_two_classes_one_is_enough():
    codes = np.array([0, 1, 1, 0], dtype=np.float32)
    targets = ClassTargets(["no", "yes"]).of(codes)
    np.testing.assert_array_equal(targets.values, [codes])
    assert targets.names == ("mean target",)
    assert (targets.lows[0], targets.highs[0], targets.centers[0]) == (0, 1, 0.5)


def test_of_more_classes_each_has_its_share():
    codes = np.array([0, 2, 1, 2], dtype=np.float32)
    targets = ClassTargets(["a", "b", "c"]).of(codes)
    np.testing.assert_array_equal(targets.values, [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]])
    assert targets.names[2] == "share of class 'c'"
    assert targets.values.dtype == np.float32
    assert targets.values.flags.c_contiguous


@pytest.mark.parametrize(("kind", "n_targets"), [("mean", 1), ("binarized", 1), ("both", 2)])
def test_a_number_itself_and_whether_it_is_above_its_middle(kind, n_targets):
    y = numbers()
    targets = NumberTargets.define(y, None, TotalsOfRows(make_data(N_ROWS, 0)), 1.0, kind).of(y)
    assert targets.values.shape == (n_targets, N_ROWS)
    assert (targets.lows < targets.centers).all()
    assert (targets.centers < targets.highs).all()
    if kind != "binarized":
        np.testing.assert_array_equal(targets.values[0], y)
        assert targets.centers[0] == pytest.approx(y.mean())
        assert y.min() <= targets.lows[0]
        assert targets.highs[0] <= y.max()
    if kind != "mean":
        np.testing.assert_array_equal(targets.values[-1], y > np.median(y))
        assert targets.names[-1].startswith("share of target > ")


def test_weights_count_as_copies():
    rng = np.random.default_rng(1)
    y, weight = np.round(numbers(), 1), rng.integers(1, 5, size=N_ROWS)
    data = make_data(N_ROWS, 0)
    copies = type(data)(
        data.features, data.codes.repeat(weight, axis=1), data.value_counts, data.hashes
    )
    weighted = NumberTargets.define(
        y, weight.astype(np.float32), TotalsOfRows(data), 1.0, "both"
    ).of(y)
    y_copied = y.repeat(weight)
    copied = NumberTargets.define(y_copied, None, TotalsOfRows(copies), 1.0, "both").of(y_copied)
    assert weighted.names == copied.names
    for name in ("lows", "highs", "centers"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(copied, name), rtol=1e-12)
    np.testing.assert_array_equal(weighted.values.repeat(weight, axis=1), copied.values)


@pytest.mark.parametrize("row", [0, 17, 150])
def test_one_target_moves_what_all_define_by_little(row):
    y, changed = numbers(), numbers()
    changed[row] += 3
    data = make_data(N_ROWS, 0)
    before, after = (
        NumberTargets.define(t, None, TotalsOfRows(data), 1.0, "both") for t in (y, changed)
    )
    assert abs(after.mean - before.mean) == pytest.approx(3 / N_ROWS, rel=1e-4)
    # The middle moves to the next gap between two targets at most.
    assert abs(np.sum(y > before.middle) - np.sum(y > after.middle)) <= 1
    of_others = np.delete(before.of(y).values[1] != after.of(changed).values[1], row)
    assert of_others.sum() <= 1


@pytest.mark.parametrize("constant", [0.0, 3.5, -1e20])
def test_a_constant_target_has_bins_of_some_width(constant):
    y = np.full(N_ROWS, constant, dtype=np.float32)
    targets = NumberTargets.define(y, None, TotalsOfRows(make_data(N_ROWS, 0)), 1.0, "both").of(y)
    assert (targets.lows < targets.highs).all()
    assert (targets.values[-1] == 0).all()


def test_other_rows_are_cut_where_the_first_ones_were():
    y, others = numbers(0), numbers(1) + 2
    definition = NumberTargets.define(y, None, TotalsOfRows(make_data(N_ROWS, 0)), 1.0, "both")
    first, later = definition.of(y), definition.of(others)
    assert later.names == first.names
    for name in ("lows", "highs", "centers"):
        np.testing.assert_array_equal(getattr(later, name), getattr(first, name))
    np.testing.assert_array_equal(later.values[0], others)
    np.testing.assert_array_equal(later.values[1], others > definition.middle)
