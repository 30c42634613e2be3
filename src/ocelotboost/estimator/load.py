"""load_model: a saved model as an estimator."""

from __future__ import annotations

import dataclasses
import warnings
from os import PathLike
from typing import Any

from ocelotboost.estimator.classifier import OcelotClassifier
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.estimator.regressor import OcelotRegressor
from ocelotboost.loss.base import Loss
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES, loss_from
from ocelotboost.model.file import load_trained
from ocelotboost.model.plain_values import from_plain
from ocelotboost.model.trained import TrainedModel


def load_model(path: str | PathLike[str]) -> OcelotClassifier | OcelotRegressor:
    """Read a model written by ``save_model``: a fitted OcelotClassifier or OcelotRegressor."""
    model = load_trained(path)
    kind = OcelotClassifier if model.kind == "classifier" else OcelotRegressor
    known = {
        declared.name: declared.default
        for declared in dataclasses.fields(kind)
        if not declared.metadata["runtime"]
    }
    parameters = {name: from_plain(v) for name, v in model.parameters.items() if name in known}
    estimator = kind(**{name: _like(known[name], v) for name, v in parameters.items()})
    estimator._fitted = Fitted.of(model, _loss_of(model))
    return estimator


def _like(default: Any, value: Any) -> Any:
    """JSON has no tuples."""
    return tuple(value) if isinstance(default, tuple) and isinstance(value, list) else value


def _loss_of(model: TrainedModel) -> Loss:
    """The loss, for its link. A user's own loss is code, which no file holds: raw values stay."""
    if model.loss.startswith("custom:"):
        warnings.warn(
            f"The model was trained with your own loss {model.loss.removeprefix('custom:')!r}, "
            "which is code and not in the file: a link of its own is not applied, and predict "
            "gives raw predictions (predict_proba takes them for log-odds).",
            stacklevel=3,
        )
        fallback = "Logloss" if model.kind == "classifier" else "RMSE"
        return loss_from(fallback, (*CLASS_LOSSES, *REGRESSION_LOSSES))
    return loss_from(model.loss, (*CLASS_LOSSES, *REGRESSION_LOSSES), model.forest.n_outputs)
