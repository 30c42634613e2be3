"""Target statistics: a category becomes what its history says about the target.

For a row k, its category v and a history D_k of other rows,

    ts(k) = (Σ_{j ∈ D_k, x_j = v} y_j + a·p) / (|{j ∈ D_k : x_j = v}| + a)

with prior p and prior weight a. What the history is decides about the leak:

    ordered         rows before k in an ordering (the last w of them, with a window)
    greedy          all rows, k too: a row's own target enters its statistic
    leave_one_out   all rows but k: the target leaks by what is missing
    holdout         rows that train no tree

Each statistic has one column for each target and prior, and one for the frequency of the category;
all are cut into 16 bins, two to a byte. Of more than two classes each is a facet of its own, with a
frequency of its own: a tree asks about two of them (boost/contrast.py), so only those are made.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import History

Floats = NDArray[np.float64]

N_BINS = 16

HISTORIES = {
    "ordered": History.BEFORE,
    "greedy": History.ALL,
    "leave_one_out": History.ALL_BUT_OWN,
    "holdout": History.APART,
}

#: In place of a target: the column is the frequency of the category.
FREQUENCY = -1


@dataclass(frozen=True)
class StatisticTargets:
    """What is averaged over the rows of a category.

    values       float32 (n_targets, n)
    lows, highs  float64 (n_targets,) statistics are cut into even bins between them
    centers      float64 (n_targets,) what prior 0.5 stands for; 0 and 1 are lows and highs
    names        what a person calls their averages
    n_facets     each is about as many targets, in their order
    """

    values: NDArray[np.float32]
    lows: Floats
    highs: Floats
    centers: Floats
    names: tuple[str, ...]
    n_facets: int = 1


@dataclass(frozen=True)
class StatisticColumns:
    """The columns of every statistic; arrays have one entry for each target and prior.

    The frequency comes after those of each facet.
    """

    targets: NDArray[np.int32]
    priors: Floats
    lows: Floats
    highs: Floats
    prior_weight: float
    n_facets: int

    @property
    def n_columns(self) -> int:
        """Of a facet."""
        return len(self.targets) // self.n_facets + 1

    @property
    def n_bytes(self) -> int:
        """Of a row, for a facet: two columns share one."""
        return (self.n_columns + 1) // 2

    def of_facet(self, number: int) -> slice:
        """Its entries in the arrays."""
        n_own = self.n_columns - 1
        return slice(number * n_own, (number + 1) * n_own)

    def targets_of(self, number: int) -> slice:
        """The targets of a facet."""
        own = self.targets[self.of_facet(number)]
        return slice(int(own[0]), int(own[-1]) + 1)

    def fields_of(self, number: int) -> NDArray[np.intp]:
        """Where the count and the sums of a facet are among those of all targets."""
        targets = self.targets_of(number)
        return np.array([0, *range(targets.start + 1, targets.stop + 1)])


def statistic_columns(
    targets: StatisticTargets, priors: tuple[float, ...], prior_weight: float
) -> StatisticColumns:
    """A column for each target and prior. A prior beyond 0 and 1 widens the bins to reach it."""
    n_targets, given = len(targets.values), np.array(priors, dtype=np.float64)
    low, high, center = (
        values[:, np.newaxis] for values in (targets.lows, targets.highs, targets.centers)
    )
    own = np.where(
        given <= 0.5, low + 2 * given * (center - low), center + (2 * given - 1) * (high - center)
    )
    return StatisticColumns(
        targets=np.repeat(np.arange(n_targets, dtype=np.int32), len(given)),
        priors=own.ravel(),
        lows=np.minimum(own, low).ravel(),
        highs=np.maximum(own, high).ravel(),
        prior_weight=prior_weight,
        n_facets=targets.n_facets,
    )


def statistic_units(values: NDArray[np.float32], weight: NDArray[np.float32] | None) -> Floats:
    """What the integer 1 is worth in counts, and in the sums of each target: (n_targets + 1,).

    Counts and sums are whole numbers, so that it does not matter who adds first. Where all that
    rows add is whole already, the unit is 1. Otherwise it is the smallest power of two for which no
    sum over any rows leaves 62 bits. ``values`` are (n_targets, n), ``weight`` is (n,).

    >>> values = np.array([[0, 1, 1], [0.5, -2, 0]], dtype=np.float32)
    >>> np.log2(statistic_units(values, None))
    array([  0.,   0., -60.])
    """
    n_rows = values.shape[1]
    whole = weight is None or _are_whole(weight)
    total = float(n_rows if weight is None else weight.sum(dtype=np.float64))
    units = [_unit(total, n_rows, whole)]
    for value in values:
        sizes = np.abs(value, dtype=np.float64)
        if weight is not None:
            sizes *= weight
        units.append(_unit(float(sizes.sum()), n_rows, whole and _are_whole(value)))
    return np.array(units)


def _are_whole(values: NDArray[np.float32]) -> bool:
    return bool((np.trunc(values) == values).all())


def _unit(total: float, n_rows: int, whole: bool) -> float:
    """``total`` is the sum of the sizes of what rows add. Rounding adds less than 1 per row."""
    room = 2.0**62 - n_rows
    if total == 0 or (whole and total < room):
        return 1.0
    return math.ldexp(1.0, math.frexp(total / room)[1])
