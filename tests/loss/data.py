"""Every loss of the library, with parameters and data that suit it, from its declaration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ocelotboost.loss.links import IDENTITY, LOG, LOGIT, SOFTMAX
from ocelotboost.loss.registry import LOSSES
from tests.data import amounts, binary, multiclass, regression, shares

N_CLASSES = 3


def loss_of(name: str) -> Any:
    """The loss, its parameters somewhere inside their ranges."""
    given = {p.name: p.low + 0.4 for p in LOSSES[name].parameters()}
    return LOSSES[name].of(given, N_CLASSES)


def data_of(name: str, kind: str) -> Callable[[int], tuple[Any, Any]]:
    """Makes a table and a target of the given number of rows for a kind of estimator."""
    if kind == "classifier":
        return multiclass if LOSSES[name].link is SOFTMAX else binary
    return {IDENTITY: regression, LOG: amounts, LOGIT: shares}[LOSSES[name].link]
