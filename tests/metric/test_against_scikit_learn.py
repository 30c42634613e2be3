"""Each metric says what scikit-learn says, with weights and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit
from sklearn import metrics as sk
from tests.metric.links import identity, row_softmax

from ocelotboost.metric.registry import metric_from_name

N_ROWS, N_CLASSES = 500, 4
SEEDS = [0, 1, 2]


def weights_of(seed: int, weighted: bool) -> NDArray[np.float32] | None:
    if not weighted:
        return None
    weight = np.random.default_rng(seed + 100).exponential(size=N_ROWS).astype(np.float32)
    weight[:20] = 0
    return weight


def numbers(seed: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    target = (3 + 2 * random.normal(size=N_ROWS)).astype(np.float32)
    return target, target + random.normal(size=N_ROWS)


def two_classes(seed: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    target = (random.random(N_ROWS) < 0.3).astype(np.float32)
    return target, np.round(2 * target - 1.5 + random.normal(size=N_ROWS), 1)  # with ties


def classes(seed: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    codes = random.choice(N_CLASSES, p=[0.5, 0.3, 0.15, 0.05], size=N_ROWS)
    raw = random.normal(size=(N_ROWS, N_CLASSES))
    raw[np.arange(N_ROWS), codes] += 1
    return codes.astype(np.float32), raw


def catboost_mape(y: Any, p: Any, sample_weight: Any) -> Any:
    return np.average(np.abs(y - p) / np.maximum(1, np.abs(y)), weights=sample_weight)


Judge = Callable[..., Any]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "judge"),
    [
        ("RMSE", sk.root_mean_squared_error),
        ("MAE", sk.mean_absolute_error),
        ("R2", sk.r2_score),
        ("MAPE", catboost_mape),
        ("Quantile", lambda y, p, **k: sk.mean_pinball_loss(y, p, alpha=0.5, **k)),
        ("Quantile:alpha=0.9", lambda y, p, **k: sk.mean_pinball_loss(y, p, alpha=0.9, **k)),
        ("Quantile:alpha=0.05", lambda y, p, **k: sk.mean_pinball_loss(y, p, alpha=0.05, **k)),
    ],
)
def test_metrics_of_numbers(name: str, judge: Judge, weighted: bool, seed: int) -> None:
    target, raw = numbers(seed)
    weight = weights_of(seed, weighted)
    found = metric_from_name(name, identity).value(target, raw, weight)
    assert found == pytest.approx(judge(target, raw, sample_weight=weight), rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_r2_of_a_target_far_from_zero_is_computed_in_double_precision(weighted: bool) -> None:
    target, raw = numbers(0)
    target, raw = target + np.float32(1e6), raw + 1e6
    weight = weights_of(0, weighted)
    expected = sk.r2_score(target.astype(np.float64), raw, sample_weight=weight)
    found = metric_from_name("R2", identity).value(target, raw, weight)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["RMSE", "MAE", "R2", "MAPE", "Quantile:alpha=0.3"])
def test_metrics_of_numbers_see_the_response_and_not_the_raw_score(name: str) -> None:
    target, raw = numbers(0)
    through_link = metric_from_name(name, np.exp).value(target, raw, None)
    assert through_link == metric_from_name(name, identity).value(target, np.exp(raw), None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "power"),
    [("Poisson", 1.0), ("Gamma", 2.0), ("Tweedie:variance_power=1.3", 1.3)],
)
def test_log_mean_metrics_differ_as_half_the_deviance_does(
    name: str, power: float, weighted: bool
) -> None:
    random = np.random.default_rng(3)
    target = random.gamma(2.0, size=N_ROWS).astype(np.float32) + np.float32(0.01)
    first, second = random.normal(size=(2, N_ROWS))
    weight = weights_of(0, weighted)
    metric = metric_from_name(name, np.exp)

    def half_deviance(raw: NDArray[np.float64]) -> float:
        found = sk.mean_tweedie_deviance(target, np.exp(raw), power=power, sample_weight=weight)
        return float(found) / 2

    found = metric.value(target, first, weight) - metric.value(target, second, weight)
    assert found == pytest.approx(half_deviance(first) - half_deviance(second), rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "judge", "view"),
    [
        ("Logloss", sk.log_loss, expit),
        ("CrossEntropy", sk.log_loss, expit),
        ("AUC", sk.roc_auc_score, identity),
        ("Brier", sk.brier_score_loss, expit),
        ("Accuracy", sk.accuracy_score, lambda raw: raw > 0),
        ("F1", sk.f1_score, lambda raw: raw > 0),
        ("Precision", sk.precision_score, lambda raw: raw > 0),
        ("Recall", sk.recall_score, lambda raw: raw > 0),
    ],
)
def test_metrics_of_two_classes(
    name: str, judge: Judge, view: Judge, weighted: bool, seed: int
) -> None:
    target, raw = two_classes(seed)
    weight = weights_of(seed, weighted)
    found = metric_from_name(name, expit).value(target, raw, weight)
    assert found == pytest.approx(judge(target, view(raw), sample_weight=weight), rel=1e-6)


def one_versus_rest(y: Any, p: Any, sample_weight: Any) -> float:
    rows = np.ones(len(y)) if sample_weight is None else sample_weight
    areas = [sk.roc_auc_score(y == k, p[:, k], sample_weight=rows) for k in range(N_CLASSES)]
    return float(np.average(areas, weights=[rows[y == k].sum() for k in range(N_CLASSES)]))


def summed_brier(y: Any, p: Any, sample_weight: Any) -> float:
    onehot = np.eye(N_CLASSES)[y.astype(int)]
    return float(np.average(((p - onehot) ** 2).sum(axis=1), weights=sample_weight))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "judge", "view"),
    [
        ("MultiClass", sk.log_loss, row_softmax),
        ("AUC", one_versus_rest, row_softmax),
        ("Brier", summed_brier, row_softmax),
        ("Accuracy", sk.accuracy_score, lambda raw: raw.argmax(axis=1)),
        ("F1", lambda y, p, **k: sk.f1_score(y, p, average="macro", **k), np.argmax),
        ("Precision", lambda y, p, **k: sk.precision_score(y, p, average="macro", **k), np.argmax),
        ("Recall", lambda y, p, **k: sk.recall_score(y, p, average="macro", **k), np.argmax),
    ],
)
def test_metrics_of_several_classes(
    name: str, judge: Judge, view: Judge, weighted: bool, seed: int
) -> None:
    target, raw = classes(seed)
    weight = weights_of(seed, weighted)
    seen = raw.argmax(axis=1) if view is np.argmax else view(raw)
    found = metric_from_name(name, row_softmax).value(target, raw, weight)
    assert found == pytest.approx(judge(target, seen, sample_weight=weight), rel=1e-6)


def test_huber_is_quadratic_near_zero_and_linear_beyond_delta() -> None:
    metric = metric_from_name("Huber:delta=2", identity)
    target = np.zeros(1, dtype=np.float32)
    for residual, expected in [(0.0, 0.0), (1.0, 0.5), (-2.0, 2.0), (5.0, 8.0), (-5.0, 8.0)]:
        assert metric.value(target, np.array([residual]), None) == expected


def test_cross_entropy_of_probabilities_is_a_mixture_of_both_labels() -> None:
    raw = np.array([-1.0, 0.5, 3.0])
    share = np.array([0.25, 0.5, 1.0], dtype=np.float32)
    metric = metric_from_name("CrossEntropy", expit)
    mixed = np.concatenate([share, 1 - share])
    labels = np.repeat(np.array([1, 0], dtype=np.float32), 3)
    twice = np.concatenate([raw, raw])
    assert metric.value(share, raw, None) == pytest.approx(metric.value(labels, twice, mixed))


@pytest.mark.parametrize("name", ["AUC", "Accuracy", "F1", "Precision", "Recall"])
def test_a_probability_target_counts_as_shares_of_both_classes(name: str) -> None:
    raw = np.array([-1.0, 0.5, 3.0, 0.2])
    share = np.array([0.25, 0.5, 1.0, 0.125], dtype=np.float32)
    metric = metric_from_name(name, expit)
    labels = np.repeat(np.array([1, 0], dtype=np.float32), 4)
    twice, mixed = np.concatenate([raw, raw]), np.concatenate([share, 1 - share])
    assert metric.value(share, raw, None) == pytest.approx(metric.value(labels, twice, mixed))
