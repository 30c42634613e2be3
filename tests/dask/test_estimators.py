"""The estimators for Dask: collections in, lazy predictions out, an ordinary model."""

from __future__ import annotations

import pickle

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from ocelotboost import InputError, OcelotClassifier, ParameterError, load_model
from ocelotboost.dask import DaskOcelotClassifier, DaskOcelotRegressor
from tests.dask.tables import (
    N_ROWS,
    SETTINGS,
    TRAININGS,
    cluster_model,
    collection,
    local_model,
)
from tests.data import regression

NAME = "categories of three classes"


@pytest.fixture(scope="module")
def table():
    X, y = TRAININGS[NAME][1](N_ROWS)
    return X, np.array(["low", "middle", "high"])[y]


@pytest.fixture(scope="module")
def model(table, client):
    X, y = table
    # Parcels are small in single tests only: for this one the rows are a single parcel.
    return cluster_model(NAME, client).fit(collection(X, 3), y)


def test_predictions_of_frames_are_lazy_and_keep_the_index(table, model):
    X, _ = table
    X = X.set_index(np.arange(N_ROWS) * 2 + 5)
    parts, local = dd.from_pandas(X, npartitions=3), model.to_local()
    for method in ("predict", "predict_proba", "predict_log_proba", "predict_raw"):
        found = getattr(model, method)(parts)
        assert dask.is_dask_collection(found)
        computed = found.compute()
        np.testing.assert_array_equal(computed.to_numpy(), getattr(local, method)(X))
        assert computed.index.equals(X.index)
    assert model.predict_proba(parts).columns.tolist() == ["high", "low", "middle"]
    assert model.score(parts, local.predict(X)) == 1.0


def test_a_frame_may_have_partitions_without_rows(table, model):
    X, _ = table
    parts = dd.from_pandas(X, npartitions=4)
    none = parts[parts["x"] > 1e9]
    assert len(model.predict(none).compute()) == 0
    assert model.predict_proba(dd.concat([none, parts])).compute().shape == (N_ROWS, 3)


def test_tables_in_memory_are_predicted_at_once(table, model):
    X, _ = table
    found = model.predict(X)
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, model.to_local().predict(X))


def test_arrays_give_arrays(client):
    X, y = regression(N_ROWS)
    blocks = da.from_array(X, chunks=(200, 5))
    model = DaskOcelotRegressor(**SETTINGS, client=client).fit(blocks, da.from_array(y, chunks=90))
    found = model.predict(blocks)
    assert isinstance(found, da.Array)
    assert found.shape == (N_ROWS,)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found.compute(), model.to_local().predict(X))
    assert model.score(blocks, y) > 0.5


def test_the_model_is_an_ordinary_one(table, model, tmp_path):
    X, _ = table
    local = model.to_local()
    assert type(local) is OcelotClassifier
    assert local.get_params() == {
        name: value
        for name, value in model.get_params().items()
        if name not in ("client", "timeout")
    }
    model.save_model(tmp_path / "model.ocelot")
    again = load_model(tmp_path / "model.ocelot")
    assert type(again) is OcelotClassifier
    np.testing.assert_array_equal(again.predict_proba(X), local.predict_proba(X))


def test_a_pickle_does_without_the_client(table, model):
    X, _ = table
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_clone_has_the_same_client_and_no_model(model):
    copy = clone(model)
    assert copy.client is model.client
    assert not hasattr(copy, "n_iter_")


class Curve:
    def __init__(self):
        self.values = []

    def after_iteration(self, info):
        self.values.append(info.history["learn"]["MultiClass"][-1])


def test_callbacks_run_in_the_driver(table, client):
    X, y = table
    curve = Curve()
    model = cluster_model(NAME, client).fit(collection(X, 2), y, callbacks=[curve])
    assert curve.values == model.history_["learn"]["MultiClass"]


def test_progress_is_shown_in_the_driver(table, client, capsys):
    X, y = table
    cluster_model(NAME, client, verbose=4).fit(collection(X, 2), y)
    assert "MultiClass" in capsys.readouterr().out


# ---- mistakes --------------------------------------------------------------------------------


def test_a_table_in_memory_is_refused_with_the_remedy(table, client):
    X, y = table
    with pytest.raises(InputError, match=r"X is of type DataFrame; DaskOcelotClassifier takes a"):
        cluster_model(NAME, client).fit(X, y)


def test_without_a_client_the_error_says_how_to_make_one(table, monkeypatch):
    X, y = table
    monkeypatch.setattr("distributed.client._get_global_client", lambda: None)
    with pytest.raises(ParameterError, match=r"There is no Dask client; make one with"):
        DaskOcelotClassifier().fit(collection(X, 2), y)


def test_a_client_that_is_none_is_refused(table):
    X, y = table
    with pytest.raises(ParameterError, match="client='tcp://somewhere' is not possible"):
        DaskOcelotClassifier(client="tcp://somewhere").fit(collection(X, 2), y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"target_statistic": "holdout"}, "holdout' is not possible on a cluster"),
        ({"number_views": True}, "number_views=True is not possible on a cluster"),
        ({"value_views": True}, "value_views=True is not possible on a cluster"),
        ({"statistic_window": 100}, "statistic_window=100 is not possible on a cluster"),
        ({"memory_limit": "1GB"}, "Dask limits the memory of workers"),
        ({"depth": 99}, "depth=99 is not possible"),
    ],
)
def test_what_a_cluster_cannot_do_is_said(parameters, message, table, client):
    X, y = table
    with pytest.raises(ParameterError, match=message):
        cluster_model(NAME, client, **parameters).fit(collection(X, 2), y)


def test_lengths_that_differ_are_named(table, client):
    X, y = table
    with pytest.raises(InputError, match="y has 599"):
        cluster_model(NAME, client).fit(collection(X, 2), y[:-1])


def test_a_bad_value_names_its_partition(client):
    X = pd.DataFrame({"a": np.arange(40.0), "b": ["1.5"] * 40})
    wrong = X.assign(b=[1.0] * 40)
    parts = dd.from_delayed(
        [dask.delayed(wrong), dask.delayed(X)], meta=wrong.iloc[:0], verify_meta=False
    )
    with pytest.raises(InputError, match="partition 1 of X"):
        DaskOcelotRegressor(**SETTINGS, client=client).fit(parts, np.arange(80.0))


def test_an_eval_set_of_other_columns_is_refused(table, client):
    X, y = table
    other = X.rename(columns={"x": "z"})
    with pytest.raises(InputError, match=r"(?s)eval_set\[0\].*- z"):
        cluster_model(NAME, client).fit(collection(X, 2), y, eval_set=(collection(other, 2), y))


def test_local_models_and_cluster_models_predict_alike(table, model):
    X, y = table
    expected = local_model(NAME).set_params()
    assert expected.n_iter_ == model.n_iter_
    assert (model.predict(X) == y).mean() > 0.5
