"""Segments: bodies that grow, tails that follow, every row after the first body in one tail."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.order.segments import MANY_ROWS, divide

GROWTH = st.floats(1.05, 10)


@given(st.integers(1, 5000), GROWTH, st.one_of(st.none(), st.integers(1, 50)))
def test_tails_cover_all_rows_after_the_first_body_once(n_rows, growth, first_body):
    segments = divide(n_rows, growth, None if first_body is None else min(first_body, n_rows))
    covered = np.zeros(n_rows, dtype=int)
    for j in range(segments.n_segments):
        assert segments.body(j) == slice(0, segments.tail(j).start)
        covered[segments.tail(j)] += 1
    assert (covered[: segments.edges[0]] == 0).all()
    assert (covered[segments.edges[0] :] == 1).all()


@given(st.integers(1, 5000), GROWTH)
def test_a_tail_is_at_most_as_long_as_the_growth_allows(n_rows, growth):
    segments = divide(n_rows, growth)
    for j in range(segments.n_segments):
        assert segments.edges[j] < segments.edges[j + 1] <= np.ceil(growth * segments.edges[j])


@given(st.sampled_from([2, 63, 1000, MANY_ROWS, MANY_ROWS + 1, 400_000]), st.floats(1.05, 1e6))
def test_there_is_a_tail_however_fast_bodies_grow(n_rows, growth):
    segments = divide(n_rows, growth)
    assert 1 <= segments.edges[0] < segments.edges[1]
    assert segments.edges[-1] == n_rows


@given(st.integers(1, 5000), st.floats(2, 10))
def test_predictions_of_all_segments_are_few(n_rows, growth):
    assert sum(divide(n_rows, growth).edges[1:]) <= 4 * n_rows


@given(st.integers(1, 300), GROWTH, st.integers(0, 99))
def test_rows_stay_in_their_era(n_rows, growth, seed):
    segments = divide(n_rows, growth)
    ordering = np.random.default_rng(seed).permutation(n_rows).astype(np.uint32)
    rows, edges = segments.rows_by_era(ordering), segments.era_edges
    for begin, end in pairwise(edges):
        assert sorted(ordering[begin:end]) == rows[begin:end].tolist()
