"""Which models stay: those that come near the first one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator.rival import Contender, Rival
from ocelotboost.loss.pointwise import RMSE
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.labelled import LabelledTable


def rows_with(spread):
    """Half of the targets are ``spread`` above the middle, half of them below."""
    target = np.tile([spread, -spread], 10**6).astype(np.float32)
    held = LabelledTable(table_from_input(target[:, None]), target, None)
    return SimpleNamespace(watched=[SimpleNamespace(data=held)])


def hear(callback, curve, begin=0):
    """Trees one after the other; the number of them when it asked to stop, or None."""
    for tree in range(begin, len(curve)):
        history = {"validation": {"RMSE": curve[: tree + 1]}}
        if callback.after_iteration(IterationInfo(tree, len(curve), history, 0.0)):
            return tree + 1
    return None


def first_model(curve=(9.0, 6.0, 7.0)):
    """One that came from 10 to 6."""
    leader = Contender(rows_with(10), RMSE())
    hear(leader, list(curve))
    return leader


def rival(spread, leader=None):
    return Rival(first_model() if leader is None else leader, rows_with(spread), RMSE())


@pytest.mark.parametrize(
    ("spread", "curve", "near"),
    [
        (10, [8.0, 6.2], True),
        (10, [8.0, 6.4], False),
        (20, [19.0, 12.4], True),  # the rows are harder, and the loss fell as far
        (5, [5.0, 3.3], False),  # they are easier, and it did not
        (10, [10.0, 9.0, -1.0], True),  # there is no share of a loss that may be negative
        (10, [], True),
        (10, [float("nan")], True),
    ],
)
def test_losses_are_compared_by_what_is_left_of_them(spread, curve, near):
    other = rival(spread)
    hear(other, curve)
    assert other.is_near == near


@pytest.mark.parametrize(("slope", "ends"), [(0.08, None), (0.01, 50)])
def test_a_model_is_given_up_when_its_pace_is_too_slow(slope, ends):
    assert hear(rival(10), [10.0 - slope * tree for tree in range(60)]) == ends


FAST = [10.0 * 0.95**tree + 5.0 for tree in range(120)]
SLOW = [10.0 - 0.01 * tree for tree in range(120)]
LATE = [9.9] * 60 + [5.0] * 60  # hopeless after 50 trees, and near the first in the end


@pytest.mark.parametrize(("curve", "near"), [(FAST, True), (SLOW, False), (LATE, False)])
@pytest.mark.parametrize("ahead", [0, 30, 60, 120])
def test_it_does_not_matter_when_the_first_model_trains(curve, near, ahead):
    """It may be done before its rival begins, train at the same time, or end long after it."""
    leader = Contender(rows_with(10), RMSE())
    hear(leader, FAST[:ahead])
    other = rival(10, leader)
    ended = None
    for tree in range(len(curve)):
        if ended is None:
            ended = hear(other, curve[: tree + 1], begin=tree)
        hear(leader, FAST[: ahead + tree], begin=max(ahead + tree - 1, 0))
    hear(leader, FAST, begin=len(FAST) - 1)
    assert other.is_near == near


def test_without_a_loss_of_the_first_model_all_are_near():
    other = rival(10, Contender(rows_with(10), RMSE()))
    assert hear(other, SLOW) is None
    assert other.is_near
