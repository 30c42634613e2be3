"""From the name a user writes to the loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ocelotboost.loss.base import CustomLoss, Loss
from ocelotboost.loss.multiclass import MultiClass
from ocelotboost.loss.names import (
    HUBER_DELTA,
    QUANTILE_ALPHA,
    TWEEDIE_VARIANCE_POWER,
    NumberParameter,
    fill_parameters,
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
        return CustomLoss(choice)
    name, given = parse_name(choice)
    if name not in allowed:
        raise unknown_name("loss", name, allowed)
    if name == "MultiClass":
        fill_parameters(name, given, ())
        return MultiClass(n_classes)
    make, declared = _LOSSES[name]
    return make(**fill_parameters(name, given, declared))
