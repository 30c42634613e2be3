"""Metrics of numbers: they compare targets with predictions on the response scale, link(raw)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.links import IDENTITY, LOG, LOGIT
from ocelotboost.metric.base import Metric, Raw, Target, Weight, one_output, weighted_mean

_ANY_SINGLE_OUTPUT = frozenset({IDENTITY, LOG, LOGIT})


def _residual(metric: Metric, target: Target, raw: Raw) -> NDArray[np.float64]:
    """target − prediction, a fresh array of one number per row."""
    one_output(raw, metric.name)
    with np.errstate(over="ignore"):
        return np.subtract(target, metric.link(raw), dtype=np.float64)


@dataclass(frozen=True)
class MAPE(Metric):
    """Mean of |residual| / max(1, |target|), CatBoost's form: targets near 0 do not explode."""

    understands = _ANY_SINGLE_OUTPUT
    purpose = r"numbers; errors relative to max(1, \|target\|)"

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        sizes = _residual(self, target, raw)
        np.abs(sizes, out=sizes)
        sizes /= np.maximum(np.abs(target), np.float32(1.0))
        return weighted_mean(sizes, weight)


@dataclass(frozen=True)
class R2(Metric):
    """1 − squared residuals / squared distances from the target's mean.

    A constant target leaves nothing to explain: 1 when predicted exactly, else 0.
    """

    higher_is_better = True
    understands = _ANY_SINGLE_OUTPUT
    purpose = "numbers; the share of their variance that is explained"

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
