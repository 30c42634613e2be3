"""A model of a cluster has the same bits as one that was trained on one machine."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.dask import DaskOcelotClassifier, DaskOcelotRegressor
from tests.dask.tables import (
    N_ROWS,
    SETTINGS,
    TRAININGS,
    assert_same_model,
    cluster_model,
    collection,
    local_model,
)
from tests.data import regression


@pytest.mark.parametrize("name", TRAININGS)
def test_as_on_one_machine(name, client):
    _, make, _ = TRAININGS[name]
    X, y = make(N_ROWS)
    model = cluster_model(name, client).fit(collection(X, 5), y)
    assert_same_model(model, local_model(name))


def test_what_is_left_open_is_chosen_as_for_one_model_on_one_machine(threads):
    X, y = TRAININGS["categories, Plain"][1](N_ROWS)
    model = DaskOcelotClassifier(client=threads).fit(collection(X, 3), y)
    assert_same_model(model, OcelotClassifier(n_models=1, crosses=0, number_views=False).fit(X, y))
    assert model.choices_["learning_rate"].value == model.learning_rate_
    with pytest.raises(ParameterError, match="n_models=3 is not possible on a cluster"):
        DaskOcelotClassifier(client=threads, n_models=3).fit(collection(X, 3), y)


@pytest.mark.parametrize("n_partitions", [1, 2, 11])
@pytest.mark.parametrize("name", ["numbers, Ordered", "categories, Plain", "dates, Ordered"])
def test_for_any_number_of_workers_and_partitions(name, n_partitions, threads):
    _, make, _ = TRAININGS[name]
    X, y = make(N_ROWS)
    model = cluster_model(name, threads).fit(collection(X, n_partitions), y)
    assert_same_model(model, local_model(name))


@pytest.mark.parametrize(
    "name", ["numbers, Plain", "dates, Plain", "categories and a number, Ordered"]
)
def test_weights_and_eval_sets(name, client):
    """Some rows weigh nothing; target, weight and table have other partitions."""
    _, make, _ = TRAININGS[name]
    X, y = make(N_ROWS)
    X_val, y_val = make(150, seed=7)
    weight = np.random.default_rng(2).integers(0, 3, size=N_ROWS) * 0.7
    model = cluster_model(name, client, early_stopping_rounds=4).fit(
        collection(X, 4),
        da.from_array(np.asarray(y), chunks=77),
        sample_weight=dd.from_pandas(pd.Series(weight), npartitions=3),
        eval_set=(collection(X_val, 2), y_val),
    )
    expected = local_model(name, weight, eval_set=(X_val, y_val), early_stopping_rounds=4)
    assert_same_model(model, expected)


def test_arrays_in_blocks_of_rows_and_columns(client):
    X, y = regression(N_ROWS)
    model = DaskOcelotRegressor(**SETTINGS, client=client)
    model.fit(da.from_array(X, chunks=(130, 2)), da.from_array(y, chunks=200))
    expected = OcelotRegressor(**SETTINGS).fit(X, y)
    assert_same_model(model, expected)
    predicted = model.predict(da.from_array(X, chunks=(100, 3)))
    np.testing.assert_array_equal(predicted.compute(), expected.predict(X))


@pytest.mark.parametrize("name", ["categories, Plain", "dates, Plain"])
def test_a_model_that_is_continued(name, client):
    X, y = TRAININGS[name][1](N_ROWS)
    first = local_model(name)
    model = cluster_model(name, client).fit(collection(X, 3), y, init_model=first)
    assert_same_model(model, local_model(name, init_model=first))


@pytest.mark.parametrize("name", ["categories, Plain", "dates, Plain"])
def test_partitions_without_rows_and_rows_that_are_sorted(name, client):
    X, y = TRAININGS[name][1](N_ROWS)
    order = np.argsort(X["x"].to_numpy(), kind="stable")
    X, y = X.iloc[order].reset_index(drop=True), y[order]
    parts = dd.from_pandas(X, npartitions=4)
    filtered = dd.concat([parts[parts["x"] < -1e9], parts])
    model = cluster_model(name, client).fit(filtered, y)
    expected = type(local_model(name))(**SETTINGS, boosting_type="Plain").fit(X, y)
    assert_same_model(model, expected)
