"""The losses as metrics that judge raw scores directly, in forms that cannot overflow needlessly.

Constants that do not depend on the prediction are dropped, as in CatBoost: only differences of
Poisson, Tweedie and Gamma mean something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.loss.links import exponential, logarithm, softmax
from ocelotboost.loss.names import TWEEDIE_VARIANCE_POWER
from ocelotboost.metric.base import (
    LOG_MEAN,
    LOG_ODDS,
    LOGITS,
    Metric,
    Raw,
    Target,
    Weight,
    one_output,
    weighted_mean,
)


@dataclass(frozen=True)
class Logloss(Metric):
    """Mean of −log(probability of the class that was seen), two classes."""

    understands = frozenset({LOG_ODDS})

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        one_output(raw, self.name)
        return weighted_mean(_binary_log_loss(target, raw), weight)


@dataclass(frozen=True)
class CrossEntropy(Metric):
    """Logloss for targets that are probabilities."""

    understands = frozenset({LOG_ODDS})

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        one_output(raw, self.name)
        return weighted_mean(_binary_log_loss(target, raw), weight)


def _binary_log_loss(target: Target, raw: Raw) -> NDArray[np.float64]:
    """log(1 + exp(raw)) − y·raw = log(1 + exp(−|raw|)) + max(raw, 0) − y·raw, one number a row."""
    values = logarithm(1.0 + exponential(-np.abs(raw)))
    other = np.maximum(raw, 0.0)
    values += other
    np.multiply(target, raw, out=other)
    values -= other
    return values


@dataclass(frozen=True)
class MultiClass(Metric):
    """Mean of −log(softmax probability of the class that was seen)."""

    understands = frozenset({LOGITS})

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        if raw.ndim != 2:
            raise ParameterError(
                f"The metric {self.name} is for several outputs, but the model has one; "
                "use Logloss for two classes."
            )
        values = softmax(raw.T)[1]
        values -= raw[np.arange(len(raw)), target.astype(np.intp)]
        return weighted_mean(values, weight)


@dataclass(frozen=True)
class Poisson(Metric):
    """Mean of exp(raw) − y·raw."""

    understands = frozenset({LOG_MEAN})

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        one_output(raw, self.name)
        values = exponential(raw)
        values -= target * raw
        return weighted_mean(values, weight)


@dataclass(frozen=True)
class Tweedie(Metric):
    """Mean of −y·exp((1−p)·raw)/(1−p) + exp((2−p)·raw)/(2−p), p the variance power in (1, 2)."""

    variance_power: float

    parameters = (TWEEDIE_VARIANCE_POWER,)
    understands = frozenset({LOG_MEAN})

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        one_output(raw, self.name)
        below, above = 1.0 - self.variance_power, 2.0 - self.variance_power
        with np.errstate(over="ignore"):
            values = exponential(below * raw)
            values *= target
            values /= -below
            other = exponential(above * raw)
            other /= above
            values += other
            return weighted_mean(values, weight)


@dataclass(frozen=True)
class Gamma(Metric):
    """Mean of raw + y·exp(−raw): half the gamma deviance, up to constants."""

    understands = frozenset({LOG_MEAN})

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        one_output(raw, self.name)
        with np.errstate(over="ignore"):
            values = exponential(-raw)
            values *= target
            values += raw
            return weighted_mean(values, weight)
