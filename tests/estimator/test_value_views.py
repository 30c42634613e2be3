"""Categories that explain most of a number are asked for single values besides their statistics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocelotboost import (
    OcelotClassifier,
    OcelotRegressor,
    ParameterError,
    cv,
    load_model,
)
from ocelotboost.table import sources
from tests.data import assert_same_bits

N_COUNTRIES, N_YEARS = 40, 25


def _panel():
    """Each country has a level and a trend of its own."""
    rng = np.random.default_rng(3)
    country, year = np.divmod(np.arange(N_COUNTRIES * N_YEARS), N_YEARS)
    level, trend = rng.normal(0, 5, N_COUNTRIES), rng.normal(0, 0.2, N_COUNTRIES)
    y = level[country] + trend[country] * year + 0.1 * rng.normal(size=len(year))
    names = np.array([f"country {number}" for number in range(N_COUNTRIES)])
    size = np.where(np.arange(N_COUNTRIES) % 3, "large", "small")
    frame = pd.DataFrame({"country": names[country], "year": year, "size": size[country]})
    mixed = rng.permutation(len(y))
    return frame.iloc[mixed].reset_index(drop=True), y[mixed]


X, Y = _panel()
SETTINGS = {"iterations": 40, "depth": 4, "value_views": True}


def fit(rows=X, y=Y, **parameters):
    return OcelotRegressor(**{**SETTINGS, **parameters}).fit(rows, y)


MODEL = fit()


def test_trees_ask_about_values_and_about_statistics():
    text = MODEL.describe("all")
    assert "country is 'country " in text
    assert "mean target of country" in text
    alone = fit(value_views=False).describe("all")
    assert "country is 'country " not in alone


def test_by_themselves_they_are_there_where_trees_are_left_open():
    train, judge = slice(0, 700), slice(700, None)
    losses = {}
    for views in ("auto", False):
        model = OcelotRegressor(n_models=1, crosses=0, value_views=views)
        model.fit(X[train], Y[train])
        losses[views] = np.mean((model.predict(X[judge]) - Y[judge]) ** 2)
        told = model.choices_.get("value_views")
        assert (told is not None and told.value == ["country"]) == (views == "auto")
    assert losses["auto"] < 0.8 * losses[False]
    given = fit(value_views="auto")
    assert "value_views" not in given.choices_
    assert_same_bits(given.forest_, fit(value_views=False).forest_)


def test_noise_has_none():
    noise = np.random.default_rng(0).normal(0, 30, len(Y))
    model = OcelotRegressor(quality="fast").fit(X, Y + noise)
    assert "value_views" not in model.choices_
    classes = OcelotClassifier(quality="fast").fit(X, Y > 0)
    assert "value_views" not in classes.choices_


def test_small_categories_are_one_hot_alone():
    model = OcelotRegressor(quality="fast", one_hot_max_size=N_COUNTRIES).fit(X, Y)
    assert "value_views" not in model.choices_
    assert "mean target of country (" not in model.describe("all")


@pytest.mark.parametrize("value", ["always", 1, None])
def test_other_values_are_refused(value):
    with pytest.raises(ParameterError, match="value_views"):
        fit(value_views=value)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_same_bits_for_any_threads(n_jobs):
    assert_same_bits(fit(n_jobs=n_jobs).forest_, MODEL.forest_)


def test_tables_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_MOST_ROWS", 64)
    table = pa.Table.from_pandas(X.assign(target=Y), preserve_index=False)
    path = str(tmp_path / "rows.parquet")
    pq.write_table(table, path)
    model = OcelotRegressor(**SETTINGS, cache_dir=tmp_path).fit(path, "target")
    assert_same_bits(model.forest_, MODEL.forest_)


def test_saved_and_unseen(tmp_path):
    path = tmp_path / "model.ocelot"
    MODEL.save_model(path)
    unseen = X.assign(country="nowhere")
    loaded = load_model(path)
    assert (loaded.predict(X) == MODEL.predict(X)).all()
    assert np.isfinite(loaded.predict(unseen)).all()
    more = fit(iterations=5).fit(X, Y, init_model=path)
    assert more.n_iter_ == 45


def test_folds_decide_by_their_own_rows():
    """The target of the rows that judge a fold has no part in it."""
    half = len(Y) // 2
    noise = np.random.default_rng(0).normal(0, 100, half)
    y = np.concatenate([Y[:half], Y[half:] + noise])
    halves = np.arange(half), np.arange(half, len(Y))
    folds = [halves, halves[::-1]]
    for own in (Y, y):
        result = cv(OcelotRegressor(quality="fast"), X, own, cv=folds, return_models=True)
        assert result.models is not None
        first, second = ("value_views" in model.choices_ for model in result.models)
        assert first
        assert second == (own is Y)
