"""All folds, from the first tree to the last judgement.

by tree    one model per fold: their curves are followed together, and their mean finds the
           number of trees that all of them keep
by fold    what ``fit`` trains by itself, several models perhaps: judged when it is done
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.callback import History, IterationInfo, call
from ocelotboost.boost.evaluation import LEARN
from ocelotboost.boost.stopping import BestIteration, TimeLimit
from ocelotboost.cross_validation.fitting import TEST, Common, FittedRows, fit_fold
from ocelotboost.cross_validation.folds import Fold
from ocelotboost.cross_validation.judging import Judged, judge
from ocelotboost.cross_validation.places import Places
from ocelotboost.cross_validation.together import Together
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.progress import print_text, progress_for

Floats = NDArray[np.float64]
Curves = dict[str, Floats]


@dataclass(frozen=True)
class FoldsInfo(IterationInfo):
    """Where all folds are; ``history`` has the means of their metrics: history["test"]["RMSE"].

    curves  {metric: (n_folds, iteration + 1)} of the rows that judge
    """

    curves: Curves


@dataclass(frozen=True)
class Outcome:
    """What the folds found.

    test   {metric: (n_folds, n_iterations)} of rows that judge; empty by fold
    learn  the same of rows that train
    """

    judged: list[Judged]
    test: Curves
    learn: Curves


def run_by_tree(
    estimator: Any, common: Common, folds: list[Fold], places: Places, observers: list[Any]
) -> Outcome:
    """One model per fold."""
    given = common.settings.training
    patience, limit = given.loop.early_stopping_rounds, TimeLimit(given.loop.time_limit)
    followed = bool(observers or given.verbose or patience or limit.seconds is not None)
    in_step = followed or places.keeps_in_step
    together: Together[FittedRows] = Together(len(folds), places.n_at_once, in_step)
    metric, higher = common.metric
    best = BestIteration((TEST, metric), higher, patience)
    means: History = {}
    n_common = 0
    with progress_for(given.verbose, metric) as progress:
        for n_common in together.train(
            lambda number, reporter: fit_fold(common, folds[number], places.n_threads, [reporter])
        ):
            if not followed:
                continue
            histories = together.histories()
            _append_means(means, histories, n_common)
            info = FoldsInfo(
                n_common - 1,
                common.iterations,
                means,
                limit.elapsed,
                _stacked(histories, TEST, n_common),
            )
            stops = call([*observers, progress], "after_iteration", info)
            if best.follow(means[TEST][metric]) or stops or limit.reached(n_common):
                together.stop_after(n_common)
    trained = together.results()
    if not n_common:
        raise ParameterError(
            f"time_limit={limit.seconds} was over before all folds had a tree: give it more time."
        )
    histories = [own.boosted.history for own in trained]
    test, learn = (_stacked(histories, data, n_common) for data in (TEST, LEARN))
    n_trees = n_common
    if given.keep_best:
        found = best_place(test[metric].mean(axis=0), higher)
        n_trees = n_common if found is None else found + 1
    judged = []
    for number, (own, fold) in enumerate(zip(trained, folds, strict=True)):
        scores = {name: float(curves[number, n_trees - 1]) for name, curves in test.items()}
        kept = own.first_trees(n_trees)
        judged.append(judge(kept, estimator, common, fold, common.n_threads, scores))
    return Outcome(judged, test, learn)


def run_by_fold(estimator: Any, common: Common, folds: list[Fold], places: Places) -> Outcome:
    """What ``fit`` trains."""
    together: Together[Judged] = Together(len(folds), places.n_at_once, in_step=False)
    metric, _ = common.metric

    def train(number: int, _: object) -> Judged:
        trained = fit_fold(common, folds[number], places.n_threads, [])
        found = judge(trained, estimator, common, folds[number], places.n_threads)
        if common.settings.training.verbose:
            score = f"{metric} {found.scores[metric]:.5g}"
            print_text(f"fold {number + 1} of {len(folds)}: {score}, {found.n_trees:,} trees")
        return found

    for _ in together.train(train):
        pass
    return Outcome(together.results(), {}, {})


def best_place(values: Floats, higher_is_better: bool) -> int | None:
    """Where a curve is best, the first of equals; a nan is never best.

    >>> best_place(np.array([3.0, 1.0, np.nan, 1.0]), higher_is_better=False)
    1
    """
    if np.isnan(values).all():
        return None
    return int(np.nanargmax(values) if higher_is_better else np.nanargmin(values))


def _append_means(means: History, histories: Sequence[History], n_trees: int) -> None:
    """One more value of each curve."""
    for data, metrics in histories[0].items():
        for metric in metrics:
            values = [own[data][metric][n_trees - 1] for own in histories]
            means.setdefault(data, {}).setdefault(metric, []).append(float(np.mean(values)))


def _stacked(histories: Sequence[History], data: str, n_trees: int) -> Curves:
    """{metric: (n_folds, n_trees)}"""
    return {
        metric: np.array([own[data][metric][:n_trees] for own in histories])
        for metric in histories[0][data]
    }
