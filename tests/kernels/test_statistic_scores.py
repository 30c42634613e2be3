"""Histograms and scores of target statistics, and the choice among them: native equals twin."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.grow.packing import choose_scale
from ocelotboost.kernels import native, reference
from ocelotboost.kernels.contract import NO_HISTOGRAM, packed_layout
from tests.kernels.strategies import (
    SEEDS,
    THREADS,
    partitions,
    scored_by_era,
)

OUTPUTS = st.sampled_from([1, 2, 3, 5, 7, 9])


# ---- histograms and scores -------------------------------------------------------------------


def packed_of(n_outputs, n_rows, seed):
    rng = np.random.default_rng(seed)
    n_chunks, words = packed_layout(n_outputs)
    packed = np.empty((n_chunks, n_rows, words), dtype=np.int64)
    gradients = rng.normal(size=(n_outputs, n_rows)).astype(np.float32)
    sums = np.empty(n_outputs + 1)
    native.absolute_sums(gradients, None, sums, n_threads=1)
    scale = choose_scale(sums, n_rows, has_weights=False, whole_weights=True)
    native.pack_gradients(
        gradients, None, scale.exact, scale.units, scale.dithered, None, 0, 0, packed, n_threads=1
    )
    return packed, scale.units


class LevelOfPages:
    """Units to be summed and scored in one level of a tree, as it comes about.

    Of every two leaves the first is fresh and the second holds the sums of both, its parent's, or
    they are not divided and hold their own. A leaf without a pair is fresh and has no sibling.
    """

    def __init__(self, statistics, pages, n_old, rows, offsets, packed, rng):
        self.statistics, self.pages, self.n_old = statistics, pages, n_old
        self.rows, self.packed = rows, packed
        self.begin, self.end = offsets[:-1].copy(), offsets[1:].copy()
        n_leaves = len(self.begin)
        self.target = rng.permutation(n_leaves + 1)[:n_leaves].astype(np.uint32)
        divided = np.repeat(rng.integers(0, 2, size=(n_leaves + 1) // 2), 2)[:n_leaves]
        if n_leaves % 2:
            divided[-1] = 1
        is_first = np.arange(n_leaves) % 2 == 0
        self.fresh = (divided & is_first).astype(np.uint8)
        first = np.flatnonzero(self.fresh)
        self.small = self.target[first]
        self.large = np.append(self.target, np.uint32(NO_HISTOGRAM))[
            np.where(first + 1 < n_leaves, first + 1, n_leaves)
        ]

    def of_rows(self, chosen):
        """The same level with the chosen rows alone, which may leave leaves empty."""
        kept = chosen[self.rows]
        shard = copy(self)
        shard.rows = self.rows[kept]
        before = np.concatenate([[0], np.cumsum(kept)]).astype(np.uint32)
        shard.begin, shard.end = before[self.begin], before[self.end]
        return shard

    def running_sums(self, page, leaf):
        """(n_chunks, n_bytes, 32, words)"""
        own = self.rows[self.begin[leaf] : self.end[leaf]]
        n_chunks, _, words = self.packed.shape
        sums = np.zeros((n_chunks, self.statistics.shape[2], 2, 16, words), dtype=np.int64)
        for byte, halves in enumerate(self.statistics[page, own].T):
            for chunk in range(n_chunks):
                np.add.at(sums[chunk, byte, 0], halves & 15, self.packed[chunk, own])
                np.add.at(sums[chunk, byte, 1], halves >> 4, self.packed[chunk, own])
        return sums.cumsum(axis=3).reshape(n_chunks, -1, 32, words)

    def histograms_before(self):
        """Places 1, 2, …; what nobody may read is -7."""
        n_chunks, _, words = self.packed.shape
        shape = (len(self.target) + 1, n_chunks, self.statistics.shape[2], 32, words)
        histograms = np.full((len(self.pages) + 2, *shape), -7, dtype=np.int64)
        for shelf in range(self.n_old):
            for leaf in np.flatnonzero(self.fresh == 0):
                own = self.running_sums(self.pages[shelf], leaf)
                if leaf % 2 and self.fresh[leaf - 1]:
                    own += self.running_sums(self.pages[shelf], leaf - 1)
                histograms[1 + shelf, self.target[leaf]] = own
        return histograms

    def accumulate(self, kernels, histograms, n_threads=1):
        """Raw sums, from shelf 1 on."""
        kernels.accumulate_statistics(
            self.statistics, self.pages, self.n_old, self.rows, self.packed, self.begin, self.end,
            self.target, self.fresh, np.empty_like(self.packed), histograms[1:],
            n_threads=n_threads,
        )  # fmt: skip

    def score(
        self, kernels, units, n_columns, n_outputs=1, n_eras=1, regularization=3.0,
        min_weight=0.0, cosine=True, n_threads=1, histograms=None,
    ):  # fmt: skip
        """Scores and bins, (n_pages, n_columns) each, and the histograms. Histograms that are given
        hold the sums of all leaves already, and no rows are at hand."""
        leaves = (self.begin, self.end, self.target, self.fresh)
        statistics, rows, packed = self.statistics, self.rows, self.packed
        if histograms is None:
            histograms = self.histograms_before()
        else:
            statistics, rows, packed = statistics[:, :0].copy(), rows[:0], packed[:, :0].copy()
            leaves = tuple(own[:0] for own in leaves)
        scores = np.empty((len(self.pages), n_columns))
        bins = np.empty((len(self.pages), n_columns), dtype=np.uint8)
        kernels.score_statistics(
            statistics, self.pages, self.n_old, 1, rows, packed, *leaves, self.small, self.large,
            scored_by_era(self.target, n_eras), n_outputs, units, regularization, min_weight,
            cosine, np.empty_like(packed), histograms, scores, bins, n_threads=n_threads,
        )  # fmt: skip
        return scores, bins, histograms


@given(
    st.data(), OUTPUTS, st.booleans(), st.sampled_from([1e-12, 3.0]), st.sampled_from([0.0, 5.0]),
    SEEDS, THREADS,
)  # fmt: skip
def test_scores_of_statistics_equal_the_twin(
    data, n_outputs, cosine, regularization, min_weight, seed, n_threads
):
    n_segments = data.draw(st.sampled_from([0, 1, 3]))
    n_gradients = n_outputs * data.draw(st.sampled_from([1, max(n_segments, 1)]))
    n_rows = data.draw(st.sampled_from([1, 60, 400, 2000]))
    n_bytes = data.draw(st.sampled_from([1, 2, 3, 9]))
    n_columns = 2 * n_bytes - data.draw(st.integers(0, 1))
    rng = np.random.default_rng(seed)
    statistics = rng.integers(0, 256, size=(6, n_rows, n_bytes), dtype=np.uint8)
    pages = rng.permutation(6)[: data.draw(st.sampled_from([0, 1, 5]))].astype(np.uint32)
    n_old = data.draw(st.integers(0, len(pages)))
    rows, offsets = data.draw(partitions(n_rows))
    # Sums of all eras are larger than those of all rows here: room for four times the rows.
    packed, units = packed_of(n_gradients, 4 * n_rows, seed)
    packed = np.ascontiguousarray(packed[:, :n_rows])
    level = LevelOfPages(statistics, pages, n_old, rows, offsets, packed, rng)
    rule = (n_columns, n_outputs, n_segments + 1, regularization, min_weight, cosine)
    found = level.score(native, units, *rule, n_threads)
    for ours, theirs in zip(found, level.score(reference, units, *rule), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for shelf, page in enumerate(pages):
        for leaf, histogram in enumerate(level.target):
            np.testing.assert_array_equal(
                found[2][1 + shelf, histogram], level.running_sums(page, leaf)
            )


@given(st.data(), OUTPUTS, st.integers(1, 4), SEEDS, THREADS)
def test_sums_of_shards_add_up_to_what_is_scored_at_once(
    data, n_outputs, n_shards, seed, n_threads
):
    n_rows = data.draw(st.sampled_from([1, 60, 2000]))
    n_bytes = data.draw(st.sampled_from([1, 2, 3]))
    rng = np.random.default_rng(seed)
    statistics = rng.integers(0, 256, size=(6, n_rows, n_bytes), dtype=np.uint8)
    pages = rng.permutation(6)[: data.draw(st.sampled_from([0, 1, 5]))].astype(np.uint32)
    n_old = data.draw(st.integers(0, len(pages)))
    rows, offsets = data.draw(partitions(n_rows))
    packed, units = packed_of(n_outputs, n_rows, seed)
    level = LevelOfPages(statistics, pages, n_old, rows, offsets, packed, rng)
    rule = {"units": units, "n_columns": 2 * n_bytes, "n_outputs": n_outputs}
    expected = level.score(native, **rule, n_threads=n_threads)

    histograms, shard_of = level.histograms_before(), rng.integers(n_shards, size=n_rows)
    summed = level.target[level.fresh > 0]
    histograms[1 : 1 + n_old, summed] = 0
    histograms[1 + n_old : 1 + len(pages), level.target] = 0
    for shard in range(n_shards):
        own = level.of_rows(shard_of == shard)
        found = [level.histograms_before() for _ in range(2)]
        for kernels, sums in zip((native, reference), found, strict=True):
            own.accumulate(kernels, sums, n_threads)
        np.testing.assert_array_equal(*found)
        histograms[1 : 1 + n_old, summed] += found[0][1 : 1 + n_old, summed]
        new = slice(1 + n_old, 1 + len(pages))
        histograms[new, level.target] += found[0][new, level.target]
    for kernels in (native, reference):
        again = level.score(kernels, **rule, histograms=histograms.copy())
        for ours, theirs in zip(again, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_outputs", [1, 3, 7])
@pytest.mark.parametrize("n_bytes", [1, 2])
def test_long_leaves_are_cut_and_merged_exactly(n_threads, n_outputs, n_bytes):
    n_rows = 45_000
    rng = np.random.default_rng(0)
    statistics = rng.integers(0, 256, size=(9, n_rows, n_bytes), dtype=np.uint8)
    rows = rng.permutation(n_rows).astype(np.uint32)
    offsets = np.array([0, 13_000, 13_050, n_rows], dtype=np.uint32)
    packed, units = packed_of(n_outputs, n_rows, 1)
    pages = np.arange(9, dtype=np.uint32)
    level = LevelOfPages(statistics, pages, 4, rows, offsets, packed, rng)
    n_columns = 2 * n_bytes
    _, _, histograms = level.score(native, units, n_columns, n_outputs, n_threads=n_threads)
    for page, leaf in [(0, 0), (3, 1), (4, 2), (8, 2), (8, 0)]:
        np.testing.assert_array_equal(
            histograms[1 + page, level.target[leaf]], level.running_sums(page, leaf)
        )


# ---- the choice ------------------------------------------------------------------------------


@given(st.integers(1, 6), st.integers(1, 12), st.integers(1, 5), st.booleans(), SEEDS)
def test_the_choice_equals_the_twin(n_shelves, n_offered, n_columns, noisy, seed):
    rng = np.random.default_rng(seed)
    offer = (
        rng.normal(size=(n_shelves, n_columns)),
        rng.integers(n_shelves, size=n_offered).astype(np.uint32),
        rng.integers(1, 1000, size=n_offered).astype(np.uint32),
        rng.integers(2, size=n_offered).astype(np.uint8),
        rng.normal(size=(n_offered, n_columns)) if noisy else None,
    )
    reg = rng.choice([0.0, 0.5, 2.0])
    found = native.choose_statistic(*offer, 0.1, reg)
    assert found == reference.choose_statistic(*offer, 0.1, reg)


def test_the_first_of_equals_is_chosen_and_many_values_cost():
    scores = np.array([[1.0, 5.0], [5.0, 4.0]])
    shelves = np.array([1, 0, 1], dtype=np.uint32)
    values = np.array([30, 30, 10], dtype=np.uint32)
    new, used = np.zeros(3, dtype=np.uint8), np.array([0, 1, 0], dtype=np.uint8)
    assert native.choose_statistic(scores, shelves, values, new, None, 1.0, 0.0) == (0, 0, 4.0)
    which, column, gain = native.choose_statistic(scores, shelves, values, new, None, 1.0, 0.5)
    assert (which, column) == (2, 0)
    assert gain == pytest.approx(4.0 / np.sqrt(1 + 1 / 3))
    assert native.choose_statistic(scores, shelves, values, used, None, 1.0, 0.5) == (1, 1, 4.0)


def test_many_values_make_a_loss_larger_and_not_smaller():
    scores, shelves = np.full((1, 1), 1.0), np.zeros(2, dtype=np.uint32)
    values, new = np.array([30, 10], dtype=np.uint32), np.zeros(2, dtype=np.uint8)
    which, _, gain = native.choose_statistic(scores, shelves, values, new, None, 3.0, 0.5)
    assert which == 1
    assert gain == pytest.approx(-2.0 * np.sqrt(1 + 1 / 3))
    used = np.array([1, 0], dtype=np.uint8)
    assert native.choose_statistic(scores, shelves, values, used, None, 3.0, 0.5) == (0, 0, -2.0)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"shelves": np.array([2], dtype=np.uint32)}, "no such shelf"),
        ({"shelves": np.empty(0, dtype=np.uint32)}, "one at least"),
        ({"value_counts": np.ones(2, dtype=np.uint32)}, "one per offer"),
        ({"noise": np.zeros((1, 3))}, "one per offer and column"),
    ],
)
def test_a_choice_needs_shelves_that_are_there(change, problem):
    offer = {
        "scores": np.zeros((2, 2)),
        "shelves": np.zeros(1, dtype=np.uint32),
        "value_counts": np.ones(1, dtype=np.uint32),
        "in_model": np.zeros(1, dtype=np.uint8),
        "noise": None,
    }
    with pytest.raises(ValueError, match=problem):
        native.choose_statistic(*{**offer, **change}.values(), 0.0, 0.5)
