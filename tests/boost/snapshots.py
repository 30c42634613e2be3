"""Trainings that are interrupted and go on from a snapshot."""

from __future__ import annotations

import numpy as np
import pytest
from tools.fingerprint import categories, numbers, signal

from ocelotboost import (
    OcelotClassifier,
    OcelotRegressor,
)
from tests.boost.test_interrupt import InterruptAfter
from tests.data import assert_same_bits

N_TREES = 7
CATEGORICAL = [3, 4, 5, 6]


class OwnLoss:
    """Squared error, as a user would write it."""

    name = "own"

    def value(self, target, raw):
        return (target - raw) ** 2

    def derivatives(self, target, raw):
        return 2 * (raw - target), np.full(len(raw), 2.0)


def classes():
    return np.searchsorted([-1.0, 1.5], signal())


def numeric(**parameters):
    return OcelotRegressor(**parameters), numbers(missing=True), signal()


def categorical(**parameters):
    return OcelotClassifier(cat_features=CATEGORICAL, **parameters), categories(), signal() > 0


def multiclass(**parameters):
    return OcelotClassifier(cat_features=CATEGORICAL, **parameters), categories(), classes()


PLAIN, ORDERED = {"boosting_type": "Plain"}, {"boosting_type": "Ordered"}
TRAININGS = {
    "numbers, Plain, no sampling": (numeric, {**PLAIN, "bootstrap_type": "No"}),
    "numbers, Plain, MVS, columns drawn": (numeric, {**PLAIN, "bootstrap_type": "MVS", "rsm": 0.5}),
    "numbers, Ordered, Bayesian": (numeric, {**ORDERED, "bootstrap_type": "Bayesian"}),
    "numbers, Ordered, Bernoulli": (numeric, {**ORDERED, "bootstrap_type": "Bernoulli"}),
    "numbers, Plain, Quantile": (numeric, {**PLAIN, "loss_function": "Quantile:alpha=0.8"}),
    "numbers, Ordered, MAE": (numeric, {**ORDERED, "loss_function": "MAE"}),
    "numbers, Plain, own loss": (numeric, {**PLAIN, "loss_function": OwnLoss()}),
    "categories, Plain, MVS": (categorical, PLAIN),
    "categories, Plain, Bernoulli": (categorical, {**PLAIN, "bootstrap_type": "Bernoulli"}),
    "categories, Ordered, MVS": (categorical, ORDERED),
    "categories, Ordered, segment gradients, combined numbers": (
        categorical, {**ORDERED, "body_gradients": "segment", "combine_numbers": True},
    ),
    "categories, Plain, columns drawn, little memory": (
        categorical, {**PLAIN, "rsm": 0.6, "cache_memory": 20_000, "combine_numbers": True},
    ),
    "categories, Ordered, little memory": (categorical, {**ORDERED, "cache_memory": 9_000}),
    "categories, Plain, holdout statistic": (
        categorical, {**PLAIN, "target_statistic": "holdout"},
    ),
    "categories, Ordered, time": (categorical, {**ORDERED, "has_time": True}),
    "classes, Plain": (multiclass, PLAIN),
    "classes, Plain, one step": (
        multiclass, {**PLAIN, "leaf_estimation_iterations": 1, "bootstrap_type": "No"},
    ),
    "classes, Ordered": (multiclass, ORDERED),
    "categories, early stopping, replay": (
        categorical,
        {"validation_fraction": 0.25, "early_stopping_rounds": 2, "refit": "replay"},
    ),
}  # fmt: skip


def make(name, **parameters):
    """A new estimator, its table and its target."""
    create, own = TRAININGS[name]
    settings = {"iterations": N_TREES, "depth": 4, "learning_rate": 0.2, "n_jobs": 1}
    return create(**{**settings, **own, **parameters})


def interrupted_fit(name, after, file, **arguments):
    model, X, y = make(name)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, snapshot=file, callbacks=InterruptAfter(after), **arguments)


def assert_same_model(found, expected):
    assert_same_bits(found.forest_, expected.forest_)
    assert found.history_ == expected.history_
    assert found.best_iteration_ == expected.best_iteration_
