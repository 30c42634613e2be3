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
Totals = NDArray[np.int64]


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
    units: Floats,
    before: Totals | None,
    counts: Totals | None,
    largest: Totals | None,
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
    prior, then the frequency. Columns have 16 bins, and two of them share a byte.

    ``orders`` (n_orderings, n_ordered) may list some of the rows alone: others have no part in
    sums. Of the listed rows those beyond ``out_pages`` are history. Counts and sums are whole
    numbers, worth ``units`` (n_targets + 1,), powers of two: of counts, then of each target's sums.

    What rows elsewhere are known to add, with entries for the values of ``lines[0]``, then of
    ``lines[1]`` and so on: ``before`` (n_entries, n_targets + 1) are counts and sums before the
    first listed row. ``counts`` (n_entries,) are the counts of all rows, ``largest`` (n_lines,) the
    largest of each line, for the frequency; otherwise it counts the rows of ``codes``."""
    n_out, kind, n_priors = out_pages.shape[1], History(history), len(priors) // len(targets)
    addends = _addends(targets, weights, units)
    ends = np.cumsum(value_counts[lines], dtype=np.intp)
    for which, line in enumerate(lines):
        own, n_values = codes[line], int(value_counts[line])
        entries = slice(ends[which] - n_values, ends[which])
        start = np.zeros((n_values, len(units)), np.int64) if before is None else before[entries]
        if counts is None or largest is None:
            totals = np.zeros(n_values, dtype=np.int64)
            counted = slice(n_out if kind == History.APART else 0, None)
            np.add.at(totals, own[counted], addends[counted, 0])
            most = int(totals.max(initial=0))
        else:
            totals, most = counts[entries], int(largest[which])
        for order, page in zip(orders, pages[which], strict=True):
            rows = order[order < n_out]
            found = _histories(own, start, order, kind, window, addends, n_out)[rows] * units
            statistics = [
                (found[:, 1 + c // n_priors] + prior_weight * priors[c])
                / (found[:, 0] + prior_weight)
                for c in range(len(priors))
            ]
            bins = list(map(_bins, statistics, lows, highs))
            if frequency and kind == History.BEFORE and window:
                last = _largest_count(own[order[-window:]], addends[order[-window:], 0])
                bins.append(_bins(found[:, 0] / (1 + last * units[0]), 0.0, 1.0))
            elif frequency:
                bins.append(_bins(totals[own[rows]] * units[0] / (1 + most * units[0]), 0.0, 1.0))
            out_pages[page, rows] = 0
            for column, bin in enumerate(bins):
                out_pages[page, rows, column // 2] |= bin << (column % 2 * 4)


def _addends(targets: Singles, weights: Singles | None, units: Floats) -> Totals:
    """What each row adds to the count and the sums, in units: (n, n_targets + 1)."""
    weight = np.ones(targets.shape[1]) if weights is None else weights.astype(np.float64)
    products = [weight, *(weight * target for target in targets.astype(np.float64))]
    return np.rint(np.stack(products, axis=1) / units).astype(np.int64)


def _histories(
    codes: Indices,
    start: Totals,
    order: Indices,
    history: History,
    window: int,
    addends: Totals,
    n_out: int,
) -> Totals:
    """The sums of ``addends`` (n, n_fields) over the history of each row of ``order``, on top of
    what each value has at the ``start``: (n, n_fields)."""
    totals, found = start.copy(), np.zeros_like(addends)
    if history == History.BEFORE:
        for time, row in enumerate(order):
            found[row] = totals[codes[row]]
            totals[codes[row]] += addends[row]
            if window and time >= window:
                oldest = order[time - window]
                totals[codes[oldest]] -= addends[oldest]
        return found
    summed = order[order >= n_out] if history == History.APART else order
    np.add.at(totals, codes[summed], addends[summed])
    found[order] = totals[codes[order]]
    return found - addends if history == History.ALL_BUT_OWN else found


def _largest_count(codes: Indices, counts: Totals) -> int:
    """The largest sum of ``counts`` that rows of the same code have."""
    totals = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int64)
    np.add.at(totals, codes, counts)
    return int(totals.max())


def _bins(statistic: Floats, low: float, high: float) -> Bytes:
    """15 even borders from low to high."""
    return np.clip((statistic - low) * (15.0 / (high - low)), 0, 15).astype(np.uint8)


def accumulate_statistics(
    statistics: Bytes,
    pages: Indices,
    n_old: int,
    rows: Indices,
    packed: NDArray[np.int64],
    begin: Indices,
    end: Indices,
    target: Indices,
    fresh: Bytes,
    scratch: NDArray[np.int64],
    out_histograms: NDArray[np.int64],
    *,
    n_threads: int,
) -> None:
    """Sums of packed words over the rows of each leaf, page p into shelf p: what
    ``score_statistics`` sums before it scores. For the first ``n_old`` pages fresh leaves alone are
    summed. Histograms of other leaves stay as they are."""
    for shelf, page in enumerate(pages):
        for leaf, histogram in enumerate(target):
            if fresh[leaf] or shelf >= n_old:
                own = rows[begin[leaf] : end[leaf]]
                sums = _sums_by_half(statistics[page, own], packed[:, own])
                out_histograms[shelf, histogram] = sums


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
    ``small``; ``large`` hold their parents. Histograms are left as running sums. Without leaves,
    histograms hold the sums already."""
    n_histograms, n_chunks, _, _, words = inout_histograms.shape[1:]
    own_shelves = inout_histograms[first_shelf:]
    leaves = (begin, end, target, fresh)
    accumulate_statistics(
        statistics, pages, n_old, rows, packed, *leaves, scratch, own_shelves, n_threads=n_threads
    )
    for shelf in range(len(pages)):
        old = shelf < n_old
        columns = own_shelves[shelf].reshape(n_histograms, n_chunks, -1, 16, words)
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
    targets: Singles,
    weights: Singles | None,
    units: Floats,
    rows: Indices | None,
    out_totals: Totals,
    out_rows: Indices,
) -> None:
    """Counts and sums of targets over some rows (or all) by value, as whole numbers of ``units``
    (n_targets + 1,), and the last of the rows of each value; row 0 for a value that none of them
    has."""
    rows = np.arange(len(codes), dtype=np.uint32) if rows is None else rows
    out_totals[:], out_rows[:] = 0, 0
    np.add.at(out_totals, codes[rows], _addends(targets, weights, units)[rows])
    for row in rows.tolist():
        out_rows[codes[row]] = row


def order_keys(keys: NDArray[np.uint64], out_order: Indices) -> None:
    """The positions of the keys in ascending order."""
    out_order[:] = np.argsort(keys, kind="stable")
