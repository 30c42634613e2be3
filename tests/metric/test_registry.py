"""Names find their metric; anything else is an error that helps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.loss.names import parse_name
from ocelotboost.metric.base import Metric, MetricLike, check_metric
from ocelotboost.metric.registry import METRICS, check_metric_fits, metric_from_name


def identity(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    return raw


def test_every_metric_of_the_issue_has_a_name() -> None:
    assert set(METRICS) == {
        "RMSE", "Logloss", "CrossEntropy", "MultiClass", "MAE", "Quantile", "Huber", "Poisson",
        "Tweedie", "Gamma", "AUC", "Accuracy", "F1", "Precision", "Recall", "R2", "MAPE", "Brier",
    }  # fmt: skip


def test_shares_are_better_when_higher_and_losses_when_lower() -> None:
    better_when_higher = {"AUC", "Accuracy", "F1", "Precision", "Recall", "R2"}
    assert {name for name, m in METRICS.items() if m.higher_is_better} == better_when_higher


@pytest.mark.parametrize("text", ["RMSE", "Quantile", "Quantile:alpha=0.90", "Huber:delta=2"])
def test_a_metric_is_called_what_the_user_wrote(text: str) -> None:
    metric = metric_from_name(text, identity)
    assert isinstance(metric, Metric)
    assert metric.name == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Logloss", ("Logloss", {})),
        ("Quantile:alpha=0.9", ("Quantile", {"alpha": 0.9})),
        ("Tweedie:variance_power=1.5", ("Tweedie", {"variance_power": 1.5})),
        ("Quantile: alpha = 1e-2", ("Quantile", {"alpha": 0.01})),
        ("Foo:bar=1;baz=-2", ("Foo", {"bar": 1.0, "baz": -2.0})),
    ],
)
def test_parse_name_takes_names_apart(text: str, expected: tuple[str, dict[str, float]]) -> None:
    assert parse_name(text) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has no name"),
        (":alpha=1", "has no name"),
        ("Quantile:", "parameter=number"),
        ("Quantile:alpha", "parameter=number"),
        ("Quantile:alpha=", "parameter=number"),
        ("Quantile:=0.5", "parameter=number"),
        ("Quantile:alpha=much", "'alpha=much' in 'Quantile:alpha=much'"),
        ("Quantile:alpha=nan", "parameter=number"),
        ("Quantile:alpha=0.1;", "parameter=number"),
        ("Quantile:alpha=0.1;alpha=0.2", "'alpha' twice"),
        (7, "7 is of type int"),
        (None, "None is of type NoneType"),
    ],
)
def test_parse_name_names_what_it_cannot_read(text: str, complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        parse_name(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Quantile:alpha=2", "alpha must be between 0 and 1.*but is 2"),
        ("Quantile:alpha=0", "alpha must be between 0 and 1"),
        ("Quantile:beta=0.5", "no parameter 'beta'; it takes alpha"),
        ("Tweedie:variance_power=3", "variance_power must be between 1 and 2.*but is 3"),
        ("Tweedie", "needs 'variance_power'.*'Tweedie:variance_power=...'"),
        ("Huber", "needs 'delta', a number above 0"),
        ("Huber:delta=-1", "delta must be above 0, but is -1"),
        ("RMSE:alpha=0.5", "RMSE has no parameter 'alpha'; it takes no parameters"),
    ],
)
def test_wrong_parameters_are_named(text: str, complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        metric_from_name(text, identity)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("logloss", "Logloss"), ("auc", "AUC"), ("Quantil:alpha=0.5", "Quantile"), ("r2", "R2")],
)
def test_a_misspelt_name_is_answered_with_the_one_meant(text: str, meant: str) -> None:
    with pytest.raises(ParameterError, match=f"Did you mean '{meant}'") as caught:
        metric_from_name(text, identity)
    assert all(name in str(caught.value) for name in METRICS)


def test_an_unknown_name_lists_the_allowed_ones() -> None:
    with pytest.raises(ParameterError, match="no metric 'Foo'") as caught:
        metric_from_name("Foo:bar=1", identity)
    assert "Did you mean" not in str(caught.value)
    assert all(name in str(caught.value) for name in METRICS)


class Largest:
    """A user's own metric, of no class of ours."""

    name = "Largest"
    higher_is_better = False

    def value(
        self,
        target: NDArray[np.float32],
        raw: NDArray[np.float64],
        weight: NDArray[np.float32] | None,
    ) -> float:
        return float(np.abs(target - raw).max())


def test_an_object_with_the_attributes_of_a_metric_is_a_metric() -> None:
    metric = Largest()
    assert check_metric(metric) is metric
    assert isinstance(metric, MetricLike)


def test_built_in_metrics_pass_the_same_check() -> None:
    check_metric(metric_from_name("AUC", identity))


@pytest.mark.parametrize("missing", ["name", "higher_is_better", "value"])
def test_a_metric_that_lacks_an_attribute_is_told_which(missing: str) -> None:
    members = {key: getattr(Largest, key) for key in ("name", "higher_is_better", "value")}
    del members[missing]
    with pytest.raises(ParameterError, match=f"no attribute '{missing}'"):
        check_metric(type("Broken", (), members)())


@pytest.mark.parametrize(
    ("attribute", "value", "expected"),
    [
        ("name", 3, "name = 3, but it must be a text"),
        ("name", "", "name = '', but it must be a text"),
        ("higher_is_better", "yes", "higher_is_better = 'yes', but it must be True or False"),
        ("value", 1.0, r"value = 1.0, but it must be a method"),
    ],
)
def test_a_metric_with_an_attribute_of_the_wrong_kind_is_told_which(
    attribute: str, value: object, expected: str
) -> None:
    with pytest.raises(ParameterError, match=expected):
        check_metric(type("Broken", (Largest,), {attribute: value})())


def test_a_class_in_place_of_an_object_is_told_apart() -> None:
    with pytest.raises(ParameterError, match=r"is the class Largest; give an object: Largest\("):
        check_metric(Largest)


@pytest.mark.parametrize(
    ("metric", "loss"),
    [
        ("RMSE", "RMSE"),
        ("RMSE", "Logloss"),
        ("R2", "Poisson"),
        ("Quantile:alpha=0.1", "Tweedie:variance_power=1.5"),
        ("Gamma", "Poisson"),
        ("AUC", "CrossEntropy"),
        ("F1", "MultiClass"),
        ("Poisson", "custom:Mine"),
    ],
)
def test_metrics_that_read_the_raw_score_rightly_are_accepted(metric: str, loss: str) -> None:
    check_metric_fits(metric, loss)


@pytest.mark.parametrize(
    ("metric", "loss"),
    [
        ("Poisson", "RMSE"),
        ("AUC", "RMSE"),
        ("Logloss", "MultiClass"),
        ("MultiClass", "Logloss"),
        ("RMSE", "MultiClass"),
        ("Brier", "Quantile:alpha=0.3"),
    ],
)
def test_metrics_that_would_misread_the_raw_score_are_refused(metric: str, loss: str) -> None:
    with pytest.raises(ParameterError, match=r"does not fit the loss .* metrics that fit: "):
        check_metric_fits(metric, loss)
