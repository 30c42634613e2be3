"""Twins: categories of combinations, their target statistics, histograms and scores of those."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import NO_HISTOGRAM, History
from ocelotboost.kernels.reference.grow import best_border, leaves_of
from ocelotboost.kernels.reference.links import exponential, logarithm
from ocelotboost.kernels.reference.predict import Hashes

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]
Singles = NDArray[np.float32]


def join_codes(
    codes: Indices,
    value_counts: Indices,
    base: Indices | None,
    n_base_values: int,
    member_offsets: Indices,
    members: Indices,
    lines: Indices,
    out_codes: Indices,
    out_value_counts: Indices,
    out_fingerprints: Hashes,
    *,
    n_threads: int,
) -> None:
    """Rows that agree in all members of a combination share a code; codes are numbered in the order
    in which they first occur. ``base`` (n,), below ``n_base_values``, is one more member of every
    combination. A fingerprint tells all codes of one combination from others."""
    multipliers = _mixed(np.arange(1, codes.shape[1] + 1, dtype=np.uint64))
    for line, (begin, end) in zip(lines, pairwise(member_offsets.tolist()), strict=True):
        numbers: dict[tuple[int, ...], int] = {}
        own = codes[members[begin:end]]
        values = map(tuple, (own if base is None else np.vstack([own, base])).T.tolist())
        out_codes[line] = [numbers.setdefault(value, len(numbers)) for value in values]
        out_value_counts[line] = len(numbers)
        out_fingerprints[line] = (out_codes[line] * multipliers).sum()


def _mixed(x: Hashes) -> Hashes:
    """Every bit of the result depends on every bit of x."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


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
    pages: Indices,
    out_pages: Bytes,
    *,
    n_threads: int,
) -> None:
    """The statistics of every combination in every ordering: one column for each target and
    prior, then the frequency. Columns have 16 bins, and two of them share a byte. Rows beyond
    ``out_pages`` are history."""
    n_rows, n_out = codes.shape[1], out_pages.shape[1]
    weight = np.ones(n_rows) if weights is None else weights.astype(np.float64)
    addends = np.stack([weight, *(weight * target for target in targets.astype(np.float64))])
    n_priors = len(priors) // len(targets)
    for line, of_combination in zip(lines, pages, strict=True):
        own, counts = codes[line], value_counts[line]
        for order, page in zip(orders, of_combination, strict=True):
            found = _histories(own, int(counts), order, History(history), window, addends, n_out)
            statistics = [
                (found[1 + c // n_priors] + prior_weight * priors[c]) / (found[0] + prior_weight)
                for c in range(len(priors))
            ]
            bins = list(map(_bins, statistics, lows, highs))
            if frequency:
                bins.append(_frequency_bins(own, order, History(history), window, weight, found[0]))
            out_pages[page] = 0
            for column, bin in enumerate(bins):
                out_pages[page, :, column // 2] |= bin << (column % 2 * 4)


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
    """How often each row's category occurs, relative to the most frequent one. With a window: in
    the window before the row, relative to the most frequent one of the last window."""
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


def score_statistics(
    statistics: Bytes,
    pages: Indices,
    n_old: int,
    first_shelf: int,
    rows: Indices,
    packed: NDArray[np.int64],
    begin: Indices,
    end: Indices,
    target: Indices,
    fresh: Bytes,
    small: Indices,
    large: Indices,
    scored: Indices,
    n_outputs: int,
    units: Floats,
    regularization: float,
    min_weight: float,
    cosine: bool,
    scratch: NDArray[np.int64],
    inout_histograms: NDArray[np.int64],
    out_scores: Floats,
    out_bins: Bytes,
    *,
    n_threads: int,
) -> None:
    """The best border of every column of every page, from sums of packed words over the rows of
    each leaf. For the first ``n_old`` pages fresh leaves alone are summed, which are those of
    ``small``; ``large`` hold their parents. Histograms are left as running sums."""
    n_histograms, n_chunks, _, _, words = inout_histograms.shape[1:]
    for shelf, page in enumerate(pages):
        old = shelf < n_old
        histograms = inout_histograms[first_shelf + shelf]
        for leaf, histogram in enumerate(target):
            if fresh[leaf] or not old:
                own = rows[begin[leaf] : end[leaf]]
                histograms[histogram] = _sums_by_half(statistics[page, own], packed[:, own])
        columns = histograms.reshape(n_histograms, n_chunks, -1, 16, words)
        for histogram in small if old else scored[scored != NO_HISTOGRAM]:
            columns[histogram] = columns[histogram].cumsum(axis=2)
        for histogram, sibling in zip(small, large, strict=True):
            if old and sibling != NO_HISTOGRAM:
                columns[sibling] -= columns[histogram]
        for column in range(out_scores.shape[1]):
            out_scores[shelf, column], out_bins[shelf, column] = best_border(
                leaves_of(scored, columns[:, :, column].__getitem__),
                16,
                n_outputs,
                units,
                regularization,
                min_weight,
                cosine,
            )


def choose_statistic(
    scores: Floats,
    shelves: Indices,
    value_counts: Indices,
    in_model: Bytes,
    noise: Floats | None,
    before: float,
    model_size_reg: float,
) -> tuple[int, int, float]:
    """The offered combination and the column of its statistic that gain most over the score
    ``before``, and the gain. A combination that the model does not use yet gains less, or loses
    more, the more values it has. ``scores`` are (n_shelves, n_columns)."""
    share = value_counts[:, np.newaxis] / value_counts.max()
    worth = exponential(-model_size_reg * logarithm(1 + share))
    worth[in_model > 0] = 1
    noisy = scores[shelves] + (0.0 if noise is None else noise)
    gains = noisy - before
    gains = np.where(gains < 0, gains / worth, gains * worth)
    combination, column = divmod(int(gains.argmax()), scores.shape[1])
    return combination, column, float(gains[combination, column])


def _sums_by_half(own_bytes: Bytes, packed: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums of packed words (n_chunks, n, words) by the low and the high half of each byte of
    (n, n_bytes): (n_chunks, n_bytes, 32, words)."""
    n_chunks, _, words = packed.shape
    sums = np.zeros((n_chunks, own_bytes.shape[1], 32, words), dtype=np.int64)
    for chunk, byte in np.ndindex(*sums.shape[:2]):
        bins = own_bytes[:, byte]
        np.add.at(sums[chunk, byte], bins & 15, packed[chunk])
        np.add.at(sums[chunk, byte], 16 + (bins >> 4), packed[chunk])
    return sums


def total_by_value(
    codes: Indices,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    rows: Indices | None,
    out_counts: Floats,
    out_sums: Floats,
    out_rows: Indices,
) -> None:
    """Counts and sums of targets over some rows (or all) by value, in the order of the rows, and
    the last of the rows of each value; row 0 for a value that none of them has."""
    rows = np.arange(len(codes), dtype=np.uint32) if rows is None else rows
    weight = np.ones(len(codes)) if weights is None else weights.astype(np.float64)
    out_counts[:], out_sums[:], out_rows[:] = 0, 0, 0
    for row in rows.tolist():
        out_counts[codes[row]] += weight[row]
        out_sums[codes[row]] += weight[row] * targets[:, row].astype(np.float64)
        out_rows[codes[row]] = row


def order_keys(keys: NDArray[np.uint64], out_order: Indices) -> None:
    """The positions of the keys in ascending order."""
    out_order[:] = np.argsort(keys, kind="stable")
