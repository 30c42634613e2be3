"""A fold's model, judged by rows that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ocelotboost.boost.evaluation import LossMetric
from ocelotboost.cross_validation.fitting import Common, FittedRows, rows_that_judge
from ocelotboost.cross_validation.folds import Fold
from ocelotboost.estimator.centre import uncentred
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.estimator.target import Target
from ocelotboost.loss.passes import pass_for
from ocelotboost.table.labelled import LabelledTable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """One fold.

    scores       by metric, of the rows that judge
    predictions  of these rows: (n,), or (n, n_classes)
    fitted       the model, as an estimator has it
    n_rows       that it was trained on
    """

    scores: dict[str, float]
    predictions: Floats
    fitted: Fitted
    n_rows: int

    @property
    def n_trees(self) -> int:
        return self.fitted.model.forest.n_trees


def judge(
    trained: FittedRows,
    estimator: Any,
    common: Common,
    fold: Fold,
    n_threads: int,
    scores: dict[str, float] | None = None,
) -> Judged:
    """Pack what was trained, and predict the rows that judge it; ``scores`` are given where
    training has watched these rows."""
    fitted = Fitted.of(trained.model(remembers=common.keeps), trained.target.loss)
    rows = rows_that_judge(common.data, trained.target, fold.test)
    raw = fitted.predictor.ready.raw(rows.table, n_threads)
    if scores is None:
        scores = _scores(rows, raw - trained.target.centre, trained.target, common, n_threads)
    return Judged(scores, estimator._response(fitted, raw), fitted, len(fold.train))


def _scores(
    rows: LabelledTable, raw: Floats, target: Target, common: Common, n_threads: int
) -> dict[str, float]:
    """The loss and all metrics at raw predictions (n_outputs, n), relative to the target's
    centre."""
    rows_first = raw[0] if len(raw) == 1 else raw.T
    loss = LossMetric(target.loss, pass_for(target.loss, n_threads))
    return {
        loss.name: loss.at(rows.target, rows.weight, raw),
        **{
            metric.name: float(metric.value(rows.target, rows_first, rows.weight))
            for metric in uncentred(common.metrics, target.centre)
            if metric.name != loss.name
        },
    }


def fitted_like(estimator: Any, fitted: Fitted) -> Any:
    """A copy of the estimator with this model."""
    copy = clone(estimator)
    copy._fitted = fitted
    return copy


def out_of_fold(folds: list[Fold], predictions: list[Floats], n_rows: int) -> Floats:
    """One prediction per row, the mean where several folds have it; NaN where none has."""
    shape = (n_rows, *predictions[0].shape[1:])
    sums, counts = np.zeros(shape), np.zeros(n_rows)
    for fold, own in zip(folds, predictions, strict=True):
        np.add.at(sums, fold.test, own)
        np.add.at(counts, fold.test, 1.0)
    counts[counts == 0] = np.nan
    means: Floats = sums / counts.reshape(-1, *[1] * (len(shape) - 1))
    return means
