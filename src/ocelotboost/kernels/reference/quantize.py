"""Twins: borders and bins."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import BorderRule, Missing
from ocelotboost.kernels.reference.links import logarithm

Floats = NDArray[np.float64]

_MOST_BINS = 256
_MOST_OPEN = 64


def count_missing(values: NDArray[Any], out_counts: NDArray[np.uint64], *, n_threads: int) -> None:
    """Missing values of each column of ``values`` (n_rows, n_columns)."""
    out_counts[:] = np.isnan(values).sum(axis=0)


def choose_borders(
    values: NDArray[Any],
    rows: NDArray[np.uint32],
    weights: NDArray[np.float32] | None,
    rule: int,
    max_borders: NDArray[np.uint32],
    out_borders: Floats,
    out_counts: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None:
    """Borders of each column from the given rows; missing values and rows of no weight left out."""
    for column in range(values.shape[1]):
        sample = values[rows, column].astype(np.float64) + 0.0
        weight = np.ones(len(rows)) if weights is None else weights[rows].astype(np.float64)
        counted = ~np.isnan(sample) & (weight > 0)
        distinct, place = np.unique(sample[counted], return_inverse=True)
        sizes = np.bincount(place, weights=weight[counted], minlength=len(distinct))
        mass = np.concatenate([[0.0], np.cumsum(sizes)])
        borders: list[float] = []
        if len(distinct) > 1:
            borders = _RULES[BorderRule(rule)](distinct, mass, int(max_borders[column]))
        out_borders[column, : len(borders)] = borders
        out_counts[column] = len(borders)


def _between(lower: float, upper: float) -> float:
    with np.errstate(all="ignore"):
        middle = lower + (upper - lower) / 2
    return middle if lower <= middle < upper else lower


def _greedy_log_sum(values: Floats, mass: Floats, most: int) -> list[float]:
    """Split the range whose best cut scores highest; ``mass[i]`` is the weight before value i."""

    def best_cut(begin: int, end: int) -> tuple[float, int, int, int] | None:
        if end - begin < 2:
            return None
        low, high = mass[begin], mass[end]
        middle = low + (high - low) / 2
        value = begin + int(np.searchsorted(mass[begin:end], middle, side="right")) - 1
        cuts = [cut for cut in (value, value + 1) if begin < cut < end]
        left, right = mass[cuts] - low, high - mass[cuts]
        scores = logarithm(left + 1e-8) + logarithm(right + 1e-8) - logarithm(high - low + 1e-8)
        score, cut = max(zip(scores.tolist(), [-cut for cut in cuts], strict=True))
        return -score, begin, end, -cut

    borders: list[float] = []
    ranges = [first] if (first := best_cut(0, len(values))) else []
    while ranges and len(borders) < most:
        _, begin, end, cut = heapq.heappop(ranges)
        borders.append(_between(float(values[cut - 1]), float(values[cut])))
        for part in (best_cut(begin, cut), best_cut(cut, end)):
            if part:
                heapq.heappush(ranges, part)
    return sorted(borders)


def _quantile(values: Floats, mass: Floats, most: int) -> list[float]:
    """Cuts at equal shares of the weight."""
    shares = mass[-1] * np.arange(1, most + 1) / (most + 1)
    cuts = np.unique(np.searchsorted(mass, shares, side="left"))
    inside = cuts[(cuts > 0) & (cuts < len(values))]
    return [_between(float(values[cut - 1]), float(values[cut])) for cut in inside]


def _uniform(values: Floats, mass: Floats, most: int) -> list[float]:
    """Cuts at equal distances between the finite ends; infinite ends take a border each."""
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return _greedy_log_sum(values, mass, most)
    low, high = float(finite[0]), float(finite[-1])
    shares = [i / (most + 1) for i in range(1, most + 1)] if low < high else []
    borders = sorted({low * (1 - share) + high * share for share in shares})
    borders = [border for border in borders if border < high]
    if values[0] != low and len(borders) < most:
        borders.insert(0, _between(float(values[0]), low))
    if values[-1] != high and len(borders) < most:
        borders.append(high)
    return sorted(set(borders))


_RULES = {
    BorderRule.GREEDY_LOG_SUM: _greedy_log_sum,
    BorderRule.QUANTILE: _quantile,
    BorderRule.UNIFORM: _uniform,
}


def quantize(
    values: NDArray[Any],
    sources: NDArray[np.uint32],
    borders: Floats,
    border_offsets: NDArray[np.uint32],
    missing: NDArray[np.uint8],
    out_rows: NDArray[np.uint32],
    shifts: NDArray[np.uint32],
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None:
    """The bin of a number is how many borders are below it, plus one where missing has bin 0."""
    for column, source in enumerate(sources):
        own = borders[border_offsets[column] : border_offsets[column + 1]]
        number = values[:, source].astype(np.float64)
        kind = Missing(missing[column])
        bins = np.searchsorted(own, number, side="left") + (kind == Missing.OWN_LOW)
        missing_bin = {Missing.HIGH: len(own), Missing.OWN_HIGH: len(own) + 1}.get(kind, 0)
        bins[np.isnan(number)] = missing_bin
        inout_bins[out_rows[column]] |= (bins << shifts[column]).astype(np.uint8)


def bundle_columns(
    starts: NDArray[np.uint64],
    rows: NDArray[np.uint32],
    n_rows: int,
    bin_counts: NDArray[np.uint32],
    out_bundles: NDArray[np.uint32],
    out_firsts: NDArray[np.uint32],
) -> int:
    """Bundles of columns of at most 256 bins in all, no two of which have a row in common. The
    columns with the most rows come first, each to the newest of the open bundles where it fits."""
    open_bundles: list[tuple[int, list[int], NDArray[np.bool_]]] = []  # number, columns, rows
    n_bundles = 0
    sizes = np.diff(starts.astype(np.int64))
    for column in np.argsort(-sizes, kind="stable").tolist():
        own = rows[int(starts[column]) : int(starts[column + 1])]
        count = int(bin_counts[column])
        fitting = [
            bundle
            for bundle in open_bundles[-_MOST_OPEN:]
            if bin_counts[bundle[1]].sum() + count <= _MOST_BINS and not bundle[2][own].any()
        ]
        if not fitting:
            fitting = [(n_bundles, [], np.zeros(n_rows, dtype=np.bool_))]
            open_bundles += fitting
            open_bundles = open_bundles[-_MOST_OPEN:]
            n_bundles += 1
        number, members, taken = fitting[-1]
        out_bundles[column], out_firsts[column] = number, bin_counts[members].sum()
        members.append(column)
        taken[own] = True
        open_bundles = [
            bundle for bundle in open_bundles if bin_counts[bundle[1]].sum() + 2 <= _MOST_BINS
        ]
    return n_bundles
