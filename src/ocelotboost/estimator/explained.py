"""What the methods that explain a model need of their arguments: classes, thresholds, targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.explain import importances
from ocelotboost.explain.explanation import Explanation
from ocelotboost.model.trained import TrainedModel
from ocelotboost.table.roles import encode_labels, regression_target


def crossing(model: TrainedModel, threshold: float | None, output: Any) -> tuple[int, float]:
    """Which output is meant, and the threshold."""
    if model.classes is None:
        if threshold is None:
            raise ParameterError("threshold is missing: give the prediction to cross.")
        return 0, float(threshold)
    place, n_outputs = _class_place(model, output), model.forest.n_outputs
    limit = 0.5 if threshold is None else float(threshold)
    if not 0 < limit < 1:
        raise ParameterError(
            f"threshold={threshold!r} is not a probability; give one inside (0, 1)."
        )
    if n_outputs == 1 and place == 0:
        raise ParameterError(
            f"output={output!r} is the first of two classes; give the second, or leave it out."
        )
    return (0 if n_outputs == 1 else place), limit


def _class_place(model: TrainedModel, output: Any) -> int:
    """Number of a class by its label; the second of two by default."""
    assert model.classes is not None  # asked of classifiers alone
    labels = [str(label) for label in model.classes.tolist()]
    if output is None and len(labels) == 2:
        return 1
    if str(output) not in labels:
        raise ParameterError(f"output={output!r} is not a class; give one of {labels}.")
    return labels.index(str(output))


def numeric_target(
    model: TrainedModel, y: Any, n_rows: int, output: Any
) -> tuple[str, int, NDArray[np.float64]]:
    """What is averaged: in words, its number among the outputs, and one number per row."""
    if model.classes is None:
        return "mean target", 0, regression_target(y, n_rows).astype(np.float64)
    code = _class_place(model, output)
    codes = encode_labels(y, model.classes, n_rows=n_rows, argument="y")
    label = model.classes.tolist()[code]
    return f"share of class {label!r}", code, (codes == code).astype(np.float64)


def check_kind(kind: Any, X: Any, y: Any) -> None:
    if kind not in importances.KINDS:
        raise ParameterError(
            f"kind={kind!r} is not possible; give one of {list(importances.KINDS)}."
        )
    if kind in importances.NEEDS_ROWS and X is None:
        raise InputError(
            f"X is missing: importances(kind={kind!r}) are means over rows, so pass some of them."
        )
    if kind in importances.NEEDS_TARGET and y is None:
        raise InputError(
            f"y is missing: importances(kind={kind!r}) compare losses, so pass the target of X."
        )


def joined(parts: list[Explanation]) -> Explanation:
    """Explanations of one batch of rows after the other."""
    first = parts[0]
    shown = [part.data for part in parts if part.data is not None]
    return Explanation(
        values=np.concatenate([part.values for part in parts]),
        base_values=np.concatenate([part.base_values for part in parts]),
        data=np.concatenate(shown) if shown else None,
        feature_names=first.feature_names,
        output_names=first.output_names,
    )
