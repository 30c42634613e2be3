"""Metrics of classes: shares of rows put in the right class, and the Brier score.

Two classes: a row is put in class 1 when its log-odds are above 0. A target that is a probability
p counts as p rows of class 1 and 1 − p rows of class 0. K classes: the largest raw score wins, the
first of equal ones; F1, Precision and Recall are plain means over the classes that occur, among
the targets or among the predictions. A share of nothing (0 / 0) is 0, as in scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.links import LOGIT, SOFTMAX
from ocelotboost.metric.base import Metric, Raw, Target, Weight, weighted_mean

_CLASSES = frozenset({LOGIT, SOFTMAX})


@dataclass(frozen=True)
class _Counts:
    """Weight of rows by class, float64 (n_judged,): only class 1 of two, or each of K classes."""

    correct: NDArray[np.float64]  # of the class and put there
    predicted: NDArray[np.float64]  # put in the class
    actual: NDArray[np.float64]  # of the class


def _counts(target: Target, raw: Raw, weight: Weight | None) -> _Counts:
    count = _binary_counts if raw.ndim == 1 else _class_counts
    return count(target, raw, weight)


def _binary_counts(target: Target, raw: Raw, weight: Weight | None) -> _Counts:
    positive = raw > 0
    if weight is None:
        of_class_1 = target.astype(np.float64)
        predicted = float(np.count_nonzero(positive))
    else:
        of_class_1 = np.multiply(target, weight, dtype=np.float64)
        predicted = float(weight[positive].sum(dtype=np.float64))
    return _Counts(
        correct=np.array([of_class_1[positive].sum()]),
        predicted=np.array([predicted]),
        actual=np.array([of_class_1.sum()]),
    )


def _class_counts(target: Target, raw: Raw, weight: Weight | None) -> _Counts:
    n_classes = raw.shape[1]
    cells = target.astype(np.intp)
    cells *= n_classes
    cells += raw.argmax(axis=1)
    table = np.bincount(cells, weights=weight, minlength=n_classes**2).astype(np.float64)
    table = table.reshape(n_classes, n_classes)
    return _Counts(correct=table.diagonal(), predicted=table.sum(axis=0), actual=table.sum(axis=1))


def _mean_share(part: NDArray[np.float64], whole: NDArray[np.float64], counts: _Counts) -> float:
    """The mean of part / whole over the classes that occur."""
    share = np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
    occurs = (counts.actual > 0) | (counts.predicted > 0)
    return float(share[occurs].mean()) if occurs.any() else 0.0


@dataclass(frozen=True)
class Accuracy(Metric):
    """Share of rows put in the right class."""

    higher_is_better = True
    understands = _CLASSES
    purpose = "classes; the share of rows put in the right one"
    other_names = ("acc",)

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        if raw.ndim == 1:
            # |y − 1[raw <= 0]|: y where class 1 is predicted, 1 − y where class 0 is
            right = np.subtract(target, raw <= 0, dtype=np.float64)
            return weighted_mean(np.abs(right, out=right), weight)
        right = (raw.argmax(axis=1) == target).astype(np.float64)
        return weighted_mean(right, weight)


@dataclass(frozen=True)
class Precision(Metric):
    """Of the rows put in a class, the share that belongs there."""

    higher_is_better = True
    understands = _CLASSES
    purpose = "classes; of the second, or for more than two the plain mean over all"

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        counts = _counts(target, raw, weight)
        return _mean_share(counts.correct, counts.predicted, counts)


@dataclass(frozen=True)
class Recall(Metric):
    """Of the rows of a class, the share that was put there."""

    higher_is_better = True
    understands = _CLASSES
    purpose = "classes; of the second, or for more than two the plain mean over all"

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        counts = _counts(target, raw, weight)
        return _mean_share(counts.correct, counts.actual, counts)


@dataclass(frozen=True)
class F1(Metric):
    """Harmonic mean of precision and recall."""

    higher_is_better = True
    understands = _CLASSES
    purpose = "classes; of the second, or for more than two the plain mean over all"

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        counts = _counts(target, raw, weight)
        return _mean_share(2.0 * counts.correct, counts.predicted + counts.actual, counts)


@dataclass(frozen=True)
class Brier(Metric):
    """Mean squared distance of the probabilities from what was seen.

    Two classes: (p − y)² of class 1, between 0 and 1. K classes: summed over the classes, between
    0 and 2.
    """

    understands = _CLASSES
    purpose = "classes; the squared distance of the probabilities from what was seen"
    other_names = ("brier_score",)

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        probability = self.link(raw)
        if raw.ndim == 1:
            distances = np.subtract(probability, target, dtype=np.float64)
            return weighted_mean(np.square(distances, out=distances), weight)
        # Σ (p − onehot)² = Σ p² + 1 − 2·p[seen]
        distances = np.einsum("ij,ij->i", probability, probability)
        distances += 1.0 - 2.0 * probability[np.arange(len(raw)), target.astype(np.intp)]
        return weighted_mean(distances, weight)
