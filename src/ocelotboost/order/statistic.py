"""Target statistics: a category becomes what its history says about the target.

For a row k, its category v and a history D_k of other rows,

    ts(k) = (Σ_{j ∈ D_k, x_j = v} y_j + a·p) / (|{j ∈ D_k : x_j = v}| + a)

with prior p and prior weight a. What the history is decides about the leak:

    ordered         rows before k in an ordering (the last w of them, with a window)
    greedy          all rows, k too: a row's own target enters its statistic
    leave_one_out   all rows but k: the target leaks by what is missing
    holdout         rows that train no tree

Each statistic has one column for each target and prior, and one for the frequency of the category;
all are cut into 16 bins, two to a byte.
"""

from __future__ import annotations

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
    """

    values: NDArray[np.float32]
    lows: Floats
    highs: Floats
    centers: Floats
    names: tuple[str, ...]


@dataclass(frozen=True)
class StatisticColumns:
    """The columns of every statistic; arrays have one entry for each target and prior.

    The frequency comes after them: n_columns is one more than the arrays are long.
    """

    targets: NDArray[np.int32]
    priors: Floats
    lows: Floats
    highs: Floats
    prior_weight: float

    @property
    def n_columns(self) -> int:
        return len(self.targets) + 1

    @property
    def n_bytes(self) -> int:
        """Of a row: two columns share one."""
        return (self.n_columns + 1) // 2


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
    )
