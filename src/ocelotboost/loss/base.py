"""What a loss is: its value and derivatives, its link, where it starts and how it fills leaves.

A raw prediction is the sum that the trees build; the link turns it into what a user asked for
(a mean, a probability). Losses here are written in NumPy and for one row of weight 1; ``passes``
runs them over all rows, natively where C++ has the same formula.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError, ParameterError
from ocelotboost.kernels.contract import LossKind
from ocelotboost.loss.links import IDENTITY, LOGIT, Link

Floats = NDArray[np.float64]
Targets = NDArray[np.float32]


@dataclass(frozen=True)
class LeafRule:
    """How leaf values are found: 'Newton', 'Gradient' or 'Exact', and in how many steps."""

    method: str
    iterations: int


@dataclass(frozen=True)
class NativeLoss:
    """The loss's number and parameter in C++."""

    kind: LossKind
    parameter: float = 0.0


class Loss(ABC):
    """A loss of one output. ``target`` and ``raw`` are (n,); everything returned is too."""

    link: Link
    n_outputs: int = 1
    leaf_rule: LeafRule = LeafRule("Newton", 1)
    #: The loss depends on target - raw alone.
    moves_with_target: bool = False

    @property
    @abstractmethod
    def name(self) -> str:
        """As a user writes it."""

    @property
    def native(self) -> NativeLoss | None:
        """Which loss of C++ it is; None: NumPy alone has it."""
        return None

    @abstractmethod
    def value(self, target: Targets, raw: Floats) -> Floats:
        """The loss of each row."""

    @abstractmethod
    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        """First and second derivative of the loss by the raw prediction, row by row."""

    def start_value(self, target: Targets, weight: NDArray[np.float32] | None) -> Floats:
        """The raw prediction before the first tree: (n_outputs,)."""
        return np.zeros(self.n_outputs)

    def report(self, mean_loss: float) -> float:
        """The figure shown to people, from the mean of ``value``."""
        return mean_loss

    def check_target(self, target: Targets) -> None:  # noqa: B027 (most losses take any target)
        """Raise InputError when the loss is not defined for such a target."""


class LossLike(Protocol):
    """What a user's own loss must have; ``CustomLoss`` tells what else it may have."""

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]: ...


class CustomLoss(Loss):
    """A user's own loss: any object with ``derivatives(target, raw)``.

    Optional on the object: ``name``, ``value(target, raw)`` (rows' losses, for the history and for
    halving steps), ``start_value(target, weight)``, ``link(raw)``. Without a link the raw
    prediction is the response in regression, and the log-odds of the second class in
    classification.
    """

    def __init__(self, user: Any, *, of_classes: bool = False) -> None:
        if isinstance(user, type):
            raise ParameterError(
                f"loss_function is the class {user.__name__}; give an object: {user.__name__}()."
            )
        if not callable(getattr(user, "derivatives", None)):
            raise ParameterError(
                f"loss_function={user!r} has no method derivatives(target, raw) that returns the "
                "first and second derivatives; give a loss name or such an object."
            )
        self.user = user
        self._of_classes = of_classes
        self.link = LOGIT if of_classes else IDENTITY
        if callable(getattr(user, "link", None)):
            self.link = Link("user's own", "raw prediction", "link(raw)", self._response)
        self.has_value = callable(getattr(user, "value", None))

    @property
    def name(self) -> str:
        return str(getattr(self.user, "name", type(self.user).__name__))

    def value(self, target: Targets, raw: Floats) -> Floats:
        if not self.has_value:
            return np.full(len(target), np.nan)
        return self._checked("value", self.user.value(target, raw), target, raw)

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        found = self.user.derivatives(target, raw)
        if not (isinstance(found, tuple) and len(found) == 2):
            raise InputError(
                f"derivatives of loss {self.name} must return two arrays, not "
                f"{type(found).__name__}."
            )
        first, second = found
        return (
            self._checked("first derivative", first, target, raw),
            self._checked("second derivative", second, target, raw),
        )

    def start_value(self, target: Targets, weight: NDArray[np.float32] | None) -> Floats:
        if callable(getattr(self.user, "start_value", None)):
            return np.array([float(self.user.start_value(target, weight))])
        return np.zeros(1)

    def _response(self, raw: Floats) -> Floats:
        response = np.asarray(self.user.link(raw), dtype=np.float64)
        if self._of_classes and not ((response >= 0) & (response <= 1)).all():
            wrong = response[~((response >= 0) & (response <= 1))].flat[0]
            raise InputError(
                f"The link of loss {self.name} gives {wrong:g}, which is not a probability; return "
                "numbers from 0 to 1, or leave link out: the logistic function is used then."
            )
        return response

    def _checked(self, what: str, found: Any, target: Targets, raw: Floats) -> Floats:
        array = np.asarray(found, dtype=np.float64)
        if array.shape != target.shape:
            raise InputError(
                f"The {what} of loss {self.name} has shape {array.shape}, but it was asked about "
                f"{len(target)} rows: return an array of shape {target.shape}, one number for each "
                "element of target. (A loss is asked about some of the rows at a time.)"
            )
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array))[0])
            raise InputError(
                f"The {what} of loss {self.name} is {array[row]} for a row with target "
                f"{target[row]} and raw prediction {raw[row]}; it must be finite."
            )
        return array


def weighted_mean(target: Targets, weight: NDArray[np.float32] | None) -> float:
    """Mean of the target in double precision."""
    return float(np.average(target.astype(np.float64), weights=weight))


def weighted_quantile(
    values: NDArray[Any], alpha: float, weight: NDArray[np.float32] | None
) -> float:
    """The smallest value at which the weight up to and including it reaches alpha of the whole."""
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(np.ones(len(values)) if weight is None else weight[order].astype(np.float64))
    position = int(np.searchsorted(mass, alpha * mass[-1] * (1 - 1e-12), side="left"))
    return float(values[order[min(position, len(values) - 1)]])
