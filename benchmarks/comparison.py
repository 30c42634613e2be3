"""Test metrics, and what it takes to call a difference between two libraries real."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, mean_poisson_deviance, root_mean_squared_error

from benchmarks.data import Data

Metric = Callable[[Data, NDArray[Any]], float]  # of the test rows and what was predicted for them


def root_mean_square(test: Data, predicted: NDArray[Any]) -> float:
    """RMSE."""
    return float(root_mean_squared_error(test.target, predicted, sample_weight=test.weight))


def mean_log_loss(test: Data, predicted: NDArray[Any]) -> float:
    """Of (rows, classes) probabilities, or of (rows,) those of the second of two classes."""
    shares = predicted.astype(np.float64)
    if shares.ndim == 1:
        shares = np.stack([1 - shares, shares], axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    labels = np.arange(shares.shape[1])
    return float(log_loss(test.target, shares, labels=labels, sample_weight=test.weight))


def poisson_deviance(test: Data, predicted: NDArray[Any]) -> float:
    """Mean Poisson deviance."""
    return float(mean_poisson_deviance(test.target, predicted, sample_weight=test.weight))


def standard_error(values: Sequence[float]) -> float:
    """Of the mean; not a number for a single value."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def with_error(values: Sequence[float]) -> str:
    """Their mean with its standard error, if there is one."""
    mean, error = statistics.mean(values), standard_error(values)
    places = 5 if abs(mean) < 1000 else 1
    return f"{mean:.{places}f}" + ("" if math.isnan(error) else f" ± {error:.{places}f}")


def percent(difference: float, error: float) -> str:
    """A mean difference with its standard error, if there is one."""
    return f"{difference:+.2%}" + ("" if math.isnan(error) else f" ± {error:.2%}")
