"""Leakage, drift and weak groups are found where they were planted, and not elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor, load_model
from ocelotboost.model.training_summary import MOST_ROWS
from tests.report.subjects import N_TRAINING, fitted, reported, table, targets
from tests.report.test_report import texts


def leaky(n_rows=1200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < 0.4
    X = pd.DataFrame({"age": rng.normal(size=n_rows), "city": rng.choice(list("abc"), n_rows)})
    return X, y


def report_of(X, y, **parameters):
    half = len(X) // 2
    model = OcelotClassifier(iterations=30, **parameters).fit(X[:half], y[:half])
    return model.report(X=X[half:], y=y[half:])


def test_nothing_is_suspected_of_honest_columns():
    assert "None found" in texts(reported("binary"), "leakage")
    assert "may be too good" not in texts(reported("binary"), "verdict")


def test_a_column_that_tells_the_target_is_suspected():
    X, y = leaky()
    X["refund"] = np.where(y, 5.0, np.nan)
    report = report_of(X, y)
    assert "\x03refund\x04 predicts almost everything by itself" in texts(report, "leakage")
    assert "1 suspect of leakage" in texts(report, "verdict")


def test_a_column_whose_mean_target_would_leak_is_suspected():
    X, y = leaky()
    X["user"] = [f"user {number // 2}" for number in range(len(X))]
    report = report_of(X, y)
    assert "Encoding it by its mean target would leak" in texts(report, "leakage")


def test_an_identifier_with_large_importance_is_suspected():
    X, _ = leaky()
    X["number"] = np.arange(len(X))
    y = X["number"].to_numpy() % 600 > 250  # the order of the rows tells the target
    half = len(X) // 2
    order = np.random.default_rng(0).permutation(len(X))
    X, y = X.iloc[order], y[order]
    model = OcelotClassifier(iterations=30).fit(X[:half], y[:half])
    assert "looks like an identifier" in texts(model.report(X=X[half:], y=y[half:]), "leakage")


@pytest.mark.parametrize("n_rows", [1000, 3 * MOST_ROWS])
def test_rows_of_training_are_known_again(n_rows, tmp_path):
    X = table(n_rows + 500, seed=3)
    y = targets(X, "numbers")
    model = OcelotRegressor(iterations=3).fit(X[:n_rows], y[:n_rows])
    model.save_model(tmp_path / "model.ocelot")
    given = np.r_[n_rows : n_rows + 500, 0:500]
    text = texts(
        load_model(tmp_path / "model.ocelot").report(X=X.iloc[given], y=y[given]), "leakage"
    )
    share = float(text.split("\x01")[-1].split(" %")[0])
    assert "of the given rows were in training" in text
    assert share == pytest.approx(50, abs=0.1 if n_rows <= MOST_ROWS else 12)


def test_new_rows_are_not_taken_for_those_of_training():
    model, X, y = fitted("numbers")
    assert "were in training" not in texts(model.report(X=X, y=y), "leakage")


def test_drift_and_unseen_categories_are_found():
    model, X, y = fitted("binary")
    moved = X.copy()
    moved["age"] += 2
    moved.loc[moved.index[:60], "city"] = "Rome"
    text = texts(model.report(X=moved, y=y), "data")
    assert "2 columns changed" in text
    assert "Categories that training did not have: \x03city\x04 (20.0 % of rows)" in text
    assert "No column differs noticeably" in texts(reported("binary"), "data")


def test_a_model_that_remembers_nothing_says_so(monkeypatch):
    import dataclasses

    from ocelotboost.estimator.fitted import Fitted

    model, X, y = fitted("binary")
    old = model._fitted
    forgetful = dataclasses.replace(old.model, training=None)
    monkeypatch.setattr(model, "_fitted", Fitted.of(forgetful, old.loss))
    report = model.report(X=X, y=y)
    assert "does not know the rows of its training" in texts(report, "data")
    assert "Whether rows were in training is not known" in texts(report, "leakage")
    given = table()[:N_TRAINING], targets(table(), "binary")[:N_TRAINING]
    report = model.report(X=X, y=y, X_train=given[0], y_train=given[1])
    assert "No column differs noticeably" in texts(report, "data")


def test_the_group_that_is_predicted_badly_comes_first():
    X = table(3000, seed=5)
    y = targets(X, "numbers")
    noisy = (X["plan"] == "plan 7").to_numpy()
    y = y + 6 * noisy * np.random.default_rng(0).normal(size=len(y))
    model = OcelotRegressor(iterations=30).fit(X[:1500], y[:1500])
    report = model.report(X=X[1500:], y=y[1500:])
    assert "The worst is \x03plan\x04 is plan 7" in texts(report, "subgroups")


def test_groups_whose_predictions_are_too_low_are_named():
    X = table(3000, seed=6)
    y = targets(X, "numbers")
    model = OcelotRegressor(iterations=30).fit(X[:1500], y[:1500])
    later = y[1500:] + 3 * (X["city"][1500:] == "Paris").to_numpy()
    text = texts(model.report(X=X[1500:], y=later), "subgroups")
    assert "predictions are clearly off in \x03city\x04 is Paris" in text
