"""All folds, from the first tree to the last judgement.

by tree    one model per fold: their curves are followed together, and their mean finds the
           number of trees that all of them keep
by fold    what ``fit`` trains by itself, several models perhaps: judged when it is done
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
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
from ocelotboost.cross_validation.together import Reporter, Together
from ocelotboost.estimator.progress import print_text, progress_for

Floats = NDArray[np.float64]
Curves = dict[str, Floats]


@dataclass(frozen=True)
class FoldsInfo(IterationInfo):
    """Where all folds are; ``history`` has the means of their metrics: history["test"]["RMSE"].

    histories  of the folds; some may have more trees
    """

    histories: list[History]

    @property
    def curves(self) -> Curves:
        """{metric: (n_folds, iteration + 1)} of the rows that judge"""
        return _stacked(self.histories, TEST, self.iteration + 1)


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
    trained, n_trees = _train_by_tree(common, folds, places, observers)
    histories = [own.boosted.history for own in trained]
    test, learn = (_stacked(histories, data, n_trees) for data in (TEST, LEARN))
    metric, higher_is_better = common.metric
    if common.settings.training.keep_best:
        found = best_place(test[metric].mean(axis=0), higher_is_better)
        n_trees = n_trees if found is None else found + 1
    judged = []
    for number, (own, fold) in enumerate(zip(trained, folds, strict=True)):
        scores = {name: float(curves[number, n_trees - 1]) for name, curves in test.items()}
        kept = own.first_trees(n_trees)
        judged.append(judge(kept, estimator, common, fold, common.n_threads, scores))
    return Outcome(judged, test, learn)


def _train_by_tree(
    common: Common, folds: list[Fold], places: Places, observers: list[Any]
) -> tuple[list[FittedRows], int]:
    """The folds, and the number of trees that all of them have: where their mean has not improved
    for long enough, a callback or the time limit has stopped them, or all of them."""
    given = common.settings.training
    patience, limit = given.loop.early_stopping_rounds, TimeLimit(given.loop.time_limit)
    followed = bool(observers or given.verbose or patience or limit.seconds is not None)

    def train(number: int, reporter: Reporter) -> FittedRows:
        return fit_fold(common, folds[number], places.n_threads, [reporter])

    in_step = followed or places.keeps_in_step
    together = Together(train, len(folds), places.n_at_once, in_step)
    metric, higher_is_better = common.metric
    best = BestIteration((TEST, metric), higher_is_better, patience)
    means: History = {}
    n_trees = 0
    with (
        progress_for(given.verbose, metric) as progress,
        closing(together.rounds()) as rounds,
    ):
        for n_trees in rounds:
            if not followed:
                continue
            histories = together.histories()
            _append_means(means, histories, n_trees)
            info = FoldsInfo(n_trees - 1, common.iterations, means, limit.elapsed, histories)
            stops = call([*observers, progress], "after_iteration", info)
            if best.follow(means[TEST][metric]) or stops or limit.reached(n_trees):
                together.stop_after(n_trees)
    return together.results(), n_trees


def run_by_fold(estimator: Any, common: Common, folds: list[Fold], places: Places) -> Outcome:
    """What ``fit`` trains."""
    metric, _ = common.metric

    def train(number: int, reporter: Reporter) -> Judged:
        trained = fit_fold(common, folds[number], places.n_threads, [reporter.only_stopping()])
        found = judge(trained, estimator, common, folds[number], places.n_threads)
        if common.settings.training.verbose:
            score = f"{metric} {found.scores[metric]:.5g}"
            print_text(f"fold {number + 1} of {len(folds)}: {score}, {found.n_trees:,} trees")
        return found

    together = Together(train, len(folds), places.n_at_once, in_step=False)
    with closing(together.rounds()) as rounds:
        for _ in rounds:
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
