"""Model files that every later version must read, with their predictions.

`python -m tools.golden_models` trains and writes them; with the arguments `numbers`, `dates`,
`crosses` or `views` those of these models alone. Once a release has written a format, its golden
files are never made again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.model.file import DERIVED_FORMAT, FORMAT
from ocelotboost.table.date_parts import DATE_PARTS

FOLDER = Path("tests/golden")
_N_SHOWN = 25


def rows(n_rows: int) -> pd.DataFrame:
    """Numbers and categories, with missing values in both."""
    rng = np.random.default_rng(0)
    age, income = rng.normal(size=(2, n_rows)).astype(np.float32).astype(np.float64)
    age[rng.random(n_rows) < 0.2] = np.nan
    city = rng.choice(["Paris", "Nice", "東京", ""], size=n_rows).astype(object)
    city[rng.random(n_rows) < 0.1] = None
    device = rng.choice(["phone", "desk"], size=n_rows).astype(object)
    site = np.array([f"site {number}" for number in rng.integers(0, 12, size=n_rows)], object)
    return pd.DataFrame({"age": age, "größe": income, "city": city, "device": device, "site": site})


def _listed(column: pd.Series) -> list[float | str | None]:
    return [None if pd.isna(value) else value for value in column.tolist()]


def with_dates(texts: dict[str, Any]) -> pd.DataFrame:
    """A table whose dates, times of day and durations are given as texts and numbers."""
    minutes = pd.Series(texts["wait"], dtype="float64")
    clock = [None if text is None else pd.Timestamp(text).time() for text in texts["opens"]]
    return pd.DataFrame(
        {
            "age": texts["age"],
            "bought": pd.to_datetime(pd.Series(texts["bought"])),
            "seen": pd.to_datetime(pd.Series(texts["seen"]), utc=True).dt.tz_convert("Asia/Tokyo"),
            "wait": pd.to_timedelta(minutes, unit="m"),
            "opens": pd.Series(clock, dtype=object),
        }
    )


def date_rows(n_rows: int) -> dict[str, Any]:
    """What ``with_dates`` makes a table of; some values of each column are missing."""
    rng = np.random.default_rng(1)
    minutes = rng.integers(-20_000_000, 50_000_000, size=(2, n_rows))
    columns: dict[str, list[Any]] = {
        "age": rng.normal(size=n_rows).tolist(),
        "bought": [str(np.datetime64(int(own), "m")) for own in minutes[0]],
        "seen": [str(np.datetime64(int(own), "m")) for own in minutes[1]],
        "wait": rng.integers(-1000, 100_000, size=n_rows).astype(float).tolist(),
        "opens": [f"{hour:02}:30" for hour in rng.integers(0, 24, size=n_rows)],
    }
    for values in columns.values():
        for row in np.flatnonzero(rng.random(n_rows) < 0.1).tolist():
            values[row] = None
    return columns


def main() -> None:
    """Write the golden files of the present formats."""
    writers = {
        "numbers": _write_numbers,
        "dates": _write_dates,
        "crosses": _write_crosses,
        "views": _write_views,
    }
    for name in sys.argv[1:] or writers:
        writers[name]()


def _write_numbers() -> None:
    X = rows(300)
    numbers = np.nan_to_num(X["age"]) + X["größe"]
    score = (numbers + (X["city"] == "Nice") + 2 * (X["device"] == "desk")).to_numpy()
    colour = np.array(["blue", "green", "red"])[np.digitize(score, [0.5, 2.0])]
    options: dict[str, Any] = {"iterations": 6, "depth": 3, "combine_numbers": True}
    models = {
        "regressor": OcelotRegressor(**options).fit(X, score),
        "classifier": OcelotClassifier(**options, nan_mode="Max").fit(X, colour),
    }
    shown = X.head(_N_SHOWN)
    known = {
        "rows": {name: _listed(shown[name]) for name in shown},
        "raw": {name: model.predict_raw(shown).tolist() for name, model in models.items()},
    }
    _write(FORMAT, models, known)


def _write_dates() -> None:
    texts = date_rows(300)
    X = with_dates(texts)
    y = (X["bought"].dt.day_of_week > 4) + 2.0 * (X["seen"].dt.hour > 11) + X["age"].fillna(0)
    y += (X["wait"] > pd.Timedelta(days=30)) + X["bought"].dt.month.fillna(0) / 6
    options: dict[str, Any] = {"iterations": 12, "depth": 4, "date_parts": DATE_PARTS}
    models = {"dates": OcelotRegressor(**options).fit(X, y)}
    shown = {name: values[:_N_SHOWN] for name, values in texts.items()}
    raw = {"dates": models["dates"].predict_raw(with_dates(shown)).tolist()}
    _write(DERIVED_FORMAT, models, {"rows": shown, "raw": raw})


def _write_crosses() -> None:
    X = rows(300)[["age", "größe", "device"]].assign(weight=np.arange(300) % 7)
    y = X["age"].fillna(0) * X["größe"] + X["größe"] - X["weight"] + (X["device"] == "desk")
    y += (X["größe"] / X["weight"]).where(X["weight"] > 0, 3)
    model = OcelotRegressor(iterations=12, depth=4, crosses=12).fit(X, y)
    shown = X.head(_N_SHOWN)
    known = {
        "rows": {name: _listed(shown[name]) for name in shown},
        "raw": {"crosses": model.predict_raw(shown).tolist()},
    }
    _write(DERIVED_FORMAT, {"crosses": model}, known, "crosses_predictions")


def _write_views() -> None:
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"hour": rng.integers(0, 24, 300).astype(str).astype(object)})
    forms = {"ymd": "%Y-%m-%d", "mdy": "%m/%d/%Y %H:%M", "dmy": "%d.%m.%Y"}
    for order, form in forms.items():
        minutes = rng.integers(20_000_000, 21_500_000, 300)
        X[order] = pd.to_datetime(minutes, unit="m").strftime(form).astype(object)
        X.loc[rng.random(300) < 0.1, order] = None
    X.loc[3, "ymd"] = "unknown"
    dates = {
        order: pd.to_datetime(X[order], format=forms[order], errors="coerce") for order in forms
    }
    y = (X["hour"].astype(float) > 11) + dates["ymd"].dt.month.fillna(0) / 6
    y += (dates["mdy"].dt.day_of_week > 4) + 2.0 * (dates["dmy"] > "2009-07-01")
    options: dict[str, Any] = {"iterations": 12, "depth": 4, "date_parts": DATE_PARTS}
    model = OcelotRegressor(**options, number_views=True, max_combination=1).fit(X, y)
    shown = X.head(_N_SHOWN)
    known = {
        "rows": {name: _listed(shown[name]) for name in shown},
        "raw": {"views": model.predict_raw(shown).tolist()},
    }
    _write(DERIVED_FORMAT, {"views": model}, known, "views_predictions")


def _write(
    number: int, models: dict[str, Any], known: dict[str, Any], title: str = "predictions"
) -> None:
    for name, model in models.items():
        for suffix in ("ocelot", "json"):
            model.save_model(FOLDER / f"format_{number}_{name}.{suffix}")
    text = json.dumps(known, ensure_ascii=False, indent=1)
    (FOLDER / f"format_{number}_{title}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
