"""Replay fills the leaves of the found trees again, from all rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost.learning_rate import grown
from tests.data import binary, counts, leaves_of, multiclass, regression


def replayed(kind, X, y, weight=None, **parameters):
    """A model with held-out rows, and the same with replay."""
    parameters = {"iterations": 40, "validation_fraction": 0.3, "random_state": 5, **parameters}
    plain = kind(**parameters, refit=None).fit(X, y, sample_weight=weight)
    return plain, kind(**parameters, refit="replay").fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("weighted", [False, True])
def test_leaf_values_are_the_estimates_from_all_rows(weighted):
    X, y = regression(500, missing=0.1)
    weight = np.random.default_rng(0).integers(1, 5, size=500) if weighted else None
    _, model = replayed(OcelotRegressor, X, y, weight, learning_rate=0.1)
    assert_estimated(model.forest_, X, y, np.ones(500) if weight is None else weight, lambda _: 0.1)


def test_the_rate_grows_where_nothing_is_said():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 3))
    y = np.sin(9 * X[:, 0]) * X[:, 1] + X[:, 2]
    model = OcelotRegressor(quality="fast", boosting_type="Plain", random_state=0).fit(X, y)
    assert model.n_iter_ > 400
    assert_estimated(model.forest_, X, y, np.ones(500), lambda tree: grown(0.15, tree))


def assert_estimated(forest, X, y, weight, rate_of):
    """Each leaf value is a step of the tree's rate towards the mean residual of all rows."""
    raw = np.full(len(y), forest.start_value[0])
    offsets = forest.leaf_offsets()
    for tree, leaves in enumerate(leaves_of(forest, X)):
        n_leaves = int(offsets[tree + 1] - offsets[tree])
        sums = np.bincount(leaves, weights=weight * (y - raw), minlength=n_leaves)
        weights = np.bincount(leaves, weights=weight, minlength=n_leaves)
        found = slice(offsets[tree], offsets[tree + 1])
        expected = rate_of(tree) * sums / (weights + 3.0)
        assert_allclose(forest.leaf_values[found, 0], expected, rtol=1e-5, atol=1e-7)
        assert_allclose(forest.leaf_weights[found], weights)
        raw += forest.leaf_values[found, 0][leaves]


@pytest.mark.parametrize(
    ("kind", "made", "parameters"),
    [
        (OcelotRegressor, regression(500), {}),
        (OcelotRegressor, regression(500), {"loss_function": "MAE"}),
        (OcelotRegressor, counts(500), {"loss_function": "Poisson"}),
        (OcelotClassifier, binary(500), {}),
        (OcelotClassifier, multiclass(500), {}),
    ],
    ids=["RMSE", "MAE", "Poisson", "Logloss", "MultiClass"],
)
def test_structures_stay_and_the_loss_on_all_rows_falls(kind, made, parameters):
    X, y = made
    plain, model = replayed(kind, X, y, learning_rate=0.1, **parameters)
    assert_array_equal(model.forest_.split_columns, plain.forest_.split_columns)
    assert_array_equal(model.forest_.split_borders, plain.forest_.split_borders)
    assert model.best_iteration_ == plain.best_iteration_
    assert model.n_iter_ == plain.n_iter_
    loss = model._loss_

    def mean_loss(of):
        return loss.value(y.astype(np.float32), of.predict_raw(X).T)

    assert mean_loss(model).mean() < mean_loss(plain).mean()


def test_replay_after_continuing_starts_from_the_first_model():
    X, y = regression(400)
    first = OcelotRegressor(iterations=10).fit(X, y)
    model = OcelotRegressor(iterations=20, validation_fraction=0.25, refit="replay")
    model.fit(X, y, init_model=first)
    assert_array_equal(model.forest_.leaf_values[: len(first.forest_.leaf_values)],
                       first.forest_.leaf_values)  # fmt: skip
    assert model.score(X, y) > first.score(X, y)


@pytest.mark.parametrize("statistic", ["mean", "binarized", "both"])
def test_questions_about_a_regression_target_keep_their_meaning(statistic):
    """The held-out rows are the last, and their targets are far from those of the others."""
    rng = np.random.default_rng(3)
    who = rng.integers(0, 15, size=400)
    X, y = who[:, np.newaxis].astype(str), 0.2 * who + rng.normal(size=400)
    y[280:] += 50
    plain, model = replayed(
        OcelotRegressor, X, y, has_time=True, regression_statistic=statistic, priors=(0.5,)
    )
    found, expected = model.forest_.statistics, plain.forest_.statistics
    assert found.target_names == expected.target_names
    for name in ("column_lows", "column_highs", "column_priors"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.counts.sum() > expected.counts.sum()
