"""The losses of one output, one class each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.kernels.contract import LossKind
from ocelotboost.loss.base import (
    Floats,
    LeafRule,
    Loss,
    NativeLoss,
    Targets,
    weighted_mean,
    weighted_quantile,
)
from ocelotboost.loss.links import exponential, logarithm, logistic
from ocelotboost.loss.names import number_text

Weights = NDArray[np.float32] | None


class RMSE(Loss):
    """Squared error; reported as its root."""

    moves_with_target = True
    name = "RMSE"
    native = NativeLoss(LossKind.RMSE)

    def value(self, target: Targets, raw: Floats) -> Floats:
        return (target - raw) ** 2

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        # Half the squared error: its second derivative is one.
        return raw - target, np.ones_like(raw)

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return np.array([weighted_mean(target, weight)])

    def report(self, mean_loss: float) -> float:
        return float(np.sqrt(mean_loss))

    def check_target(self, target: Targets) -> None:
        # Differences of targets, the gradients, must fit into single precision.
        _check_rows(self.name, target, np.abs(target) <= 1e38, "between -1e38 and 1e38")


class Logloss(Loss):
    """Minus log-likelihood of a yes/no target; the raw prediction is the log-odds of yes."""

    name = "Logloss"
    leaf_rule = LeafRule("Newton", 10)
    native = NativeLoss(LossKind.LOGLOSS)

    def value(self, target: Targets, raw: Floats) -> Floats:
        return logarithm(1.0 + exponential(-np.abs(raw))) + np.maximum(raw, 0.0) - target * raw

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        p = self.link(raw)
        return p - target, p * (1 - p)

    def link(self, raw: Floats) -> Floats:
        return logistic(raw)

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, (target == 0) | (target == 1), "0 or 1")


class CrossEntropy(Logloss):
    """Logloss whose targets are probabilities."""

    name = "CrossEntropy"

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, (target >= 0) & (target <= 1), "between 0 and 1")


class Quantile(Loss):
    """Pinball loss: its minimum is the alpha-quantile."""

    moves_with_target = True
    leaf_rule = LeafRule("Exact", 1)

    def __init__(self, alpha: float = 0.5) -> None:
        self.alpha = alpha
        self.name = f"Quantile:alpha={number_text(alpha)}"
        self.native = NativeLoss(LossKind.QUANTILE, alpha)

    def value(self, target: Targets, raw: Floats) -> Floats:
        d = target - raw
        return np.where(d > 0, self.alpha, self.alpha - 1) * d

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        d = target - raw
        slope = np.where(d > 0, self.alpha, self.alpha - 1)
        return np.where(d == 0, 0.0, -slope), np.zeros_like(raw)

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return np.array([weighted_quantile(target, self.alpha, weight)])


class MAE(Loss):
    """Absolute error: its minimum is the median."""

    moves_with_target = True
    name = "MAE"
    leaf_rule = LeafRule("Exact", 1)
    native = NativeLoss(LossKind.MAE)
    alpha = 0.5

    def value(self, target: Targets, raw: Floats) -> Floats:
        return np.abs(target - raw)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        return -np.sign(target - raw), np.zeros_like(raw)

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return np.array([weighted_quantile(target, 0.5, weight)])


class Huber(Loss):
    """Half the squared error up to ``delta``, linear beyond."""

    moves_with_target = True
    leaf_rule = LeafRule("Gradient", 1)

    def __init__(self, delta: float) -> None:
        self.delta = delta
        self.name = f"Huber:delta={number_text(delta)}"
        self.native = NativeLoss(LossKind.HUBER, delta)

    def value(self, target: Targets, raw: Floats) -> Floats:
        size = np.abs(target - raw)
        return np.where(size <= self.delta, 0.5 * size**2, self.delta * (size - 0.5 * self.delta))

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        d = raw - target
        inside = np.abs(d) <= self.delta
        return np.clip(d, -self.delta, self.delta), inside.astype(np.float64)

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return np.array([weighted_quantile(target, 0.5, weight)])


class _LogMeanLoss(Loss):
    """The raw prediction is the logarithm of the mean."""

    leaf_rule = LeafRule("Newton", 10)

    def link(self, raw: Floats) -> Floats:
        return exponential(raw)

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        mean = weighted_mean(target, weight)
        if mean == 0:  # as if half an event had been seen; a few rows may well have none
            mean = 0.5 / (len(target) if weight is None else float(weight.sum(dtype=np.float64)))
        return logarithm(np.array([mean]))


class Poisson(_LogMeanLoss):
    """For counts and rates."""

    name = "Poisson"
    native = NativeLoss(LossKind.POISSON)

    def value(self, target: Targets, raw: Floats) -> Floats:
        return self.link(raw) - target * raw

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        mean = self.link(raw)
        return mean - target, mean

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, target >= 0, "at least 0")


class Tweedie(_LogMeanLoss):
    """For sums with many zeros; ``variance_power`` between 1 (Poisson) and 2 (Gamma)."""

    def __init__(self, variance_power: float = 1.5) -> None:
        self.power = variance_power
        self.name = f"Tweedie:variance_power={number_text(variance_power)}"
        self.native = NativeLoss(LossKind.TWEEDIE, variance_power)

    def _terms(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        return target * self.link((1 - self.power) * raw), self.link((2 - self.power) * raw)

    def value(self, target: Targets, raw: Floats) -> Floats:
        a, b = self._terms(target, raw)
        return a / (self.power - 1) + b / (2 - self.power)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        a, b = self._terms(target, raw)
        return b - a, (self.power - 1) * a + (2 - self.power) * b

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, target >= 0, "at least 0")


class Gamma(_LogMeanLoss):
    """For positive amounts whose spread grows with their mean."""

    name = "Gamma"
    native = NativeLoss(LossKind.GAMMA)

    def value(self, target: Targets, raw: Floats) -> Floats:
        return raw + target * self.link(-raw)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        ratio = target * self.link(-raw)
        return 1 - ratio, ratio

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, target > 0, "above 0")


def _check_rows(name: str, target: Targets, good: NDArray[np.bool_], wanted: str) -> None:
    if not good.all():
        row = int(np.flatnonzero(~good)[0])
        raise InputError(
            f"Loss {name} needs targets {wanted}, but row {row} has {target[row]:g}. Correct the "
            "target or choose another loss_function."
        )
