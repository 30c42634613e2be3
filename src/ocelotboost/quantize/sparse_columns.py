"""Borders and bins of sparse columns from what they store: the same as those of dense columns.

All rows that a column does not store have the value 0.0. So one value stands for them, with their
weight where borders are chosen and with their bin where bins are made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import BorderRule, Missing
from ocelotboost.table.columns import SparsePart
from ocelotboost.table.values import FloatArray

#: Whole numbers below this are exact as float32, and so are their sums.
_MOST_EXACT = 1 << 24


def counts_exactly(weight: NDArray[np.float32] | None) -> bool:
    """Is the weight of all rows that a column does not store exact in float32?"""
    if weight is None:
        return True
    return bool((weight == np.rint(weight)).all()) and weight.sum(dtype=np.float64) < _MOST_EXACT


def sparse_borders(
    part: SparsePart,
    sample: NDArray[np.uint32],
    weight: NDArray[np.float32] | None,
    rule: BorderRule,
    max_borders: NDArray[np.uint32],
    n_threads: int,
) -> list[NDArray[np.float64]]:
    """Borders of each column of the part, from the rows of a sample."""
    in_sample = np.zeros(part.n_rows, dtype=np.bool_)
    in_sample[sample] = True
    weights = in_sample.astype(np.float32) if weight is None else weight * in_sample
    whole = weights.sum(dtype=np.float64)
    borders = []
    for column in range(part.width):
        rows, numbers = part.stored(column)
        own = weights[rows]
        found = np.empty((1, max(int(max_borders[column]), 1)), dtype=np.float64)
        count = np.zeros(1, dtype=np.uint32)
        if len(rows) and max_borders[column]:
            values = _with_zero(numbers)
            native.choose_borders(
                values,
                np.arange(len(values), dtype=np.uint32),
                np.append(own, whole - own.sum(dtype=np.float64)).astype(np.float32),
                int(rule),
                max_borders[column : column + 1],
                found,
                count,
                n_threads=n_threads,
            )
        borders.append(found[0, : int(count[0])].copy())
    return borders


def fill_sparse(
    part: SparsePart,
    borders: list[NDArray[np.float64]],
    missing: NDArray[np.uint8],
    targets: NDArray[np.uint32],
    shifts: NDArray[np.uint32],
    inout_bins: NDArray[np.uint8],
) -> None:
    """Bins of each column of the part, into rows ``targets`` of the bins."""
    first = np.zeros(1, dtype=np.uint32)
    for column in range(part.width):
        own_bin = missing[column] in (Missing.OWN_LOW, Missing.OWN_HIGH)
        if len(borders[column]) == 0 and not own_bin:
            continue  # a single bin: number 0
        rows, numbers = part.stored(column)
        values = _with_zero(numbers)
        bins = np.zeros((1, len(values)), dtype=np.uint8)
        native.quantize(
            values,
            first,
            borders[column],
            np.array([0, len(borders[column])], dtype=np.uint32),
            missing[column : column + 1],
            first,
            shifts[column : column + 1],
            bins,
            n_threads=1,
        )
        target, of_zero = inout_bins[targets[column]], bins[0, -1]
        if of_zero:
            target |= of_zero
        target[rows] ^= of_zero ^ bins[0, :-1]


def _with_zero(numbers: FloatArray) -> FloatArray:
    """Stored numbers, and last the one of all other rows, as a column (n + 1, 1)."""
    values = np.zeros((len(numbers) + 1, 1), dtype=numbers.dtype)
    values[:-1, 0] = numbers
    return values
