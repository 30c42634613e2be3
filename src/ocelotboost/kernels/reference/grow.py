"""Twins: packed gradients, histograms, scores, partitions, sampling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import N_BINS, NO_HISTOGRAM, NO_PAGE

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]
Weights = NDArray[np.float32] | None
_Sums: TypeAlias = NDArray[np.int64]


def absolute_sums(
    gradients: NDArray[np.float32], weights: Weights, out: Floats, *, n_threads: int
) -> None:
    """Sums of gradients times weight, and of the weight, all without their signs."""
    out[:] = np.abs(_with_ones(gradients) * _weight(gradients, weights)).sum(axis=1)


def pack_gradients(
    gradients: NDArray[np.float32],
    weights: Weights,
    exact: bool,
    units: Floats,
    dithered: NDArray[np.uint8],
    rows: Indices | None,
    first_row: int,
    first_place: int,
    inout_packed: NDArray[np.int64],
    *,
    n_threads: int,
) -> None:
    """Gradients times weight, then the weight, rounded to multiples of their units. The i-th of
    them goes to row ``rows[i]``, or to row ``first_row + i``. Row 0 has the place ``first_place``
    among the rows of all shards."""
    n_rows = gradients.shape[1]
    weight = _weight(gradients, weights)
    places = np.arange(first_row, first_row + n_rows) if rows is None else rows
    dither = ((places + first_place).astype(np.uint64) * 2654435769 % (1 << 32) >> 1) / 2147483648.0
    n_chunks, _, n_words = inout_packed.shape
    fields = np.zeros((2 * n_chunks * n_words, n_rows), dtype=np.int64)
    for f, values in enumerate(_with_ones(gradients)):
        scaled = (values if exact else values * weight) / units[f]
        rounded = np.floor(scaled + (dither if dithered[f] else 0.5))
        fields[f] = rounded * weight if exact else rounded
    words = fields[0::2] * (1 << 32) + fields[1::2]
    inout_packed[:, places] = words.reshape(n_chunks, n_words, n_rows).transpose(0, 2, 1)


def _with_ones(gradients: NDArray[np.float32]) -> Floats:
    return np.concatenate([gradients.astype(np.float64), np.ones((1, gradients.shape[1]))])


def _weight(gradients: NDArray[np.float32], weights: Weights) -> Floats:
    return np.ones(gradients.shape[1]) if weights is None else weights.astype(np.float64)


def accumulate_histograms(
    bins: NDArray[np.uint8],
    group_offsets: NDArray[np.uint64],
    group_strides: Indices,
    group_widths: Indices,
    rows: Indices,
    packed: NDArray[np.int64],
    begin: Indices,
    end: Indices,
    target: Indices,
    inout_histograms: NDArray[np.int64],
    *,
    n_threads: int,
) -> None:
    """Sums of packed words over the rows of each segment, by bin of each slot."""
    first_slots = [0, *np.cumsum(group_widths).tolist()]
    for segment, histogram in enumerate(target):
        own = rows[begin[segment] : end[segment]]
        inout_histograms[:, histogram] = 0
        for group, width in enumerate(group_widths):
            for k in range(width):
                slot = first_slots[group] + k
                first = int(group_offsets[group]) + k
                byte = bins[first + own.astype(np.int64) * int(group_strides[group])]
                for chunk in range(len(packed)):
                    np.add.at(inout_histograms[chunk, histogram, slot], byte, packed[chunk, own])


def score_columns(
    inout_histograms: NDArray[np.int64],
    small: Indices,
    large: Indices,
    scored: Indices,
    slots: Indices,
    shifts: Indices,
    firsts: Indices,
    defaults: Indices,
    bin_counts: Indices,
    candidates: NDArray[np.uint8],
    n_outputs: int,
    units: Floats,
    regularization: float,
    min_weight: float,
    cosine: bool,
    out_scores: Floats,
    out_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None:
    """The best border of every column. Slots are left as running sums of their columns, one after
    the other. Columns of the same slot and shift share a field, where bin b of a column is value
    first + b; what is not in its range belongs to its default bin."""
    places = _places_in_slots(slots, shifts, firsts, bin_counts)
    for fresh, sibling in zip(small, large, strict=True):
        joint = inout_histograms[:, fresh].copy()
        for column, (field_size, own) in places.items():
            field = _marginal(joint[:, slots[column]], int(shifts[column]), field_size)
            first = int(firsts[column])
            sums = field[:, first : first + own.stop - own.start]
            sums[:, int(defaults[column])] += field.sum(axis=1) - sums.sum(axis=1)
            inout_histograms[:, fresh, slots[column], own] = sums.cumsum(axis=1)
            if sibling != NO_HISTOGRAM:
                inout_histograms[:, sibling, slots[column], own] -= sums.cumsum(axis=1)
    out_scores[:], out_bins[:] = -np.inf, 0
    for column, (_, own) in places.items():
        count = int(bin_counts[column])
        if candidates[column]:
            bins = slice(own.start, own.start + count)
            sums = inout_histograms[:, :, slots[column], bins].transpose(1, 0, 2, 3)
            out_scores[column], out_bins[column] = best_border(
                leaves_of(scored, sums.__getitem__),
                count,
                n_outputs,
                units,
                regularization,
                min_weight,
                cosine,
            )


def _places_in_slots(
    slots: Indices, shifts: Indices, firsts: Indices, bin_counts: Indices
) -> dict[int, tuple[int, slice]]:
    """For each column with borders the size of its field, a power of two, and the bins of the slot
    that it gets. The fields of the lowest bits come first; a field's last column gets the rest."""
    places = {}
    used = np.zeros(int(slots.max(initial=0)) + 1, dtype=np.intp)
    columns = [c for c in np.lexsort((firsts, shifts, slots)).tolist() if bin_counts[c] >= 2]
    for (slot, _), field in groupby(columns, lambda c: (slots[c], shifts[c])):
        own = list(field)
        size = 1 << int(firsts[own[-1]] + bin_counts[own[-1]] - 1).bit_length()
        for column, end in zip(own, [*firsts[own[1:]].tolist(), size], strict=True):
            start = int(used[slot])
            places[column] = (size, slice(start + int(firsts[column]), start + end))
        used[slot] += size
    return places


def leaves_of(scored: Indices, running: Callable[[int], _Sums]) -> list[list[_Sums | None]]:
    """The running sums of each leaf, era after era; None where it has no rows."""
    return [
        [None if histogram == NO_HISTOGRAM else running(int(histogram)) for histogram in eras]
        for eras in scored.T
    ]


def best_border(
    leaves: list[list[_Sums | None]],
    n_bins: int,
    n_outputs: int,
    units: Floats,
    regularization: float,
    min_weight: float,
    cosine: bool,
) -> tuple[float, int]:
    """The highest score of the borders of one column, and the bin below that border.

    ``leaves`` are running sums (n_chunks, n_bins, words) over the bins of each leaf and era; scores
    are made in single precision, in the order of the native loops.
    """
    gradient_scale = 2147483648.0 * units[:-1].max()
    ordered = bool(leaves) and len(leaves[0]) > 1
    weight_scale = (4294967296.0 if ordered else 2147483648.0) * units[-1]
    gradient_units = (units[:-1] / gradient_scale).astype(np.float32)
    weight_unit = np.float32(units[-1] / weight_scale)
    lam, lightest = np.float32(regularization / weight_scale), np.float32(min_weight / weight_scale)
    scale = gradient_scale / np.sqrt(weight_scale) if cosine else gradient_scale**2 / weight_scale
    if ordered:
        lam = max(lam, np.float32(1e-18))
    numerator, denominator = np.zeros((2, n_bins - 1), dtype=np.float32)
    for eras in leaves:
        fields = [None if sums is None else _fields(sums)[: len(units)] for sums in eras]
        all_weight = sum(own[-1] for own in fields if own is not None)
        heavy = [
            ~(side < lightest) if min_weight > 0 else np.True_
            for side in _sides(all_weight, weight_unit)
        ]
        for segment in _segments(fields, n_outputs):
            weight = _sides(segment.body[-1], weight_unit)
            tail_weight = _sides(segment.tail[-1], weight_unit)
            for k in range(n_outputs):
                gradient = _sides(segment.body[k], gradient_units[segment.slot * n_outputs + k])
                tail = _sides(segment.tail[k], gradient_units[k])
                heavier = [w + lam for w in weight]
                if len(eras) == 1:
                    v = [g / w for g, w in zip(gradient, heavier, strict=True)]
                else:  # one division for both sides
                    inverse = np.float32(1) / (heavier[0] * heavier[1])
                    v = [gradient[0] * heavier[1] * inverse, gradient[1] * heavier[0] * inverse]
                v = [
                    np.where(enough, own, np.float32(0))
                    for enough, own in zip(heavy, v, strict=True)
                ]
                numerator += v[0] * tail[0] + v[1] * tail[1]
                denominator += v[0] * v[0] * tail_weight[0] + v[1] * v[1] * tail_weight[1]
    scores = numerator
    if cosine:
        scores = numerator / np.sqrt(denominator + np.finfo(np.float32).tiny)
    best = int(np.argmax(scores))
    return float(scores[best]) * float(scale), best


class _Segment(NamedTuple):
    """Running sums (n_outputs + 1, n_bins), gradients then weight, over body and tail of a
    segment; the slot that the body's gradients come from."""

    body: _Sums
    tail: _Sums
    slot: int


def _segments(eras: list[_Sums | None], n_outputs: int) -> Iterator[_Segment]:
    """From fields (n_fields, n_bins) of a leaf by era. A single era is body and tail in one."""
    if len(eras) == 1:
        assert eras[0] is not None
        yield _Segment(eras[0], eras[0], 0)
        return
    n_segments = len(eras) - 1
    for segment in range(n_segments):
        tail = eras[segment + 1]
        body = [own for own in eras[: segment + 1] if own is not None]
        if tail is None or not body:
            continue
        one_slot = len(tail) - 1 == n_outputs
        slot = 0 if one_slot or segment == 0 else n_segments - segment
        of_slot = [*range(slot * n_outputs, (slot + 1) * n_outputs), len(tail) - 1]
        own_model = [*range(n_outputs), len(tail) - 1]
        yield _Segment(np.sum(body, axis=0)[of_slot], tail[own_model], slot)


def _sides(sums: _Sums, unit: np.float32) -> list[NDArray[np.float32]]:
    """What is left and right of each border."""
    return [side.astype(np.float32) * unit for side in (sums[:-1], sums[-1] - sums[:-1])]


def _marginal(slot: NDArray[np.int64], shift: int, size: int) -> NDArray[np.int64]:
    bins = (np.arange(N_BINS) >> shift) & (size - 1)
    out = np.zeros((slot.shape[0], size, slot.shape[2]), dtype=np.int64)
    for bin_ in range(size):
        out[:, bin_] = slot[:, bins == bin_].sum(axis=1)
    return out


def _fields(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n_chunks, n_bins, words) -> (n_fields, n_bins): word = high * 2^32 + low, both signed."""
    flat = words.transpose(0, 2, 1).reshape(-1, words.shape[1])
    low = flat.astype(np.int32).astype(np.int64)
    high = (flat - low) >> 32
    return np.stack([high, low], axis=1).reshape(-1, words.shape[1])


def split_leaves(
    bytes: NDArray[np.uint8],
    position: int,
    shift: int,
    mask: int,
    low: int,
    bin: int,
    leaf_offsets: Indices,
    inout_rows: Indices,
    scratch: Indices,
    out_offsets: Indices,
    *,
    n_threads: int,
) -> None:
    """Leaf l becomes leaves 2l and 2l + 1, by the answers to a question about one of the ``bytes``
    (n, width); rows keep their order."""
    for leaf in range(len(leaf_offsets) - 1):
        begin, end = int(leaf_offsets[leaf]), int(leaf_offsets[leaf + 1])
        own = inout_rows[begin:end].copy()
        right = _answers(bytes[own, position], shift, mask, low, bin)
        inout_rows[begin:end] = np.concatenate([own[~right], own[right]])
        out_offsets[2 * leaf] = begin
        out_offsets[2 * leaf + 1] = end - right.sum()
    out_offsets[-1] = leaf_offsets[-1]


def plan_level(
    offsets: Indices,
    n_eras: int,
    parents: Indices | None,
    n_used: int,
    out_of_cell: Indices,
    out_begin: Indices,
    out_end: Indices,
    out_histograms: Indices,
    out_small: Indices,
    out_large: Indices,
    out_scored: Indices,
    out_fresh: NDArray[np.uint8],
) -> tuple[int, int, int]:
    """Of two siblings with rows the smaller (of equal ones the first) is fresh and has a new
    histogram, from ``n_used`` on; the other keeps that of its parent. Without parents all cells
    with rows are fresh, in histograms of their own numbers. Returned are the numbers of cells with
    rows, of fresh ones, and of leaves with rows; arrays are filled that far."""
    sizes = np.diff(offsets.astype(np.int64))
    filled = sizes > 0
    if parents is None:
        fresh = filled
        of_cell = np.arange(len(sizes))
        large = np.full(len(sizes), NO_HISTOGRAM)
    else:
        left, right = sizes[0::2], sizes[1::2]
        both = (left > 0) & (right > 0)
        fresh = np.stack([both & (left <= right), both & (right < left)], axis=1).ravel()
        large = np.repeat(parents, 2)
        of_cell = np.where(fresh, n_used + np.cumsum(fresh) - 1, large)
    out_of_cell[:] = of_cell
    n_filled, n_fresh = int(filled.sum()), int(fresh.sum())
    out_begin[:n_filled] = offsets[:-1][filled]
    out_end[:n_filled] = offsets[1:][filled]
    out_histograms[:n_filled] = of_cell[filled]
    out_fresh[:n_filled] = fresh[filled]
    out_small[:n_fresh] = of_cell[fresh]
    out_large[:n_fresh] = large[fresh]
    scored = np.where(filled, of_cell, NO_HISTOGRAM).reshape(n_eras, -1)
    scored = scored[:, filled.reshape(n_eras, -1).any(axis=0)]
    out_scored[: scored.size] = scored.ravel()
    return n_filled, n_fresh, scored.shape[1]


def assign_leaves(
    slots: NDArray[np.uint8],
    pages: NDArray[np.uint8],
    split_pages: Indices,
    split_slots: Indices,
    shifts: Indices,
    masks: Indices,
    lows: NDArray[np.uint8],
    split_bins: NDArray[np.uint8],
    inout_leaves: Indices,
    *,
    n_threads: int,
) -> None:
    """Append the answers of a tree to the binary digits of a leaf number, first answer first. A
    question is about a slot of the table (n_slots, n), or a byte of a page (n_pages, n, width)."""
    for d, page in enumerate(split_pages):
        bytes = slots[split_slots[d]] if page == NO_PAGE else pages[page, :, split_slots[d]]
        yes = _answers(bytes, shifts[d], masks[d], lows[d], split_bins[d])
        inout_leaves[:] = inout_leaves * 2 + yes


def _answers(
    bytes: NDArray[np.uint8], shift: int, mask: int, low: int, bin: int
) -> NDArray[np.bool_]:
    """Does more than ``bin`` remain of the field after ``low`` is subtracted, modulo 256?"""
    field = (bytes.astype(np.int64) >> int(shift)) & int(mask)
    return (field - int(low)) % 256 > int(bin)


def fill_panel(
    slots: NDArray[np.uint8], stride: int, out_panel: NDArray[np.uint8], *, n_threads: int
) -> None:
    """The slots of a row side by side, ``stride`` bytes per row."""
    out_panel.reshape(-1, stride)[:, : len(slots)] = slots.T


def rows_by_leaf(
    leaves: Indices, out_rows: Indices, out_offsets: Indices, *, n_threads: int
) -> None:
    """Rows sorted by leaf, in row order inside a leaf."""
    out_rows[:] = np.argsort(leaves, kind="stable")
    out_offsets[0] = 0
    out_offsets[1:] = np.cumsum(np.bincount(leaves, minlength=len(out_offsets) - 1))


def minimal_variance_weights(
    gradients: NDArray[np.float32],
    weights: Weights,
    uniform: NDArray[np.float32],
    regularization: float,
    fraction: float,
    out_weights: NDArray[np.float32],
    *,
    n_threads: int,
) -> None:
    """Keep a row with probability min(1, c / mu); sum of the probabilities is the fraction."""
    weight = np.ones(len(uniform)) if weights is None else weights.astype(np.float64)
    squares = ((weight * gradients.astype(np.float64)) ** 2).sum(axis=0)
    sizes = np.sqrt(squares + regularization)
    for begin in range(0, len(sizes), 8192):
        block = slice(begin, begin + 8192)
        own = sizes[block]
        wanted = fraction * len(own)
        descending = np.sort(own)[::-1]
        below = descending[::-1].cumsum()[::-1]  # sum of this size and all smaller ones
        above = np.arange(len(own))
        with np.errstate(divide="ignore", invalid="ignore"):
            thresholds = below / (wanted - above)
        fits = (above < wanted) & (descending <= thresholds)
        threshold = thresholds[np.argmax(fits)] if fits.any() else 0.0
        probability = np.where(own < threshold, own / max(threshold, 1e-300), 1.0)
        kept = uniform[block] < probability
        out_weights[block] = np.where(kept, 1.0 / np.where(kept, probability, 1.0), 0.0)
