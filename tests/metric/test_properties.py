"""What holds for every metric: weights are copies, extremes stay finite, edges are decided."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.special import expit
from tests.metric.links import identity, row_softmax

from ocelotboost.errors import ParameterError
from ocelotboost.metric.base import Response
from ocelotboost.metric.registry import METRICS, metric_from_name

NUMBER_METRICS = ["RMSE", "MAE", "MAPE", "R2", "Quantile:alpha=0.8", "Huber:delta=0.7"]
LOG_MEAN_METRICS = ["Poisson", "Tweedie:variance_power=1.6", "Gamma"]
TWO_CLASS_METRICS = ["Logloss", "CrossEntropy"]
CLASS_METRICS = ["AUC", "Accuracy", "F1", "Precision", "Recall", "Brier"]
N_CLASSES = 3


def link_of(name: str) -> Response:
    if name in LOG_MEAN_METRICS:
        return np.exp
    return identity if name in NUMBER_METRICS else expit


def test_the_lists_of_this_file_name_every_metric() -> None:
    listed = [*NUMBER_METRICS, *LOG_MEAN_METRICS, *TWO_CLASS_METRICS, *CLASS_METRICS, "MultiClass"]
    assert {name.partition(":")[0] for name in listed} == set(METRICS)


counts = st.integers(1, 30).flatmap(
    lambda n: hnp.arrays(np.int64, n, elements=st.integers(0, 4)).filter(np.any)
)


def check_copies(
    name: str,
    link: Response,
    target: NDArray[np.float32],
    raw: NDArray[np.float64],
    count: NDArray[np.int64],
) -> None:
    metric = metric_from_name(name, link)
    weighted = metric.value(target, raw, count.astype(np.float32))
    copied = metric.value(np.repeat(target, count), np.repeat(raw, count, axis=0), None)
    assert weighted == pytest.approx(copied, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", NUMBER_METRICS + LOG_MEAN_METRICS)
@settings(max_examples=60, deadline=None)
@given(count=counts, seed=st.integers(0, 1000))
def test_a_weight_of_k_equals_k_copies_for_numbers(
    name: str, count: NDArray[np.int64], seed: int
) -> None:
    random = np.random.default_rng(seed)
    target = random.gamma(2.0, size=len(count)).astype(np.float32)
    check_copies(name, link_of(name), target, random.normal(size=len(count)), count)


@pytest.mark.parametrize("name", TWO_CLASS_METRICS + CLASS_METRICS)
@settings(max_examples=60, deadline=None)
@given(count=counts, seed=st.integers(0, 1000))
def test_a_weight_of_k_equals_k_copies_for_two_classes(
    name: str, count: NDArray[np.int64], seed: int
) -> None:
    random = np.random.default_rng(seed)
    target = random.integers(0, 2, size=len(count)).astype(np.float32)
    raw = np.round(random.normal(size=len(count)), 1)
    check_copies(name, expit, target, raw, count)


@pytest.mark.parametrize("name", ["MultiClass", *CLASS_METRICS])
@settings(max_examples=60, deadline=None)
@given(count=counts, seed=st.integers(0, 1000))
def test_a_weight_of_k_equals_k_copies_for_several_classes(
    name: str, count: NDArray[np.int64], seed: int
) -> None:
    random = np.random.default_rng(seed)
    target = random.integers(0, N_CLASSES, size=len(count)).astype(np.float32)
    raw = np.round(random.normal(size=(len(count), N_CLASSES)), 1)
    check_copies(name, row_softmax, target, raw, count)


@pytest.mark.parametrize("name", NUMBER_METRICS + LOG_MEAN_METRICS + TWO_CLASS_METRICS)
def test_arguments_are_left_as_they_were(name: str) -> None:
    target = np.array([0, 1, 1, 0], dtype=np.float32)
    raw = np.array([-1.0, 0.25, 2.0, 0.5])
    weight = np.array([1, 2, 0, 3], dtype=np.float32)
    before = target.copy(), raw.copy(), weight.copy()
    metric_from_name(name, identity).value(target, raw, weight)
    for now, then in zip((target, raw, weight), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("name", ["MultiClass", *CLASS_METRICS])
def test_arguments_of_several_classes_are_left_as_they_were(name: str) -> None:
    target = np.array([0, 1, 2, 0], dtype=np.float32)
    raw = np.random.default_rng(0).normal(size=(4, 3))
    before = raw.copy()
    metric_from_name(name, identity).value(target, raw, None)
    np.testing.assert_array_equal(raw, before)


@pytest.mark.parametrize("name", ["Logloss", "CrossEntropy"])
def test_extreme_log_odds_give_a_finite_log_loss(name: str) -> None:
    metric = metric_from_name(name, expit)
    target = np.array([1, 1, 0, 0], dtype=np.float32)
    raw = np.array([1000.0, -1000.0, 1000.0, -1000.0])
    assert metric.value(target, raw, None) == 500.0
    assert metric.value(target[[0, 3]], raw[[0, 3]], None) == 0.0


def test_extreme_logits_give_a_finite_multiclass_log_loss() -> None:
    metric = metric_from_name("MultiClass", row_softmax)
    raw = np.array([[1000.0, 0.0, -1000.0], [1000.0, 0.0, -1000.0]])
    target = np.array([0, 2], dtype=np.float32)
    assert metric.value(target, raw, None) == 1000.0


@pytest.mark.parametrize("name", [*LOG_MEAN_METRICS, "RMSE", "MAE", "R2"])
def test_an_overflowing_prediction_is_infinitely_bad_and_says_nothing(name: str) -> None:
    target = np.array([1, 2], dtype=np.float32)
    bad = np.array([0.0, -5000.0 if name == "Gamma" else 5000.0])
    value = metric_from_name(name, np.exp).value(target, bad, None)
    good = metric_from_name(name, np.exp).value(target, np.zeros(2), None)
    assert not math.isnan(value)
    assert value < -1e300 if name == "R2" else value > max(good, 1e300)


def test_tweedie_of_a_zero_target_and_a_tiny_mean_is_zero() -> None:
    metric = metric_from_name("Tweedie:variance_power=1.5", np.exp)
    assert 0 <= metric.value(np.zeros(1, dtype=np.float32), np.array([-5000.0]), None) < 1e-300


def test_a_row_of_weight_zero_does_not_count_even_when_its_value_is_infinite() -> None:
    target = np.array([1, 1], dtype=np.float32)
    weight = np.array([1, 0], dtype=np.float32)
    metric = metric_from_name("Poisson", np.exp)
    assert metric.value(target, np.array([0.0, 5000.0]), weight) == 1.0


@pytest.mark.parametrize("label", [0, 1])
def test_auc_of_one_class_is_one_half(label: int) -> None:
    target = np.full(5, label, dtype=np.float32)
    metric = metric_from_name("AUC", expit)
    assert metric.value(target, np.arange(5.0), None) == 0.5
    assert metric.value(target, np.arange(5.0), np.zeros(5, dtype=np.float32)) == 0.5
    assert metric.value(target[:0], np.arange(0.0), None) == 0.5


def test_auc_of_equal_scores_is_one_half_and_of_a_perfect_order_is_one() -> None:
    metric = metric_from_name("AUC", expit)
    target = np.array([0, 0, 1, 1], dtype=np.float32)
    assert metric.value(target, np.zeros(4), None) == 0.5
    assert metric.value(target, np.arange(4.0), None) == 1.0
    assert metric.value(target, -np.arange(4.0), None) == 0.0


def test_auc_tells_saturated_probabilities_apart() -> None:
    metric = metric_from_name("AUC", expit)
    target = np.array([0, 1], dtype=np.float32)
    assert metric.value(target, np.array([100.0, 101.0]), None) == 1.0


def test_auc_ignores_a_class_that_is_absent() -> None:
    random = np.random.default_rng(0)
    raw = random.normal(size=(50, 2))
    padded = np.column_stack([raw, np.full(50, -800.0)])  # the third class has probability 0
    target = random.integers(0, 2, size=50).astype(np.float32)
    metric = metric_from_name("AUC", row_softmax)
    assert metric.value(target, padded, None) == pytest.approx(metric.value(target, raw, None))


def test_auc_of_a_score_that_is_not_a_number_is_nan() -> None:
    target = np.array([0, 1], dtype=np.float32)
    assert math.isnan(metric_from_name("AUC", expit).value(target, np.array([0, np.nan]), None))


def test_macro_means_ignore_a_class_that_neither_occurs_nor_is_predicted() -> None:
    target = np.array([0, 1, 1], dtype=np.float32)
    raw = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [1.0, 2.0, 0.0]])
    for name in ("F1", "Precision", "Recall"):
        assert metric_from_name(name, row_softmax).value(target, raw, None) == 1.0


@pytest.mark.parametrize("name", ["F1", "Precision", "Recall"])
def test_a_share_of_nothing_is_zero(name: str) -> None:
    target = np.zeros(3, dtype=np.float32)
    assert metric_from_name(name, expit).value(target, np.full(3, -1.0), None) == 0.0


@pytest.mark.parametrize("level", [0.0, 0.1, 1 / 3, -1e6, 1e-20])
@pytest.mark.parametrize("n_rows", [1, 7, 1000])
def test_r2_of_a_constant_target_is_one_when_exact_and_zero_otherwise(
    level: float, n_rows: int
) -> None:
    target = np.full(n_rows, level, dtype=np.float32)
    # Weights that make the mean of equal numbers differ from them by rounding.
    weight = np.random.default_rng(n_rows).exponential(size=n_rows).astype(np.float32)
    metric = metric_from_name("R2", identity)
    for some_weight in (None, weight):
        assert metric.value(target, target.astype(np.float64), some_weight) == 1.0
        assert metric.value(target, target + np.float64(1.0), some_weight) == 0.0


@pytest.mark.parametrize("name", NUMBER_METRICS + LOG_MEAN_METRICS + ["Logloss", "Accuracy"])
def test_a_mean_over_nothing_is_nan(name: str) -> None:
    metric = metric_from_name(name, identity)
    target, raw = np.ones(2, dtype=np.float32), np.ones(2)
    assert math.isnan(metric.value(target[:0], raw[:0], None))
    assert math.isnan(metric.value(target, raw, np.zeros(2, dtype=np.float32)))


@pytest.mark.parametrize("name", NUMBER_METRICS + LOG_MEAN_METRICS + TWO_CLASS_METRICS)
def test_metrics_of_one_output_refuse_several(name: str) -> None:
    with pytest.raises(ParameterError, match=r"one output, but the model has 3.*MultiClass"):
        metric_from_name(name, identity).value(np.zeros(2, np.float32), np.zeros((2, 3)), None)


def test_multiclass_refuses_one_output() -> None:
    with pytest.raises(ParameterError, match="several outputs"):
        metric_from_name("MultiClass", identity).value(np.zeros(2, np.float32), np.zeros(2), None)
