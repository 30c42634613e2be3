"""Twins: the losses. Kernels know no loss classes, so the formulas stand here once more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import LossKind
from ocelotboost.kernels.reference import links
from ocelotboost.kernels.reference.links import exponential, logarithm

Floats = NDArray[np.float64]


def derivatives(
    kind: LossKind, parameter: float, y: Floats, x: Floats
) -> tuple[Floats, Floats, Floats]:
    """Negative gradient, second derivative and loss at the raw prediction x of target y."""
    d, one, zero = y - x, np.ones_like(x), np.zeros_like(x)
    if kind == LossKind.RMSE:
        return d, one, d**2
    if kind == LossKind.LOGLOSS:
        e = exponential(-np.abs(x))
        p = np.where(x >= 0, 1.0, e) / (1.0 + e)
        return y - p, e / (1.0 + e) ** 2, logarithm(1.0 + e) + np.maximum(x, 0.0) - y * x
    if kind == LossKind.MAE:
        return np.sign(d), zero, np.abs(d)
    if kind == LossKind.QUANTILE:
        slope = np.where(d > 0, parameter, parameter - 1)
        return np.where(d == 0, 0.0, slope), zero, slope * d
    if kind == LossKind.HUBER:
        size = np.abs(d)
        loss = np.where(size <= parameter, 0.5 * d**2, parameter * (size - 0.5 * parameter))
        return np.clip(d, -parameter, parameter), (size <= parameter).astype(np.float64), loss
    if kind == LossKind.POISSON:
        mean = exponential(x)
        return y - mean, mean, mean - y * x
    if kind == LossKind.TWEEDIE:
        a, b = y * exponential((1 - parameter) * x), exponential((2 - parameter) * x)
        return (
            a - b,
            (parameter - 1) * a + (2 - parameter) * b,
            a / (parameter - 1) + b / (2 - parameter),
        )
    ratio = y * exponential(-x)
    return ratio - 1.0, ratio, x + ratio


def softmax(targets: NDArray[np.float32], raw: Floats) -> tuple[Floats, Floats]:
    """Probabilities (n_outputs, n) and the loss of each row."""
    probabilities, log_sums = np.empty(raw.shape), np.empty(raw.shape[1])
    links.softmax(raw, probabilities, log_sums, n_threads=1)
    own = raw[targets.astype(np.intp), np.arange(len(targets))]
    return probabilities, log_sums - own
