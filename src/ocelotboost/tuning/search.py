"""Trials, one after the other, and the finalists judged once more."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState

from ocelotboost.errors import ParameterError
from ocelotboost.tuning.budget import Clock
from ocelotboost.tuning.judges import Judges
from ocelotboost.tuning.pruning import Watch
from ocelotboost.tuning.space import Space
from ocelotboost.tuning.study import ask, finished
from ocelotboost.tuning.workbench import Workbench

#: The best trials that meet again, the defaults not counted.
_FINALISTS = 3

#: Trainings of a final fit, and how many times the rows of a trial each of them has.
_FINAL_TRAININGS, _FINAL_SHARE = 4, 1.3

#: Under these names a trial says more.
SECONDS, TREES, PROBLEM = "seconds", "trees", "problem"


@dataclass(frozen=True)
class Search:
    """What trials need.

    first      parameters of the first trials, the defaults before all others
    n_trials   the most, those of earlier calls included; None: as many as there is time for
    callbacks  called with the study and each finished trial; True ends the search
    """

    bench: Workbench
    judges: Judges
    space: Space
    first: list[dict[str, Any]]
    n_trials: int | None
    clock: Clock
    seed: int
    callbacks: Sequence[Callable[[Study, FrozenTrial], Any]]


def run(study: Study, search: Search) -> KeyboardInterrupt | None:
    """Trials until there are enough, or no time is left, or somebody ends them. Returns the Ctrl-C
    that did."""
    while _goes_on(study, search):
        trial = ask(study, search.space, search.first, search.seed)
        with _failing(study, trial):
            interruption = _run(study, trial, search)
        if interruption is not None:
            return interruption
        told = study.trials[trial.number]
        answers = [callback(study, told) for callback in search.callbacks]
        if any(answer is True for answer in answers):
            break
    return None


def _goes_on(study: Study, search: Search) -> bool:
    done = len(finished(study))
    if done == 0:
        return True  # the defaults are always tried
    search.clock.reserved = _after_search(study, search.judges)
    return not search.clock.over and (search.n_trials is None or done < search.n_trials)


def _run(study: Study, trial: Trial, search: Search) -> KeyboardInterrupt | None:
    """One trial, told to the study."""
    clock, bench = search.clock, search.bench
    is_first = not finished(study)
    began = clock.elapsed
    scores: list[float] = []
    trees: list[int] = []
    try:
        resolved = bench.resolve({} if is_first else trial.params)
        for fold in search.judges.search:
            rate = resolved.learning_rate or 0.1
            watch = Watch(trial, bench.judge, scores, rate, clock, may_end=not is_first)
            outcome = bench.train(resolved, fold, [watch])
            if outcome.interruption is not None:
                study.tell(trial, state=TrialState.FAIL)
                return outcome.interruption
            if watch.out_of_time:
                study.tell(trial, state=TrialState.FAIL)
                return None
            if not watch.pruned:
                watch.finish(outcome.score)
                scores.append(outcome.score)
                trees.append(outcome.trees)
            if watch.pruned and fold != search.judges.search[-1]:
                break
    except ParameterError as problem:
        if is_first:
            raise
        trial.set_user_attr(PROBLEM, str(problem))
    trial.set_user_attr(SECONDS, round(clock.elapsed - began, 3))
    if len(scores) == len(search.judges.search) and np.isfinite(scores).all():
        trial.set_user_attr(TREES, round(float(np.mean(trees))))
        study.tell(trial, float(np.mean(scores)))
    elif is_first:
        raise ParameterError(
            f"The defaults have no score: {bench.judge.name} is {scores}; use another metric."
        )
    else:
        study.tell(trial, state=TrialState.PRUNED)
    return None


def _after_search(study: Study, judges: Judges) -> float:
    """Seconds of judging the finalists and of the final fit, by the time of the first trial."""
    done = finished(study)
    one = done[0].user_attrs[SECONDS] / len(judges.search) if done else 0.0
    return one * (len(judges.others) * (_FINALISTS + 1) + _FINAL_TRAININGS * _FINAL_SHARE)


@contextmanager
def _failing(study: Study, trial: Trial) -> Iterator[None]:
    """A trial that raises is not left running."""
    try:
        yield
    except BaseException:
        study.tell(trial, state=TrialState.FAIL)
        raise


# ---- the finalists ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """A trial and its mean score over all folds."""

    trial: FrozenTrial
    score: float


def judge_finalists(study: Study, search: Search, interrupted: bool) -> list[Judged]:
    """The best trials and the defaults, the best first; of equals the earlier one. After a Ctrl-C
    the rows of the search decide."""
    bench, sign = search.bench, search.bench.judge.cost
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    default = complete[0]
    ranked = sorted(complete, key=lambda trial: (sign(trial.value or 0.0), trial.number))
    chosen = [*ranked[:_FINALISTS], *([] if default in ranked[:_FINALISTS] else [default])]
    folds = () if interrupted else search.judges.others
    found = []
    for trial in chosen:
        resolved = bench.resolve({} if trial is default else trial.params)
        others = [bench.train(resolved, fold).score for fold in folds]
        known = [float(trial.value or 0.0)] * len(search.judges.search)
        found.append(Judged(trial, float(np.mean([*known, *others]))))
    return sorted(found, key=lambda one: (_last_if_nan(sign(one.score)), one.trial.number))


def _last_if_nan(cost: float) -> float:
    return math.inf if math.isnan(cost) else cost
