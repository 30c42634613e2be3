"""A small table with categories, targets of every kind, and a short training on it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ocelotboost import OcelotClassifier, OcelotRegressor

NAMES = ["number", "city", "user", "code", "flag"]
CITIES = ["Oslo", "Rome", "Łódź", "São Paulo", "Bonn", None]
CATEGORICAL = ["city", "user", "code"]


def columns(n_rows, seed=0):
    """Numbers, two columns of texts with missing ones, whole numbers that are categories, and a few
    of those that are numbers."""
    rng = np.random.default_rng(seed)
    number = rng.normal(size=n_rows).astype(np.float32).astype(np.float64)
    number[rng.random(n_rows) < 0.1] = np.nan
    users = rng.integers(0, max(n_rows // 4, 1), size=n_rows)
    return {
        "number": number,
        "city": [CITIES[i] for i in rng.integers(0, len(CITIES), size=n_rows)],
        "user": [f"user {i}" for i in users],
        "code": rng.integers(-2, 3, size=n_rows),
        "flag": rng.integers(0, 2, size=n_rows),
    }


def signal(table, seed=0):
    """What the targets are made of: a city, a pair of categories, a user and a number."""
    city, code = np.array(table["city"], dtype=object), np.asarray(table["code"])
    user = np.array([int(text.split()[1]) for text in table["user"]])
    noise = np.random.default_rng(seed + 1).normal(scale=0.3, size=len(city))
    number = np.nan_to_num(table["number"])
    pair = np.where((city == "Rome") == (code > 0), 1.0, -1.0)
    return (1.5 * (city == "Oslo") + pair + np.sin(user) + 0.5 * number + noise).astype(np.float32)


def frame_of(table):
    return pd.DataFrame({**table, "city": pd.Series(table["city"], dtype=object)})


def matrix_of(table):
    return np.array([list(table[name]) for name in NAMES], dtype=object).T


X, EVAL = columns(300), columns(120, seed=5)
FRAME, EVAL_FRAME = frame_of(X), frame_of(EVAL)
Y, EVAL_Y = signal(X), signal(EVAL, seed=5)
LABELS = {
    "binary": lambda y: np.where(y > 0, "yes", "no"),
    "multiclass": lambda y: np.array(["low", "middle", "high"])[np.digitize(y, [-0.7, 0.7])],
    "regression": lambda y: y,
}


def fit(
    X=FRAME, y=Y, *, task="binary", sample_weight=None, eval_set=None, init_model=None, **parameters
):
    estimator = OcelotRegressor if task == "regression" else OcelotClassifier
    parameters = {"iterations": 8, "learning_rate": 0.3, "cat_features": CATEGORICAL, **parameters}
    if eval_set is not None:
        eval_set = (eval_set[0], LABELS[task](eval_set[1]))
    return estimator(**parameters).fit(
        X, LABELS[task](y), sample_weight=sample_weight, eval_set=eval_set, init_model=init_model
    )


def response(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


class Recorder:
    """A metric that keeps the raw predictions it is given, by the number of rows; the last ones are
    the best."""

    name = "recorder"
    higher_is_better = True

    def __init__(self):
        self.raw = {}

    def value(self, target, raw, weight):
        self.raw.setdefault(len(target), []).append(raw.copy())
        return len(self.raw[len(target)])


def staged_raw(model, X):
    """Raw predictions after each tree, rows first."""
    return list(model.staged_predict_raw(X))
