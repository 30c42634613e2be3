"""Gradients, steps and values of leaves: native equals twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocelotboost.kernels import native, reference
from ocelotboost.kernels.contract import LossKind
from tests.kernels.strategies import SEEDS, THREADS, partitions, weights

PARAMETER = {LossKind.QUANTILE: 0.3, LossKind.HUBER: 0.7, LossKind.TWEEDIE: 1.4}
KINDS = st.sampled_from(list(LossKind))


def rows_of(kind, n_rows, seed, spread=3.0):
    rng = np.random.default_rng(seed)
    target = np.abs(rng.normal(size=n_rows)).astype(np.float32) + np.float32(0.01)
    if kind == LossKind.LOGLOSS:
        target = rng.integers(0, 2, size=n_rows).astype(np.float32)
    return target, spread * rng.normal(size=n_rows)


@given(st.data(), KINDS, SEEDS, st.sampled_from([0.1, 3.0, 200.0]), THREADS)
def test_gradients_equal_the_twin(data, kind, seed, spread, n_threads):
    n_rows = data.draw(st.sampled_from([0, 1, 5, 300, 9000]))
    target, raw = rows_of(kind, n_rows, seed, spread)
    weight = data.draw(weights(n_rows))
    parameter = PARAMETER.get(kind, 0.0)
    found, expected = np.empty((2, n_rows), dtype=np.float32)
    with np.errstate(over="ignore"):
        loss = native.loss_gradients(
            kind, parameter, target, weight, raw, found, n_threads=n_threads
        )
        expected_loss = reference.loss_gradients(
            kind, parameter, target, weight, raw, expected, n_threads=1
        )
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)
    assert loss == pytest.approx(expected_loss, rel=1e-10, abs=1e-10)


@given(st.data(), KINDS, SEEDS, THREADS)
def test_sums_of_leaves_equal_the_twin(data, kind, seed, n_threads):
    n_rows = data.draw(st.sampled_from([0, 1, 5, 300, 9000]))
    target, raw = rows_of(kind, n_rows, seed)
    weight = data.draw(weights(n_rows))
    n_leaves = data.draw(st.sampled_from([1, 8, 2048]))
    leaves = np.random.default_rng(seed).integers(0, n_leaves, size=n_rows).astype(np.uint32)
    steps = data.draw(
        st.sampled_from([None, 0.3 * np.random.default_rng(seed + 1).normal(size=n_leaves)])
    )
    arguments = kind, PARAMETER.get(kind, 0.0), target, weight, raw, leaves, steps
    found, expected = np.empty((2, n_leaves, 3))
    native.loss_leaf_sums(*arguments, found, n_threads=n_threads)
    reference.loss_leaf_sums(*arguments, expected, n_threads=1)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-8)


@given(st.data(), KINDS, SEEDS)
def test_steps_have_the_same_bits_for_any_number_of_threads(data, kind, seed):
    n_rows, n_leaves = 20_000, 64
    target, raw = rows_of(kind, n_rows, seed, spread=0.5)
    weight = data.draw(weights(n_rows))
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, n_leaves, size=n_rows).astype(np.uint32)
    rows = rng.permutation(n_rows).astype(np.uint32)
    edges = np.array([3000, 9000, n_rows], dtype=np.uint32)
    values = rng.normal(size=(2, n_leaves))
    first = (kind, PARAMETER.get(kind, 0.0), target, weight)
    found = []
    for n_threads in (1, 2, 5):
        several = np.concatenate([raw[:9000], raw])
        sums, gradients = np.empty((3, n_leaves, 3)), np.zeros(n_rows, dtype=np.float32)
        native.loss_leaf_sums(*first, raw, leaves, values[0], sums[0], n_threads=n_threads)
        native.segment_sums(*first, rows, edges, leaves, several, sums[1:], n_threads=n_threads)
        loss = native.move_segments(
            *first, rows, edges, leaves, values, several, gradients, n_threads=n_threads
        )
        found.append((sums.tobytes(), several.tobytes(), gradients.tobytes(), loss))
    assert found[0] == found[1] == found[2]


@given(st.data(), KINDS, SEEDS, st.sampled_from([1, 64]), THREADS)
def test_steps_of_segments_equal_the_twin(data, kind, seed, n_leaves, n_threads):
    edges = data.draw(
        st.sampled_from([[0, 0], [0, 1], [1, 2], [3, 3, 9], [100, 300], [2000, 5000, 11_000]])
    )
    n_rows = edges[-1]
    target, _ = rows_of(kind, n_rows, seed)
    weight = data.draw(weights(n_rows))
    rng = np.random.default_rng(seed)
    rows = rng.permutation(n_rows).astype(np.uint32)
    leaves = rng.integers(0, n_leaves, size=n_rows).astype(np.uint32)
    raw = 0.5 * rng.normal(size=sum(edges[1:]))
    values = 0.1 * rng.normal(size=(len(edges) - 1, n_leaves))
    arguments = (
        kind, PARAMETER.get(kind, 0.0), target, weight, rows, np.array(edges, dtype=np.uint32),
        leaves,
    )  # fmt: skip
    sums, expected_sums = np.empty((2, len(edges) - 1, n_leaves, 3))
    native.segment_sums(*arguments, raw, sums, n_threads=n_threads)
    reference.segment_sums(*arguments, raw, expected_sums, n_threads=1)
    np.testing.assert_allclose(sums, expected_sums, rtol=1e-9, atol=1e-8)
    found, expected = raw.copy(), raw.copy()
    gradients, expected_gradients = np.zeros((2, n_rows), dtype=np.float32)
    loss = native.move_segments(*arguments, values, found, gradients, n_threads=n_threads)
    expected_loss = reference.move_segments(
        *arguments, values, expected, expected_gradients, n_threads=1
    )
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(gradients, expected_gradients, rtol=1e-5, atol=1e-7)
    assert loss == pytest.approx(expected_loss, rel=1e-9, abs=1e-9)


@given(st.data(), KINDS, SEEDS, st.sampled_from([1, 2, 10]), st.booleans(), THREADS)
def test_leaf_values_equal_the_twin(data, kind, seed, steps, newton, n_threads):
    n_rows = data.draw(st.sampled_from([1, 5, 300, 9000]))
    target, raw = rows_of(kind, n_rows, seed, data.draw(st.sampled_from([0.1, 3.0])))
    weight = data.draw(weights(n_rows))
    n_leaves = data.draw(st.sampled_from([1, 8, 64]))
    leaves = np.random.default_rng(seed).integers(0, n_leaves, size=n_rows).astype(np.uint32)
    rows, offsets = np.empty(n_rows, dtype=np.uint32), np.empty(n_leaves + 1, dtype=np.uint32)
    native.rows_by_leaf(leaves, rows, offsets, n_threads=1)
    arguments = (kind, PARAMETER.get(kind, 0.0), target, weight, raw, rows, offsets)
    found, expected = np.empty((2, 2, n_leaves))
    native.leaf_values(*arguments, newton, 1.0, steps, *found, n_threads=n_threads)
    reference.leaf_values(*arguments, newton, 1.0, steps, *expected, n_threads=1)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@given(st.data(), KINDS, SEEDS)
def test_leaf_values_have_the_same_bits_for_any_number_of_threads(data, kind, seed):
    n_rows = 20_000
    target, raw = rows_of(kind, n_rows, seed)
    weight = data.draw(weights(n_rows))
    rows = np.random.default_rng(seed).permutation(n_rows).astype(np.uint32)
    offsets = np.array([0, 3, 3, 15_000, n_rows], dtype=np.uint32)
    arguments = (kind, PARAMETER.get(kind, 0.0), target, weight, raw, rows, offsets)
    found = []
    for n_threads in (1, 2, 5):
        values = np.empty((2, 4))
        native.leaf_values(*arguments, True, 1.0, 3, *values, n_threads=n_threads)
        found.append(values.tobytes())
    assert found[0] == found[1] == found[2]


@given(st.data(), st.sampled_from([2, 3, 7, 20]), SEEDS, THREADS)
def test_softmax_equals_the_twin(data, n_outputs, seed, n_threads):
    n_rows = data.draw(st.sampled_from([1, 5, 300]))
    rng = np.random.default_rng(seed)
    target = rng.integers(0, n_outputs, size=n_rows).astype(np.float32)
    raw = 4 * rng.normal(size=(n_outputs, n_rows))
    weight = data.draw(weights(n_rows))
    found, expected = np.empty((2, n_outputs, n_rows), dtype=np.float32)
    loss = native.softmax_gradients(target, weight, raw, found, n_threads=n_threads)
    expected_loss = reference.softmax_gradients(target, weight, raw, expected, n_threads=1)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    assert loss == pytest.approx(expected_loss, rel=1e-10, abs=1e-10)

    leaves = rng.integers(0, 4, size=n_rows).astype(np.uint32)
    steps = rng.normal(size=(4, n_outputs))
    sums, expected_sums = np.empty((2, 4, n_outputs + n_outputs**2 + 2))
    for known in (None, found):
        arguments = (target, weight, raw, known, leaves, steps)
        native.softmax_leaf_sums(*arguments, sums, n_threads=n_threads)
        reference.softmax_leaf_sums(*arguments, expected_sums, n_threads=1)
        np.testing.assert_allclose(sums, expected_sums, rtol=1e-9, atol=1e-9)


@given(SEEDS, st.sampled_from([2, 3, 20]), st.sampled_from([0.0, 0.5]), THREADS)
def test_newton_steps_equal_the_twin_and_solve_the_equations(seed, n_outputs, l2, n_threads):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_outputs, 0.5), size=(4, 30))
    hessians = np.array([sum(np.diag(own) - np.outer(own, own) for own in leaf) for leaf in p])
    hessians[0] = 0  # an empty leaf
    gradients = rng.normal(size=(4, n_outputs))
    gradients -= gradients.mean(axis=1, keepdims=True)
    gradients[0] = 0
    found, expected = np.empty((2, 4, n_outputs))
    native.newton_steps(gradients, hessians, l2, found, n_threads=n_threads)
    reference.newton_steps(gradients, hessians, l2, expected, n_threads=1)
    np.testing.assert_array_equal(found, expected)
    left = ((hessians + l2 * np.eye(n_outputs)) * found[:, None, :]).sum(axis=2)
    np.testing.assert_allclose(left, gradients, rtol=0, atol=1e-9)


@given(st.data(), SEEDS, st.sampled_from([2, 5, 40]), st.sampled_from([0.0, 2.0]), THREADS)
def test_steps_of_many_classes_equal_the_twin(data, seed, n_outputs, l2, n_threads):
    n_rows, n_leaves = data.draw(st.sampled_from([1, 300])), 4
    rng = np.random.default_rng(seed)
    target = rng.integers(0, n_outputs, size=n_rows).astype(np.float32)
    weight = data.draw(weights(n_rows))
    leaves = rng.integers(0, n_leaves, size=n_rows).astype(np.uint32)
    p = rng.dirichlet(np.full(n_outputs, 0.5), size=n_rows).T
    gradients = ((target == np.arange(n_outputs)[:, None]) - p).astype(np.float32)
    sums, expected_sums = np.empty((2, 3, n_leaves, n_outputs))
    arguments = (target, weight, gradients, leaves)
    native.class_leaf_sums(*arguments, sums, n_threads=n_threads)
    reference.class_leaf_sums(*arguments, expected_sums, n_threads=1)
    np.testing.assert_array_equal(sums, expected_sums)
    total = np.bincount(leaves, weight, n_leaves).astype(np.float64)
    steps, expected = np.empty((2, n_leaves, n_outputs))
    native.class_steps(sums, total, l2, steps, n_threads=n_threads)
    reference.class_steps(sums, total, l2, expected, n_threads=1)
    assert np.isfinite(steps).all()
    np.testing.assert_array_equal(steps, expected)


def test_the_step_of_many_classes_is_newtons_where_rows_are_alike():
    p, counts, l2 = np.array([0.5, 0.3, 0.15, 0.05]), np.array([3.0, 7.0, 0.0, 2.0]), 1.5
    weight = counts.sum()
    gradients, hessian = counts - weight * p, weight * (np.diag(p) - np.outer(p, p))
    sums = np.array([[gradients], [np.diagonal(hessian)], [weight * p]])
    found, expected = np.empty((2, 1, 4))
    native.class_steps(sums, np.array([weight]), l2, found, n_threads=1)
    native.newton_steps(gradients[None], hessian[None], l2, expected, n_threads=1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@given(st.data(), SEEDS, st.sampled_from([0.05, 0.5, 0.9]), THREADS)
def test_leaf_quantiles_equal_the_twin(data, seed, alpha, n_threads):
    n_rows = data.draw(st.sampled_from([1, 6, 500]))
    target, raw = rows_of(LossKind.MAE, n_rows, seed)
    raw = np.round(raw)
    weight = data.draw(weights(n_rows))
    rows, offsets = data.draw(partitions(n_rows))
    found, expected = np.empty((2, 2, len(offsets) - 1))
    native.leaf_quantiles(alpha, target, weight, raw, rows, offsets, *found, n_threads=n_threads)
    reference.leaf_quantiles(alpha, target, weight, raw, rows, offsets, *expected, n_threads=1)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


@given(SEEDS, st.sampled_from([1, 4]), st.sampled_from([1, 6, 9000]), THREADS)
def test_added_leaf_values_equal_the_twin(seed, n_outputs, n_rows, n_threads):
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, 8, size=n_rows).astype(np.uint32)
    values = rng.normal(size=(8, n_outputs))
    raw, expected = np.ones((2, n_outputs, n_rows))
    native.add_leaf_values(leaves, values, raw, n_threads=n_threads)
    reference.add_leaf_values(leaves, values, expected, n_threads=1)
    np.testing.assert_array_equal(raw, expected)
