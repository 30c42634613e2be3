"""Training on from a finished model, which must be about the same columns and target."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.target import Target
from ocelotboost.loss.registry import link_of
from ocelotboost.model.file import load_trained
from ocelotboost.model.trained import TrainedModel
from ocelotboost.table.columns import Table
from ocelotboost.table.roles import match_columns


def model_to_continue(init_model: Any) -> TrainedModel | None:
    """The model behind ``init_model``, a fitted estimator or a path; None: start from nothing."""
    if init_model is None:
        return None
    is_path = isinstance(init_model, str | PathLike)
    model = load_trained(init_model) if is_path else _fitted_model(init_model)
    if not isinstance(model, TrainedModel):
        raise InputError(_no_model(init_model))
    return model


def _fitted_model(init_model: Any) -> Any:
    try:
        return getattr(init_model, "model_", None)
    except NotFittedError:
        return None


def _no_model(init_model: Any) -> str:
    name = type(init_model).__name__
    if hasattr(init_model, "fit") and type(init_model).__module__.startswith("ocelotboost."):
        return f"init_model is an {name} that is not fitted yet: call its fit first."
    return (
        f"init_model is of type {name}; give a fitted OcelotClassifier or OcelotRegressor, or the "
        "path of a saved model."
    )


def check_continued(
    model: TrainedModel | None, table: Table, target: Target, nan_mode: str
) -> None:
    """Refuse a model of other columns, another target or another treatment of missing values."""
    if model is None:
        return
    _check_columns(model, table)
    _check_target(model, target)
    _check_missing(model, nan_mode)


def _check_columns(model: TrainedModel, table: Table) -> None:
    match_columns(table, model.feature_names, model.n_features, "init_model")
    categorical = np.flatnonzero(model.forest.categorical).tolist()
    if categorical != sorted(table.categories):
        raise InputError(
            f"init_model has categories in the columns {categorical}, X has them in "
            f"{sorted(table.categories)}; continue with cat_features={categorical} and the "
            "same types of columns."
        )


def _check_target(model: TrainedModel, target: Target) -> None:
    loss = target.loss
    if model.forest.n_outputs != loss.n_outputs or model.kind != target.kind:
        raise InputError(
            f"init_model is a {model.kind} with {model.forest.n_outputs} outputs; this data "
            f"needs a {target.kind} with {loss.n_outputs}. Continue with the same target."
        )
    before, now = link_of(model.loss), link_of(loss.name)
    if before is not None and now is not None and before != now:
        raise InputError(
            f"init_model was trained with {model.loss}, whose raw prediction is a "
            f"{before.raw_score}; that of {loss.name} is a {now.raw_score}. Continue with a loss "
            "of the same kind."
        )
    known, found = model.classes, target.classes
    if known is not None and found is not None and known.tolist() != found.tolist():
        raise InputError(
            f"init_model knows the classes {known.tolist()}, y has {found.tolist()}; continue "
            "with the same classes."
        )


def _check_missing(model: TrainedModel, nan_mode: str) -> None:
    high = nan_mode == "Max"
    if (model.forest.missing_high != high).any():
        side, other = ("below", "Min") if high else ("above", "Max")
        raise ParameterError(
            f"nan_mode={nan_mode!r}, but for init_model missing values are {side} all "
            f"numbers; continue with nan_mode={other!r}."
        )


def mode_of_continuing(boosting_type: str) -> str:
    """A model may know every row's target, and no segment could start without it."""
    if boosting_type == "Ordered":
        raise ParameterError(
            "boosting_type='Ordered' is not possible with init_model: its predictions may know the "
            "targets of these rows already, and no gradient would be that of a model which has not "
            "seen the row. Continue with boosting_type='auto' or 'Plain'."
        )
    return "Plain"
