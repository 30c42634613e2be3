"""OcelotClassifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.choices import AutoClassWeights
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
from ocelotboost.loss.base import CustomLoss, Floats, Loss, Targets
from ocelotboost.loss.registry import CLASS_LOSSES, loss_from
from ocelotboost.order.target import ClassTargets, TargetDefinition
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.table.roles import class_target, encode_labels


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

    _kind = "classifier"

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

    def _learn_target(self, y: Any, n_rows: int) -> Targets:
        self._labels_of_target, codes = class_target(y, n_rows)
        return codes.astype(np.float32)

    def _target_classes(self) -> NDArray[Any]:
        return self._labels_of_target

    def _encode_target(self, y: Any, n_rows: int, argument: str) -> Targets:
        codes = encode_labels(y, self._labels_of_target, n_rows=n_rows, argument=argument)
        return codes.astype(np.float32)

    def _define_statistics(
        self, target: Targets, weight: NDArray[np.float32] | None, categories: CategoricalData
    ) -> TargetDefinition:
        return ClassTargets(self._labels_of_target.tolist())

    def _loss(self) -> Loss:
        n_classes = len(self._labels_of_target)
        choice = self.loss_function
        if choice is None:
            choice = "Logloss" if n_classes == 2 else "MultiClass"
        loss = loss_from(choice, CLASS_LOSSES, n_classes)
        if loss.n_outputs == 1 and n_classes > 2:
            raise ParameterError(
                f"loss_function={choice!r} is for two classes and y has {n_classes}; "
                "use 'MultiClass'."
            )
        return loss

    def _with_class_weights(
        self, weight: NDArray[np.float32] | None, target: Targets
    ) -> NDArray[np.float32] | None:
        if self.class_weights is None and self.auto_class_weights is None:
            return weight
        if self.class_weights is not None and self.auto_class_weights is not None:
            raise ParameterError("Give class_weights or auto_class_weights, not both.")
        codes = target.astype(np.intp)
        if self.class_weights is not None:
            by_class = self._given_class_weights()
        else:
            totals = np.bincount(codes, weights=weight, minlength=len(self._labels_of_target))
            by_class = totals.max() / np.where(totals > 0, totals, totals.max())
            if self.auto_class_weights == "SqrtBalanced":
                by_class = np.sqrt(by_class)
        with np.errstate(over="ignore"):
            scaled = by_class.astype(np.float32)[codes] * (1 if weight is None else weight)
        if not (scaled.any() and np.isfinite(scaled).all()):
            raise ParameterError(
                f"class_weights={self.class_weights!r} leaves no row that counts, or makes a "
                "weight infinite; give weights above 0 that are not too large."
            )
        return scaled

    def _given_class_weights(self) -> NDArray[np.float64]:
        given = self.class_weights
        assert given is not None
        if isinstance(given, Mapping):
            known = self._labels_of_target.tolist()
            for label in given:
                if label not in known:
                    raise ParameterError(
                        f"class_weights has a weight for {label!r}, which is no class of y; the "
                        f"classes are {known}."
                    )
            return np.array([float(given.get(label, 1.0)) for label in known])
        n_classes = len(self._labels_of_target)
        if len(given) != n_classes:
            raise ParameterError(
                f"class_weights has {len(given)} weights, y has {n_classes} classes; give one for "
                "each, in the order of the sorted classes."
            )
        return np.asarray(given, dtype=np.float64)


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
        return np.stack([-np.logaddexp(0.0, raw[0]), -np.logaddexp(0.0, -raw[0])], axis=1)
    shifted: Floats = raw - raw.max(axis=0)
    shifted -= np.log(np.exp(shifted).sum(axis=0))
    return shifted.T
