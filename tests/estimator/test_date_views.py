"""Texts that are dates: found by themselves, the same whatever holds them, and dates for trees."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

from ocelotboost import OcelotRegressor, cv, load_model
from ocelotboost.table import sources
from tests.data import assert_same_bits

N_ROWS = 900


def _rows():
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, N_ROWS), unit="D")
    texts = days.strftime("%Y-%m-%d").to_numpy(dtype=object)
    texts[rng.random(N_ROWS) < 0.05] = None
    return pd.DataFrame({"bought": texts, "x": rng.normal(size=N_ROWS)})


X = _rows()
DATES = pd.to_datetime(X["bought"])
WEEKEND = (DATES.dt.day_of_week > 4).to_numpy()
Y = 3.0 * WEEKEND + (DATES > "2022-06-30") + X["x"].to_numpy()
SETTINGS = {"iterations": 15, "depth": 4, "number_views": True}


def fit(rows=X, **parameters):
    return OcelotRegressor(**{**SETTINGS, **parameters}).fit(rows, Y)


MODEL = fit()


def test_trees_ask_about_the_date_and_its_parts():
    text = MODEL.describe("all")
    assert "bought.weekday > 4.5 (Saturday, Sunday)" in text
    assert "bought as a date > 2022-0" in text
    assert "bought.hour" not in text
    assert "bought.weekday" not in fit(date_parts=None).describe("all")
    assert "as a date" not in fit(number_views=False).describe("all")


def test_trees_learn_from_the_order_of_dates():
    learned, unseen = slice(0, 700), slice(700, None)
    errors = []
    for views in (True, False):
        model = OcelotRegressor(**{**SETTINGS, "number_views": views, "iterations": 60})
        model.fit(X[learned], Y[learned])
        errors.append(np.abs(model.predict(X[unseen]) - Y[unseen]).mean())
    assert errors[0] < 0.5 * errors[1]


def test_by_themselves_they_are_there_where_trees_are_left_open():
    model = OcelotRegressor(n_models=1, crosses=0, quality="fast").fit(X, Y)
    assert model.choices_["number_views"].value == ["bought"]
    assert "bought.weekday" in model.describe("all")
    assert_same_bits(fit(number_views="auto").forest_, fit(number_views=False).forest_)


def test_unseen_dates_have_their_place_and_other_texts_are_missing():
    saturday, monday, nothing, missing = MODEL.predict(
        X.iloc[[0] * 4].assign(bought=["2031-03-01", "2031-03-03T08:30", "soon", None])
    )
    assert saturday - monday > 1
    assert abs(nothing - missing) < 1


HOLDERS = {
    "pandas categories": X.assign(bought=X["bought"].astype("category")),
    "polars": pl.from_pandas(X),
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
    """More than 255 dates, whose texts are kept."""
    monkeypatch.setattr(sources, "_MOST_ROWS", 64)
    table = HOLDERS["pyarrow"].append_column("target", pa.array(Y))
    path = str(tmp_path / "rows.parquet")
    pq.write_table(table, path)
    model = OcelotRegressor(**SETTINGS, cache_dir=tmp_path).fit(path, "target")
    assert_same_bits(model.forest_, MODEL.forest_)
    assert (MODEL.predict(path) == MODEL.predict(X)).all()


def test_saved_and_continued(tmp_path):
    path = tmp_path / "model.ocelot"
    MODEL.save_model(path)
    assert (load_model(path).predict(X) == MODEL.predict(X)).all()
    more = OcelotRegressor(iterations=5).fit(X, Y, init_model=path)
    assert more.score(X, Y) > MODEL.score(X, Y)


def test_explanations_are_about_the_users_column():
    assert MODEL.feature_names_in_.tolist() == ["bought", "x"]
    shap = MODEL.explain(X[:20])
    assert shap.values.shape == (20, 2)
    assert_allclose(shap.values.sum(axis=1) + shap.base_values, MODEL.predict(X[:20]))
    late = MODEL.partial_dependence(X, "bought", grid=["2022-07-04", "2022-07-09"])
    assert np.ptp(late.average) > 2


def test_folds_have_views():
    result = cv(OcelotRegressor(quality="fast"), X, Y, cv=3, return_models=True)
    assert result.models is not None
    assert all("bought.weekday" in own.describe("all") for own in result.models)
