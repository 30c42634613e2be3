"""From the name a user writes to the loss."""

from __future__ import annotations

from typing import Any

from ocelotboost.errors import ParameterError
from ocelotboost.loss import multiclass, pointwise
from ocelotboost.loss.base import CustomLoss, Loss
from ocelotboost.loss.declared import DeclaredLoss
from ocelotboost.loss.links import Link
from ocelotboost.loss.names import meant_by, parse_name, unknown_name

#: All losses by name, in the order of their declaration, whichever module was imported first.
LOSSES: dict[str, type[DeclaredLoss]] = {
    name: loss
    for module in (pointwise, multiclass)
    for name, loss in DeclaredLoss.declared.items()
    if loss.__module__ == module.__name__
}
OTHER_NAMES = {name: loss.other_names for name, loss in LOSSES.items()}


def _of(kind: str) -> tuple[str, ...]:
    return tuple(name for name, loss in LOSSES.items() if kind in loss.estimators)


REGRESSION_LOSSES = _of("regressor")
CLASS_LOSSES = _of("classifier")


def loss_from(choice: Any, allowed: tuple[str, ...], n_classes: int = 1) -> Loss:
    """The loss of that name (one of ``allowed``), or a user's own object.

    >>> loss_from("Quantile:alpha=0.9", REGRESSION_LOSSES).name
    'Quantile:alpha=0.9'
    """
    if not isinstance(choice, str):
        return CustomLoss(choice, of_classes=allowed is CLASS_LOSSES)
    if meant_by(choice, OTHER_NAMES) is not None:
        raise _no_such_loss(choice, allowed)
    name, given = parse_name(choice)
    if name not in allowed:
        raise _no_such_loss(name, allowed)
    return LOSSES[name].of(given, n_classes)


def link_of(loss: str) -> Link | None:
    """The link of the loss that a model was trained with; None for a user's own."""
    name = loss.partition(":")[0]
    return LOSSES[name].link if name in LOSSES else None


def _no_such_loss(name: str, allowed: tuple[str, ...]) -> ParameterError:
    meant = meant_by(name, OTHER_NAMES)
    for estimator, losses in (
        ("OcelotClassifier", CLASS_LOSSES),
        ("OcelotRegressor", REGRESSION_LOSSES),
    ):
        loss = meant or name
        if loss in losses and loss not in allowed:
            return ParameterError(
                f"loss_function={name!r}: {loss} is for {estimator}. Use that estimator, or one "
                f"of {', '.join(allowed)}."
            )
    return unknown_name("loss", name, allowed, meant)
