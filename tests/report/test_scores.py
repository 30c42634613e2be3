"""Scores are those of the library's metrics, and intervals hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ocelotboost.report.classes import wilson
from ocelotboost.report.scores import N_SAMPLES, area_under_curve, bootstrap, interval_of
from ocelotboost.report.subgroups import _area
from tests.report.subjects import fitted, reported

METRICS = {
    "binary": {"AUC": "AUC", "log loss": "Logloss", "accuracy": "Accuracy", "Brier score": "Brier"},
    "classes": {"log loss": "MultiClass", "accuracy": "Accuracy"},
    "numbers": {"RMSE": "RMSE", "MAE": "MAE", "R²": "R2"},
}


@pytest.mark.parametrize("kind", METRICS)
def test_metrics_of_the_verdict_are_those_of_training(kind):
    from ocelotboost.metric.registry import metric_from_name
    from ocelotboost.report.scores import measures_of

    model, X, y = fitted(kind)
    raw = model.predict_raw(X)
    link = model._loss_.link
    response = (lambda own: link(own.T).T) if raw.ndim == 2 else link
    fitted_ = model._require_fitted()
    subject = model._subject(fitted_, X, y, None, None, None, None)
    target = subject.rows.target.astype(np.float32)
    found = {
        measure.name: measure.prepare(subject.rows.target, subject.response)(subject.rows.weight)
        for measure in measures_of(subject)
    }
    for name, own in METRICS[kind].items():
        expected = metric_from_name(own, response).value(target, raw, None)
        assert found[name] == pytest.approx(expected, rel=1e-5), name


def test_area_counts_ties_and_weights():
    rng = np.random.default_rng(0)
    positive, scores = rng.random(500) < 0.3, rng.integers(0, 9, 500).astype(float)
    weight = rng.integers(0, 4, 500).astype(float)
    found = area_under_curve(positive, scores)(weight)
    assert found == pytest.approx(roc_auc_score(positive, scores, sample_weight=weight))


def mean_of(values):
    return lambda rows: [lambda weight: float((values[rows] * weight).sum() / weight.sum())]


def test_the_interval_of_a_mean_is_that_of_its_standard_error():
    values = np.random.default_rng(1).normal(size=2000)
    whole, drawn = bootstrap(mean_of(values), np.ones(2000))
    found = interval_of(whole[0], drawn[0])
    error = values.std() / np.sqrt(2000)
    assert drawn.shape == (1, N_SAMPLES)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.2)


def test_more_rows_than_a_sample_has_make_narrower_intervals():
    rng = np.random.default_rng(2)
    widths = []
    for n_rows in (20_000, 80_000):
        values = rng.normal(size=n_rows)
        whole, drawn = bootstrap(mean_of(values), np.ones(n_rows))
        found = interval_of(whole[0], drawn[0])
        assert found.value == pytest.approx(values.mean())
        widths.append(found.high - found.low)
    assert widths[0] / widths[1] == pytest.approx(2.0, rel=0.25)


def test_the_interval_of_an_area_is_that_of_a_bootstrap():
    rng = np.random.default_rng(3)
    positive = rng.random(800) < 0.4
    scores = positive + rng.normal(scale=1.2, size=800)
    found = _area(positive, scores)
    drawn = bootstrap(lambda rows: [area_under_curve(positive, scores)], np.ones(800))[1][0]
    assert found.value == pytest.approx(roc_auc_score(positive, scores))
    assert found.high - found.low == pytest.approx(2 * 1.96 * drawn.std(), rel=0.15)


def test_intervals_of_shares_stay_between_none_and_all():
    low, high = wilson(np.array([0.0, 0.5, 1.0]), np.array([10, 10, 10]))
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert high[0] > 0.2


def test_the_confusion_at_a_threshold_is_counted_right():
    model, X, y = fitted("binary")
    chance = model.predict_proba(X)[:, 1]
    positive = y == model.classes_[1]
    figure = next(
        b for b in reported("binary").document.section("decisions").blocks
        if getattr(b, "kind", "") == "threshold"
    )  # fmt: skip
    own = figure.data["classes"][0]
    for place in (0, 50, 99, 198):
        called = chance >= (place + 1) / 200
        assert own["hits"][place] == (called & positive).sum()
        assert own["false"][place] == (called & ~positive).sum()
