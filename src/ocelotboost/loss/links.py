"""Exponentials of our own, for links and metrics: the same bits on every processor.

NumPy's differ in the last digit from one CPU level to another, and the system's libraries do too.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native

Floats = NDArray[np.float64]


class Elementwise(Protocol):
    def __call__(self, values: Floats, out: Floats, *, n_threads: int) -> None: ...


def exponential(values: Floats) -> Floats:
    """exp(x), where x beyond ±708 counts as ±708: finite and above 0."""
    return _elementwise(native.exponentials, values)


def logarithm(values: Floats) -> Floats:
    """log(x) of x > 0."""
    return _elementwise(native.logarithms, values)


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
