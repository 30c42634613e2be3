"""Whether a model by another recipe comes near the first one, each on its own held-out rows.

Some rows are harder than others. So losses are compared as shares of the loss before the first
tree. A loss that may be negative has no such share, and then every model is near.

Both may be training at the same time. The goal only ever falls as the first model gets better, and
what is too far from a goal is too far from every lower one. So a rival may be given up early or
late, or be judged at the end: it is always the same rivals that stay.
"""

from __future__ import annotations

import math

import numpy as np

from ocelotboost.boost.callback import History, IterationInfo
from ocelotboost.boost.evaluation import LossMetric
from ocelotboost.estimator.eval_sets import VALIDATION
from ocelotboost.estimator.rows import Rows
from ocelotboost.loss.base import Loss
from ocelotboost.loss.passes import pass_for
from ocelotboost.table.labelled import LabelledTable

#: A rival whose loss on the held-out rows is higher by more than this share is dropped. Models
#: hold different rows out, so that chance adds something, over the root of how many these are.
_TOLERANCE, _CHANCE = 0.05, 2.0

#: It is given up from this many trees on, looked at after every few of them, where the rest of the
#: way is longer than what it would go in twice the trees at its recent pace. Pace only slackens.
_FEWEST_TREES, _EVERY = 50, 10


class Contender:
    """How far a model has come: a callback of its training.

    share  the lowest loss so far, as a share of that before training; nan where there is none
    """

    def __init__(self, rows: Rows, loss: Loss) -> None:
        self._loss = loss.name
        self._before = _loss_before_training(rows, loss)
        self.share = math.nan

    def after_iteration(self, info: IterationInfo) -> None:
        """One more tree."""
        self.share = self.share_after(info.history)

    def share_after(self, history: History, n_trees: int | None = None) -> float:
        """Of the first trees."""
        curve = history.get(VALIDATION, {}).get(self._loss, [])
        lowest = min(curve[:n_trees], default=0.0)
        return lowest / self._before if lowest > 0 else math.nan


class Rival:
    """Another model, which has to come near the first: a callback of its training."""

    def __init__(self, first: Contender, rows: Rows, loss: Loss) -> None:
        self._first = first
        self._own = Contender(rows, loss)
        self._slack = 1 + _TOLERANCE + _CHANCE / math.sqrt(_held_out(rows).n_rows)
        self._in_sight: list[float] = []  # the lowest share, whenever it was looked at

    def after_iteration(self, info: IterationInfo) -> bool:
        """Whether it will never be near, which ends training."""
        own, n_trees = self._own, info.iteration + 1
        own.after_iteration(info)
        if n_trees < _FEWEST_TREES or n_trees % _EVERY:
            return False
        pace = (own.share_after(info.history, n_trees // 2) - own.share) / (n_trees / 2)
        self._in_sight.append(own.share - pace * n_trees)
        return self._is_hopeless

    @property
    def is_near(self) -> bool:
        """At the end of both trainings; also where it cannot be said."""
        return not self._is_hopeless and not self._own.share > self._goal

    @property
    def _is_hopeless(self) -> bool:
        goal = self._goal
        return any(share > goal for share in self._in_sight)

    @property
    def _goal(self) -> float:
        return self._slack * self._first.share


def _loss_before_training(rows: Rows, loss: Loss) -> float:
    """Of one prediction for all held-out rows; nan unless it is positive."""
    held = _held_out(rows)
    start = loss.start_value(held.target, held.weight)
    raw = np.repeat(start[:, np.newaxis], held.n_rows, axis=1)
    value = LossMetric(loss, pass_for(loss, 1)).at(held.target, held.weight, raw)
    return value if value > 0 else math.nan


def _held_out(rows: Rows) -> LabelledTable:
    return rows.watched[0].data
