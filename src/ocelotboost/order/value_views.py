"""Value views: categories that are asked for single values besides their statistics.

Where a category explains most of a numeric target, as the country does in a table of countries and
years, what is left over belongs to single values. A statistic puts values with similar means side
by side, and the first rows of each value know little of its mean. "Is it this value?" needs
neither, so it finds what is left over. Of a target that is mostly noise it would find noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.order.statistic import statistic_units
from ocelotboost.order.target import TotalsOfRows
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.table.labelled import LabelledTable

#: Each value is a column of the block. More rows tell the means of values well enough.
MOST_VALUES, MOST_ROWS = 255, 100_000

#: Of the target's variance, what a category has to explain.
_LEAST_SHARE = 0.5


@dataclass(frozen=True)
class ValueView:
    """A categorical feature, its position in the table, and how many values it has."""

    feature: int
    n_values: int


def value_views(data: LabelledTable, n_threads: int) -> tuple[ValueView, ...]:
    """Of all categorical features that explain most of a numeric target."""
    if data.n_rows > MOST_ROWS:
        return ()
    few = [f for f, own in data.table.categories.items() if not own.seems_to_exceed(MOST_VALUES)]
    if not few:
        return ()
    variance, views = Variance.of(data.target, data.weight), []
    units = statistic_units(data.target[np.newaxis], data.weight)
    for feature in sorted(few):
        coded = CategoricalData.of(data.table, (feature,), n_threads)
        [totals] = TotalsOfRows(coded).of_features(data.target, data.weight, units)
        if len(totals) <= MOST_VALUES and variance.explained_by(totals * units) >= _LEAST_SHARE:
            views.append(ValueView(feature, len(totals)))
    return tuple(views)


@dataclass(frozen=True)
class Variance:
    """That of a target. Sums are made so that the order of rows and values does not matter, and
    every machine decides alike.

    squares  the sum of squared differences from the mean, weights included
    """

    n_rows: int
    mean: float
    squares: float

    @classmethod
    def of(cls, target: NDArray[np.float32], weight: NDArray[np.float32] | None) -> Variance:
        values = target.astype(np.float64)
        weights = np.ones(len(values)) if weight is None else weight.astype(np.float64)
        mean = math.fsum(weights * values) / math.fsum(weights)
        return cls(len(values), mean, math.fsum(weights * (values - mean) ** 2))

    def explained_by(self, totals: NDArray[np.float64]) -> float:
        """The share that lies between values. Chance, which brings more of it the more values there
        are, is taken off; of as many values as rows, all of it is chance.

        totals  the counts and the sums of the target of each value, (n_values, 2)

        >>> target = np.array([1, 1, 2, 5, 5, 4], dtype=np.float32)
        >>> variance = Variance.of(target, None)
        >>> round(variance.explained_by(np.array([[3, 4], [3, 14.0]])), 3)
        0.907
        """
        n_values = len(totals)
        if self.n_rows <= n_values or self.squares <= 0:
            return 0.0
        counts, sums = totals[totals[:, 0] > 0].T
        between = math.fsum((sums - counts * self.mean) ** 2 / counts)
        within = max(self.squares - between, 0.0) / (self.n_rows - n_values)
        return 1 - within / (self.squares / (self.n_rows - 1))
