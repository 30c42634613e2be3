"""The losses of one output, one class each."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.kernels.contract import LossKind
from ocelotboost.loss.base import Floats, LeafRule, Targets, weighted_mean, weighted_quantile
from ocelotboost.loss.declared import DeclaredLoss, number
from ocelotboost.loss.links import IDENTITY, LOG, LOGIT, exponential, logarithm

Weights = NDArray[np.float32] | None


@dataclass(frozen=True)
class RMSE(DeclaredLoss):
    """Squared error; reported as its root."""

    estimators = ("regressor",)
    purpose = "numbers; the mean"
    link = IDENTITY
    judges = (IDENTITY, LOG, LOGIT)
    kernel = LossKind.RMSE
    moves_with_target = True
    other_names = (
        "mse", "l2", "regression", "squared_error", "squarederror", "reg:squarederror", "ls",
    )  # fmt: skip

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


@dataclass(frozen=True)
class MAE(DeclaredLoss):
    """Absolute error: its minimum is the median."""

    estimators = ("regressor",)
    purpose = "numbers; the median"
    link = IDENTITY
    judges = (IDENTITY, LOG, LOGIT)
    leaf_rule = LeafRule("Exact", 1)
    kernel = LossKind.MAE
    moves_with_target = True
    other_names = (
        "l1", "regression_l1", "absolute_error", "absoluteerror", "reg:absoluteerror", "lad",
    )  # fmt: skip
    alpha = 0.5

    def value(self, target: Targets, raw: Floats) -> Floats:
        return np.abs(target - raw)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        return -np.sign(target - raw), np.zeros_like(raw)

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return np.array([weighted_quantile(target, 0.5, weight)])


@dataclass(frozen=True)
class Quantile(DeclaredLoss):
    """Pinball loss: its minimum is the alpha-quantile."""

    alpha: float = number(above=0.0, below=1.0, default=0.5)

    estimators = ("regressor",)
    purpose = "numbers; a quantile"
    link = IDENTITY
    judges = (IDENTITY, LOG)
    leaf_rule = LeafRule("Exact", 1)
    kernel = LossKind.QUANTILE
    moves_with_target = True
    other_names = ("pinball", "reg:quantileerror")

    def value(self, target: Targets, raw: Floats) -> Floats:
        d = target - raw
        return np.where(d > 0, self.alpha, self.alpha - 1) * d

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        d = target - raw
        slope = np.where(d > 0, self.alpha, self.alpha - 1)
        return np.where(d == 0, 0.0, -slope), np.zeros_like(raw)

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return np.array([weighted_quantile(target, self.alpha, weight)])


@dataclass(frozen=True)
class Huber(DeclaredLoss):
    """Half the squared error up to ``delta``, linear beyond."""

    delta: float = number(above=0.0, below=math.inf)

    estimators = ("regressor",)
    purpose = "numbers with outliers"
    link = IDENTITY
    judges = (IDENTITY, LOG)
    leaf_rule = LeafRule("Gradient", 1)
    kernel = LossKind.HUBER
    moves_with_target = True
    other_names = ("reg:pseudohubererror",)

    def value(self, target: Targets, raw: Floats) -> Floats:
        size = np.abs(target - raw)
        return np.where(size <= self.delta, 0.5 * size**2, self.delta * (size - 0.5 * self.delta))

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        d = raw - target
        inside = np.abs(d) <= self.delta
        return np.clip(d, -self.delta, self.delta), inside.astype(np.float64)

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return np.array([weighted_quantile(target, 0.5, weight)])


@dataclass(frozen=True)
class Poisson(DeclaredLoss):
    """Minus log-likelihood of a count, without what does not depend on the prediction."""

    estimators = ("regressor",)
    purpose = "counts and rates, at least 0"
    link = LOG
    leaf_rule = LeafRule("Newton", 10)
    kernel = LossKind.POISSON
    other_names = ("count:poisson",)

    def value(self, target: Targets, raw: Floats) -> Floats:
        return exponential(raw) - target * raw

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        mean = exponential(raw)
        return mean - target, mean

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return _log_of_mean(target, weight)

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, target >= 0, "at least 0")


@dataclass(frozen=True)
class Tweedie(DeclaredLoss):
    """For sums with many zeros; ``variance_power`` between 1 (Poisson) and 2 (Gamma)."""

    variance_power: float = number(above=1.0, below=2.0)

    estimators = ("regressor",)
    purpose = "amounts with many zeros"
    link = LOG
    leaf_rule = LeafRule("Newton", 10)
    kernel = LossKind.TWEEDIE
    other_names = ("reg:tweedie",)

    def _terms(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        power = self.variance_power
        return target * exponential((1 - power) * raw), exponential((2 - power) * raw)

    def value(self, target: Targets, raw: Floats) -> Floats:
        a, b = self._terms(target, raw)
        return a / (self.variance_power - 1) + b / (2 - self.variance_power)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        a, b = self._terms(target, raw)
        return b - a, (self.variance_power - 1) * a + (2 - self.variance_power) * b

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return _log_of_mean(target, weight)

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, target >= 0, "at least 0")


@dataclass(frozen=True)
class Gamma(DeclaredLoss):
    """For positive amounts whose spread grows with their mean; half the deviance, but for a
    constant."""

    estimators = ("regressor",)
    purpose = "amounts above 0"
    link = LOG
    leaf_rule = LeafRule("Newton", 10)
    kernel = LossKind.GAMMA
    other_names = ("reg:gamma",)

    def value(self, target: Targets, raw: Floats) -> Floats:
        return raw + target * exponential(-raw)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        ratio = target * exponential(-raw)
        return 1 - ratio, ratio

    def start_value(self, target: Targets, weight: Weights) -> Floats:
        return _log_of_mean(target, weight)

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, target > 0, "above 0")


@dataclass(frozen=True)
class Logloss(DeclaredLoss):
    """Minus log-likelihood of a yes/no target; the raw prediction is the log-odds of yes."""

    estimators = ("classifier",)
    purpose = "two classes"
    link = LOGIT
    leaf_rule = LeafRule("Newton", 10)
    kernel = LossKind.LOGLOSS
    other_names = (
        "binary", "log_loss", "logistic", "binary_logloss", "binary_crossentropy",
        "binary:logistic", "deviance",
    )  # fmt: skip

    def value(self, target: Targets, raw: Floats) -> Floats:
        return _log_likelihood(target, raw)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        return _log_likelihood_derivatives(target, raw)

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, (target == 0) | (target == 1), "0 or 1")


@dataclass(frozen=True)
class CrossEntropy(DeclaredLoss):
    """Logloss whose targets are probabilities."""

    estimators = ("classifier", "regressor")
    purpose = "probabilities, 0 to 1; also two classes"
    link = LOGIT
    leaf_rule = LeafRule("Newton", 10)
    kernel = LossKind.LOGLOSS
    other_names = ("xentropy", "reg:logistic")

    def value(self, target: Targets, raw: Floats) -> Floats:
        return _log_likelihood(target, raw)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        return _log_likelihood_derivatives(target, raw)

    def check_target(self, target: Targets) -> None:
        _check_rows(self.name, target, (target >= 0) & (target <= 1), "between 0 and 1")


def _log_likelihood(target: Targets, raw: Floats) -> Floats:
    """log(1 + exp(raw)) - y·raw, which is minus the log-likelihood, without overflow."""
    return logarithm(1.0 + exponential(-np.abs(raw))) + np.maximum(raw, 0.0) - target * raw


def _log_likelihood_derivatives(target: Targets, raw: Floats) -> tuple[Floats, Floats]:
    p = LOGIT(raw)
    return p - target, p * (1 - p)


def _log_of_mean(target: Targets, weight: Weights) -> Floats:
    """The best constant (1,) of the losses with a log link."""
    mean = weighted_mean(target, weight)
    if mean == 0:  # as if half an event had been seen; a few rows may well have none
        mean = 0.5 / (len(target) if weight is None else float(weight.sum(dtype=np.float64)))
    return logarithm(np.array([mean]))


def _check_rows(name: str, target: Targets, good: NDArray[np.bool_], wanted: str) -> None:
    if not good.all():
        row = int(np.flatnonzero(~good)[0])
        raise InputError(
            f"Loss {name} needs targets {wanted}, but row {row} has {target[row]:g}. Correct the "
            "target or choose another loss_function."
        )
