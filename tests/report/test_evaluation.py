"""Metrics with intervals, and two models on the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from sklearn.metrics import f1_score, log_loss, mean_squared_error, roc_auc_score

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.report.evaluation import paired_test

RNG = np.random.default_rng(0)
X = RNG.normal(size=(800, 4))
NUMBERS = X[:, 0] + X[:, 1] ** 2 + 0.3 * RNG.normal(size=800)
CLASSES = np.where(NUMBERS > 0.8, "yes", "no")
THREE = np.digitize(NUMBERS, [0.0, 1.5])


@pytest.fixture(scope="module")
def classifier():
    return OcelotClassifier(iterations=30).fit(X[:400], CLASSES[:400])


@pytest.fixture(scope="module")
def regressor():
    return OcelotRegressor(iterations=30).fit(X[:400], NUMBERS[:400])


def test_metrics_are_those_of_scikit_learn_inside_their_intervals(classifier, regressor):
    chances = classifier.predict_proba(X[400:])
    found = classifier.evaluate(X[400:], CLASSES[400:], metrics=["F1"])
    wanted = {
        "AUC": roc_auc_score(CLASSES[400:], chances[:, 1]),
        "log loss": log_loss(CLASSES[400:], chances),
        "F1": f1_score(CLASSES[400:], classifier.predict(X[400:]), pos_label="yes"),
    }
    for name, value in wanted.items():
        assert found[name].value == pytest.approx(value)
        assert found[name].low < value < found[name].high
    found = regressor.evaluate(X[400:], NUMBERS[400:])
    wanted_error = mean_squared_error(NUMBERS[400:], regressor.predict(X[400:])) ** 0.5
    assert found["RMSE"].value == pytest.approx(wanted_error, rel=1e-6)
    assert "95 % interval" in str(found)
    with pytest.raises(KeyError, match="there are RMSE, MAE"):
        found["AUC"]


def test_a_weight_is_copies_of_the_row_in_values(regressor):
    counts = RNG.integers(1, 4, 400)
    weighted = regressor.evaluate(X[400:], NUMBERS[400:], sample_weight=counts)
    copied = regressor.evaluate(np.repeat(X[400:], counts, 0), np.repeat(NUMBERS[400:], counts))
    for one, two in zip(weighted.figures, copied.figures, strict=True):
        assert one.value == pytest.approx(two.value)


def test_metrics_that_do_not_fit_are_refused(regressor):
    with pytest.raises(ParameterError, match="Logloss"):
        regressor.evaluate(X, NUMBERS, metrics=["Logloss"])


def test_the_better_model_is_named(classifier):
    weak = OcelotClassifier(iterations=2, depth=1).fit(X[:400], CLASSES[:400])
    found = classifier.compare(weak, X[400:], CLASSES[400:], names=("strong", "weak"))
    assert found.better == "strong"
    assert found.sentence().startswith("strong is better: its log loss is lower by ")
    assert found.low > 0
    again = weak.compare(classifier, X[400:], CLASSES[400:])
    assert again.mean == pytest.approx(-found.mean)
    assert again.p_value == pytest.approx(found.p_value)
    assert found.mean == pytest.approx(found.differences[1].change)


def test_no_winner_where_chance_decides(regressor):
    noise = regressor.predict(X[400:]) + RNG.choice([-1e-9, 1e-9], 400)
    found = regressor.compare(noise, X[400:], NUMBERS[400:])
    assert found.better is None
    assert "No clear difference" in found.sentence()
    same = regressor.compare(regressor, X[400:], NUMBERS[400:])
    assert same.sentence() == "Both have the same squared error on these rows."


def test_models_with_other_columns_and_classes_in_another_order(classifier):
    few = OcelotClassifier(iterations=30).fit(X[:400, :1], CLASSES[:400])
    found = classifier.compare(few, X[400:], CLASSES[400:], X_other=X[400:, :1])
    assert found.better == "this model"
    three = OcelotClassifier(iterations=5).fit(X, THREE)
    with pytest.raises(InputError, match="other classes"):
        classifier.compare(three, X[400:], CLASSES[400:])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros(3), "shape"),
        (np.full(400, np.nan), "negative|missing"),
        (np.full(400, -0.5), "negative"),
    ],
)
def test_predictions_that_cannot_be_compared(classifier, given, message):
    with pytest.raises(InputError, match=message):
        classifier.compare(given, X[400:], CLASSES[400:])


def test_the_loss_of_the_model_is_compared(regressor):
    median = OcelotRegressor(iterations=10, loss_function="MAE").fit(X, NUMBERS)
    assert median.compare(regressor, X, NUMBERS).loss == "MAE"
    with pytest.raises(InputError, match="compare alike"):
        median.compare(OcelotClassifier(iterations=2).fit(X, CLASSES), X, NUMBERS)


def test_the_paired_test_is_the_t_test():
    apart = RNG.normal(0.1, 1.0, 60)
    wanted = ttest_1samp(apart, 0.0)
    mean, low, high, p_value = paired_test(apart, np.full(60, 3.0))
    interval = wanted.confidence_interval()
    assert (mean, low, high) == pytest.approx((apart.mean(), interval.low, interval.high))
    assert p_value == pytest.approx(wanted.pvalue)
