"""Links: what the raw predictions of a loss are, and how they become what a user asked for.

Their exponentials, which metrics take too, are our own: the same bits on every processor.
NumPy's differ in the last digit from one CPU level to another, and the system's libraries do too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Link:
    """From raw predictions to the response: a mean, a probability.

    name       in the words of generalised linear models
    raw_score  what a raw prediction is
    formula    the response, for people
    response   raw predictions (n,) -> responses (n,); (n_classes, n) of both for softmax
    """

    name: str
    raw_score: str
    formula: str
    response: Callable[[Floats], Floats]

    def __call__(self, raw: Floats) -> Floats:
        return self.response(raw)


class Elementwise(Protocol):
    def __call__(self, values: Floats, out: Floats, *, n_threads: int) -> None: ...


def exponential(values: Floats) -> Floats:
    """exp(x), where x beyond ±708 counts as ±708: finite and above 0."""
    return _elementwise(native.exponentials, values)


def logarithm(values: Floats) -> Floats:
    """log(x) of x > 0."""
    return _elementwise(native.logarithms, values)


def log_of_one_plus(values: Floats) -> Floats:
    """log(1 + x) of x >= 0, exact to the last digits for small x too."""
    total = 1.0 + values
    above_one = total - 1.0  # what of x the sum has kept
    kept = above_one > 0
    ratio = np.divide(values, above_one, out=np.ones_like(total), where=kept)
    return np.where(kept, logarithm(total) * ratio, values)


def logistic(values: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    return _elementwise(native.logistics, values)


def softmax(raw: Floats) -> tuple[Floats, Floats]:
    """Probabilities (n_outputs, n), and the logs (n,) of the sums of exponentials."""
    raw = np.ascontiguousarray(raw, dtype=np.float64)
    probabilities, log_sums = np.empty(raw.shape), np.empty(raw.shape[1])
    native.softmax(raw, probabilities, log_sums, n_threads=1)
    return probabilities, log_sums


def _elementwise(kernel: Elementwise, values: Floats) -> Floats:
    values = np.ascontiguousarray(values, dtype=np.float64)
    out = np.empty(values.shape)
    kernel(values.reshape(-1), out.reshape(-1), n_threads=1)
    return out


def _unchanged(raw: Floats) -> Floats:
    return raw


def _class_probabilities(raw: Floats) -> Floats:
    return softmax(raw)[0]


IDENTITY = Link("identity", "number", "raw", _unchanged)
LOG = Link("log", "log mean", "exp(raw)", exponential)
LOGIT = Link("logit", "log-odds", "1 / (1 + exp(-raw))", logistic)
SOFTMAX = Link("softmax", "logits", "softmax(raw)", _class_probabilities)
