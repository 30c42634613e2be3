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
from ocelotboost.tuning.workbench import Outcome, Workbench

#: The best trials that meet again, the defaults not counted.
_FINALISTS = 3

#: Trainings of a final fit, and how many times as long each takes as that of a trial: it has more
#: rows, and trees of a smaller rate.
_FINAL_TRAININGS, _TIMES_AS_LONG = 4, 2.0

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


def run(study: Study, search: Search) -> bool:
    """Trials until there are enough, or no time is left, or somebody ends them; whether that was
    Ctrl-C. It is passed on where there is no result yet."""
    try:
        while _goes_on(study, search):
            trial = ask(study, search.space, search.first, search.seed)
            with _failing(study, trial):
                _run(study, trial, search)
            told = study.get_trials(deepcopy=False)[trial.number]
            answers = [callback(study, told) for callback in search.callbacks]
            if any(answer is True for answer in answers):
                break
    except KeyboardInterrupt:
        if not finished(study):
            raise
        return True
    return False


def _goes_on(study: Study, search: Search) -> bool:
    done = len(finished(study))
    if done == 0:
        return True  # the defaults are always tried
    search.clock.reserved = _after_search(study, search.judges)
    return not search.clock.over and (search.n_trials is None or done < search.n_trials)


def _run(study: Study, trial: Trial, search: Search) -> None:
    """One trial, told to the study."""
    clock, bench, is_first = search.clock, search.bench, not finished(study)
    began = clock.elapsed
    try:
        outcomes = _train(trial, search, is_first)
    except ParameterError as problem:  # training diverges, or the user's ranges contradict
        if is_first:
            raise
        trial.set_user_attr(PROBLEM, str(problem))
        outcomes = []
    trial.set_user_attr(SECONDS, round(clock.elapsed - began, 3))
    scores = [own.score for own in outcomes]
    if len(scores) == search.judges.n_search and np.isfinite(scores).all():
        trial.set_user_attr(TREES, round(float(np.mean([own.trees for own in outcomes]))))
        study.tell(trial, float(np.mean(scores)))
    elif is_first:
        raise ParameterError(
            f"The defaults have no score: {bench.judge.name} is {scores}; use another metric."
        )
    else:
        study.tell(trial, state=TrialState.FAIL if clock.over else TrialState.PRUNED)


def _train(trial: Trial, search: Search, is_first: bool) -> list[Outcome]:
    """The outcomes of the folds, as far as the trial came."""
    bench, outcomes = search.bench, list[Outcome]()
    resolved = bench.resolve({} if is_first else trial.params)
    for fold in search.judges.search:
        scores = [own.score for own in outcomes]
        watch = Watch(trial, bench.judge, scores, resolved.learning_rate, search.clock, is_first)
        outcome = bench.train(resolved, fold, [watch])
        if watch.ended:
            break
        outcomes.append(outcome)
        if watch.is_behind(outcome.score) and fold != search.judges.search[-1]:
            break
    return outcomes


def _after_search(study: Study, judges: Judges) -> float:
    """Seconds of judging the finalists and of the final fit, by the time of the first trial."""
    done = finished(study)
    one = done[0].user_attrs[SECONDS] / len(judges.search) if done else 0.0
    return one * (len(judges.others) * (_FINALISTS + 1) + _FINAL_TRAININGS * _TIMES_AS_LONG)


@contextmanager
def _failing(study: Study, trial: Trial) -> Iterator[None]:
    """A trial that raises is not left running."""
    try:
        yield
    except BaseException:
        study.tell(trial, state=TrialState.FAIL, skip_if_finished=True)
        raise


# ---- the finalists ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Mean scores over all folds.

    best, default  trials; the same one where the defaults are the best
    scores         of all finalists, by the number of the trial
    """

    best: FrozenTrial
    default: FrozenTrial
    scores: dict[int, float]


def judge_finalists(study: Study, search: Search, interrupted: bool) -> Verdict:
    """The best trials and the defaults meet on all folds. After a Ctrl-C, the rows of the search
    decide."""
    cost = search.bench.judge.cost
    default, *others = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    others = sorted(others, key=lambda trial: (cost(_value(trial)), trial.number))
    finalists = [default, *others[:_FINALISTS]]
    try:
        folds = () if interrupted else search.judges.others
        scores = [_judged(one, one is default, folds, search) for one in finalists]
    except KeyboardInterrupt:
        scores = [_value(one) for one in finalists]
    known = [math.inf if math.isnan(score) else cost(score) for score in scores]
    best = finalists[int(np.argmin(known))]
    numbers = [one.number for one in finalists]
    return Verdict(best, default, dict(zip(numbers, scores, strict=True)))


def _judged(trial: FrozenTrial, is_default: bool, folds: Sequence[int], search: Search) -> float:
    """The mean score over the folds of the search and these."""
    resolved = search.bench.resolve({} if is_default else trial.params)
    found = [_value(trial)] * search.judges.n_search
    found += [search.bench.train(resolved, fold).score for fold in folds]
    return float(np.mean(found))


def _value(trial: FrozenTrial) -> float:
    assert trial.value is not None  # it is complete
    return trial.value
