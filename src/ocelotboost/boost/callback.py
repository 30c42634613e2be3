"""What users can hook into the training loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ocelotboost.errors import ParameterError

History = dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class IterationInfo:
    """Where training is.

    iteration   number of the tree that comes next, or that was just made; 0 is the first
    iterations  the most there will be
    history     metric values so far: history["learn"]["RMSE"][-1]
    seconds     since training began
    """

    iteration: int
    iterations: int
    history: History
    seconds: float


class Callback(Protocol):
    """Either method may be left out. Training stops when one returns True."""

    def before_iteration(self, info: IterationInfo) -> bool | None: ...

    def after_iteration(self, info: IterationInfo) -> bool | None: ...


def check_callbacks(callbacks: Any) -> list[Any]:
    """The callbacks as a list; an object without either method is refused."""
    if callbacks is None:
        return []
    found = list(callbacks) if isinstance(callbacks, list | tuple) else [callbacks]
    for callback in found:
        if not (hasattr(callback, "before_iteration") or hasattr(callback, "after_iteration")):
            raise ParameterError(
                f"callbacks: {callback!r} has neither before_iteration nor after_iteration; give "
                "objects with at least one of these methods."
            )
    return found


def call(callbacks: list[Any], method: str, info: IterationInfo) -> bool:
    """Call ``method`` of every callback that has it; whether any asked to stop."""
    answers = [getattr(c, method)(info) for c in callbacks if hasattr(c, method)]
    return any(answer is True for answer in answers)
