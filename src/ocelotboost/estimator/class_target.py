"""Classes as a target: labels, their weights, and the loss for as many as there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.target import Weights
from ocelotboost.loss.base import Loss, Targets
from ocelotboost.loss.registry import CLASS_LOSSES, loss_from
from ocelotboost.order.target import CategoryTotals, ClassTargets, TargetDefinition
from ocelotboost.table.cache_directory import PROCESS_MEMORY, Memory
from ocelotboost.table.roles import class_target, encode_labels, row_weights


@dataclass(frozen=True)
class LearnedClasses:
    """Codes of classes (estimator/target.py)."""

    values: Targets
    weight: Weights
    loss: Loss
    classes: NDArray[Any]

    kind = "classifier"
    centre = 0.0

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def encode(self, y: Any, n_rows: int, argument: str) -> Targets:
        codes = encode_labels(y, self.classes, n_rows=n_rows, argument=argument)
        return codes.astype(np.float32)

    def define_statistics(
        self, target: Targets, weight: Weights, categories: CategoryTotals
    ) -> TargetDefinition:
        return ClassTargets(self.classes.tolist())


@dataclass(frozen=True)
class ClassSettings:
    """The user's choices, as they were given."""

    loss_function: Any
    class_weights: Any
    auto_class_weights: str | None

    def learn(
        self, y: Any, sample_weight: Any, n_rows: int, memory: Memory = PROCESS_MEMORY
    ) -> LearnedClasses:
        classes, codes = class_target(y, n_rows)
        values = codes.astype(np.float32)
        weight = self._with_class_weights(row_weights(sample_weight, n_rows), codes, classes)
        loss = self._loss(len(classes))
        loss.check_target(values)
        return LearnedClasses(memory.keep(values), weight, loss, classes)

    def _loss(self, n_classes: int) -> Loss:
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
        self, weight: Weights, codes: NDArray[Any], classes: NDArray[Any]
    ) -> Weights:
        if self.class_weights is None and self.auto_class_weights is None:
            return weight
        if self.class_weights is not None and self.auto_class_weights is not None:
            raise ParameterError("Give class_weights or auto_class_weights, not both.")
        if self.class_weights is not None:
            by_class = _in_class_order(self.class_weights, classes.tolist())
        else:
            totals = np.bincount(codes, weights=weight, minlength=len(classes))
            by_class = totals.max() / np.where(totals > 0, totals, totals.max())
            if self.auto_class_weights == "SqrtBalanced":
                by_class = np.sqrt(by_class)
        with np.errstate(over="ignore"):
            scaled: NDArray[np.float32] = by_class.astype(np.float32)[codes]
            if weight is not None:
                scaled = scaled * weight
        if not (scaled.any() and np.isfinite(scaled).all()):
            raise ParameterError(
                f"class_weights={self.class_weights!r} gives every row a weight of zero, "
                "or some row an infinite one; give weights above 0 that are not too large."
            )
        return scaled


def _in_class_order(given: Any, classes: list[Any]) -> NDArray[np.float64]:
    """``class_weights`` as numbers (n_classes,)."""
    if isinstance(given, Mapping):
        for label in given:
            if label not in classes:
                raise ParameterError(
                    f"class_weights has a weight for {label!r}, which is not a class of y; the "
                    f"classes are {classes}."
                )
        return np.array([float(given.get(label, 1.0)) for label in classes])
    if len(given) != len(classes):
        raise ParameterError(
            f"class_weights has {len(given)} weights, y has {len(classes)} classes; give one for "
            "each, in the order of the sorted classes."
        )
    return np.asarray(given, dtype=np.float64)
