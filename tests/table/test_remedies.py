"""The advice in errors works when it is followed to the letter."""

from __future__ import annotations

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.errors import InputError
from ocelotboost.table import table_from_input
from ocelotboost.table.formulas import NOTHING_DERIVED, Derivation, TimeKind
from ocelotboost.table.remedies import collected

DAYS = [datetime.date(2024, 2, 28), datetime.date(2024, 2, 29), None]
TIMES = [datetime.datetime(2024, 2, 28, 12), datetime.datetime(2024, 2, 29, 12), None]
WAITS = [datetime.timedelta(hours=1), datetime.timedelta(days=1, hours=1), None]
NAMES = {"numpy": np, "pandas": pd, "polars": pl, "pyarrow": pa}
SECONDS_A_DAY = 86_400


def followed(error, X, pattern):
    """The value of the code that an error message gives."""
    code = re.search(pattern, str(error)).group(1)
    return eval(code, {**NAMES, "X": X})


def advice_of(X, **options):
    with pytest.raises(InputError) as caught:
        table_from_input(X, **options)
    return caught.value


FRAMES = {
    "pandas dates": pd.DataFrame({"n": [1, 2, 3], "when": pd.to_datetime(pd.Series(TIMES))}),
    "pandas zoned": pd.DataFrame({"when": pd.to_datetime(pd.Series(TIMES)).dt.tz_localize("CET")}),
    "pandas durations": pd.DataFrame({"when": pd.to_timedelta(pd.Series(WAITS))}),
    "polars days": pl.DataFrame({"when": DAYS}),
    "polars dates": pl.DataFrame({"when": TIMES}),
    "polars durations": pl.DataFrame({"when": WAITS}),
    "pyarrow days": pa.table({"when": pa.array(DAYS)}),
    "pyarrow dates": pa.table({"when": pa.array(TIMES)}),
    "pyarrow durations": pa.table({"when": pa.array(WAITS)}),
    "numpy dates": np.array([TIMES], dtype="M8[us]").T,
    "numpy durations": np.array([WAITS], dtype="m8[us]").T,
}


@pytest.mark.parametrize("holder", FRAMES)
def test_dates_and_durations_become_numbers_as_the_error_says(holder):
    X = FRAMES[holder]
    error = advice_of(X, derivation=NOTHING_DERIVED)
    found = followed(error, X, r"number, for example (.*), or drop it")
    numbers = table_from_input(
        found[:, np.newaxis]
        if holder.startswith("numpy")
        else pd.DataFrame({"when": np.array(found, float)})
    ).dense()[:, 0]
    assert np.isnan(numbers[2])
    unit = (numbers[1] - numbers[0]) / SECONDS_A_DAY
    assert unit in (1.0, 1e6, 1e9)
    if not holder.startswith("numpy"):
        assert "'when'" in str(error)


TEXTS = ["2024-02-28 12:00:00", "2024-02-29 12:00:00"]


@pytest.mark.parametrize(
    ("X", "what"),
    [
        (pd.DataFrame({"when": TEXTS}), "date"),
        (pl.DataFrame({"when": TEXTS}), "date"),
        (pa.table({"when": TEXTS}), "date"),
        (np.array([TEXTS]).T, "date"),
        (pd.DataFrame({"when": ["01:00:00", "25:00:00"]}), "duration"),
        (pa.table({"when": [3_600_000_000, 90_000_000_000]}), "duration"),
        (np.array([[3_600_000_000], [90_000_000_000]]), "duration"),
        (pd.DataFrame({"when": TEXTS}), "time"),
        (pl.DataFrame({"when": ["12:00:00", "13:30:00"]}), "time"),
    ],
)
def test_texts_and_numbers_become_dates_as_the_error_says(X, what):
    wanted = Derivation({0: TimeKind(what)})
    found = followed(advice_of(X, derivation=wanted), X, r"for example by (.*)\.$")
    column = np.array(found)[:, np.newaxis]
    assert np.isfinite(table_from_input(column, derivation=wanted).dense()).all()


@pytest.mark.parametrize("holder", ["pandas dates", "polars dates", "pyarrow dates"])
def test_dates_get_and_lose_their_zone_as_the_error_says(holder):
    X = FRAMES[holder]
    X = X[["when"]] if holder == "pandas dates" else X
    zoned = Derivation({0: TimeKind("date", "Europe/Paris")})
    error = advice_of(X, derivation=zoned)
    found = followed(error, X, r"for example by (.*)\.$")
    make = type(X) if holder != "pyarrow dates" else pa.table
    table = table_from_input(make({"when": found}), derivation=zoned)
    assert table.dense()[0, 0] == 19781.5 - 1 / 24
    back = Derivation({0: TimeKind("date")})
    Y = make({"when": found})
    again = followed(advice_of(Y, derivation=back), Y, r"for example by (.*)\.$")
    assert table_from_input(make({"when": again}), derivation=back).dense()[0, 0] == 19781.5


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"when": DAYS[:2]}),
        pd.DataFrame({"when": pd.to_datetime(pd.Series(TIMES[:2]))}),
        pl.DataFrame({"when": DAYS[:2]}),
        pa.table({"when": pa.array(DAYS[:2])}),
        np.array([DAYS[:2]], dtype=object).T,
    ],
    ids=["pandas objects", "pandas", "polars", "pyarrow", "numpy objects"],
)
def test_dates_become_categories_as_the_error_says(X):
    error = advice_of(X, cat_features=[0])
    found = followed(error, X, r"make it text, for example (.*), or a number")
    table = table_from_input(pd.DataFrame({"when": np.array(found, dtype=object)}))
    assert table.categories[0].texts([0])[0].startswith("2024-02-28")


@pytest.mark.parametrize("X", [[1.0, 2.0], np.arange(3.0), pd.Series([1.0, 2.0])])
def test_one_dimension_is_reshaped_as_the_error_says(X):
    error = advice_of(X)
    column = followed(error, X, r"Reshape your data: (.*) if it is a single column")
    row = followed(error, X, r"column, (.*) if it is a single row")
    assert table_from_input(column).dense().shape == (len(X), 1)
    assert table_from_input(row).dense().shape == (1, len(X))


def test_three_dimensions_are_reshaped_as_the_error_says():
    X = np.zeros((4, 3, 2))
    found = followed(advice_of(X), X, r"rows and columns: (.*)\. *$")
    assert table_from_input(found).dense().shape == (4, 6)


def test_a_list_of_dicts_becomes_a_frame_as_the_error_says():
    X = [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    found = followed(advice_of(X), X, r"make a data frame of it first, (.*)\.$")
    assert table_from_input(found).names == ("a", "b")


def test_bytes_are_decoded_as_the_error_says():
    X = np.array([[b"oak"], [b"elm"]])
    found = followed(advice_of(X), X, r"for example by (.*)\.$")
    assert table_from_input(found).categories[0].texts([0, 1]) == ["oak", "elm"]


def test_a_lazy_frame_is_read_as_the_error_says():
    X = pl.LazyFrame({"a": [1.0, 2.0]})
    found = followed(advice_of(X), X, r"pass (.*)\.$")
    assert table_from_input(found).names == ("a",)
    assert collected("dask") == ".compute()"


def test_lists_in_cells_get_no_advice_that_would_fail():
    error = advice_of(pl.DataFrame({"tags": [[1, 2], [3]]}))
    assert "Column 'tags'" in str(error)
    assert ".dt." not in str(error)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_reordered_columns_are_put_right_as_the_error_says(frame):
    X = frame({"a": [1.0, 2.0, 3.0, 4.0], "b": [4.0, 1.0, 3.0, 2.0]})
    model = OcelotRegressor(iterations=3).fit(X, [1.0, 2.0, 3.0, 4.0])
    other = X[["b", "a"]]
    with pytest.raises(InputError, match="must be in the same order") as caught:
        model.predict(other)
    code = re.search(r"in their order: (.*)\.$", str(caught.value)).group(1)
    again = eval(code, {"X": other, "model": model})
    np.testing.assert_array_equal(model.predict(again), model.predict(X))


def test_a_model_that_is_not_fitted_cannot_be_continued():
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(InputError, match="an OcelotClassifier that is not fitted"):
        OcelotClassifier().fit(X, y, init_model=OcelotClassifier())
    with pytest.raises(InputError, match="init_model is of type dict"):
        OcelotClassifier().fit(X, y, init_model={})


class WrongShape:
    def derivatives(self, target, raw):
        return np.zeros(7), np.ones(7)


class NotFinite:
    def derivatives(self, target, raw):
        return np.where(target > 2, np.nan, raw - target), np.ones(len(target))


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
def test_errors_about_a_loss_of_ones_own_speak_of_its_arguments(mode):
    X, y = np.arange(40.0).reshape(-1, 1), np.repeat([1.0, 3.5], 20)
    with pytest.raises(InputError, match="one number for each element of target"):
        OcelotRegressor(loss_function=WrongShape(), boosting_type=mode).fit(X, y)
    with pytest.raises(InputError, match=r"nan for a row with target 3\.5 and raw prediction"):
        OcelotRegressor(loss_function=NotFinite(), boosting_type=mode).fit(X, y)
