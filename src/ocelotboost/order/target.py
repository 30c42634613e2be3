"""What statistics average: class memberships, or a regression target as it is and cut in two."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.order.statistic import StatisticTargets, statistic_units
from ocelotboost.quantize.categorical_data import CategoricalData

#: The share of rows whose mean statistics are below the first border, and above the last.
_TAIL = 0.01


class CategoryTotals(Protocol):
    """What the rows say of the values of each categorical feature."""

    def of_features(
        self,
        target: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        units: NDArray[np.float64],
    ) -> list[NDArray[np.int64]]:
        """Counts and sums of the target, int64 (n_values, 2) in ``units``, of each feature; values
        in the order of their hashes."""
        ...


@dataclass(frozen=True)
class TotalsOfRows:
    """By rows that are here."""

    data: CategoricalData

    def of_features(
        self,
        target: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        units: NDArray[np.float64],
    ) -> list[NDArray[np.int64]]:
        found = []
        for codes, n_values in zip(self.data.codes, self.data.value_counts.tolist(), strict=True):
            totals, rows = np.empty((n_values, 2), np.int64), np.empty(n_values, np.uint32)
            native.total_by_value(codes, target[np.newaxis], weight, units, None, totals, rows)
            found.append(totals)
        return found


@dataclass(frozen=True)
class ClassTargets:
    """Of two classes, whether it is the second; of more, of each whether it is that one, which is a
    facet."""

    classes: list[object]

    def of(self, codes: NDArray[np.float32]) -> StatisticTargets:
        """What statistics of these rows average."""
        if len(self.classes) == 2:
            return _shares(codes[np.newaxis], ("mean target",))
        members = np.stack([codes == code for code in range(len(self.classes))])
        names = tuple(f"share of class {label!r}" for label in self.classes)
        return replace(_shares(members.astype(np.float32), names), n_facets=len(names))


@dataclass(frozen=True)
class NumberTargets:
    """The target itself, and whether it is above its middle. The rows that choose trees define
    both; whatever rows come later, the trees' questions keep their meaning.

    kind       "binarized": whether the target is above its middle. "mean": the target itself.
               "both": both
    middle     the number that parts the target in two
    low, high  the target itself is cut into bins between them, where features' means lie
    mean       of the target
    """

    kind: str
    middle: float
    low: float
    high: float
    mean: float

    @classmethod
    def define(
        cls,
        target: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        categories: CategoryTotals,
        prior_weight: float,
        kind: str,
    ) -> NumberTargets:
        """By these rows and the categories they have."""
        mean = float(np.average(target.astype(np.float64), weights=weight))
        low, high = _spread_of_means(target, weight, categories, prior_weight, mean)
        return cls(kind, _middle(target, weight), low, high, mean)

    def of(self, target: NDArray[np.float32]) -> StatisticTargets:
        """What statistics of these rows average."""
        above = _shares(
            (target > self.middle).astype(np.float32)[np.newaxis],
            (f"share of target > {self.middle:.6g}",),
        )
        itself = StatisticTargets(
            values=target[np.newaxis],
            lows=np.array([self.low]),
            highs=np.array([self.high]),
            centers=np.array([self.mean]),
            names=("mean target",),
        )
        if self.kind == "both":
            return _join(itself, above)
        return itself if self.kind == "mean" else above


#: What statistics average, for any rows.
TargetDefinition = ClassTargets | NumberTargets


class StatisticTarget(Protocol):
    """A target as this stage sees it."""

    @property
    def n_classes(self) -> int:
        """1 for a number."""
        ...

    def define_statistics(
        self,
        target: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        categories: CategoryTotals,
    ) -> TargetDefinition:
        """What target statistics average, by the rows that train trees."""
        ...


def _shares(values: NDArray[np.float32], names: tuple[str, ...]) -> StatisticTargets:
    n = len(values)
    return StatisticTargets(
        np.ascontiguousarray(values), np.zeros(n), np.ones(n), np.full(n, 0.5), names
    )


def _join(a: StatisticTargets, b: StatisticTargets) -> StatisticTargets:
    return StatisticTargets(
        np.concatenate([a.values, b.values]),
        np.concatenate([a.lows, b.lows]),
        np.concatenate([a.highs, b.highs]),
        np.concatenate([a.centers, b.centers]),
        a.names + b.names,
    )


def _middle(target: NDArray[np.float32], weight: NDArray[np.float32] | None = None) -> float:
    """The number that parts the target most evenly in two; the target itself where it is constant.

    >>> _middle(np.array([0, 0, 0, 0, 1, 2], dtype=np.float32))
    0.5
    """
    values, which = np.unique(target, return_inverse=True)
    if len(values) == 1:
        return float(values[0])
    below = np.cumsum(np.bincount(which, weight))
    last = int(np.argmin(np.abs(2 * below[:-1] - below[-1])))
    return (float(values[last]) + float(values[last + 1])) / 2


def _spread_of_means(
    target: NDArray[np.float32],
    weight: NDArray[np.float32] | None,
    categories: CategoryTotals,
    prior_weight: float,
    mean: float,
) -> tuple[float, float]:
    """Between which numbers nearly all rows' statistics lie, over all features together."""
    units = statistic_units(target[np.newaxis], weight)
    means, masses = [], []
    for totals in categories.of_features(target, weight, units):
        counts, sums = (totals * units).T
        means.append((sums + prior_weight * mean) / (counts + prior_weight))
        masses.append(counts)
    values, mass = np.concatenate(means), np.concatenate(masses)
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(mass[order]) / mass.sum()
    ends = np.minimum(np.searchsorted(shares, [_TAIL, 1 - _TAIL]), len(order) - 1)
    low, high = values[order][ends].tolist()
    if low < mean < high:
        return low, high
    # All means are nearly the same: any width will do that does not vanish compared with it.
    squares = (target.astype(np.float64) - mean) ** 2
    width = max(float(np.sqrt(np.average(squares, weights=weight))), 1e-6 * abs(mean)) or 1.0
    return mean - width, mean + width
