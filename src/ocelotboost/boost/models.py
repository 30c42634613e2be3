"""What the loop asks of the models of either mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.base import Floats, Targets
from ocelotboost.order.feature import Split


@dataclass(frozen=True)
class UnseenRows:
    """Rows at the models that have not seen them: raw predictions (n_outputs, n)."""

    target: Targets
    weight: NDArray[np.float32] | None
    raw: Floats


@dataclass(frozen=True)
class Unseen:
    """Training rows at models that have not seen them: their mean loss, and the rows of every
    ordering."""

    loss: float
    rows: Iterable[UnseenRows]


class Added(NamedTuple):
    """A tree that was added to all models.

    values   (n_leaves, n_outputs) those of M₀
    weights  (n_leaves,) those of M₀
    moves    what each model added, in the order of adding: (n_leaves, n_outputs), or one such for
             each of its segments
    """

    values: Floats
    weights: Floats
    moves: list[Floats]


class MainModel(Protocol):
    """M₀ as metrics see it."""

    @property
    def raw(self) -> Floats:
        """(n_outputs, n) of all rows."""
        ...

    @property
    def loss(self) -> float:
        """Mean training loss at ``raw``."""
        ...


class Models(Protocol):
    """M₀ and the models that support it."""

    @property
    def main(self) -> MainModel:
        """M₀."""
        ...

    @property
    def orderings(self) -> list[int]:
        """Those that choose trees."""
        ...

    def add_tree(self, splits: Sequence[Split], learning_rate: float) -> Added:
        """Every model fills the leaves of the structure by its own statistics and gradients."""
        ...

    def repeat_tree(self, splits: Sequence[Split], moves: Sequence[Floats]) -> None:
        """Add a tree again, with the leaf values that it had."""
        ...

    def unseen(self) -> Unseen | None:
        """None in a mode where every model has seen every row."""
        ...

    def raw_restored(self) -> None:
        """The raw predictions were replaced by those after some tree. What follows from them is
        made as the tree had left it."""
        ...
