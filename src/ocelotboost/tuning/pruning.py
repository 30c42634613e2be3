"""Trials that are clearly worse than others end early.

Curves are compared where trials have learned equally much. A tree of learning rate 0.2 adds about
as much as two of rate 0.1, so the sum of the rates so far is the clock, and not the number of
trees. Each fold is looked at a few times, at moments that grow further apart.

    fold 0                          fold 1
    step  0    1    2   3 … 19      20   21 …       sum of rates  4, 6, 9, 13.5 …
    value the best loss so far      the mean of fold 0 and the best so far of fold 1
"""

from __future__ import annotations

import math

import numpy as np
from optuna.pruners import BasePruner
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, Trial, TrialState

from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator.eval_sets import VALIDATION
from ocelotboost.tuning.budget import Clock
from ocelotboost.tuning.workbench import Judge

#: Most steps of a fold; the first sum of rates that is looked at, and by how much it grows.
STEPS, _FIRST, _GROWTH = 20, 4.0, 1.5

#: Trials that are never pruned, and the share of the finished ones that a trial must be among.
_STARTUP, _SHARE = 5, 0.5


def step_of(learned: float) -> int:
    """How many of the moments have passed, minus one: -1 before the first.

    >>> [step_of(learned) for learned in (3.9, 4.0, 6.5, 9.0, 1e9)]
    [-1, 0, 1, 2, 19]
    """
    if learned < _FIRST:
        return -1
    return min(int(math.log(learned / _FIRST, _GROWTH) + 1e-9), STEPS - 1)


class BetterShare(BasePruner):
    """Keeps a trial while it is among the better share of the finished trials at the same step. A
    finished trial that has no value there counts with its last one before, in the same fold."""

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        step = trial.last_step
        if step is None:
            return False
        finished = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if len(finished) < _STARTUP:
            return False
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        others = [sign * value for other in finished for value in _value_at(other, step)]
        own = sign * trial.intermediate_values[step]
        return not own <= float(np.quantile(others, _SHARE))


def _value_at(trial: FrozenTrial, step: int) -> list[float]:
    """At most one."""
    known = [s for s in trial.intermediate_values if step // STEPS * STEPS <= s <= step]
    return [trial.intermediate_values[max(known)]] if known else []


class Watch:
    """A callback of the training of one fold: tells the study how it goes, and ends it when the
    trial is clearly worse than others, or when there is no time left.

    ended  it has ended the training
    """

    def __init__(
        self,
        trial: Trial,
        judge: Judge,
        scores: list[float],
        learning_rate: float,
        clock: Clock,
        is_first: bool,
    ) -> None:
        """``scores`` are those of the folds before. The first trial of a study is never ended."""
        self._trial = trial
        self._judge = judge
        self._scores = scores
        self._rate = learning_rate
        self._clock = clock
        self._is_first = is_first
        self._step = -1
        self.ended = False

    def after_iteration(self, info: IterationInfo) -> bool:
        step = step_of((info.iteration + 1) * self._rate)
        if step > self._step:
            self._step = step
            curve = info.history[VALIDATION][self._judge.name]
            self.ended = self._report(self._judge.best(curve))
        if self._clock.over and not self._is_first:
            self.ended = True
        return self.ended

    def is_behind(self, score: float) -> bool:
        """When the training has ended by itself: whether the trial should end with it. The score
        stands for all later steps of the fold."""
        self._step = min(self._step + 1, STEPS - 1)
        return self._report(score)

    def _report(self, value: float) -> bool:
        if not math.isfinite(value):
            return False
        mean = float(np.mean([*self._scores, value]))
        self._trial.report(mean, len(self._scores) * STEPS + self._step)
        return not self._is_first and self._trial.should_prune()
