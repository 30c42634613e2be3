"""A plan of a training on a cluster: what workers and driver will need, exchange and take."""

from __future__ import annotations

import re
import time

import dask.array as da
import numpy as np
import pytest

from ocelotboost import InputError, ParameterError
from ocelotboost.dask import DaskOcelotClassifier, DaskOcelotRegressor
from ocelotboost.dask.server import _HELD
from ocelotboost.order import parcels
from tests.dask.tables import (
    N_ROWS,
    SETTINGS,
    TRAININGS,
    assert_same_model,
    cluster_model,
    collection,
    local_model,
)
from tests.data import binary, regression


def test_it_counts_what_a_plan_of_one_machine_counts(client):
    X, y = TRAININGS["categories and a number, Plain"][1](N_ROWS)
    model = cluster_model("categories and a number, Plain", client, validation_fraction=0.25)
    plan = model.plan(collection(X, 4), y)
    alone = model._local_class()(iterations=8, boosting_type="Plain", validation_fraction=0.25)
    alone = alone.plan(X, y)
    for field in ("n_rows", "n_watched", "n_numeric", "n_categorical", "n_bins", "boosting_type"):
        assert getattr(plan, field) == getattr(alone, field)
    assert (plan.n_trees, plan.n_workers, plan.may_stop_early) == (8, 2, True)
    assert plan.driver_bytes > 10**7
    text = str(plan)
    assert max(map(len, text.splitlines())) < 80
    for words in (
        r"workers +2",
        "per worker",
        "in the driver",
        r"exchange +about \d+[KM]B per tree",
    ):
        assert re.search(words, text)


@pytest.mark.parametrize(
    "name",
    [
        "numbers, Plain",
        "numbers, Ordered",
        "categories, Ordered",
        "categories and a number, Plain",
        "categories of three classes",
        "quantile leaves",
        "a user's own metric",
        "held-out rows, used again",
    ],
)
def test_the_bytes_that_a_tree_exchanges(name, client):
    """Within a factor of two of what connections count."""
    X, y = TRAININGS[name][1](N_ROWS)
    model = cluster_model(name, client, iterations=20, early_stopping_rounds=None)
    data = collection(X, 3)
    planned = model.plan(data, y).bytes_per_tree
    model.fit(data, y)
    n_trees = len(model.history_["learn"][next(iter(model.history_["learn"]))])
    assert 0.5 < planned / (model.bytes_exchanged_ / n_trees) < 2


def test_the_time_of_a_fit(client, monkeypatch):
    """Within a factor of two, unless the machine is busy with something else."""
    monkeypatch.setattr(parcels, "PARCEL_ROWS", 1 << 14)
    X, y = binary(100_000, 20)
    data = da.from_array(X, chunks=(25_000, 20)).persist()
    ratios = []
    for _ in range(3):
        model = DaskOcelotClassifier(iterations=40, client=client)
        planned = model.plan(data, y).seconds
        begun = time.perf_counter()
        model.fit(data, y)
        ratios.append(planned / (time.perf_counter() - begun))
        if 0.5 < ratios[-1] < 2:
            return
    pytest.fail(f"planned / true: {ratios}")


@pytest.mark.parametrize("name", ["numbers, Plain", "categories, Ordered"])
def test_verbose_prints_it_and_the_model_is_the_same(name, threads, capsys):
    X, y = TRAININGS[name][1](N_ROWS)
    model = cluster_model(name, threads, verbose=4).fit(collection(X, 3), y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rows      600 to train on"
    assert [line[:9] for line in lines[-2:]] == ["4/8 trees", "8/8 trees"]
    assert_same_model(model, local_model(name))


def test_nothing_is_left(threads):
    X, y = regression(N_ROWS)
    model = DaskOcelotRegressor(
        **{**SETTINGS, "random_state": np.random.default_rng(3)}, client=threads
    )
    state = model.random_state.bit_generator.state
    model.plan(da.from_array(X, chunks=(200, 5)), da.from_array(y))
    assert not hasattr(model, "n_iter_")
    assert model.random_state.bit_generator.state == state
    assert model.client is threads
    assert not _HELD


def test_errors_are_those_of_fit(threads):
    X, y = regression(N_ROWS)
    data = da.from_array(X, chunks=(200, 5))
    with pytest.raises(InputError, match="takes a dask DataFrame or Array"):
        DaskOcelotRegressor(client=threads).plan(X, y)
    with pytest.raises(InputError, match=str(N_ROWS - 1)):
        DaskOcelotRegressor(client=threads).plan(data, y[1:])
    with pytest.raises(ParameterError, match="not possible on a cluster"):
        DaskOcelotRegressor(client=threads, target_statistic="holdout").plan(data, y)
