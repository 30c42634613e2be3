"""load_model: a saved model as an estimator."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import warnings
from collections.abc import Iterator
from os import PathLike
from typing import Any

from ocelotboost.errors import ModelFileError, ParameterError
from ocelotboost.estimator.classifier import OcelotClassifier
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.estimator.parameters import check_parameters
from ocelotboost.estimator.regressor import OcelotRegressor
from ocelotboost.loss.base import Loss
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES, loss_from
from ocelotboost.model.file import load_trained
from ocelotboost.model.file_arrays import RESTORE
from ocelotboost.model.plain_values import from_plain
from ocelotboost.model.trained import TrainedModel


def load_model(path: str | PathLike[str]) -> OcelotClassifier | OcelotRegressor:
    """Read a model written by ``save_model``: a fitted OcelotClassifier or OcelotRegressor."""
    return estimator_of(load_trained(path), repr(os.fsdecode(path)))


def estimator_of(model: TrainedModel, source: str) -> OcelotClassifier | OcelotRegressor:
    """A fitted estimator whose model this is; ``source`` is for messages."""
    kind = OcelotClassifier if model.kind == "classifier" else OcelotRegressor
    known = {
        declared.name: declared.default
        for declared in dataclasses.fields(kind)
        if not declared.metadata["runtime"]
    }
    given = {name: value for name, value in model.parameters.items() if name in known}
    with _problems_of(source):
        estimator = kind(**{n: _like(known[n], from_plain(value)) for n, value in given.items()})
        check_parameters(estimator)
        loss = _loss_of(model)
    estimator._fitted = Fitted.of(model, loss)
    return estimator


@contextlib.contextmanager
def _problems_of(source: str) -> Iterator[None]:
    """It was not the user who gave these parameters."""
    try:
        yield
    except (ParameterError, TypeError, ValueError) as problem:
        raise ModelFileError(f"Cannot load {source}: {problem} {RESTORE}") from problem


def _like(default: Any, value: Any) -> Any:
    """JSON has no tuples."""
    return tuple(value) if isinstance(default, tuple) and isinstance(value, list) else value


def _loss_of(model: TrainedModel) -> Loss:
    """The loss, for its link. A user's own loss is code, which no file holds: raw values stay."""
    if model.loss.startswith("custom:"):
        warnings.warn(
            f"The model was trained with your own loss {model.loss.removeprefix('custom:')!r}, "
            "which is code and not in the file: a link of its own is not applied, and predict "
            "gives raw predictions (predict_proba treats them as log-odds).",
            stacklevel=4,
        )
        fallback = "Logloss" if model.kind == "classifier" else "RMSE"
        return loss_from(fallback, (*CLASS_LOSSES, *REGRESSION_LOSSES))
    return loss_from(model.loss, (*CLASS_LOSSES, *REGRESSION_LOSSES), model.forest.n_outputs)
