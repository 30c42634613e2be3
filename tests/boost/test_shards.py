"""However the rows are cut into shards, the model has the same bits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost import shards
from ocelotboost.order import parcels
from tests.data import amounts, binary, counts, multiclass, regression

N_ROWS = 600
N_PARCELS = 12

#: The parcels at which shards begin, and the end.
CUTS = {
    "two": [0, 6, 12],
    "three, uneven": [0, 1, 9, 12],
    "one for each of seven": [0, 2, 4, 5, 7, 8, 10, 12],
    "one is empty": [0, 5, 5, 12],
    "the first is empty": [0, 0, 12],
}


def mixed(n_rows, seed=0):
    """Numbers and categories, some of them rare or missing, and a target that both enter."""
    rng = np.random.default_rng(seed)
    city, device = rng.integers(0, 60, size=n_rows), rng.integers(0, 5, size=n_rows)
    number = rng.normal(size=n_rows)
    effect = np.sin(city) + (device == city % 5) + number
    names = np.char.add("n", city.astype(str)), np.char.add("d", device.astype(str))
    frame = pd.DataFrame({"city": names[0], "device": names[1], "x": number})
    frame["letter"] = np.array(list("abc"))[rng.integers(0, 3, size=n_rows)]
    frame.loc[rng.random(n_rows) < 0.1, "city"] = None
    return frame, (effect + rng.normal(size=n_rows) > 0.5).astype(np.int64)


def mixed_numbers(n_rows, seed=0):
    """The same with a number as the target."""
    X, y = mixed(n_rows, seed)
    return X, y + np.random.default_rng(seed + 1).normal(size=n_rows)


def mixed_classes(n_rows, seed=0):
    """The same with three classes."""
    X, y = mixed(n_rows, seed)
    return X, y + (X["letter"] == "b")


TRAININGS = {
    "Plain": (OcelotRegressor, regression, {"boosting_type": "Plain"}),
    "Ordered": (OcelotRegressor, regression, {"boosting_type": "Ordered"}),
    "Ordered, segment gradients": (
        OcelotRegressor, regression, {"boosting_type": "Ordered", "body_gradients": "segment"},
    ),
    "Logloss, Plain, MVS": (
        OcelotClassifier, binary, {"boosting_type": "Plain", "bootstrap_type": "MVS"},
    ),
    "Logloss, Ordered, Bernoulli": (
        OcelotClassifier, binary, {"boosting_type": "Ordered", "bootstrap_type": "Bernoulli"},
    ),
    "Poisson, Bayesian": (
        OcelotRegressor, counts, {"loss_function": "Poisson", "bootstrap_type": "Bayesian"},
    ),
    "Gamma, ten gradient steps": (
        OcelotRegressor, amounts,
        {
            "loss_function": "Gamma", "leaf_estimation_method": "Gradient",
            "leaf_estimation_iterations": 10, "boosting_type": "Plain",
        },
    ),
    "quantile leaves": (
        OcelotRegressor, regression, {"loss_function": "Quantile:alpha=0.8"},
    ),
    "MAE, Ordered": (
        OcelotRegressor, regression, {"loss_function": "MAE", "boosting_type": "Ordered"},
    ),
    "classes, Plain": (OcelotClassifier, multiclass, {"boosting_type": "Plain"}),
    "classes, Ordered, several steps": (
        OcelotClassifier, multiclass,
        {"boosting_type": "Ordered", "leaf_estimation_iterations": 3},
    ),
    "rows in time": (OcelotRegressor, regression, {"boosting_type": "Ordered", "has_time": True}),
    "columns drawn, shallow": (OcelotRegressor, regression, {"rsm": 0.5, "depth": 2}),
    "categories, Plain": (OcelotClassifier, mixed, {"boosting_type": "Plain"}),
    "categories, Ordered, three combined": (
        OcelotClassifier, mixed, {"boosting_type": "Ordered", "max_combination": 3},
    ),
    "categories and a number, Ordered": (
        OcelotRegressor, mixed_numbers, {"boosting_type": "Ordered"},
    ),
    "categories and a number, time": (
        OcelotRegressor, mixed_numbers, {"boosting_type": "Plain", "has_time": True},
    ),
    "categories, numbers combined": (
        OcelotClassifier, mixed, {"boosting_type": "Plain", "combine_numbers": True},
    ),
    "categories, greedy": (OcelotClassifier, mixed, {"target_statistic": "greedy"}),
    "categories, leave one out": (
        OcelotRegressor, mixed_numbers, {"target_statistic": "leave_one_out"},
    ),
    "categories of three classes": (OcelotClassifier, mixed_classes, {}),
    "categories, few pages": (
        OcelotClassifier, mixed, {"boosting_type": "Plain", "cache_memory": 6 * N_ROWS},
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_parcels(monkeypatch):
    monkeypatch.setattr(parcels, "PARCEL_ROWS", N_ROWS // N_PARCELS)


def trained(name, weight=None, **fit):
    kind, make, parameters = TRAININGS[name]
    X, y = make(N_ROWS)
    model = kind(**{"iterations": 8, "depth": 4, "random_state": 3, "n_jobs": 2, **parameters})
    model.fit(X, y, sample_weight=weight, **fit)
    return model.predict_raw(X).tobytes(), str(model.history_)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", TRAININGS)
def test_any_cut_gives_the_same_bits(name, cut, monkeypatch):
    whole = trained(name)
    monkeypatch.setattr(shards, "cut", lambda training: CUTS[cut])
    assert trained(name) == whole


@pytest.mark.parametrize("whole_numbers", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        "Plain",
        "Logloss, Ordered, Bernoulli",
        "quantile leaves",
        "categories, Plain",
        "categories and a number, Ordered",
    ],
)
def test_weights_and_eval_sets_too(name, whole_numbers, monkeypatch):
    weight = np.random.default_rng(1).uniform(0.5, 4, size=N_ROWS)
    if whole_numbers:
        weight = np.rint(weight)
    _, make, _ = TRAININGS[name]
    more = {"eval_set": make(200, seed=5)}
    whole = trained(name, weight, **more)
    monkeypatch.setattr(shards, "cut", lambda training: CUTS["three, uneven"])
    assert trained(name, weight, **more) == whole


def test_several_parcels_are_as_good_as_one(monkeypatch):
    """They change the bits, not the quality."""
    X, y = regression(N_ROWS)
    X_test, y_test = regression(2000, seed=9)
    errors = []
    for size in (N_ROWS, N_ROWS // N_PARCELS):
        monkeypatch.setattr(parcels, "PARCEL_ROWS", size)
        for seed in range(3):
            model = OcelotRegressor(iterations=60, random_state=seed).fit(X, y)
            errors.append(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2)))
    assert np.mean(errors[3:]) == pytest.approx(np.mean(errors[:3]), rel=0.05)
