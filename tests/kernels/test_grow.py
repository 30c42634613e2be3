"""Packed gradients, histograms, scores, partitions, sampling: native equals twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.grow.packing import choose_scale
from ocelotboost.kernels import native, reference
from ocelotboost.kernels.contract import NO_HISTOGRAM, NO_PAGE, packed_layout
from tests.kernels.strategies import SEEDS, THREADS, blocks, partitions, scored_by_era, weights

OUTPUTS = st.sampled_from([1, 2, 3, 5, 7, 9])


def gradients_of(n_outputs, n_rows, seed, scale=1.0):
    rng = np.random.default_rng(seed)
    return (scale * rng.normal(size=(n_outputs, n_rows))).astype(np.float32)


def pack(kernels, gradients, weight, whole, n_threads=1, rows=None):
    n_outputs, n_rows = gradients.shape
    n_chunks, words = packed_layout(n_outputs)
    packed = np.empty((n_chunks, n_rows, words), dtype=np.int64)
    sums = np.empty(n_outputs + 1)
    kernels.absolute_sums(gradients, weight, sums, n_threads=n_threads)
    scale = choose_scale(sums, n_rows, weight is not None, whole)
    kernels.pack_gradients(
        gradients, weight, scale.exact, scale.units, scale.dithered, rows, 0, 0, packed,
        n_threads=n_threads,
    )  # fmt: skip
    return packed, scale.units


def panels_of(block):
    layout = block.layout
    return block.panels, layout.group_offsets, layout.group_strides, layout.group_widths


@given(st.data(), OUTPUTS, SEEDS, st.sampled_from([1e-20, 1.0, 1e15]), THREADS)
def test_packed_gradients_equal_the_twin(data, n_outputs, seed, scale, n_threads):
    n_rows = data.draw(st.sampled_from([1, 7, 5000]))
    weight = data.draw(weights(n_rows))
    whole = weight is None or bool((weight == np.rint(weight)).all())
    gradients = gradients_of(n_outputs, n_rows, seed, scale)
    rows = data.draw(st.sampled_from([None, np.random.default_rng(seed).permutation(n_rows)]))
    rows = None if rows is None else rows.astype(np.uint32)
    packed, units = pack(native, gradients, weight, whole, n_threads, rows)
    expected, expected_units = pack(reference, gradients, weight, whole, 1, rows)
    np.testing.assert_array_equal(units, expected_units)
    np.testing.assert_array_equal(packed, expected)


@pytest.mark.parametrize("dithered", [0, 1])
def test_rows_packed_in_parts_have_the_same_words(dithered):
    gradients, weight = gradients_of(2, 5000, 3), gradients_of(1, 5000, 4)[0] ** 2
    scale = False, np.array([0.25, 2.0**-10, 0.5]), np.full(3, dithered, dtype=np.uint8)
    whole, parts = np.zeros((2, 1, 5000, 2), dtype=np.int64)
    native.pack_gradients(gradients, weight, *scale, None, 0, 700, whole, n_threads=2)
    for first, end in ((4100, 5000), (0, 4100)):
        own = np.ascontiguousarray(gradients[:, first:end]), weight[first:end]
        native.pack_gradients(*own, *scale, None, first, 700, parts, n_threads=1)
    np.testing.assert_array_equal(parts, whole)
    shard = np.zeros((1, 900, 2), dtype=np.int64)
    own = np.ascontiguousarray(gradients[:, 4100:]), weight[4100:]
    native.pack_gradients(*own, *scale, None, 0, 700 + 4100, shard, n_threads=1)
    np.testing.assert_array_equal(shard, whole[:, 4100:])
    rows = np.arange(5000, dtype=np.uint32)[::-1].copy()
    native.pack_gradients(
        gradients[:, rows].copy(), weight[rows], *scale, rows, 0, 700, parts, n_threads=2
    )
    np.testing.assert_array_equal(parts, whole)


@given(SEEDS, st.integers(1, 50))
def test_a_whole_weight_sums_like_copies(seed, n_rows):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 6, size=n_rows).astype(np.float32)
    gradients = gradients_of(1, n_rows, seed)
    packed, units = pack(native, gradients, weight, True)
    copies, copy_units = pack(native, gradients.repeat(weight.astype(int), axis=1), None, True)
    np.testing.assert_array_equal(units, copy_units)
    assert packed.sum() == copies.sum()


def test_many_copies_are_rounded_as_other_weights_are():
    """One by one, that many copies would leave the gradients no digits."""
    gradients, weight = gradients_of(1, 300, 3), np.full(300, 1e6, dtype=np.float32)
    packed, units = pack(native, gradients, weight, True)
    expected, expected_units = pack(native, gradients, weight, False)
    np.testing.assert_array_equal(packed, expected)
    np.testing.assert_array_equal(units, expected_units)
    gradient = (packed[0, :, 0] >> 32) * units[0] / 1e6
    np.testing.assert_allclose(gradient, gradients[0], atol=1e-5)


@pytest.mark.parametrize("n_rows", [1_000, 3_000_000])
def test_packed_sums_cannot_overflow_and_stay_close(n_rows):
    gradients = np.ones((1, n_rows), dtype=np.float32)
    gradients[0, : n_rows // 3] = 0.5
    packed, units = pack(native, gradients, None, True, n_threads=2)
    total = packed.sum()
    low = np.int64(np.int32(total & 0xFFFFFFFF))
    high = (total - low) >> 32
    assert low == n_rows
    assert high * units[0] == pytest.approx(gradients.sum(dtype=np.float64), rel=1e-5)


@given(st.data(), OUTPUTS, THREADS)
def test_histograms_equal_the_twin(data, n_outputs, n_threads):
    block = data.draw(blocks())
    layout, n_rows = block.layout, block.n_rows
    rows, offsets = data.draw(partitions(n_rows))
    packed, _ = pack(native, gradients_of(n_outputs, n_rows, 1), None, True)
    n_leaves = len(offsets) - 1
    targets = np.arange(n_leaves, dtype=np.uint32)[::-1].copy()
    found = []
    for kernels in (native, reference):
        n_chunks, words = packed_layout(n_outputs)
        histograms = np.full((n_chunks, n_leaves, layout.n_slots, 256, words), -7, dtype=np.int64)
        kernels.accumulate_histograms(
            *panels_of(block), rows, packed, offsets[:-1].copy(), offsets[1:].copy(), targets,
            histograms, n_threads=n_threads,
        )  # fmt: skip
        found.append(histograms)
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_long_segments_are_merged_exactly(n_threads):
    n_rows = 150_000
    rng = np.random.default_rng(0)
    bins = rng.integers(0, 255, size=n_rows * 4, dtype=np.uint8)
    packed = rng.integers(-1000, 1000, size=(1, n_rows, 1)).astype(np.int64)
    histograms = np.empty((1, 1, 4, 256, 1), dtype=np.int64)
    edges = np.array([0, n_rows], dtype=np.uint32)
    native.accumulate_histograms(
        bins, np.zeros(1, np.uint64), np.array([4], np.uint32), np.array([4], np.uint32),
        np.arange(n_rows, dtype=np.uint32), packed, edges[:1], edges[1:], np.zeros(1, np.uint32),
        histograms, n_threads=n_threads,
    )  # fmt: skip
    by_hand = np.zeros(256, dtype=np.int64)
    np.add.at(by_hand, bins[2::4], packed[0, :, 0])
    np.testing.assert_array_equal(histograms[0, 0, 2, :, 0], by_hand)


@given(
    st.data(), OUTPUTS, st.booleans(), st.sampled_from([0.0, 3.0]), st.sampled_from([0.0, 5.0]),
    THREADS,
)  # fmt: skip
def test_scores_equal_the_twin(data, n_outputs, cosine, regularization, min_weight, n_threads):
    n_segments = data.draw(st.sampled_from([0, 1, 3]))
    n_gradients = n_outputs * data.draw(st.sampled_from([1, max(n_segments, 1)]))
    block = data.draw(blocks())
    layout, n_rows = block.layout, block.n_rows
    # Sums of all eras are larger than those of all rows here: room for four times the rows.
    packed, units = pack(native, gradients_of(n_gradients, 4 * n_rows, 5), None, True)
    packed = np.ascontiguousarray(packed[:, :n_rows])
    rows, offsets = data.draw(partitions(n_rows))
    n_leaves = len(offsets) - 1
    n_chunks, words = packed_layout(n_gradients)
    summed = np.zeros((n_chunks, n_leaves + 1, layout.n_slots, 256, words), dtype=np.int64)
    reference.accumulate_histograms(
        *panels_of(block), rows, packed, offsets[:-1], offsets[1:],
        np.arange(n_leaves, dtype=np.uint32), summed, n_threads=1,
    )  # fmt: skip
    # The last histogram plays a parent that has been scored before: running sums.
    summed[:, -1] = summed[:, :-1].sum(axis=1)
    small = np.arange(n_leaves, dtype=np.uint32)
    large = np.full(n_leaves, NO_HISTOGRAM, dtype=np.uint32)
    large[0] = n_leaves
    scored = scored_by_era(np.roll(np.arange(n_leaves + 1, dtype=np.uint32), 1), n_segments + 1)
    candidates = (np.arange(len(layout.slots)) % 5 != 4).astype(np.uint8)

    def score(kernels, histograms, small, large, scored):
        scores = np.empty(len(layout.slots))
        best = np.empty(len(layout.slots), dtype=np.uint8)
        kernels.score_columns(
            histograms, small, large, scored, layout.slots, layout.shifts, layout.firsts,
            layout.defaults, layout.bin_counts, candidates, n_outputs, units,
            max(regularization, 1e-12), min_weight, cosine, scores, best, n_threads=n_threads,
        )  # fmt: skip
        return scores, best, histograms

    parent = np.array([n_leaves], dtype=np.uint32)
    alone = np.full((n_segments + 1, 1), n_leaves, dtype=np.uint32)
    score(reference, summed, parent, np.full_like(parent, NO_HISTOGRAM), alone)
    found = [score(kernels, summed.copy(), small, large, scored) for kernels in (native, reference)]
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(st.data(), THREADS)
def test_split_leaves_equal_the_twin(data, n_threads):
    block = data.draw(blocks())
    layout, n_rows = block.layout, block.n_rows
    rows, offsets = data.draw(partitions(n_rows))
    column = data.draw(st.integers(0, len(layout.slots) - 1))
    shift, mask = int(layout.shifts[column]), int(layout.masks[column])
    # The slot alone, or together with others as in a page of statistics.
    width = data.draw(st.sampled_from([1, 2, 3]))
    position = data.draw(st.integers(0, width - 1))
    bytes_ = np.full((n_rows, width), 170, dtype=np.uint8)
    bytes_[:, position] = block.slots[layout.slots[column]]
    low, bin_ = data.draw(st.sampled_from([0, 1, 200])), data.draw(st.integers(0, 255))
    found = []
    for kernels in (native, reference):
        own, out = rows.copy(), np.empty(2 * len(offsets) - 1, dtype=np.uint32)
        kernels.split_leaves(
            bytes_, position, shift, mask, low, bin_, offsets, own, np.empty_like(own), out,
            n_threads=n_threads,
        )  # fmt: skip
        found.append((own, out))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_many_rows_are_split_stably(n_threads):
    n_rows = 60_000
    bins = np.random.default_rng(1).integers(0, 4, size=n_rows, dtype=np.uint8)
    rows = np.arange(n_rows, dtype=np.uint32)
    offsets = np.array([0, 10, 10, n_rows], dtype=np.uint32)
    out = np.empty(7, dtype=np.uint32)
    native.split_leaves(
        bins[:, None], 0, 0, 255, 0, 1, offsets, rows, np.empty_like(rows), out,
        n_threads=n_threads,
    )  # fmt: skip
    for leaf in range(6):
        own = rows[out[leaf] : out[leaf + 1]]
        assert (np.diff(own.astype(np.int64)) > 0).all()
        assert ((bins[own] > 1) == leaf % 2).all()


@given(st.integers(1, 4), st.lists(st.integers(0, 3), min_size=1, max_size=8), st.booleans(), SEEDS)
def test_the_plan_of_a_level_equals_the_twin(n_eras, leaf_sizes, has_parents, seed):
    rng = np.random.default_rng(seed)
    n_leaves = 2 * len(leaf_sizes)
    sizes = rng.integers(0, np.repeat(leaf_sizes, 2) + 1, size=(n_eras, n_leaves))
    offsets = np.append(0, np.cumsum(sizes)).astype(np.uint32)
    n_cells = n_eras * n_leaves
    parents = rng.permutation(n_cells // 2).astype(np.uint32) if has_parents else None
    found = []
    for kernels in (native, reference):
        out = np.full((7, n_cells), 77, dtype=np.uint32)
        fresh = np.full(n_cells, 77, dtype=np.uint8)
        counts = kernels.plan_level(offsets, n_eras, parents, 100, *out, fresh)
        found.append((counts, out.tolist(), fresh.tolist()))
    assert found[0] == found[1]


@given(st.data(), st.integers(0, 5), SEEDS, THREADS)
def test_assigned_leaves_equal_the_twin(data, depth, seed, n_threads):
    block = data.draw(blocks())
    layout, n_rows = block.layout, block.n_rows
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, len(layout.slots), size=depth)
    places = np.stack([layout.slots[columns], layout.shifts[columns], layout.masks[columns]])
    n_bytes = data.draw(st.sampled_from([1, 2, 3]))
    pages = rng.integers(0, 256, size=(4, n_rows, n_bytes), dtype=np.uint8)
    split_pages = rng.choice([NO_PAGE, 0, 3], size=depth).astype(np.uint32)
    of_page = split_pages != NO_PAGE
    places[0, of_page] = rng.integers(0, n_bytes, size=of_page.sum())
    places[1, of_page], places[2, of_page] = 4 * rng.integers(0, 2, size=of_page.sum()), 15
    split_bins = np.where(of_page, rng.integers(0, 15, size=depth), rng.integers(0, 255))
    lows = rng.choice([0, 0, 1, 200], size=depth).astype(np.uint8)
    arguments = (block.slots, pages, split_pages, *places, lows, split_bins.astype(np.uint8))
    # Earlier answers are there already.
    leaves = rng.integers(0, 4, size=n_rows).astype(np.uint32)
    expected = leaves.copy()
    native.assign_leaves(*arguments, leaves, n_threads=n_threads)
    reference.assign_leaves(*arguments, expected, n_threads=1)
    np.testing.assert_array_equal(leaves, expected)
    sorted_rows = []
    for kernels in (native, reference):
        rows = np.empty(n_rows, dtype=np.uint32)
        offsets = np.empty((4 << depth) + 1, dtype=np.uint32)
        kernels.rows_by_leaf(leaves, rows, offsets, n_threads=n_threads)
        sorted_rows.append(np.concatenate([rows, offsets]))
    np.testing.assert_array_equal(*sorted_rows)


@given(
    st.data(), st.sampled_from([1, 3]), SEEDS, st.sampled_from([0.1, 0.8, 1.0]),
    st.sampled_from([0.0, 0.5]), THREADS,
)  # fmt: skip
def test_minimal_variance_weights_equal_the_twin(
    data, n_outputs, seed, share, regularization, n_threads
):
    n_rows = data.draw(st.sampled_from([1, 10, 9000]))
    gradients = gradients_of(n_outputs, n_rows, seed)
    weight = data.draw(weights(n_rows))
    uniform = np.random.default_rng(seed).random(n_rows, dtype=np.float32)
    found, expected = np.empty((2, n_rows), dtype=np.float32)
    arguments = (gradients, weight, uniform, regularization, share)
    native.minimal_variance_weights(*arguments, found, n_threads=n_threads)
    reference.minimal_variance_weights(*arguments, expected, n_threads=1)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_minimal_variance_sampling_keeps_the_share_and_the_sum():
    gradients = gradients_of(1, 200_000, 4)
    uniform = np.random.default_rng(5).random(200_000, dtype=np.float32)
    weight = np.empty(200_000, dtype=np.float32)
    native.minimal_variance_weights(gradients, None, uniform, 0.1, 0.5, weight, n_threads=2)
    assert (weight > 0).mean() == pytest.approx(0.5, abs=0.01)
    absolute = np.abs(gradients[0])
    assert (weight * absolute).sum() == pytest.approx(absolute.sum(), rel=0.01)


@given(SEEDS, st.sampled_from([1, 3, 64]), st.sampled_from([0, 1, 700]), THREADS)
def test_panels_equal_the_twin(seed, n_slots, n_rows, n_threads):
    slots = np.random.default_rng(seed).integers(0, 256, size=(n_slots, n_rows), dtype=np.uint8)
    found, expected = np.zeros((2, 64 * n_rows), dtype=np.uint8)
    native.fill_panel(slots, 64, found, n_threads=n_threads)
    reference.fill_panel(slots, 64, expected, n_threads=1)
    np.testing.assert_array_equal(found, expected)
