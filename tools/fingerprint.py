"""Fingerprints of trained models: `python -m tools.fingerprint` writes them, `--check` compares.

A fingerprint covers every bit of the predictions and of the training curve. It is the same for any
number of threads, on any machine. A change that means to leave models alone leaves
`tests/golden/fingerprints.json` alone; one that does not writes it again and says why.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost import OcelotClassifier, OcelotRegressor
from tools.compare import write_or_check

FILE = Path("tests/golden/fingerprints.json")
ROWS = 700

Table = list[list[Any]]


def _eighths(rng: np.random.Generator, *shape: int) -> NDArray[np.float64]:
    """Numbers that every machine draws alike: whole multiples of 1/8, bell-shaped."""
    found: NDArray[np.float64] = rng.integers(-8, 9, size=(4, *shape)).sum(axis=0) / 8
    return found


def numbers(missing: bool = False) -> NDArray[np.float64]:
    """Six columns of numbers (n, 6)."""
    rng = np.random.default_rng(1)
    found = _eighths(rng, ROWS, 6)
    if missing:
        found[rng.random(found.shape) < 0.125] = np.nan
    return found


def categories() -> NDArray[np.object_]:
    """Three columns of numbers and four of texts, of 2 to 40 values, some missing (n, 7)."""
    rng = np.random.default_rng(2)
    found = np.empty((ROWS, 7), dtype=object)
    found[:, :3] = numbers()[:, :3]
    for column, n_values in enumerate((2, 5, 12, 40), start=3):
        values = rng.integers(n_values, size=ROWS)
        found[:, column] = [f"value {value}" for value in values]
        found[rng.random(ROWS) < 0.0625, column] = None
    return found


def signal() -> NDArray[np.float64]:
    """A target (n,) that depends on all of the columns above, with noise."""
    mixed = categories()
    by_text = np.array([sum(map(len, map(str, row[3:]))) % 5 for row in mixed])
    x = numbers()
    bent = np.where(x[:, 0] > 0, x[:, 1], -x[:, 2]) + (x[:, 3] > 0.5) * x[:, 4]
    found: NDArray[np.float64] = bent + by_text - 2
    return found + _eighths(np.random.default_rng(3), ROWS)


def weights() -> NDArray[np.float64]:
    """Fractional weights (n,)."""
    return np.random.default_rng(4).integers(1, 40, size=ROWS) / 16


def _regressor(X: Any, y: Any, weight: Any = None, **parameters: Any) -> Any:
    cat_features = [3, 4, 5, 6] if X.dtype == object else None
    model = OcelotRegressor(iterations=25, cat_features=cat_features, **parameters)
    return model.fit(X, y, sample_weight=weight)


def _classifier(X: Any, y: Any, weight: Any = None, **parameters: Any) -> Any:
    cat_features = [3, 4, 5, 6] if X.dtype == object else None
    model = OcelotClassifier(iterations=25, cat_features=cat_features, **parameters)
    return model.fit(X, y, sample_weight=weight)


def _binary() -> NDArray[np.bool_]:
    return signal() > 0


def _classes() -> NDArray[np.intp]:
    return np.searchsorted([-1.0, 1.5], signal())


def _counts() -> NDArray[np.float64]:
    return np.floor(np.maximum(signal(), 0))


TRAININGS: dict[str, Callable[[], Any]] = {
    "numbers, RMSE, Plain, no sampling": lambda: _regressor(
        numbers(), signal(), boosting_type="Plain", bootstrap_type="No"
    ),
    "numbers, RMSE, Ordered, MVS, L2 score": lambda: _regressor(
        numbers(missing=True), signal(), boosting_type="Ordered", score_function="L2"
    ),
    "numbers, Logloss, Ordered, Bayesian": lambda: _classifier(
        numbers(), _binary(), boosting_type="Ordered", bootstrap_type="Bayesian"
    ),
    "numbers, MAE, Plain, Bernoulli, missing values": lambda: _regressor(
        numbers(missing=True), signal(), loss_function="MAE", bootstrap_type="Bernoulli",
        boosting_type="Plain",
    ),
    "numbers, Quantile, Ordered, weights": lambda: _regressor(
        numbers(), signal(), weights(), loss_function="Quantile:alpha=0.8", boosting_type="Ordered"
    ),
    "numbers, Poisson, Plain, weights, MVS": lambda: _regressor(
        numbers(), _counts(), weights(), loss_function="Poisson", boosting_type="Plain"
    ),
    "numbers, MultiClass, Ordered": lambda: _classifier(
        numbers(), _classes(), boosting_type="Ordered"
    ),
    "numbers, RMSE, whole weights, replay": lambda: _regressor(
        numbers(), signal(), np.rint(weights() + 1), validation_fraction=0.25, refit="replay"
    ),
    "categories, Logloss, Plain": lambda: _classifier(
        categories(), _binary(), boosting_type="Plain"
    ),
    "categories, Logloss, Ordered": lambda: _classifier(
        categories(), _binary(), boosting_type="Ordered"
    ),
    "categories, Logloss, Ordered, segment gradients, combined numbers": lambda: _classifier(
        categories(), _binary(), boosting_type="Ordered", body_gradients="segment",
        combine_numbers=True, bootstrap_type="Bernoulli",
    ),
    "categories, MultiClass, Plain, weights": lambda: _classifier(
        categories(), _classes(), weights(), boosting_type="Plain"
    ),
    "categories, RMSE, Ordered, time, window": lambda: _regressor(
        categories(), signal(), boosting_type="Ordered", has_time=True, statistic_window=200
    ),
    "categories, RMSE, Plain, holdout statistic": lambda: _regressor(
        categories(), signal(), boosting_type="Plain", target_statistic="holdout"
    ),
    "categories, Logloss, greedy, columns drawn": lambda: _classifier(
        categories(), _binary(), target_statistic="greedy", rsm=0.5
    ),
}  # fmt: skip


def fingerprint(model: Any, X: Any) -> str:
    """Of a fitted estimator: its raw predictions of ``X``, and its training curves."""
    digest = hashlib.sha256(np.ascontiguousarray(model.predict_raw(X), dtype="<f8").tobytes())
    for curves in model.history_.values():
        for curve in curves.values():
            digest.update(np.array(curve, dtype="<f8").tobytes())
    return digest.hexdigest()[:16]


def fingerprint_of(name: str) -> str:
    """Of one of the trainings."""
    X = categories() if name.startswith("categories") else numbers(missing=True)
    return fingerprint(TRAININGS[name](), X)


def fingerprints() -> str:
    """All of them, as the file has them."""
    return json.dumps({name: fingerprint_of(name) for name in TRAININGS}, indent=1) + "\n"


if __name__ == "__main__":
    write_or_check(
        "tools.fingerprint", __doc__, FILE, fingerprints, remedy="python -m tools.fingerprint"
    )
