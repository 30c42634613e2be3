"""Dates, times of day and durations: the same model whatever holds them, and all that is asked of
a model works with the raw columns."""

from __future__ import annotations

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

from ocelotboost import (
    InputError,
    OcelotClassifier,
    OcelotRegressor,
    ParameterError,
    load_model,
)
from ocelotboost.table import sources
from tests.data import assert_same_bits

N_ROWS = 600
MINUTES = 60 * 24 * 365 * 3


def _rows():
    """Three years of purchases; some dates are missing."""
    rng = np.random.default_rng(0)
    at = np.datetime64("2021-01-01", "us") + rng.integers(0, MINUTES, N_ROWS).astype("m8[m]")
    at[rng.random(N_ROWS) < 0.05] = np.datetime64("NaT")
    born = np.datetime64("1940-01-01", "D") + rng.integers(0, 25_000, N_ROWS).astype("m8[D]")
    wait = rng.integers(1, 10**6, N_ROWS).astype("m8[s]").astype("m8[us]")
    return pd.DataFrame(
        {
            "price": rng.normal(size=N_ROWS),
            "bought": at,
            "born": born.astype("M8[us]"),
            "wait": wait,
        }
    )


X = _rows()
WEEKEND = X["bought"].dt.day_of_week.to_numpy() >= 5
Y = 2.0 * WEEKEND + X["price"].to_numpy() + (X["wait"] > pd.Timedelta(days=4)).to_numpy()
NAMES = ["price", "bought", "born", "wait"]


def fit(rows=X, **parameters):
    return OcelotRegressor(**{"iterations": 12, "depth": 4, **parameters}).fit(rows, Y)


MODEL = fit()
ARROW = pa.Table.from_pandas(X, preserve_index=False)


def _objects():
    columns = {name: [None if pd.isna(v) else v for v in X[name]] for name in NAMES}
    columns["born"] = [at.date() for at in columns["born"]]
    columns["bought"] = [None if at is None else at.to_pydatetime() for at in columns["bought"]]
    return {name: pd.Series(values, dtype=object) for name, values in columns.items()}


HOLDERS = {
    "pandas, ns": X.assign(bought=X["bought"].astype("M8[ns]"), wait=X["wait"].astype("m8[ns]")),
    "pandas, s": X.assign(bought=X["bought"].astype("M8[s]")),
    "pandas objects": pd.DataFrame(_objects()),
    "pandas of arrow": ARROW.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_pandas(X),
    "polars days": pl.from_pandas(X).with_columns(pl.col("born").cast(pl.Date)),
    "pyarrow": ARROW,
    "pyarrow days": ARROW.set_column(2, "born", ARROW["born"].cast(pa.date32())),
    "pyarrow date64": ARROW.set_column(2, "born", ARROW["born"].cast(pa.date64())),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_every_type_gives_the_same_model(holder):
    model = fit(HOLDERS[holder])
    assert_same_bits(model.forest_, MODEL.forest_)
    expected = MODEL.predict(X)
    assert (model.predict(HOLDERS[holder]) == expected).all()
    one = [MODEL.predict(HOLDERS[holder][row : row + 1])[0] for row in range(25)]
    assert one == expected[:25].tolist()


def test_arrays_of_dates():
    dates = X[["bought", "born"]].to_numpy()
    assert dates.dtype.kind == "M"
    model, named = fit(dates), fit(X[["bought", "born"]])
    assert_same_bits(model.forest_, named.forest_)
    objects = X[["price", "bought"]].to_numpy()
    assert objects.dtype == object
    assert_same_bits(fit(objects).forest_, fit(X[["price", "bought"]]).forest_)
    assert "feature 0.weekday" in fit(dates, depth=6).describe("all")


def test_tables_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_MOST_ROWS", 64)
    table = ARROW.append_column("target", pa.array(Y))
    pq.write_table(table, tmp_path / "rows.parquet")
    path = str(tmp_path / "rows.parquet")
    options = {"iterations": 12, "depth": 4, "cache_dir": tmp_path}
    model = OcelotRegressor(**options).fit(path, "target", eval_set=path)
    assert_same_bits(model.forest_, MODEL.forest_)
    assert (MODEL.predict(path) == MODEL.predict(X)).all()
    lazy = OcelotRegressor(**options).fit(pl.scan_parquet(path), "target")
    assert_same_bits(lazy.forest_, MODEL.forest_)
    batches = OcelotRegressor(**options).fit(iter(table.to_batches(max_chunksize=50)), "target")
    assert_same_bits(batches.forest_, MODEL.forest_)
    limited = OcelotRegressor(**options, memory_limit="2GB").fit(X, Y)
    assert_same_bits(limited.forest_, MODEL.forest_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_bits_for_any_number_of_threads(n_jobs):
    assert_same_bits(fit(n_jobs=n_jobs).forest_, MODEL.forest_)


def test_the_model_has_the_users_columns():
    assert MODEL.n_features_in_ == 4
    assert MODEL.feature_names_in_.tolist() == NAMES
    assert len(MODEL.feature_importances_) == 4
    assert np.argsort(MODEL.feature_importances_)[0] == 2
    with pytest.raises(InputError, match="yet now missing:\n- bought"):
        MODEL.predict(X.drop(columns="bought"))
    with pytest.raises(InputError, match=r"unseen at fit time:\n- bought\.month"):
        MODEL.predict(X.assign(**{"bought.month": 1.0}))


def test_a_weekday_effect_is_found():
    """Half of the days decide, which no elapsed time tells of new rows."""
    rng = np.random.default_rng(3)
    days = np.datetime64("2020-01-01") + rng.integers(0, 1200, 2000).astype("m8[D]")
    dates = pd.DataFrame({"noise": rng.normal(size=2000), "on": days})
    open_ = dates["on"].dt.day_of_week.isin([1, 4, 6]).to_numpy()
    late = days >= np.datetime64("2022-06-01")
    for date_parts, found in (("auto", True), (None, False)):
        model = OcelotClassifier(iterations=50, date_parts=date_parts)
        model.fit(dates[~late], open_[~late])
        assert (model.score(dates[late], open_[late]) > 0.99) == found
    assert "on.weekday > " in OcelotClassifier(iterations=50).fit(dates, open_).describe("all")


def test_only_parts_that_vary_are_kept():
    kinds = [formula.kind for formula in MODEL.forest_.derivation.formulas]
    days = ["month", "day", "weekday", "day_of_year"]
    assert kinds == [*days, "hour", *days]
    everything = fit(date_parts=["minute", "year", "hour"]).forest_.derivation
    assert [(own.kind, own.sources) for own in everything.formulas] == [
        ("year", (1,)),
        ("hour", (1,)),
        ("minute", (1,)),
        ("year", (2,)),
    ]
    assert [own.kind for own in fit(date_parts="weekday").forest_.derivation.formulas] == [
        "weekday",
        "weekday",
    ]
    for nothing in (None, "none", []):
        assert fit(date_parts=nothing).forest_.derivation.formulas == ()
    # A column of one date only, or of none.
    same = X.assign(bought=pd.Timestamp("2024-01-01"), born=pd.Series([pd.NaT] * N_ROWS))
    assert fit(same).forest_.derivation.formulas == ()


@pytest.mark.parametrize("wrong", ["hours", ["hour", "week"], 3, ["hour", 4], 1.5])
def test_wrong_parts_are_named(wrong):
    with pytest.raises(ParameterError, match=r"date_parts=.*'auto', None, .*weekday"):
        fit(date_parts=wrong)


def test_saved_and_loaded(tmp_path):
    for name in ("model.ocelot", "model.json"):
        MODEL.save_model(tmp_path / name)
        loaded = load_model(tmp_path / name)
        assert loaded.forest_.derivation == MODEL.forest_.derivation
        assert (loaded.predict(X) == MODEL.predict(X)).all()
        assert (
            loaded.describe("all").split("start value")[1]
            == (MODEL.describe("all").split("start value")[1])
        )
    assert (pickle.loads(pickle.dumps(MODEL)).predict(X) == MODEL.predict(X)).all()
    assert clone(OcelotRegressor(date_parts=["hour"])).date_parts == ["hour"]


def test_training_goes_on():
    """The parts of the first model are kept, whatever varies in the rows of the second."""
    some = X["bought"].isna() | (X["bought"] < pd.Timestamp("2021-01-20"))
    more = OcelotRegressor(iterations=3).fit(X[some], Y[some], init_model=MODEL)
    assert more.forest_.derivation == MODEL.forest_.derivation
    assert more.n_iter_ == 15
    assert (more.predict_raw(X, n_trees=12) == MODEL.predict_raw(X)).all()
    texts = X.assign(bought=X["bought"].astype(str))
    with pytest.raises(InputError, match=r"'bought'.*trained with dates.*pandas.to_datetime"):
        OcelotRegressor(iterations=3).fit(texts, Y, init_model=MODEL)


def test_snapshots(tmp_path):
    path = tmp_path / "training.snapshot"
    options = {"snapshot": path, "snapshot_interval": 0.0}
    OcelotRegressor(iterations=5, depth=4, learning_rate=0.1).fit(X, Y, **options)
    model = OcelotRegressor(iterations=9, depth=4, learning_rate=0.1).fit(X, Y, **options)
    whole = OcelotRegressor(iterations=9, depth=4, learning_rate=0.1).fit(X, Y)
    assert_same_bits(model.forest_, whole.forest_)


def test_eval_sets_and_held_out_rows():
    late, early = X[400:], X[:400]
    options = {"iterations": 30, "early_stopping_rounds": 5}
    model = OcelotRegressor(**options).fit(early, Y[:400], eval_set=(late, Y[400:]))
    error = np.sqrt(np.mean((model.predict(late) - Y[400:]) ** 2))
    assert model.best_score_ == pytest.approx(error)
    OcelotRegressor(**options, validation_fraction=0.2).fit(X, Y)
    bad = late.assign(bought=late["bought"].astype(str))
    with pytest.raises(InputError, match=r"'bought'.*of eval_set\[0\] X holds text.*to_datetime"):
        OcelotRegressor(**options).fit(early, Y[:400], eval_set=(bad, Y[400:]))


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
def test_dates_are_a_time_for_rows(mode):
    days = (X["bought"] - pd.Timestamp(0)).dt.total_seconds() / 86400
    numbers = X.assign(bought=days)
    options = {"has_time": "bought", "boosting_type": mode}
    by_date, by_number = fit(date_parts=None, **options), fit(numbers, date_parts=None, **options)
    assert (by_date.predict(X) == by_number.predict(numbers)).all()


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("bought", X["bought"].astype(str), "holds text .*trained with dates.*to_datetime"),
        ("bought", 3.0, "holds numbers .*trained with dates"),
        ("bought", X["wait"], "holds durations .*trained with dates"),
        ("bought", X["bought"].dt.tz_localize("UTC"), "has the time zone UTC.*tz_localize.None"),
        ("wait", 4.0, "holds numbers .*trained with durations there.*to_timedelta"),
        ("price", X["bought"], "holds dates .*trained with numbers there.*total_seconds"),
        ("price", X["wait"], "holds durations .*trained with numbers there.*total_seconds"),
    ],
)
def test_another_type_at_prediction_is_an_error_with_a_remedy(column, values, message):
    with pytest.raises(InputError, match=f"Column '{column}' .*{message}"):
        MODEL.predict(X.assign(**{column: values}))


def test_dates_of_a_text_column_in_training_are_an_error_too():
    texts = X.assign(price=np.where(X["price"] > 0, "high", "low"))
    model = fit(texts)
    with pytest.raises(InputError, match=r"column 'price'.*Timestamp.*make it text"):
        model.predict(X.assign(price=X["born"]))


def test_missing_dates_of_one_row():
    row = X[X["bought"].isna()].head(1)
    expected = MODEL.predict(row)[0]
    for nothing in (None, np.nan, pd.NaT):
        assert MODEL.predict(row.assign(bought=nothing))[0] == expected
    assert MODEL.predict(pl.from_pandas(row).with_columns(bought=None))[0] == expected


def test_no_missing_dates_where_none_are_allowed():
    rows = X.assign(bought=X["bought"].fillna(pd.Timestamp("2022-02-02")))
    model = fit(rows, nan_mode="Forbidden")
    with pytest.raises(InputError, match=r"Column 'bought'.*has missing values"):
        model.predict(X)


def test_zones(tmp_path):
    zoned = X.assign(bought=X["bought"].dt.tz_localize("UTC").dt.tz_convert("America/New_York"))
    model = fit(zoned)
    model.save_model(tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    assert_same_bits(model.forest_, fit(pl.from_pandas(zoned)).forest_)
    elsewhere = X.assign(bought=X["bought"].dt.tz_localize("UTC"))
    assert (model.predict(elsewhere) == model.predict(zoned)).all()
    with pytest.raises(InputError, match=r"without a time zone.*America/New_York.*tz_localize"):
        model.predict(X)
    assert " UTC" in fit(zoned, date_parts=None).describe("all")


def test_python_objects_of_one_row():
    row = pd.DataFrame(
        {
            "price": [0.5],
            "bought": [datetime.datetime(2023, 5, 6, 7, 8)],
            "born": [datetime.date(1980, 1, 1)],
            "wait": [datetime.timedelta(days=5)],
        }
    )
    expected = MODEL.predict(row.assign(born=pd.Timestamp("1980-01-01")))
    assert MODEL.predict(row)[0] == expected[0]
