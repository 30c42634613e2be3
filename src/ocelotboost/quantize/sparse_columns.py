"""Borders and bins of sparse columns from what they store: the same as those of dense columns.

All rows that a column does not store have the value 0.0. So one value stands for them, with their
weight where borders are chosen and with their bin where bins are made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import BorderRule, Missing
from ocelotboost.quantize.bundles import StoredBins
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


def stored_bins(
    parts: Sequence[SparsePart], borders: Sequence[NDArray[np.float64]], missing: NDArray[np.uint8]
) -> StoredBins:
    """Bins of the columns of all parts that have more than one; ``borders`` and ``missing`` are
    those of the whole table."""
    columns, defaults, rows, bins = [], [], [], []
    for part in parts:
        for column in range(part.first, part.first + part.width):
            own_bin = missing[column] in (Missing.OWN_LOW, Missing.OWN_HIGH)
            if len(borders[column]) == 0 and not own_bin:
                continue  # a single bin: number 0
            own_rows, numbers = part.stored(column - part.first)
            found = _bins(_with_zero(numbers), borders[column], missing[column : column + 1])
            away = found[:-1] != found[-1]
            columns.append(column)
            defaults.append(found[-1])
            rows.append(own_rows[away].astype(np.uint32))
            bins.append(found[:-1][away])
    return StoredBins(
        columns=np.array(columns, dtype=np.intp),
        starts=np.cumsum([0, *map(len, rows)], dtype=np.uint64),
        rows=np.concatenate([np.empty(0, dtype=np.uint32), *rows]),
        bins=np.concatenate([np.empty(0, dtype=np.uint8), *bins]),
        defaults=np.array(defaults, dtype=np.uint8),
    )


def _bins(
    values: FloatArray, borders: NDArray[np.float64], missing: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Of the values (n, 1) of one column: (n,)."""
    bins = np.zeros(len(values), dtype=np.uint8)
    first = np.zeros(1, dtype=np.uint32)
    offsets = np.array([0, len(borders)], dtype=np.uint32)
    native.quantize(values, first, borders, offsets, missing, first, first, bins[None], n_threads=1)
    return bins


def _with_zero(numbers: FloatArray) -> FloatArray:
    """Stored numbers, and last the one of all other rows, as a column (n + 1, 1)."""
    values = np.zeros((len(numbers) + 1, 1), dtype=numbers.dtype)
    values[:-1, 0] = numbers
    return values
