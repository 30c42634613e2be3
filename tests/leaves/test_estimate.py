"""Leaf values: the textbook formulas, and steps that never make the loss worse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.leaves.estimate import (
    LeafSettings,
    RowsInLeaves,
    estimate_alone,
    estimate_leaves,
)
from ocelotboost.loss.base import LeafRule
from ocelotboost.loss.multiclass import MultiClass
from ocelotboost.loss.passes import NumpyPass, add_up, pass_for
from ocelotboost.loss.pointwise import Huber, Logloss, Poisson
from tests.data import amounts, binary, counts, multiclass, regression

ONE_LEAF = {"iterations": 1, "learning_rate": 1.0, "bootstrap_type": "No", "random_strength": 0}


def one_leaf(kind, y, weight=None, **parameters):
    """The value of the single leaf of a tree over a column without information."""
    X = np.zeros((len(y), 1))
    model = kind(**{**ONE_LEAF, **parameters}).fit(X, y, sample_weight=weight)
    assert model.forest_.leaf_values.shape[0] == 1
    return model.forest_.leaf_values[0], model.forest_.start_value


def test_newton_and_gradient_by_hand():
    y = np.array([0, 0, 0, 1])
    newton, _ = one_leaf(OcelotClassifier, y, leaf_estimation_iterations=1, l2_leaf_reg=2.0)
    assert_allclose(newton, [-1.0 / (4 * 0.25 + 2.0)], rtol=1e-6)
    gradient, _ = one_leaf(OcelotClassifier, y, leaf_estimation_method="Gradient", l2_leaf_reg=2.0)
    assert_allclose(gradient, [-1.0 / (4 + 2.0)], rtol=1e-6)


def test_several_classes_by_hand():
    y = np.array([0, 0, 1, 2])
    found, _ = one_leaf(OcelotClassifier, y, l2_leaf_reg=1.0)
    p = np.full(3, 1 / 3)
    slope = np.array([2, 1, 1]) - 4 * p
    system = 4 * (np.diag(p) - np.outer(p, p)) + np.eye(3)
    assert_allclose(found, np.linalg.solve(system, slope), rtol=1e-6)


@pytest.mark.parametrize(
    ("kind", "loss", "y", "expected"),
    [
        (OcelotRegressor, "RMSE", [1.0, 2.0, 6.0], 3.0),
        (OcelotRegressor, "Poisson", [0.0, 2.0, 7.0], np.log(3.0)),
        (OcelotRegressor, "Gamma", [1.0, 2.0, 6.0], np.log(3.0)),
        (OcelotRegressor, "Tweedie:variance_power=1.2", [0.0, 3.0, 6.0], np.log(3.0)),
        (OcelotRegressor, "CrossEntropy", [0.1, 0.2, 0.6], np.log(0.3 / 0.7)),
        (OcelotClassifier, "Logloss", [0, 0, 0, 1], np.log(1 / 3)),
        (OcelotRegressor, "MAE", [1.0, 2.0, 6.0], 2.0),
        (OcelotRegressor, "Quantile:alpha=0.9", [1.0, 2.0, 6.0], 6.0),
    ],
)
def test_without_regularization_a_leaf_is_the_best_constant(kind, loss, y, expected):
    value, start = one_leaf(kind, np.array(y), loss_function=loss, l2_leaf_reg=0.0)
    assert_allclose(start + value, expected, rtol=1e-6)


def test_weighted_quantiles_count_weights():
    y = np.array([1.0, 2.0, 3.0, 4.0])
    value, start = one_leaf(OcelotRegressor, y, [1.0, 1.0, 1.0, 10.0], loss_function="MAE")
    assert start + value == 4.0


@pytest.mark.parametrize("method", ["Newton", "Gradient"])
@pytest.mark.parametrize(
    ("kind", "loss", "make"),
    [
        (OcelotRegressor, "Poisson", counts),
        (OcelotRegressor, "Tweedie:variance_power=1.7", counts),
        (OcelotRegressor, "Gamma", amounts),
        (OcelotRegressor, "Huber:delta=0.5", regression),
        (OcelotClassifier, "Logloss", binary),
        (OcelotClassifier, "MultiClass", multiclass),
    ],
)
def test_the_training_loss_never_rises(kind, loss, make, method):
    X, y = make(300)
    model = kind(
        iterations=15,
        learning_rate=1.0,
        l2_leaf_reg=0.0,
        loss_function=loss,
        leaf_estimation_method=method,
        leaf_estimation_iterations=8,
    )
    learn = np.array(model.fit(X, y).history_["learn"][loss])
    assert (np.diff(learn) <= 1e-6 * np.abs(learn[:-1])).all()


@dataclass
class Rows:
    """Rows to fill leaves with, in parcels."""

    loss_pass: object
    in_parcels: list

    @property
    def n_outputs(self):
        return len(self.in_parcels[0].raw)

    @property
    def n_parcels(self):
        return len(self.in_parcels)

    def sums(self, steps, with_losses):
        return add_up([rows.sums(self.loss_pass, steps, with_losses) for rows in self.in_parcels])

    def alone(self, n_leaves, settings):
        (rows,) = self.in_parcels
        return estimate_alone(self.loss_pass, rows, n_leaves, settings)

    def parcels(self):
        return self.in_parcels


def estimate(loss_pass, parcels, n_leaves, settings):
    return estimate_leaves(loss_pass, Rows(loss_pass, parcels), n_leaves, settings)


def in_leaves(target, weight, raw, leaves, n_parcels=1):
    """The rows in parcels, one after the other."""
    places = np.array_split(np.arange(len(target)), n_parcels)
    return [
        RowsInLeaves(
            target[own],
            None if weight is None else weight[own],
            np.ascontiguousarray(raw[:, own]),
            leaves[own],
        )
        for own in places
    ]


@pytest.mark.parametrize("method", ["Newton", "Gradient"])
@pytest.mark.parametrize("steps", [1, 8])
@pytest.mark.parametrize("loss", [Logloss(), Poisson(), Huber(0.5), MultiClass(3)])
def test_rows_in_parcels_fill_leaves_as_one_parcel_does(loss, method, steps):
    rng = np.random.default_rng(5)
    n_rows, n_leaves, n_outputs = 20_000, 64, loss.n_outputs
    target = rng.integers(0, max(2, n_outputs), size=n_rows).astype(np.float32)
    raw = rng.normal(size=(n_outputs, n_rows))
    leaves = rng.integers(0, n_leaves, size=n_rows).astype(np.uint32)
    settings = LeafSettings(LeafRule(method, steps), 3.0, 0.5, 310.0, n_threads=2)
    for weight in (None, rng.exponential(size=n_rows).astype(np.float32)):
        values, weights = estimate(
            pass_for(loss, 2), in_leaves(target, weight, raw, leaves), n_leaves, settings
        )
        assert 0 < (values == 0).all(axis=1).sum() < n_leaves
        for loss_pass in (pass_for(loss, 2), NumpyPass(loss)):
            parcels = in_leaves(target, weight, raw, leaves, 3)
            found, found_weights = estimate(loss_pass, parcels, n_leaves, settings)
            assert_allclose(found, values, rtol=1e-9, atol=1e-12)
            assert_allclose(found_weights, weights, rtol=1e-12)


def test_regularization_shrinks_leaves():
    X, y = regression(300)
    sizes = [
        np.abs(OcelotRegressor(iterations=1, l2_leaf_reg=l2).fit(X, y).forest_.leaf_values).mean()
        for l2 in (0.0, 3.0, 100.0, 1e6)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 1e-3 * sizes[0]


def test_more_steps_come_closer():
    X, y = binary(300)
    losses = [
        OcelotClassifier(iterations=5, learning_rate=0.5, leaf_estimation_iterations=steps)
        .fit(X, y)
        .history_["learn"]["Logloss"][-1]
        for steps in (1, 3, 10)
    ]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("method", ["Newton", "Gradient"])
@pytest.mark.parametrize(
    "loss_pass",
    [
        pass_for(Poisson(), 1),
        NumpyPass(Poisson()),
        pass_for(MultiClass(3), 1),
        NumpyPass(MultiClass(3)),
        pass_for(MultiClass(40), 1),
    ],
    ids=["native", "NumPy", "classes", "classes by NumPy", "many classes"],
)
def test_a_leaf_does_not_depend_on_the_others(loss_pass, method):
    rng = np.random.default_rng(7)
    n_rows, n_leaves = 600, 8
    n_outputs = loss_pass.loss.n_outputs
    target = rng.integers(0, max(n_outputs, 3), size=n_rows).astype(np.float32)
    weight = rng.exponential(size=n_rows).astype(np.float32)
    raw = rng.normal(scale=2.0, size=(n_outputs, n_rows))
    leaves = rng.integers(0, n_leaves, size=n_rows).astype(np.uint32)
    settings = LeafSettings(LeafRule(method, 6), 1e-3, 0.5, 0.0, n_threads=1)
    together, _ = estimate(loss_pass, in_leaves(target, weight, raw, leaves), n_leaves, settings)
    for leaf in range(n_leaves):
        own = leaves == leaf
        alone, _ = estimate(
            loss_pass,
            in_leaves(target[own], weight[own], raw[:, own], np.zeros(own.sum(), dtype=np.uint32)),
            1,
            settings,
        )
        assert_allclose(together[leaf], alone[0], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("method", ["Newton", "Gradient"])
def test_classes_take_the_steps_that_numpy_takes(method):
    rng = np.random.default_rng(8)
    loss = MultiClass(4)
    target = rng.integers(0, 4, size=500).astype(np.float32)
    raw = rng.normal(scale=2.0, size=(4, 500))
    leaves = rng.integers(0, 8, size=500).astype(np.uint32)
    settings = LeafSettings(LeafRule(method, 6), 1e-3, 0.5, 0.0, n_threads=1)
    native, by_numpy = (
        estimate(one, in_leaves(target, None, raw, leaves), 8, settings)[0]
        for one in (pass_for(loss, 1), NumpyPass(loss))
    )
    assert_allclose(native, by_numpy, rtol=1e-6, atol=1e-9)
