"""Joined codes, target statistics, their histograms and scores: native equals twin."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.kernels import native, reference
from ocelotboost.kernels.contract import NO_HISTOGRAM, History, packed_layout
from tests.kernels.strategies import (
    SEEDS,
    THREADS,
    category_codes,
    partitions,
    scored_by_era,
    weights,
)

OUTPUTS = st.sampled_from([1, 2, 3, 5, 7, 9])


# ---- combinations ----------------------------------------------------------------------------


def join(kernels, codes, value_counts, members, n_threads=1):
    offsets = np.cumsum([0, *map(len, members)], dtype=np.uint32)
    flat = np.array([column for own in members for column in own], dtype=np.uint32)
    lines = np.arange(len(members), dtype=np.uint32)[::-1] + np.uint32(1)  # the first stays empty
    out = (
        np.full((len(members) + 1, codes.shape[1]), 99, dtype=np.uint32),
        np.full(len(members) + 1, 99, dtype=np.uint32),
        np.full(len(members) + 1, 99, dtype=np.uint64),
    )
    kernels.join_codes(codes, value_counts, offsets, flat, *out, lines, n_threads=n_threads)
    assert all((array[0] == 99).all() for array in out)
    return tuple(array[lines] for array in out)


def assert_joined_alike(codes, value_counts, members, n_threads=1):
    """The native function against its twin; what it gives."""
    found = join(native, codes, value_counts, members, n_threads)
    expected = join(reference, codes, value_counts, members)
    for own, twin in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, twin)
    return found


@given(st.data(), SEEDS, THREADS)
def test_joined_codes_equal_the_twin(data, seed, n_threads):
    n_rows = data.draw(st.sampled_from([0, 1, 5, 63, 64, 65, 700]))
    codes, value_counts = data.draw(category_codes(n_rows, n_columns=5))
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, size=data.draw(st.sampled_from([0, 1, 7])))
    members = [np.sort(rng.choice(5, size=size, replace=False)) for size in sizes]
    joined, fingerprints = assert_joined_alike(codes, value_counts, members, n_threads)[::2]
    for a, b in combinations(range(len(members)), 2):
        assert (fingerprints[a] == fingerprints[b]) == (joined[a] == joined[b]).all()


@given(SEEDS, st.sampled_from([[0, 1], [0, 1, 2], [2, 1, 0], [0, 1, 2, 3]]))
def test_products_beyond_64_bits_are_joined_in_turns(seed, members):
    rng = np.random.default_rng(seed)
    largest = 2**32 - 1
    # Codes of one column lie far apart: a wrapped product would make different rows meet.
    codes = rng.choice([0, 1, 2**16, 2**31, largest - 1], size=(4, 300)).astype(np.uint32)
    value_counts = np.full(4, largest, dtype=np.uint32)
    assert_joined_alike(codes, value_counts, [members])


@pytest.mark.parametrize("n_threads", [1, 2])
def test_many_values_grow_the_hash_table(n_threads):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 30_000, size=(3, 40_000)).astype(np.uint32)
    value_counts = np.full(3, 30_000, dtype=np.uint32)
    members = [[0, 1], [0, 1, 2], [1]]
    counts = assert_joined_alike(codes, value_counts, members, n_threads)[1]
    assert counts.min() > 20_000


@given(st.data())
def test_codes_are_equal_where_all_members_are(data):
    codes, value_counts = data.draw(category_codes(60, n_columns=3))
    joined, n_values, _ = join(native, codes, value_counts, [[0, 1, 2]])
    same = (codes[:, :, None] == codes[:, None, :]).all(axis=0)
    np.testing.assert_array_equal(joined[0][:, None] == joined[0][None, :], same)
    assert n_values[0] == len(np.unique(joined[0])) == joined[0].max() + 1


# ---- statistics ------------------------------------------------------------------------------


@st.composite
def sources(draw, n_rows, history):
    """Everything that statistics are made of, as the kernel takes it; and how many rows get one."""
    rng = np.random.default_rng(draw(SEEDS))
    codes, value_counts = draw(category_codes(n_rows, n_columns=draw(st.sampled_from([1, 3]))))
    orders = np.stack([rng.permutation(n_rows) for _ in range(draw(st.sampled_from([1, 3])))])
    n_targets, n_priors = draw(st.sampled_from([1, 2, 3])), draw(st.sampled_from([1, 2, 3]))
    targets = rng.integers(0, 2, size=(n_targets, n_rows)).astype(np.float32)
    if draw(st.booleans()):
        targets = rng.normal(size=targets.shape).astype(np.float32)
    before = history == History.BEFORE
    n_columns = n_targets * n_priors
    lows = rng.choice([0.0, -0.3], size=n_columns)
    return {
        "codes": codes,
        "value_counts": value_counts,
        "lines": rng.integers(len(codes), size=draw(st.integers(0, 4))).astype(np.uint32),
        "orders": orders.astype(np.uint32),
        "history": int(history),
        "window": draw(st.sampled_from([0, 1, 7, n_rows, 3 * n_rows])) if before else 0,
        "targets": targets,
        "weights": draw(weights(n_rows)),
        "prior_weight": draw(st.sampled_from([0.1, 1.0, 3.0])),
        "priors": rng.uniform(size=n_columns),
        "lows": lows,
        "highs": lows + rng.choice([1.0, 1.7], size=n_columns),
        "frequency": draw(st.booleans()),
    }


def statistics(kernels, source, n_out_rows, n_threads=1):
    """Units (n_combinations * n_orderings, n_out_rows, n_bytes), in reverse order of making."""
    shape = (len(source["lines"]), len(source["orders"]))
    n_bytes = (len(source["priors"]) + source["frequency"] + 1) // 2
    places = np.arange(shape[0] * shape[1], dtype=np.uint32)[::-1].reshape(shape).copy()
    units = np.full((places.size, n_out_rows, n_bytes), 255, dtype=np.uint8)
    kernels.target_statistics(*source.values(), places, units, n_threads=n_threads)
    return units


@given(st.data(), st.sampled_from(History), st.sampled_from([1, 2, 40, 300]), THREADS)
def test_statistics_equal_the_twin(data, history, n_rows, n_threads):
    source = data.draw(sources(n_rows, history))
    n_out_rows = (n_rows + 1) // 2 if history == History.APART else n_rows
    found = statistics(native, source, n_out_rows, n_threads)
    np.testing.assert_array_equal(found, statistics(reference, source, n_out_rows))


def bins_of(units, n_columns):
    """(n_units, n_rows, n_bytes) -> (n_units, n_columns, n_rows)"""
    halves = np.stack([units & 15, units >> 4], axis=3).reshape(*units.shape[:2], -1)
    return halves.transpose(0, 2, 1)[:, :n_columns]


@pytest.mark.parametrize("n_values", [1, 5])
@pytest.mark.parametrize("whole", [True, False])
def test_counts_beyond_the_known_ones_fall_into_the_same_bins(n_values, whole):
    # Zeros and ones without weights are counted in integers, with bins known up to a count of 64.
    rng = np.random.default_rng(3)
    n_rows = 2000
    source = {
        "codes": rng.integers(0, n_values, size=(1, n_rows)).astype(np.uint32),
        "value_counts": np.array([n_values], dtype=np.uint32),
        "lines": np.zeros(1, dtype=np.uint32),
        "orders": rng.permutation(n_rows).astype(np.uint32)[None],
        "history": int(History.BEFORE),
        "window": 0,
        "targets": rng.integers(0, 2, size=(1, n_rows)).astype(np.float32),
        "weights": None if whole else np.ones(n_rows, dtype=np.float32),
        "prior_weight": 1.0,
        "priors": np.array([0.0, 0.5, 1.0]),
        "lows": np.zeros(3),
        "highs": np.ones(3),
        "frequency": True,
    }
    found = statistics(native, source, n_rows)
    np.testing.assert_array_equal(found, statistics(reference, source, n_rows))


def test_statistics_of_a_table_by_hand():
    source = {
        "codes": np.array([[0, 1, 0, 0, 1]], dtype=np.uint32),
        "value_counts": np.array([2], dtype=np.uint32),
        "lines": np.zeros(1, dtype=np.uint32),
        "orders": np.array([[4, 3, 2, 1, 0]], dtype=np.uint32),
        "history": int(History.BEFORE),
        "window": 0,
        "targets": np.array([[1, 0, 0, 1, 1]], dtype=np.float32),
        "weights": None,
        "prior_weight": 1.0,
        "priors": np.array([0.5]),
        "lows": np.zeros(1),
        "highs": np.ones(1),
        "frequency": True,
    }
    found = bins_of(statistics(native, source, 5), 2)[0]
    # before row 0: rows 2, 3 (y 0, 1); row 1: row 4 (1); row 2: row 3 (1); rows 3 and 4: nobody
    expected = [1.5 / 3, 1.5 / 2, 1.5 / 2, 0.5, 0.5]
    np.testing.assert_array_equal(found[0], np.floor(15 * np.array(expected)))
    frequencies = np.array([3, 2, 3, 3, 2]) / 4
    np.testing.assert_array_equal(found[1], np.floor(15 * frequencies))


# ---- histograms and scores -------------------------------------------------------------------


def packed_of(n_outputs, n_rows, seed):
    rng = np.random.default_rng(seed)
    n_chunks, words = packed_layout(n_outputs)
    packed = np.empty((n_chunks, n_rows, words), dtype=np.int64)
    units = np.empty(n_outputs + 1)
    gradients = rng.normal(size=(n_outputs, n_rows)).astype(np.float32)
    native.pack_gradients(gradients, None, True, None, packed, units, n_threads=1)
    return packed, units


def accumulate(kernels, statistics, units, n_old, leaves, packed, histograms, n_threads=1):
    """Sum units into places 1, 2, …; ``leaves`` are rows, begin, end, target, fresh."""
    rows, *edges = leaves
    kernels.accumulate_statistics(
        statistics, units, n_old, 1, rows, packed, *edges, np.empty_like(packed), histograms,
        n_threads=n_threads,
    )  # fmt: skip


@given(
    st.data(), OUTPUTS, st.sampled_from([1, 60, 2000]), st.sampled_from([1, 2, 3, 4, 9]), SEEDS,
    THREADS,
)  # fmt: skip
def test_histograms_of_statistics_equal_the_twin(data, n_outputs, n_rows, n_bytes, seed, n_threads):
    rng = np.random.default_rng(seed)
    statistics = rng.integers(0, 256, size=(6, n_rows, n_bytes), dtype=np.uint8)
    units = rng.permutation(6)[: data.draw(st.sampled_from([0, 1, 5]))].astype(np.uint32)
    n_old = data.draw(st.integers(0, len(units)))
    rows, offsets = data.draw(partitions(n_rows))
    n_leaves = len(offsets) - 1
    target = rng.permutation(n_leaves + 1)[:n_leaves].astype(np.uint32)
    fresh = rng.integers(0, 2, size=n_leaves).astype(np.uint8)
    leaves = (rows, offsets[:-1].copy(), offsets[1:].copy(), target, fresh)
    packed, _ = packed_of(n_outputs, n_rows, seed)
    n_chunks, words = packed_layout(n_outputs)
    shape = (len(units) + 2, n_leaves + 1, n_chunks, n_bytes, 32, words)
    found, expected = np.full((2, *shape), -7, dtype=np.int64)
    accumulate(native, statistics, units, n_old, leaves, packed, found, n_threads)
    accumulate(reference, statistics, units, n_old, leaves, packed, expected)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_outputs", [1, 3, 7])
@pytest.mark.parametrize("n_bytes", [1, 2])
def test_long_leaves_are_cut_and_merged_exactly(n_threads, n_outputs, n_bytes):
    n_rows = 45_000
    rng = np.random.default_rng(0)
    statistics = rng.integers(0, 256, size=(9, n_rows, n_bytes), dtype=np.uint8)
    units = np.arange(9, dtype=np.uint32)
    rows = rng.permutation(n_rows).astype(np.uint32)
    begin, end = np.array([[0, 13_000, 13_050], [13_000, 13_050, n_rows]], dtype=np.uint32)
    leaves = (rows, begin, end, np.arange(3, dtype=np.uint32), np.array([1, 1, 0], dtype=np.uint8))
    packed, _ = packed_of(n_outputs, n_rows, 1)
    n_chunks, words = packed_layout(n_outputs)
    histograms = np.full((10, 3, n_chunks, n_bytes, 32, words), -7, dtype=np.int64)
    accumulate(native, statistics, units, 4, leaves, packed, histograms, n_threads)
    for unit, leaf, byte in [(0, 0, 0), (3, 1, 0), (4, 2, n_bytes - 1), (8, 2, 0), (8, 0, 0)]:
        own = rows[begin[leaf] : end[leaf]]
        bins = statistics[unit, own, byte]
        by_hand = np.zeros((32, words), dtype=np.int64)
        np.add.at(by_hand, bins & 15, packed[-1, own])
        np.add.at(by_hand, 16 + (bins >> 4), packed[-1, own])
        np.testing.assert_array_equal(histograms[1 + unit, leaf, -1, byte], by_hand)
    assert (histograms[1:5, 2] == -7).all(), "a leaf that is not fresh, of units that are old"


@given(
    st.data(), OUTPUTS, st.booleans(), st.sampled_from([1e-12, 3.0]), st.sampled_from([0.0, 5.0]),
    SEEDS, THREADS,
)  # fmt: skip
def test_scores_of_statistics_equal_the_twin(
    data, n_outputs, cosine, regularization, min_weight, seed, n_threads
):
    n_segments = data.draw(st.sampled_from([0, 1, 3]))
    n_gradients = n_outputs * data.draw(st.sampled_from([1, max(n_segments, 1)]))
    n_rows, n_bytes = 400, data.draw(st.sampled_from([1, 2, 3]))
    n_columns = 2 * n_bytes - data.draw(st.integers(0, 1))
    rng = np.random.default_rng(seed)
    statistics = rng.integers(0, 256, size=(4, n_rows, n_bytes), dtype=np.uint8)
    rows, offsets = data.draw(partitions(n_rows))
    n_leaves = len(offsets) - 1
    # Sums of all eras are larger than those of all rows here: room for four times the rows.
    packed, units = packed_of(n_gradients, 4 * n_rows, seed)
    packed = np.ascontiguousarray(packed[:, :n_rows])
    n_chunks, words = packed_layout(n_gradients)
    summed = np.zeros((6, n_leaves + 1, n_chunks, n_bytes, 32, words), dtype=np.int64)
    target = np.arange(n_leaves, dtype=np.uint32)
    leaves = (rows, offsets[:-1], offsets[1:], target, np.ones(n_leaves, dtype=np.uint8))
    accumulate(reference, statistics, np.arange(4, dtype=np.uint32), 0, leaves, packed, summed)
    # In old places the last histogram is a parent that has been scored before: running sums.
    n_old = data.draw(st.integers(0, 4))
    summed[:, -1] = summed[:, :-1].sum(axis=1)
    halves = summed[1 : 1 + n_old, -1].reshape(n_old, n_chunks, 2 * n_bytes, 16, words)
    halves[:] = halves.cumsum(axis=3)
    large = np.full(n_leaves, NO_HISTOGRAM, dtype=np.uint32)
    large[0] = n_leaves
    scored = scored_by_era(np.roll(np.arange(n_leaves + 1, dtype=np.uint32), 1), n_segments + 1)
    found = []
    for kernels in (native, reference):
        histograms = summed.copy()
        scores = np.empty((4, n_columns))
        best = np.empty((4, n_columns), dtype=np.uint8)
        kernels.score_statistics(
            histograms, 1, n_old, target, large, scored, n_outputs, units, regularization,
            min_weight, cosine, scores, best, n_threads=n_threads,
        )  # fmt: skip
        found.append((scores, best, histograms))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


# ---- the boundary ----------------------------------------------------------------------------


def test_joining_refuses_columns_that_are_not_there():
    codes = np.zeros((2, 3), dtype=np.uint32)
    counts = np.ones(2, dtype=np.uint32)
    with pytest.raises(ValueError, match="no such column"):
        join(native, codes, counts, [[0, 2]])
    with pytest.raises(ValueError, match="needs a member"):
        join(native, codes, counts, [[0], []])


def test_a_statistic_needs_a_unit_that_is_there():
    source = {
        "codes": np.zeros((1, 2), dtype=np.uint32),
        "value_counts": np.ones(1, dtype=np.uint32),
        "lines": np.zeros(1, dtype=np.uint32),
        "orders": np.array([[0, 1]], dtype=np.uint32),
        "history": int(History.BEFORE),
        "window": 0,
        "targets": np.zeros((1, 2), dtype=np.float32),
        "weights": None,
        "prior_weight": 1.0,
        "priors": np.zeros(1),
        "lows": np.zeros(1),
        "highs": np.ones(1),
        "frequency": True,
    }
    for unit, shape, problem in [
        (1, (1, 2, 1), "no such unit"),
        (0, (1, 1, 1), "one a row"),
        (0, (1, 2, 2), "half a byte a column"),
    ]:
        with pytest.raises(ValueError, match=problem):
            native.target_statistics(
                *source.values(),
                np.array([[unit]], dtype=np.uint32),
                np.zeros(shape, dtype=np.uint8),
                n_threads=1,
            )
