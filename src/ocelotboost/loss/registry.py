"""From the name a user writes to the loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ocelotboost.errors import ParameterError
from ocelotboost.loss.base import CustomLoss, Loss
from ocelotboost.loss.multiclass import MultiClass
from ocelotboost.loss.names import (
    HUBER_DELTA,
    QUANTILE_ALPHA,
    TWEEDIE_VARIANCE_POWER,
    NumberParameter,
    fill_parameters,
    meant_by,
    parse_name,
    unknown_name,
)
from ocelotboost.loss.pointwise import (
    MAE,
    RMSE,
    CrossEntropy,
    Gamma,
    Huber,
    Logloss,
    Poisson,
    Quantile,
    Tweedie,
)

_LOSSES: dict[str, tuple[Callable[..., Loss], tuple[NumberParameter, ...]]] = {
    "RMSE": (RMSE, ()),
    "MAE": (MAE, ()),
    "Quantile": (Quantile, (QUANTILE_ALPHA,)),
    "Huber": (Huber, (HUBER_DELTA,)),
    "Poisson": (Poisson, ()),
    "Tweedie": (Tweedie, (TWEEDIE_VARIANCE_POWER,)),
    "Gamma": (Gamma, ()),
    "Logloss": (Logloss, ()),
    "CrossEntropy": (CrossEntropy, ()),
}

REGRESSION_LOSSES = ("RMSE", "MAE", "Quantile", "Huber", "Poisson", "Tweedie", "Gamma",
                     "CrossEntropy")  # fmt: skip
BINARY_LOSSES = ("Logloss", "CrossEntropy")
CLASS_LOSSES = (*BINARY_LOSSES, "MultiClass")


def loss_from(choice: Any, allowed: tuple[str, ...], n_classes: int = 0) -> Loss:
    """The loss of that name (one of ``allowed``), or a user's own object.

    >>> loss_from("Quantile:alpha=0.9", REGRESSION_LOSSES).name
    'Quantile:alpha=0.9'
    """
    if not isinstance(choice, str):
        return CustomLoss(choice, of_classes=allowed is CLASS_LOSSES)
    if meant_by(choice) is not None:
        raise _no_such_loss(choice, allowed)
    name, given = parse_name(choice)
    if name not in allowed:
        raise _no_such_loss(name, allowed)
    if name == "MultiClass":
        fill_parameters(name, given, ())
        return MultiClass(n_classes)
    make, declared = _LOSSES[name]
    return make(**fill_parameters(name, given, declared))


def _no_such_loss(name: str, allowed: tuple[str, ...]) -> ParameterError:
    meant = meant_by(name) or name
    for estimator, losses in (
        ("OcelotClassifier", CLASS_LOSSES),
        ("OcelotRegressor", REGRESSION_LOSSES),
    ):
        if meant in losses and meant not in allowed:
            return ParameterError(
                f"loss_function={name!r}: {meant} is for {estimator}. Use that estimator, or one "
                f"of {', '.join(allowed)}."
            )
    return unknown_name("loss", name, allowed)
