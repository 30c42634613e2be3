"""Links equal their twins to the last bit, and the functions that they are called after."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.kernels import native, reference

THREADS = st.sampled_from([1, 3])
SIZES = st.sampled_from([0, 1, 7, 20_000])


def drawn(size: int, seed: int, scale: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return scale * rng.normal(size=size)


@pytest.mark.parametrize("name", ["exponentials", "logistics"])
@given(SIZES, st.integers(0, 1000), st.sampled_from([1e-9, 1.0, 30.0, 500.0]), THREADS)
def test_elementwise_links_equal_the_twin(name, size, seed, scale, n_threads):
    values = drawn(size, seed, scale)
    found, expected = np.empty((2, size))
    getattr(native, name)(values, found, n_threads=n_threads)
    getattr(reference, name)(values, expected, n_threads=1)
    np.testing.assert_array_equal(found, expected)
    for x, y in zip(values[:50].tolist(), found.tolist(), strict=False):
        inside = min(max(x, -708.0), 708.0)
        exact = math.exp(inside) if name == "exponentials" else 1 / (1 + math.exp(-inside))
        assert y == pytest.approx(exact, rel=4e-15)


@given(SIZES, st.integers(0, 1000), THREADS)
def test_logarithms_equal_the_twin(size, seed, n_threads):
    values = np.exp2(drawn(size, seed, 100.0))
    found, expected = np.empty((2, size))
    native.logarithms(values, found, n_threads=n_threads)
    reference.logarithms(values, expected, n_threads=1)
    np.testing.assert_array_equal(found, expected)
    for x, y in zip(values[:50].tolist(), found.tolist(), strict=False):
        assert y == pytest.approx(math.log(x), rel=1e-14, abs=1e-15)


@given(st.sampled_from([1, 2, 40]), st.sampled_from([0, 1, 300]), st.integers(0, 1000), THREADS)
def test_softmax_link_equals_the_twin(n_outputs, n_rows, seed, n_threads):
    raw = drawn(n_outputs * n_rows, seed, 20.0).reshape(n_outputs, n_rows)
    found, expected = np.empty((2, n_outputs, n_rows))
    sums, expected_sums = np.empty((2, n_rows))
    native.softmax(raw, found, sums, n_threads=n_threads)
    reference.softmax(raw, expected, expected_sums, n_threads=1)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(sums, expected_sums)
    np.testing.assert_allclose(found.sum(axis=0), 1.0, rtol=1e-12)


def test_not_a_number_stays_one():
    values, out = np.array([np.nan]), np.empty(1)
    for link in (native.exponentials, native.logistics):
        link(values, out, n_threads=1)
        assert np.isnan(out[0])
