"""Model files that every later version must read, with their predictions.

`python -m tools.golden_models` trains and writes them. Once a release has written a format, its
golden files are never made again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.model.file import FORMAT

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


def main() -> None:
    """Write the golden files of the present format."""
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
    for name, model in models.items():
        for suffix in ("ocelot", "json"):
            model.save_model(FOLDER / f"format_{FORMAT}_{name}.{suffix}")
    text = json.dumps(known, ensure_ascii=False, indent=1)
    (FOLDER / f"format_{FORMAT}_predictions.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
