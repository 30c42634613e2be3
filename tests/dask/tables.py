"""Tables, and models of them, for the tests of clusters."""

from __future__ import annotations

from itertools import pairwise

import dask.dataframe as dd
import numpy as np
import pandas as pd

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.dask import DaskOcelotClassifier, DaskOcelotRegressor
from tests.boost.test_shards import mixed, mixed_classes, mixed_numbers
from tests.data import regression

N_ROWS = 600
SETTINGS = {"iterations": 8, "depth": 4, "random_state": 3}


def numbers(n_rows, seed=0):
    X, y = regression(n_rows, seed=seed, missing=0.1)
    return pd.DataFrame(X, columns=list("abcde")), y


def dates(n_rows, seed=0):
    """The weekday decides, and later partitions have other dates than the first: its hours are
    all the same. Some dates are missing."""
    rng = np.random.default_rng(seed)
    at = np.datetime64("2024-01-01", "us") + np.arange(n_rows).astype("m8[D]")
    at[n_rows // 2 :] += rng.integers(0, 86400, n_rows - n_rows // 2).astype("m8[s]")
    at[rng.random(n_rows) < 0.1] = np.datetime64("NaT")
    wait = rng.integers(0, 10**6, n_rows).astype("m8[s]")
    X = pd.DataFrame({"x": rng.normal(size=n_rows), "at": at, "wait": wait})
    X["zoned"] = X["at"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    return X, X["x"].to_numpy() + (X["at"].dt.day_of_week > 4)


#: Estimators on one machine and on a cluster, a table, parameters.
TRAININGS = {
    "numbers, Plain": ("regressor", numbers, {"boosting_type": "Plain"}),
    "numbers, Ordered": ("regressor", numbers, {"boosting_type": "Ordered"}),
    "categories, Plain": ("classifier", mixed, {"boosting_type": "Plain"}),
    "categories, Ordered": (
        "classifier", mixed, {"boosting_type": "Ordered", "max_combination": 3},
    ),
    "categories and a number, Plain": ("regressor", mixed_numbers, {"boosting_type": "Plain"}),
    "categories and a number, Ordered": ("regressor", mixed_numbers, {"boosting_type": "Ordered"}),
    "categories of three classes": ("classifier", mixed_classes, {}),
    "one-hot": ("classifier", mixed, {"one_hot_max_size": 10}),
    "dates, Plain": ("regressor", dates, {"boosting_type": "Plain"}),
    "dates, Ordered": ("regressor", dates, {"boosting_type": "Ordered", "has_time": "at"}),
    "quantile leaves": ("regressor", numbers, {"loss_function": "Quantile:alpha=0.8"}),
    "a user's own metric": ("classifier", mixed, {"eval_metric": "AUC"}),
    "time": ("regressor", mixed_numbers, {"has_time": "x"}),
    "greedy statistics": ("classifier", mixed, {"target_statistic": "greedy"}),
    "held-out rows": (
        "classifier", mixed, {"validation_fraction": 0.2, "early_stopping_rounds": 3},
    ),
    "held-out rows, used again": (
        "regressor", mixed_numbers, {"validation_fraction": 0.2, "refit": "replay"},
    ),
}  # fmt: skip

LOCAL = {"classifier": OcelotClassifier, "regressor": OcelotRegressor}
ON_CLUSTER = {"classifier": DaskOcelotClassifier, "regressor": DaskOcelotRegressor}


def local_model(name, weight=None, n_rows=N_ROWS, **more):
    kind, make, parameters = TRAININGS[name]
    X, y = make(n_rows)
    fit = {key: more.pop(key) for key in ("eval_set", "init_model") if key in more}
    return LOCAL[kind](**{**SETTINGS, **parameters, **more}).fit(X, y, sample_weight=weight, **fit)


def cluster_model(name, client, **more):
    kind, _, parameters = TRAININGS[name]
    return ON_CLUSTER[kind](**{**SETTINGS, **parameters, "client": client, **more})


def collection(X, n_partitions):
    """In partitions of uneven sizes, one of them empty."""
    edges = np.linspace(0, len(X), n_partitions + 1).astype(int)
    edges[1:-1] += len(X) // (3 * n_partitions)
    pieces = [X.iloc[a:b] for a, b in pairwise(edges.tolist())]
    return dd.concat([dd.from_pandas(piece, npartitions=1) for piece in pieces if len(piece)])


def assert_same_model(found, expected):
    """The same bits: trees, statistics, history."""
    ours, theirs = found.model_, expected.model_
    for field in ("split_columns", "split_borders", "tree_depths", "leaf_values", "leaf_weights"):
        np.testing.assert_array_equal(getattr(ours.forest, field), getattr(theirs.forest, field))
    for field in ("keys", "counts", "sums"):
        np.testing.assert_array_equal(
            getattr(ours.forest.statistics, field), getattr(theirs.forest.statistics, field)
        )
    assert ours.history == theirs.history
    assert ours.best_iteration == theirs.best_iteration
