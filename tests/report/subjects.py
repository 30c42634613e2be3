"""Small models to report about, trained once per kind."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from ocelotboost import OcelotClassifier, OcelotRegressor

N_TRAINING = 900


def table(n_rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Numbers and categories, with missing values and a name that looks like markup."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["age", "<b>income</b>", "noise"])
    frame.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    frame["city"] = rng.choice(["Paris", "Oslo", "a | `b`", None], n_rows)
    frame["plan"] = rng.choice([f"plan {number}" for number in range(12)], n_rows)
    return frame


def signal(X: pd.DataFrame) -> np.ndarray:
    known = X["age"].fillna(0.5).to_numpy()
    return known * (1 + (X["city"] == "Oslo")) + X["<b>income</b>"].to_numpy() * known


def targets(X: pd.DataFrame, kind: str) -> np.ndarray:
    noise = np.random.default_rng(len(X)).normal(scale=0.7, size=len(X))
    y = signal(X) + noise
    if kind == "binary":
        return np.where(y > 0.4, "</yes>", "no")
    if kind == "classes":
        return np.array(["low", "middle", "high"])[np.digitize(y, [-0.3, 0.7])]
    return y


@functools.cache
def fitted(kind: str):
    """A model, and rows with targets that it was not trained on."""
    X = table()
    y = targets(X, kind)
    estimator = OcelotRegressor if kind == "numbers" else OcelotClassifier
    model = estimator(iterations=40, depth=4, random_state=0).fit(
        X[:N_TRAINING], y[:N_TRAINING], eval_set=(X[N_TRAINING:1200], y[N_TRAINING:1200])
    )
    return model, X[1200:], y[1200:]


@functools.cache
def reported(kind: str):
    model, X, y = fitted(kind)
    return model.report(X=X, y=y)
