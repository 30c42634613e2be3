"""Explanations of models with dates are about the user's columns, and the words name the parts."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.model.time_wording import part_text, time_text
from ocelotboost.table.formulas import TimeKind

N_ROWS = 400
NAMES = ["price", "bought", "seen", "wait"]


def _rows():
    rng = np.random.default_rng(0)
    at = np.datetime64("2022-01-01", "us") + rng.integers(0, 10**6, N_ROWS).astype("m8[m]")
    seen = pd.Series(np.roll(at, 7)).dt.tz_localize("UTC").dt.tz_convert("America/New_York")
    rows = pd.DataFrame({"price": rng.normal(size=N_ROWS), "bought": at, "seen": seen})
    rows.loc[rng.random(N_ROWS) < 0.05, "bought"] = pd.NaT
    return rows.assign(wait=pd.to_timedelta(rng.integers(0, 900_000, N_ROWS), unit="s"))


X = _rows()
Y = (
    2.0 * (X["bought"].dt.day_of_week > 4)
    + 1.0 * (X["seen"].dt.hour >= 12)
    + (X["wait"] > pd.Timedelta(days=5))
    + X["price"]
).to_numpy()
MODEL = OcelotRegressor(iterations=40, depth=4).fit(X, Y)


@pytest.mark.parametrize("rows", [X, pl.from_pandas(X)], ids=["pandas", "polars"])
def test_shap_values_are_of_the_users_columns(rows):
    explanation = MODEL._explanation(rows)
    assert explanation.feature_names == NAMES
    assert explanation.values.shape == (N_ROWS, 4)
    total = explanation.base_values + explanation.values.sum(axis=1)
    np.testing.assert_allclose(total, MODEL.predict(X))
    weekend = (X["bought"].dt.day_of_week > 4).to_numpy()
    assert explanation.values[weekend, 1].min() > explanation.values[~weekend, 1].max()
    some = MODEL._explanation(rows[:20], background=rows[20:80])
    np.testing.assert_allclose(some.base_values + some.values.sum(axis=1), MODEL.predict(X[:20]))


def test_features_are_called_after_their_part():
    explanation = MODEL._explanation(X, by="features")
    assert {"bought.weekday", "seen.hour", "wait", "price"} <= set(explanation.feature_names)
    total = explanation.base_values + explanation.values.sum(axis=1)
    np.testing.assert_allclose(total, MODEL.predict(X))


def test_plots_of_shap_get_numbers_for_dates():
    pytest.importorskip("shap")
    explanation = MODEL.explain(X[["price", "bought", "seen", "wait"]])
    assert np.asarray(explanation.data, dtype=float).shape == (N_ROWS, 4)
    assert explanation.display_data[0, 1] == X["bought"][0]


@pytest.mark.parametrize(
    "kind", ["prediction_change", "splits", "shap", "loss_change", "permutation"]
)
def test_importances_have_one_number_per_column(kind):
    found = MODEL.importances(kind, X, Y)
    assert found.names == NAMES
    assert len(found.values) == 4
    assert min(found.values) > 0
    if kind != "splits":
        assert found.ranked()[-1][0] == "wait"


def test_pairs_of_columns():
    found = MODEL.interactions(X[:50])
    assert found.values.shape == (4, 4)


@pytest.mark.parametrize("column", ["bought", "seen", "wait"])
@pytest.mark.parametrize("make", [lambda rows: rows, pl.from_pandas], ids=["pandas", "polars"])
def test_partial_dependence_changes_all_parts_of_a_date(column, make):
    rows = make(X)
    found = MODEL.partial_dependence(rows, column, n_points=9)
    one_by_one = MODEL.partial_dependence(rows, column, n_points=9, individual=True)
    assert len(found.grid[0]) == 9
    assert found.grid == one_by_one.grid
    np.testing.assert_allclose(found.average, one_by_one.average)
    for value, average in zip(found.grid[0], found.average, strict=True):
        changed = X.assign(**{column: pd.Series([value] * N_ROWS)})
        assert MODEL.predict(changed).mean() == pytest.approx(average)


def test_partial_dependence_on_given_dates():
    days = [datetime.date(2023, 1, 2) + datetime.timedelta(days=day) for day in range(7)]
    found = MODEL.partial_dependence(X, "bought", grid=days)
    low, high = found.average[:5], found.average[5:]
    assert high.min() > low.max() + 1.5
    both = MODEL.partial_dependence(X, ["bought", "price"], n_points=4)
    assert both.average.shape == (4, 4)
    with pytest.raises(ValueError, match="trained with dates"):
        MODEL.partial_dependence(X, "bought", grid=[19000.0])


def test_counterfactuals_change_dates():
    row = X[(X["bought"].dt.day_of_week == 2).to_numpy()].head(1)
    before = float(MODEL.predict(row)[0])
    found = MODEL.counterfactuals(row, X, threshold=before + 1.2, most_columns=1)
    change = next(own for own in found.changes if own.columns == ("bought",))
    assert change.after[0].weekday() > 4
    after = MODEL.predict(row.assign(bought=change.after[0]))[0]
    assert after == change.prediction > before + 1.2
    assert "bought: 20" in str(change)
    of_wait = MODEL.counterfactuals(row, X, threshold=before + 0.5, columns=["wait", "seen"])
    assert len(of_wait) > 0


def test_leaves_and_similar_rows():
    assert MODEL.apply(X).shape == (N_ROWS, 40)
    assert MODEL.similar(X[:3], X, n_nearest=1).similarity[:, 0].tolist() == [1.0, 1.0, 1.0]


def test_missing_dates_are_asked_about():
    missing = X["bought"].isna().to_numpy()
    model = OcelotClassifier(iterations=3, depth=1).fit(X, missing)
    assert "bought is not missing" in model.describe("all")
    assert (model.predict(X) == missing).all()


def test_trees_in_words():
    text = MODEL.describe("all")
    assert "dates and times: bought, seen, wait" in text
    assert "bought.weekday > 4.5 (Saturday, Sunday)" in text
    assert "seen.hour > 1" in text
    assert " days\n" in text


@pytest.mark.parametrize(
    ("kind", "number", "text"),
    [
        (TimeKind("date"), 19782.0, "2024-02-29"),
        (TimeKind("date"), 19782.75, "2024-02-29 18:00"),
        (TimeKind("date", "Europe/Paris"), -0.5, "1969-12-31 12:00 UTC"),
        (TimeKind("date"), 1e7, "29349-01-26"),
        (TimeKind("date"), float("inf"), "inf"),
        (TimeKind("duration"), -2.5, "-2.5 days"),
        (TimeKind("duration"), 1 / 48, "30 minutes"),
        (TimeKind("duration"), 0.0, "0 days"),
        (TimeKind("duration"), 1e-6, "0.0864 seconds"),
        (TimeKind("time"), 23.5, "23:30"),
        (TimeKind("time"), 0.01, "00:00:36"),
    ],
)
def test_numbers_of_times_in_words(kind, number, text):
    assert time_text(kind, number) == text


@pytest.mark.parametrize(
    ("part", "border", "text"),
    [
        ("weekday", -0.5, "Monday to Sunday"),
        ("weekday", 5.5, "Sunday"),
        ("weekday", 6.5, None),
        ("month", 1.5, "February to December"),
        ("month", 10.5, "November, December"),
        ("hour", 8.5, "after 08:30"),
        ("hour", float("-inf"), None),
        ("day", 3.5, None),
    ],
)
def test_parts_in_words(part, border, text):
    assert part_text(part, border) == text
