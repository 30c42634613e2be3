"""Categories that are numbers, too: found by themselves, the same whatever holds them, and not to
be seen in what a user gets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

from ocelotboost import OcelotRegressor, ParameterError, cv, load_model
from ocelotboost.table import sources
from tests.data import assert_same_bits

N_ROWS = 900


def _rows():
    rng = np.random.default_rng(1)
    hours = rng.integers(0, 24, N_ROWS).astype(str).astype(object)
    hours[rng.random(N_ROWS) < 0.05] = None
    towns = rng.choice(["Oslo", "Rome", "Bonn"], N_ROWS)
    return pd.DataFrame({"hour": hours, "town": towns, "x": rng.normal(size=N_ROWS)})


X = _rows()
HOURS = pd.to_numeric(X["hour"]).to_numpy()
Y = np.where(HOURS > 11, 3.0, 0.0) + X["x"].to_numpy()
SETTINGS = {"iterations": 15, "depth": 4, "number_views": True, "cat_features": ["hour"]}


def fit(rows=X, y=Y, **parameters):
    return OcelotRegressor(**{**SETTINGS, **parameters}).fit(rows, y)


MODEL = fit()


def test_a_border_among_numbers_is_asked_for():
    assert "hour as a number > 11.5" in MODEL.describe("all")
    alone = fit(number_views=False)
    assert "as a number" not in alone.describe("all")


def test_unseen_numbers_have_their_place():
    rows = X.iloc[[0, 0]].assign(hour=["3.5", "99"])
    early, late = MODEL.predict(rows)
    assert late - early > 1


def test_by_themselves_they_are_there_where_trees_are_left_open():
    model = OcelotRegressor(n_models=1, crosses=0, quality="fast").fit(X, Y)
    assert model.choices_["number_views"].value == ["hour"]
    assert "hour as a number" in model.describe("all")
    given = fit(number_views="auto")
    assert "number_views" not in given.choices_
    assert_same_bits(given.forest_, fit(number_views=False).forest_)


def test_numbers_in_text_columns_are_no_reason_to_warn(recwarn):
    prices = X[["x"]].assign(price=[f"{value:.1f}" for value in np.linspace(1, 9, N_ROWS)])
    fit(prices, cat_features=None)
    assert not recwarn.list
    with pytest.warns(UserWarning, match="'price'"):
        fit(prices, cat_features=None, number_views=False)


@pytest.mark.parametrize("value", ["always", 1, None])
def test_other_values_are_refused(value):
    with pytest.raises(ParameterError, match="number_views"):
        fit(number_views=value)


HOLDERS = {
    "pandas categories": X.assign(hour=X["hour"].astype("category")),
    "polars": pl.from_pandas(X),
    "polars categories": pl.from_pandas(X).with_columns(pl.col("hour").cast(pl.Categorical)),
    "pyarrow": pa.Table.from_pandas(X, preserve_index=False),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_every_type_gives_the_same_model(holder):
    model = fit(HOLDERS[holder])
    assert_same_bits(model.forest_, MODEL.forest_)
    assert (MODEL.predict(HOLDERS[holder]) == MODEL.predict(X)).all()
    assert (MODEL.predict(HOLDERS[holder][:3]) == MODEL.predict(X)[:3]).all()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_same_bits_for_any_threads(n_jobs):
    assert_same_bits(fit(n_jobs=n_jobs).forest_, MODEL.forest_)


def test_tables_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_MOST_ROWS", 64)
    table = HOLDERS["pyarrow"].append_column("target", pa.array(Y))
    path = str(tmp_path / "rows.parquet")
    pq.write_table(table, path)
    model = OcelotRegressor(**SETTINGS, cache_dir=tmp_path).fit(path, "target")
    assert_same_bits(model.forest_, MODEL.forest_)
    assert (MODEL.predict(path) == MODEL.predict(X)).all()


def test_an_eval_set_may_have_more_numbers(tmp_path):
    """Of other columns, texts of more than 255 values are not kept."""
    many = X.assign(hour=[f"{value:.2f}" for value in np.linspace(0, 23, N_ROWS)])
    table = pa.Table.from_pandas(many, preserve_index=False).append_column("target", pa.array(Y))
    path = str(tmp_path / "rows.parquet")
    pq.write_table(table, path)
    training = tmp_path / "training.parquet"
    pq.write_table(HOLDERS["pyarrow"].append_column("target", pa.array(Y)), training)
    model = OcelotRegressor(**SETTINGS).fit(training, "target", eval_set=path)
    expected = OcelotRegressor(**SETTINGS).fit(X, Y, eval_set=(many, Y))
    assert model.history_ == expected.history_


def test_saved_and_continued(tmp_path):
    path = tmp_path / "model.ocelot"
    MODEL.save_model(path)
    loaded = load_model(path)
    assert (loaded.predict(X) == MODEL.predict(X)).all()
    more = OcelotRegressor(iterations=5, cat_features=["hour"]).fit(X, Y, init_model=path)
    assert more.n_iter_ == 20
    assert more.score(X, Y) > MODEL.score(X, Y)


def test_the_model_has_the_users_columns():
    assert MODEL.feature_names_in_.tolist() == ["hour", "town", "x"]
    hour, town, _ = MODEL.feature_importances_
    assert hour > 0.3 > town
    shap = MODEL.explain(X[:20])
    assert shap.values.shape == (20, 3)
    assert_allclose(shap.values.sum(axis=1) + shap.base_values, MODEL.predict(X[:20]))


def test_explanations_change_both_views():
    late = MODEL.partial_dependence(X, "hour", grid=["2", "20"])
    assert np.ptp(late.average) > 2


def test_folds_have_views():
    result = cv(OcelotRegressor(quality="fast"), X, Y, cv=3, return_models=True)
    assert result.models is not None
    assert all("hour as a number" in own.describe("all") for own in result.models)
