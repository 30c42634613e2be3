"""Means over simulated samples, with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error."""

    mean: float
    error: float

    def errors_from(self, expected: float) -> float:
        """How many standard errors the mean is away; 0 where both are exact and equal."""
        away = abs(self.mean - expected)
        return away / self.error if self.error > 0 else (0.0 if away == 0 else np.inf)

    def __str__(self) -> str:
        return f"{self.mean:+.5f} ± {self.error:.5f}"


def estimate(values: NDArray[np.float64]) -> Estimate:
    """Of independent samples, (n_samples,). A sample that is NaN does not count."""
    known = values[~np.isnan(values)]
    return Estimate(float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known))))
