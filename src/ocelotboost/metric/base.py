"""What a metric is: one number that says how well raw scores fit targets."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.loss.links import Link

Target = NDArray[np.float32]
Raw = NDArray[np.float64]
Weight = NDArray[np.float32]
Response = Callable[[Raw], Raw]  # the link of the model's loss, of raw scores that have rows first


@runtime_checkable
class MetricLike(Protocol):
    """What a user's own metric must have; it need not inherit from ``Metric``.

    name              how the history calls it
    higher_is_better  whether early stopping waits for a larger or a smaller value
    value             (target float32 (n,), raw float64 (n,) or (n, K), weight float32 (n,) or None)
    """

    @property
    def name(self) -> str: ...

    @property
    def higher_is_better(self) -> bool: ...

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float: ...


@dataclass(frozen=True)
class Metric(ABC):
    """A built-in metric.

    name  as the user wrote it: ``"Quantile:alpha=0.9"``
    link  maps raw scores to the response

    A class that is a metric by itself says more: ``understands``, the links of the losses whose
    models it can judge; ``purpose``, what it is for; ``other_names``, what other libraries call it.
    """

    name: str
    link: Response

    higher_is_better: ClassVar[bool] = False
    understands: ClassVar[frozenset[Link]]
    purpose: ClassVar[str]
    other_names: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        """The metric over all rows; a mean over no rows, or over no weight, is nan.

        target  float32 (n,): numbers, class codes 0..K-1, or probabilities (CrossEntropy)
        raw     float64 (n,), or (n, K) for K classes: scores before the link
        weight  float32 (n,) or None; a weight k counts like k copies of the row
        """


def weighted_mean(values: NDArray[np.float64], weight: Weight | None) -> float:
    """The mean of one number per row, with weights if there are any; overwrites ``values``.

    Sums by NumPy and not by BLAS: the same bits whatever the number of BLAS threads.
    """
    if weight is None:
        return float(values.mean()) if len(values) else float("nan")
    total = float(weight.sum(dtype=np.float64))
    if not total > 0:
        return float("nan")
    with np.errstate(over="ignore", invalid="ignore"):
        values *= weight
        weighted_sum = float(values.sum())
    if math.isnan(weighted_sum):  # 0 · inf: a weight of 0 is no row at all, whatever its value
        weighted_sum = float(values[weight != 0].sum())
    return weighted_sum / total


def one_output(raw: Raw, name: str) -> None:
    """Refuse raw scores of several classes."""
    if raw.ndim != 1:
        raise ParameterError(
            f"The metric {name} is for one output, but the model has {raw.shape[1]}; "
            "use MultiClass, Accuracy, AUC, F1, Precision, Recall or Brier for several classes."
        )


def check_metric(metric: object) -> MetricLike:
    """The same object, known to have what a metric needs; else an error that says what is missing.

    >>> check_metric(len)
    Traceback (most recent call last):
    ...
    ocelotboost.errors.ParameterError: The metric <built-in function len> has no attribute 'name' \
(its name, as text); a metric is an object with name, higher_is_better and value.
    """
    if isinstance(metric, type):
        raise ParameterError(
            f"The metric is the class {metric.__name__}; give an object: {metric.__name__}(...)."
        )
    for attribute, meaning in (
        ("name", "its name, as text"),
        ("higher_is_better", "True or False"),
        ("value", "a method (target, raw, weight) -> float"),
    ):
        if not hasattr(metric, attribute):
            raise ParameterError(
                f"The metric {metric!r} has no attribute {attribute!r} ({meaning}); a metric is "
                "an object with name, higher_is_better and value."
            )
    _check_attribute_types(cast(MetricLike, metric))
    return cast(MetricLike, metric)


def _check_attribute_types(metric: MetricLike) -> None:
    found: list[tuple[str, object, bool, str]] = [
        ("name", metric.name, isinstance(metric.name, str) and metric.name != "", "a text"),
        (
            "higher_is_better",
            metric.higher_is_better,
            isinstance(metric.higher_is_better, bool | np.bool_),
            "True or False",
        ),
        ("value", metric.value, callable(metric.value), "a method (target, raw, weight) -> float"),
    ]
    for attribute, value, fits, expected in found:
        if not fits:
            raise ParameterError(
                f"The metric {metric!r} has {attribute} = {value!r}, but it must be {expected}."
            )
