"""Twins: categories of combinations, their target statistics, histograms and scores of those."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import NO_HISTOGRAM, History
from ocelotboost.kernels.reference.grow import best_border, leaves_of
from ocelotboost.kernels.reference.predict import Hashes, mixed

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]
Singles = NDArray[np.float32]


def join_codes(
    codes: Indices,
    value_counts: Indices,
    member_offsets: Indices,
    members: Indices,
    out_codes: Indices,
    out_value_counts: Indices,
    out_fingerprints: Hashes,
    lines: Indices,
    *,
    n_threads: int,
) -> None:
    """Rows that agree in all members of a combination share a code; codes are numbered in the order
    in which they first occur. A fingerprint tells all codes of one combination from others."""
    multipliers = mixed(np.arange(1, codes.shape[1] + 1, dtype=np.uint64))
    for line, (begin, end) in zip(lines, pairwise(member_offsets.tolist()), strict=True):
        numbers: dict[tuple[int, ...], int] = {}
        values = map(tuple, codes[members[begin:end]].T.tolist())
        out_codes[line] = [numbers.setdefault(value, len(numbers)) for value in values]
        out_value_counts[line] = len(numbers)
        out_fingerprints[line] = (out_codes[line] * multipliers).sum()


def target_statistics(
    codes: Indices,
    value_counts: Indices,
    lines: Indices,
    orders: Indices,
    history: int,
    window: int,
    targets: Singles,
    weights: Singles | None,
    prior_weight: float,
    priors: Floats,
    lows: Floats,
    highs: Floats,
    frequency: bool,
    units: Indices,
    out_units: Bytes,
    *,
    n_threads: int,
) -> None:
    """The statistics of every combination in every ordering, 16 bins a column, two columns a byte:
    one for each target and prior, then the frequency. Rows beyond ``out_units`` are history."""
    n_rows, n_out = codes.shape[1], out_units.shape[1]
    weight = np.ones(n_rows) if weights is None else weights.astype(np.float64)
    addends = np.stack([weight, *(weight * target for target in targets.astype(np.float64))])
    n_priors = len(priors) // len(targets)
    for line, of_combination in zip(lines, units, strict=True):
        own, counts = codes[line], value_counts[line]
        for order, unit in zip(orders, of_combination, strict=True):
            found = _histories(own, int(counts), order, History(history), window, addends, n_out)
            statistics = [
                (found[1 + c // n_priors] + prior_weight * priors[c]) / (found[0] + prior_weight)
                for c in range(len(priors))
            ]
            bins = list(map(_bins, statistics, lows, highs))
            if frequency:
                bins.append(_frequency_bins(own, order, History(history), window, weight, found[0]))
            out_units[unit] = 0
            for column, bin in enumerate(bins):
                out_units[unit, :, column // 2] |= bin << (column % 2 * 4)


def _histories(
    codes: Indices,
    n_values: int,
    order: Indices,
    history: History,
    window: int,
    addends: Floats,
    n_out: int,
) -> Floats:
    """The sums of ``addends`` (n_fields, n) over each row's history: (n_fields, n_out)."""
    totals = np.zeros((len(addends), n_values))
    if history == History.BEFORE:
        found = np.empty_like(addends)
        for time, row in enumerate(order):
            found[:, row] = totals[:, codes[row]]
            totals[:, codes[row]] += addends[:, row]
            if window and time >= window:
                oldest = order[time - window]
                totals[:, codes[oldest]] -= addends[:, oldest]
        return found
    for row in range(n_out if history == History.APART else 0, len(codes)):
        totals[:, codes[row]] += addends[:, row]
    found = totals[:, codes[:n_out]]
    return found - addends if history == History.ALL_BUT_OWN else found


def _frequency_bins(
    codes: Indices,
    order: Indices,
    history: History,
    window: int,
    weight: Floats,
    counts: Floats,
) -> Bytes:
    """How often each row's category occurs, beside the most frequent one. With a window: in the
    window before the row, beside the most frequent one of the last window."""
    n_out = len(counts)
    counted = np.arange(n_out if history == History.APART else 0, len(codes), dtype=np.intp)
    windowed = history == History.BEFORE and window > 0
    if windowed:
        counted = order[-window:].astype(np.intp)
    totals = np.zeros(int(codes.max(initial=0)) + 1)
    np.add.at(totals, codes[counted], weight[counted])
    own = counts if windowed else totals[codes[:n_out]]
    return _bins(own / (totals.max() + 1), 0.0, 1.0)


def _bins(statistic: Floats, low: float, high: float) -> Bytes:
    """15 even borders from low to high."""
    return np.clip((statistic - low) * (15.0 / (high - low)), 0, 15).astype(np.uint8)


def accumulate_statistics(
    statistics: Bytes,
    units: Indices,
    n_old: int,
    first_place: int,
    rows: Indices,
    packed: NDArray[np.int64],
    begin: Indices,
    end: Indices,
    target: Indices,
    fresh: Bytes,
    scratch: NDArray[np.int64],
    inout_histograms: NDArray[np.int64],
    *,
    n_threads: int,
) -> None:
    """Sums of packed words over the rows of each leaf, by the low and the high half of each byte of
    a unit; the first ``n_old`` units are summed over fresh leaves alone."""
    for place, unit in enumerate(units):
        for leaf, histogram in enumerate(target):
            if place < n_old and not fresh[leaf]:
                continue
            own = rows[begin[leaf] : end[leaf]]
            sums = inout_histograms[first_place + place, histogram]
            sums[:] = 0
            for chunk, byte in np.ndindex(*sums.shape[:2]):
                bins = statistics[unit, own, byte]
                np.add.at(sums[chunk, byte], bins & 15, packed[chunk, own])
                np.add.at(sums[chunk, byte], 16 + (bins >> 4), packed[chunk, own])


def score_statistics(
    inout_histograms: NDArray[np.int64],
    first_place: int,
    n_old: int,
    small: Indices,
    large: Indices,
    scored: Indices,
    n_outputs: int,
    units: Floats,
    regularization: float,
    min_weight: float,
    cosine: bool,
    out_scores: Floats,
    out_bins: Bytes,
    *,
    n_threads: int,
) -> None:
    """The best border of every column of every place. In the first ``n_old`` places ``small`` are
    fresh and ``large`` hold their parents, in the others all of ``scored`` are fresh; histograms
    are left as running sums."""
    n_histograms, n_chunks, _, _, words = inout_histograms.shape[1:]
    for place in range(len(out_scores)):
        columns = inout_histograms[first_place + place].reshape(
            n_histograms, n_chunks, -1, 16, words
        )
        old = place < n_old
        for histogram in small if old else scored[scored != NO_HISTOGRAM]:
            columns[histogram] = columns[histogram].cumsum(axis=2)
        for histogram, sibling in zip(small, large, strict=True):
            if old and sibling != NO_HISTOGRAM:
                columns[sibling] -= columns[histogram]
        for column in range(out_scores.shape[1]):
            out_scores[place, column], out_bins[place, column] = best_border(
                leaves_of(scored, columns[:, :, column].__getitem__),
                16,
                n_outputs,
                units,
                regularization,
                min_weight,
                cosine,
            )
