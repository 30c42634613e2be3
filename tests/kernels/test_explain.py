"""Shapley values of leaves, and the sums of their tables: native equals twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost.kernels import native, reference
from tests.kernels.strategies import SEEDS, THREADS


def offsets(sizes, dtype=np.uint32):
    return np.concatenate([[0], np.cumsum(sizes)]).astype(dtype)


def joined(lists, dtype=np.uint32):
    return np.concatenate([np.empty(0), *lists]).astype(dtype)


def random_game(rng: np.random.Generator, depths: list[int], n_outputs: int) -> list[np.ndarray]:
    """Trees whose players have one or more levels and one or more columns; some leaves are empty,
    and some are not asked for."""
    level_players, n_players, members, n_columns, asked = [], [], [], [], []
    for depth in depths:
        _, players = np.unique(rng.integers(0, 5, size=depth), return_inverse=True)
        level_players.append(players)
        n_players.append(len(set(players.tolist())))
        width = int(rng.integers(1, 5))
        n_columns.append(width)
        members += [
            np.sort(rng.choice(width, size=rng.integers(1, width + 1), replace=False))
            for _ in range(n_players[-1])
        ]
        asked.append(np.flatnonzero(rng.random(1 << depth) < 0.7))
    n_leaves = sum(1 << depth for depth in depths)
    weights = rng.integers(0, 4, size=n_leaves).astype(np.float64)
    weights[offsets([1 << depth for depth in depths])[:-1]] += 1.0
    return [
        np.array(depths, dtype=np.uint32),
        joined(level_players),
        rng.normal(size=(n_leaves, n_outputs)),
        weights,
        offsets(n_players),
        offsets([len(own) for own in members]),
        joined(members),
        np.array(n_columns, dtype=np.uint32),
        offsets([len(own) for own in asked], np.uint64),
        joined(asked),
    ]


def tables_by(kernels, game, interventional, interactions, n_threads):
    depths, n_columns = game[0], game[7].astype(np.int64)
    n_cells = n_columns * (n_columns + 1) // 2 if interactions else n_columns
    n_outputs = game[2].shape[1]
    entries = np.full(int(np.diff(game[8].astype(np.int64)) @ n_cells) * n_outputs, np.nan)
    expected = np.full((len(depths), n_outputs), np.nan)
    kernels.shapley_tables(
        *game, interventional, interactions, entries, expected, n_threads=n_threads
    )
    return entries, expected


@given(
    SEEDS,
    st.lists(st.integers(0, 5), max_size=3),
    st.sampled_from([1, 2]),
    st.booleans(),
    st.booleans(),
    THREADS,
)
def test_tables_equal_the_twin(seed, depths, n_outputs, interventional, interactions, n_threads):
    game = random_game(np.random.default_rng(seed), depths, n_outputs)
    found = tables_by(native, game, interventional, interactions, n_threads)
    expected = tables_by(reference, game, interventional, interactions, 1)
    for ours, twin in zip(found, expected, strict=True):
        assert_allclose(ours, twin, rtol=0, atol=1e-12)


@given(SEEDS, st.sampled_from([0, 1, 7, 128, 700]), st.sampled_from([1, 3]), THREADS)
def test_sums_of_tables_equal_the_twin(seed, n_rows, n_outputs, n_threads):
    rng = np.random.default_rng(seed)
    n_trees, n_cells = int(rng.integers(0, 5)), int(rng.choice([1, 6, 300]))
    n_lines = rng.integers(1, 9, size=n_trees).astype(np.uint32)
    cells = [
        rng.choice(n_cells, size=rng.integers(0, min(n_cells, 7) + 1), replace=False)
        for _ in range(n_trees)
    ]
    sizes = np.array([len(own) for own in cells], dtype=np.int64)
    lines = rng.integers(0, n_lines[:, None], size=(n_trees, n_rows)).astype(np.uint32)
    tables = rng.normal(size=int(n_lines.astype(np.int64) @ sizes) * n_outputs)
    arguments = (lines, tables, n_lines, offsets(sizes, np.uint64), joined(cells))
    ours = rng.normal(size=(n_rows, n_cells, n_outputs))
    twin = ours.copy()
    native.add_tables(*arguments, ours, n_threads=n_threads)
    reference.add_tables(*arguments, twin, n_threads=1)
    assert_array_equal(ours, twin)


@given(
    SEEDS,
    st.sampled_from([0, 1, 127, 128, 129, 700]),
    st.lists(st.sampled_from([0, 1, 6, 8, 9, 16]), max_size=4),
    THREADS,
)
def test_leaves_equal_the_twin(seed, n_rows, depths, n_threads):
    rng = np.random.default_rng(seed)
    arguments = (
        rng.integers(0, 256, size=(5, n_rows), dtype=np.uint8),
        rng.integers(0, 5, size=sum(depths)).astype(np.uint32),
        rng.integers(0, 256, size=sum(depths)).astype(np.uint8),
        np.array(depths, dtype=np.uint32),
    )
    ours, twin = np.full((2, len(depths), n_rows), 99, dtype=np.uint32)
    native.find_leaves(*arguments, ours, n_threads=n_threads)
    reference.find_leaves(*arguments, twin, n_threads=1)
    assert_array_equal(ours, twin)


def test_arrays_that_do_not_fit_are_refused():
    game = random_game(np.random.default_rng(0), [2, 3], 1)
    for place, change, message in [
        (1, lambda a: a + np.uint32(1), "no such player"),
        (1, np.zeros_like, "a player has no level"),
        (3, lambda a: a[1:], "one per leaf"),
        (6, lambda a: a + np.uint32(9), "no such column"),
        (9, lambda a: a + np.uint32(99), "no such leaf"),
    ]:
        wrong = [change(array) if i == place else array for i, array in enumerate(game)]
        with pytest.raises(ValueError, match=message):
            tables_by(native, wrong, False, False, 1)
