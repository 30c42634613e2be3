"""OcelotClassifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.choices import AutoClassWeights
from ocelotboost.estimator.class_target import ClassSettings
from ocelotboost.estimator.documentation import documented
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.estimator.hints import hint_in_constructor
from ocelotboost.estimator.parameters import (
    Rule,
    either,
    is_class_weights,
    nothing,
    one_of,
    parameter,
)
from ocelotboost.loss.base import CustomLoss, Floats
from ocelotboost.loss.links import exponential, log_of_one_plus, softmax


@documented
@hint_in_constructor
@dataclass(eq=False, repr=False, kw_only=True)
class OcelotClassifier(ClassifierMixin, OcelotEstimator):  # type: ignore[misc]
    """Gradient boosting of oblivious trees for classes.

    >>> import numpy as np
    >>> from ocelotboost import OcelotClassifier
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    >>> model = OcelotClassifier(iterations=100).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    class_weights: Mapping[Any, float] | Sequence[float] | NDArray[Any] | None = parameter(
        None,
        either(
            nothing(),
            Rule("a mapping from class to weight, or weights in class order", is_class_weights),
        ),
        "Multiplies the weight of the rows of each class.",
        aliases=("class_weight", "scale_pos_weight"),
    )
    auto_class_weights: AutoClassWeights | None = parameter(
        None,
        either(nothing(), one_of(AutoClassWeights)),
        "Weights that make all classes weigh the same, or the square root of those.",
        aliases=("class_weight", "is_unbalance"),
    )

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order of the columns of ``predict_proba``."""
        return _classes(self._require_fitted())

    def predict(self, X: Any, *, n_trees: int | None = None) -> NDArray[Any]:
        """The likeliest class by the first ``n_trees`` trees, or by all: (n,)."""
        fitted = self._require_fitted()
        return _labels(fitted, self._raw_by(fitted, X, n_trees))

    def predict_proba(self, X: Any, *, n_trees: int | None = None) -> Floats:
        """The probability of each class, in the order of ``classes_``: (n, n_classes)."""
        fitted = self._require_fitted()
        return _probabilities(fitted, self._raw_by(fitted, X, n_trees))

    def predict_log_proba(self, X: Any, *, n_trees: int | None = None) -> Floats:
        """Logarithms of the probabilities, also of those that are too small for a number."""
        fitted = self._require_fitted()
        return _log_probabilities(fitted, self._raw_by(fitted, X, n_trees))

    def decision_function(self, X: Any, *, n_trees: int | None = None) -> Floats:
        """The raw prediction: log-odds of the second class, or one number per class."""
        return self.predict_raw(X, n_trees=n_trees)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The likeliest class after each tree."""
        fitted = self._require_fitted()
        for raw in self._staged_raw_by(fitted, X):
            yield _labels(fitted, raw)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The probabilities after each tree."""
        fitted = self._require_fitted()
        for raw in self._staged_raw_by(fitted, X):
            yield _probabilities(fitted, raw)

    def _response(self, fitted: Fitted, raw: Floats) -> Floats:
        return _probabilities(fitted, raw)

    def _target_settings(self) -> ClassSettings:
        return ClassSettings(self.loss_function, self.class_weights, self.auto_class_weights)


def _classes(fitted: Fitted) -> NDArray[Any]:
    classes = fitted.model.classes
    assert classes is not None  # a classifier has them: model/trained.py
    return classes


def _labels(fitted: Fitted, raw: Floats) -> NDArray[Any]:
    codes = (raw[0] > 0).astype(np.intp) if len(raw) == 1 else raw.argmax(axis=0)
    labels: NDArray[Any] = _classes(fitted)[codes]
    return labels


def _probabilities(fitted: Fitted, raw: Floats) -> Floats:
    if len(raw) == 1:
        positive = fitted.loss.link(raw[0])
        return np.stack([1.0 - positive, positive], axis=1)
    return fitted.loss.link(raw).T


def _log_probabilities(fitted: Fitted, raw: Floats) -> Floats:
    if isinstance(fitted.loss, CustomLoss):
        with np.errstate(divide="ignore"):
            return np.log(_probabilities(fitted, raw))
    if len(raw) == 1:
        # log(1 + exp(-|x|)) is what both classes have in common.
        common = log_of_one_plus(exponential(-np.abs(raw[0])))
        return -np.stack(
            [common + np.maximum(raw[0], 0.0), common - np.minimum(raw[0], 0.0)], axis=1
        )
    return (raw - softmax(raw)[1]).T
