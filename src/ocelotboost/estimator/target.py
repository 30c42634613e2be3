"""The target that is being learned: what classes and numbers have in common."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.base import Loss, Targets
from ocelotboost.order.target import StatisticTarget
from ocelotboost.table.cache_directory import PROCESS_MEMORY, Memory

Weights = NDArray[np.float32] | None


class Target(StatisticTarget, Protocol):
    """A target, its loss, and what follows from it for other rows."""

    @property
    def kind(self) -> str:
        """Of the model: "classifier" or "regressor"."""
        ...

    @property
    def values(self) -> Targets:
        """float32 (n,) as the loss takes them."""
        ...

    @property
    def weight(self) -> Weights:
        """float32 (n,), weights of classes included; None when all weigh 1."""
        ...

    @property
    def loss(self) -> Loss: ...

    @property
    def classes(self) -> NDArray[Any] | None:
        """(n_classes,) labels in ascending order; None for a number."""
        ...

    @property
    def centre(self) -> float:
        """What was subtracted from the user's target."""
        ...

    def encode(self, y: Any, n_rows: int, argument: str) -> Targets:
        """The target of other rows; ``argument`` is what errors call it."""
        ...


class TargetSettings(Protocol):
    """What the user decides about the target."""

    def learn(
        self, y: Any, sample_weight: Any, n_rows: int, memory: Memory = PROCESS_MEMORY
    ) -> Target:
        """The target of the training rows; ``memory`` is where it goes."""
        ...
