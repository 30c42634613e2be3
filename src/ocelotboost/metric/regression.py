"""Metrics of numbers: they compare targets with predictions on the response scale, link(raw)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.names import HUBER_DELTA, QUANTILE_ALPHA
from ocelotboost.metric.base import (
    LOG_MEAN,
    LOG_ODDS,
    NUMBER,
    Metric,
    Raw,
    Target,
    Weight,
    one_output,
    weighted_mean,
)

_ANY_SINGLE_OUTPUT = frozenset({NUMBER, LOG_MEAN, LOG_ODDS})
_NUMBERS = frozenset({NUMBER, LOG_MEAN})


def _residual(metric: Metric, target: Target, raw: Raw) -> NDArray[np.float64]:
    """target − prediction, a fresh array of one number a row."""
    one_output(raw, metric.name)
    with np.errstate(over="ignore"):
        return np.subtract(target, metric.link(raw), dtype=np.float64)


@dataclass(frozen=True)
class RMSE(Metric):
    """Square root of the mean squared residual."""

    understands = _ANY_SINGLE_OUTPUT

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        squares = _residual(self, target, raw)
        with np.errstate(over="ignore"):
            np.square(squares, out=squares)
            return math.sqrt(weighted_mean(squares, weight))


@dataclass(frozen=True)
class MAE(Metric):
    """Mean absolute residual."""

    understands = _ANY_SINGLE_OUTPUT

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        sizes = _residual(self, target, raw)
        np.abs(sizes, out=sizes)
        return weighted_mean(sizes, weight)


@dataclass(frozen=True)
class MAPE(Metric):
    """Mean of |residual| / max(1, |target|), CatBoost's form: targets near 0 do not explode."""

    understands = _ANY_SINGLE_OUTPUT

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        sizes = _residual(self, target, raw)
        np.abs(sizes, out=sizes)
        sizes /= np.maximum(np.abs(target), np.float32(1.0))
        return weighted_mean(sizes, weight)


@dataclass(frozen=True)
class Quantile(Metric):
    """Mean pinball loss (alpha − 1[d < 0])·d of the residual d."""

    alpha: float

    parameters = (QUANTILE_ALPHA,)
    understands = _NUMBERS

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        residual = _residual(self, target, raw)
        over = residual * (self.alpha - 1.0)
        residual *= self.alpha
        return weighted_mean(np.maximum(residual, over, out=over), weight)


@dataclass(frozen=True)
class Huber(Metric):
    """Mean of d²/2 where |d| ≤ delta, of delta·(|d| − delta/2) beyond."""

    delta: float

    parameters = (HUBER_DELTA,)
    understands = _NUMBERS

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        sizes = _residual(self, target, raw)
        np.abs(sizes, out=sizes)
        # With c = min(|d|, delta), both branches are c·(|d| − c/2).
        inner = np.minimum(sizes, self.delta)
        with np.errstate(over="ignore"):
            sizes -= 0.5 * inner
            sizes *= inner
            return weighted_mean(sizes, weight)


@dataclass(frozen=True)
class R2(Metric):
    """1 − squared residuals / squared distances from the target's mean.

    A constant target leaves nothing to explain: 1 when predicted exactly, else 0.
    """

    higher_is_better = True
    understands = _ANY_SINGLE_OUTPUT

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        squares = _residual(self, target, raw)
        mean = weighted_mean(target.astype(np.float64), weight)
        with np.errstate(over="ignore"):
            np.square(squares, out=squares)
            unexplained = weighted_mean(squares, weight)
            np.subtract(target, mean, out=squares, dtype=np.float64)
            np.square(squares, out=squares)
            total = weighted_mean(squares, weight)
        # float32 targets that differ at all differ by more than this rounding of the mean.
        if total <= (1e-12 * mean) ** 2:
            return 1.0 if unexplained <= (1e-12 * mean) ** 2 else 0.0
        return 1.0 - unexplained / total
