"""Borders and bins: native equals twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.kernels import native, reference
from ocelotboost.kernels.contract import BorderRule, Missing
from tests.kernels.strategies import SEEDS, THREADS, tables, weights


@given(tables(), THREADS)
def test_missing_values_are_counted(values, n_threads):
    counts, expected = np.zeros((2, values.shape[1]), dtype=np.uint64)
    native.count_missing(values, counts, n_threads=n_threads)
    reference.count_missing(values, expected, n_threads=1)
    np.testing.assert_array_equal(counts, expected)


@given(st.data(), st.sampled_from(list(BorderRule)), st.sampled_from([1, 2, 7, 254]), THREADS)
def test_borders_equal_the_twin(data, rule, most, n_threads):
    values = data.draw(tables())
    weight = data.draw(weights(len(values)))
    rows = np.arange(0, len(values), data.draw(st.sampled_from([1, 2])), dtype=np.uint32)
    n_columns = values.shape[1]
    found = []
    for kernels in (native, reference):
        borders = np.full((n_columns, most), np.nan)
        counts = np.zeros(n_columns, dtype=np.uint32)
        limit = np.full(n_columns, most, dtype=np.uint32)
        kernels.choose_borders(
            values, rows, weight, int(rule), limit, borders, counts, n_threads=n_threads
        )
        found.append((borders, counts))
    np.testing.assert_array_equal(found[0][1], found[1][1])
    np.testing.assert_array_equal(found[0][0], found[1][0])


@pytest.mark.parametrize("rule", list(BorderRule))
def test_borders_are_ascending_and_separate_values(rule):
    values = np.random.default_rng(3).normal(size=(5000, 1))
    borders, count = np.empty((1, 254)), np.empty(1, dtype=np.uint32)
    rows = np.arange(5000, dtype=np.uint32)
    limit = np.array([254], dtype=np.uint32)
    native.choose_borders(values, rows, None, int(rule), limit, borders, count, n_threads=2)
    found = borders[0, : count[0]]
    assert count[0] == 254
    assert (np.diff(found) > 0).all()
    assert found[0] >= values.min()
    assert found[-1] < values.max()


def test_every_value_gets_its_own_bin_when_borders_suffice():
    values = np.repeat(np.arange(40.0), 3)[:, None]
    borders, count = np.empty((1, 254)), np.empty(1, dtype=np.uint32)
    rows = np.arange(120, dtype=np.uint32)
    native.choose_borders(
        values, rows, None, 0, np.array([254], dtype=np.uint32), borders, count, n_threads=1
    )
    np.testing.assert_array_equal(borders[0, :39], np.arange(39) + 0.5)
    assert count[0] == 39


def test_greedy_log_sum_by_hand():
    # The middle element, at position 3 of six, is the 2. Cutting before or after it leaves 3 + 3 or
    # 4 + 2 rows, and ln 3 + ln 3 is more than ln 4 + ln 2.
    values = np.array([[0.0], [1.0], [1.0], [2.0], [3.0], [4.0]])
    borders, count = np.empty((1, 1)), np.empty(1, dtype=np.uint32)
    native.choose_borders(
        values, np.arange(6, dtype=np.uint32), None, 0, np.array([1], dtype=np.uint32), borders,
        count, n_threads=1,
    )  # fmt: skip
    assert borders[0, 0] == 1.5


@given(st.data(), SEEDS, st.integers(0, 254), st.sampled_from(list(Missing)), THREADS)
def test_bins_equal_the_twin(data, seed, n_borders, missing, n_threads):
    values = data.draw(tables())
    if missing in (Missing.OWN_LOW, Missing.OWN_HIGH):
        n_borders = min(n_borders, 253)
    n_rows, n_columns = values.shape
    rng = np.random.default_rng(seed)
    pool = np.concatenate([values[np.isfinite(values)].astype(np.float64), rng.normal(size=300)])
    borders = [np.unique(rng.choice(pool, size=n_borders)) for _ in range(n_columns)]
    offsets = np.concatenate([[0], np.cumsum([len(b) for b in borders])]).astype(np.uint32)
    sources = rng.integers(0, n_columns, size=n_columns).astype(np.uint32)
    bins = []
    for kernels in (native, reference):
        out = np.zeros((n_columns, n_rows), dtype=np.uint8)
        kernels.quantize(
            values,
            sources,
            np.concatenate([np.empty(0), *borders]),
            offsets,
            np.full(n_columns, missing, dtype=np.uint8),
            np.arange(n_columns, dtype=np.uint32),
            np.zeros(n_columns, dtype=np.uint32),
            out,
            n_threads=n_threads,
        )
        bins.append(out)
    np.testing.assert_array_equal(bins[0], bins[1])


def test_float32_values_are_compared_with_borders_exactly():
    # The border lies between two neighbouring float32 numbers; rounding it would move one across.
    low = np.float32(0.1)
    high = np.nextafter(low, np.float32(1))
    border = (float(low) + float(high)) / 2
    values = np.tile(np.array([[low], [high]], dtype=np.float32), (40, 1))
    out = np.zeros((1, 80), dtype=np.uint8)
    native.quantize(
        values,
        np.zeros(1, dtype=np.uint32),
        np.array([border]),
        np.array([0, 1], dtype=np.uint32),
        np.zeros(1, dtype=np.uint8),
        np.zeros(1, dtype=np.uint32),
        np.zeros(1, dtype=np.uint32),
        out,
        n_threads=1,
    )
    np.testing.assert_array_equal(out[0], np.tile([0, 1], 40))


def test_wrong_shapes_and_dtypes_are_refused():
    values = np.zeros((3, 2))
    with pytest.raises(ValueError, match="one per column"):
        native.count_missing(values, np.zeros(1, dtype=np.uint64), n_threads=1)
    with pytest.raises(TypeError):
        native.count_missing(values, np.zeros(2, dtype=np.int64), n_threads=1)
    with pytest.raises(TypeError):
        native.count_missing(values.astype(np.float16), np.zeros(2, np.uint64), n_threads=1)


@given(SEEDS, st.sampled_from([0, 1, 30, 150]), st.sampled_from([1, 65, 400]))
def test_bundles_equal_the_twin_and_share_no_row(seed, n_columns, n_rows):
    rng = np.random.default_rng(seed)
    shares = rng.choice([0.0, 0.002, 0.02, 0.5], size=(n_columns, 1))
    away = rng.random((n_columns, n_rows)) < shares
    starts = np.append(0, np.cumsum(away.sum(axis=1))).astype(np.uint64)
    rows = np.nonzero(away)[1].astype(np.uint32)
    bin_counts = rng.choice([2, 3, 20, 256], size=n_columns, p=[0.4, 0.3, 0.2, 0.1])
    bin_counts = bin_counts.astype(np.uint32)
    found = []
    for kernels in (native, reference):
        bundles, firsts = np.zeros((2, n_columns), dtype=np.uint32)
        n_bundles = kernels.bundle_columns(starts, rows, n_rows, bin_counts, bundles, firsts)
        found.append((n_bundles, bundles.tolist(), firsts.tolist()))
    assert found[0] == found[1]
    for bundle in range(n_bundles):
        own = np.flatnonzero(bundles == bundle)
        assert (away[own].sum(axis=0) <= 1).all()
        own = own[np.argsort(firsts[own])]
        np.testing.assert_array_equal(firsts[own], np.append(0, np.cumsum(bin_counts[own])[:-1]))
        assert bin_counts[own].sum() <= 256
