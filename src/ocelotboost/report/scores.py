"""How good predictions are: metrics that can be asked again for every bootstrap sample.

A bootstrap sample of n rows is n rows drawn with replacement, which is a count for each row. So a
metric is prepared once (losses per row, an order of the scores) and is then a function of weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.links import IDENTITY, LOG, LOGIT
from ocelotboost.loss.names import parse_name
from ocelotboost.loss.registry import LOSSES
from ocelotboost.report.subject import Floats, Subject

N_SAMPLES = 400  # of the bootstrap
_MOST_ROWS = 20_000  # of a bootstrap sample; more make the interval narrower by a known factor
_SMALLEST_PROBABILITY = 1e-15

Value = Callable[[Floats], float]  # of one weight per row
RowLosses = Callable[[Floats, Floats], Floats]  # (target, response) -> one number per row


@dataclass(frozen=True)
class Measure:
    """A metric, in words.

    percentage  a share, shown as such
    prepare     (target, response) -> the metric as a function of weights
    """

    name: str
    higher_is_better: bool
    percentage: bool
    prepare: Callable[[Floats, Floats], Value]


@dataclass(frozen=True)
class Interval:
    """A value, and where it would lie in 95 % of repetitions with other rows."""

    value: float
    low: float
    high: float


def bootstrap(
    prepare: Callable[[NDArray[np.intp]], Sequence[Value]], weight: Floats, seed: int = 0
) -> tuple[Floats, Floats]:
    """All metrics for all rows (n_metrics,), and for bootstrap samples (n_metrics, N_SAMPLES).

    prepare  some of the rows -> the metrics as functions of their weights

    More than 20,000 rows are represented by 20,000 of them: deviations from their value then shrink
    by the square root of the ratio.
    """
    rng = np.random.default_rng(seed)
    rows = np.arange(len(weight))
    whole = np.array([value(weight) for value in prepare(rows)])
    if len(weight) > _MOST_ROWS:
        rows = np.sort(rng.choice(len(weight), _MOST_ROWS, replace=False))
    values, own = prepare(rows), weight[rows]
    drawn = np.empty((len(values), N_SAMPLES))
    for sample in range(N_SAMPLES):
        counts = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        drawn[:, sample] = [value(counts * own) for value in values]
    middle = np.array([value(own) for value in values])
    deviations = (drawn - middle[:, None]) * math.sqrt(len(rows) / len(weight))
    return whole, whole[:, None] + deviations


def interval_of(value: float, drawn: Floats) -> Interval:
    """The middle 95 % of the bootstrap samples."""
    known = drawn[np.isfinite(drawn)]
    if len(known) == 0:
        return Interval(value, math.nan, math.nan)
    low, high = np.quantile(known, [0.025, 0.975]).tolist()
    return Interval(value, low, high)


# ---- which metrics ---------------------------------------------------------------------------


def measures_of(subject: Subject) -> list[Measure]:
    """The metrics that fit the target; the first is the headline."""
    return measures_for(subject.task, subject.model.loss)


def measures_for(task: str, loss: str) -> list[Measure]:
    """The same of a task ("binary", "classes" or "numbers") and the name of a model's loss."""
    if task == "binary":
        return [
            Measure("AUC", True, True, _area),
            Measure("log loss", False, False, _mean_of(_log_losses)),
            Measure("accuracy", True, True, _mean_of(_hits)),
            Measure("Brier score", False, False, _mean_of(_squared_probability_errors)),
        ]
    if task == "classes":
        return [
            Measure("accuracy", True, True, _mean_of(_hits)),
            Measure("log loss", False, False, _mean_of(_log_losses)),
            Measure("Brier score", False, False, _mean_of(_squared_probability_errors)),
        ]
    usual = [
        Measure("RMSE", False, False, _root_mean_square),
        Measure("MAE", False, False, _mean_of(_absolute_errors)),
        Measure("R²", True, True, _explained),
    ]
    own = _loss_measure(loss)
    if own is None or own.name in ("RMSE", "MAE"):
        usual.sort(key=lambda measure: own is None or measure.name != own.name)
        return usual
    return [own, *usual]


def row_losses(subject: Subject) -> Floats:
    """What the model's errors cost, row by row: log losses or squared errors."""
    if subject.task == "numbers":
        return _squared_errors(subject.rows.target, subject.response)
    return _log_losses(subject.rows.target, subject.response)


def paired_losses(task: str, loss: str) -> tuple[str, RowLosses]:
    """What predictions are compared by, row by row, and its name: log losses, or of numbers the
    loss of the model, squared errors for RMSE."""
    if task != "numbers":
        return "log loss", _log_losses
    own = _loss_of(loss)
    return ("squared error", _squared_errors) if own is None or loss == "RMSE" else (loss, own)


def _loss_measure(loss: str) -> Measure | None:
    """The loss of a regression as a metric of predicted numbers; None for a user's own."""
    losses = _loss_of(loss)
    return None if losses is None else Measure(loss, False, False, _mean_of(losses))


def _loss_of(loss: str) -> RowLosses | None:
    if loss.startswith("custom:"):
        return None
    name, given = parse_name(loss)
    known = LOSSES[name].of(given)
    raw_of = {IDENTITY.name: _same, LOG.name: _logarithm, LOGIT.name: _log_odds}.get(
        known.link.name
    )
    if raw_of is None:
        return None
    return lambda target, response: known.value(target.astype(np.float32), raw_of(response))


# ---- per row ---------------------------------------------------------------------------------


def _hits(target: Floats, response: Floats) -> Floats:
    hits: Floats = (response.argmax(axis=1) == target).astype(np.float64)
    return hits


def _log_losses(target: Floats, response: Floats) -> Floats:
    own: Floats = response[np.arange(len(target)), target.astype(np.intp)]
    losses: Floats = -np.log(np.maximum(own, _SMALLEST_PROBABILITY))
    return losses


def _squared_probability_errors(target: Floats, response: Floats) -> Floats:
    if response.shape[1] == 2:
        return np.square(response[:, 1] - target)
    own: Floats = response[np.arange(len(target)), target.astype(np.intp)]
    squares: Floats = np.square(response).sum(axis=1) - 2 * own + 1
    return squares


def _absolute_errors(target: Floats, response: Floats) -> Floats:
    return np.abs(target - response)


def _squared_errors(target: Floats, response: Floats) -> Floats:
    return np.square(target - response)


def _same(response: Floats) -> Floats:
    return response


def _logarithm(response: Floats) -> Floats:
    return np.log(np.maximum(response, _SMALLEST_PROBABILITY))


def _log_odds(response: Floats) -> Floats:
    inside = np.clip(response, _SMALLEST_PROBABILITY, 1 - 1e-12)
    return np.log(inside) - np.log1p(-inside)


# ---- as functions of weights -----------------------------------------------------------------


def _mean_of(losses: RowLosses) -> Callable[[Floats, Floats], Value]:
    def prepare(target: Floats, response: Floats) -> Value:
        values = losses(target, response)
        return lambda weight: _mean(values, weight)

    return prepare


def _mean(values: Floats, weight: Floats) -> float:
    total = float(weight.sum())
    return float((values * weight).sum()) / total if total > 0 else math.nan


def _root_mean_square(target: Floats, response: Floats) -> Value:
    values = _squared_errors(target, response)
    return lambda weight: math.sqrt(_mean(values, weight))


def _explained(target: Floats, response: Floats) -> Value:
    errors = _squared_errors(target, response)

    def value(weight: Floats) -> float:
        spread = _mean(np.square(target - _mean(target, weight)), weight)
        return 1 - _mean(errors, weight) / spread if spread > 0 else math.nan

    return value


def _area(target: Floats, response: Floats) -> Value:
    return area_under_curve(target == 1, response[:, 1])


def area_under_curve(positive: NDArray[np.bool_], scores: Floats) -> Value:
    """The chance that a positive row is scored above a negative one; a tie counts half."""
    order = np.argsort(scores, kind="stable")
    ranked, won = scores[order], positive[order].astype(np.float64)
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))

    def value(weight: Floats) -> float:
        counted = weight[order]
        above = np.add.reduceat(counted * won, starts)
        lost = np.add.reduceat(counted * (1 - won), starts)
        pairs = above.sum() * lost.sum()
        below = np.cumsum(lost) - 0.5 * lost
        return float((above * below).sum() / pairs) if pairs > 0 else math.nan

    return value
