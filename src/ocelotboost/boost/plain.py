"""Plain mode: models whose gradients every row's own target has entered.

Target statistics put a row into different leaves in different orderings. So each ordering has a
model of its own: M₀, whose trees are the result, and the supporting models M₁ … M_s, whose
gradients choose the trees' structures, and which take one step per tree. Without categories all
of them are equal, and M₀ is enough.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ocelotboost.boost.models import Added
from ocelotboost.boost.shards import FilledRows, Shards, ask, assign_leaves, tell
from ocelotboost.boost.tree import rounded
from ocelotboost.leaves.estimate import LeafSettings, estimate_leaves
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.loss.passes import Pass
from ocelotboost.order.feature import Split


class PlainModel:
    """One M_r, whose number is r."""

    def __init__(
        self,
        shards: Shards,
        number: int,
        loss: Loss,
        loss_pass: Pass,
        total_weight: float,
    ) -> None:
        self._shards = shards
        self._number = number
        self._loss = loss
        self._pass = loss_pass
        self._total_weight = total_weight
        tell(shards, lambda shard: shard.start_plain(number))

    @property
    def raw(self) -> Floats:
        """(n_outputs, n) of all rows."""
        parts = ask(self._shards, lambda shard: shard.raw_of(self._number))
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    @property
    def loss(self) -> float:
        """Mean training loss at ``raw``."""
        total = sum(ask(self._shards, lambda shard: shard.losses(self._number)))
        return self._loss.report(total / self._total_weight)

    def fill_leaves(
        self, n_leaves: int, learning_rate: float, settings: LeafSettings
    ) -> tuple[Floats, Floats]:
        """Values (n_leaves, n_outputs) of the leaves that the rows are in, learning rate included,
        and weights (n_leaves,); the values are added to the rows' predictions."""
        number = self._number
        rows = FilledRows(
            self._shards,
            self._loss.n_outputs,
            lambda shard, steps, with_losses: shard.leaf_sums(number, steps, with_losses),
            lambda shard, n_leaves, settings: shard.leaf_values(number, n_leaves, settings),
            lambda shard: shard.in_leaves(number),
        )
        values, weights = estimate_leaves(self._pass, rows, n_leaves, settings)
        values = rounded(learning_rate * values)
        self.add(values)
        return values, weights

    def add(self, values: Floats) -> None:
        """Add the values (n_leaves, n_outputs) of their leaves to the rows' predictions."""
        tell(self._shards, lambda shard: shard.add(self._number, values))


class PlainModels:
    """M₀ and the supporting models, in the order of their orderings."""

    def __init__(
        self,
        shards: Shards,
        loss: Loss,
        loss_pass: Pass,
        total_weight: float,
        n_orderings: int,
        settings: LeafSettings,
        supporting_rate: float = 1.0,
    ) -> None:
        """``n_orderings``: of statistics, 1 where there are none. ``supporting_rate``: the share of
        the learning rate that supporting models take."""
        self._shards = shards
        self._supporting_rate = supporting_rate
        self._settings = settings
        self._models = [
            PlainModel(shards, r, loss, loss_pass, total_weight) for r in range(n_orderings)
        ]

    @property
    def main(self) -> PlainModel:
        """M₀."""
        return self._models[0]

    @property
    def orderings(self) -> list[int]:
        """Those that choose trees: 1 … s, or σ₀ where it is all there is."""
        return list(range(1, len(self._models))) or [0]

    def add_tree(self, splits: Sequence[Split], learning_rate: float) -> Added:
        """Every model fills the leaves of the structure by its own statistics and gradients."""
        moves = []
        # M₀ comes last: its values are the result.
        for ordering in reversed(range(len(self._models))):
            assign_leaves(self._shards, splits, ordering)
            rate, settings = learning_rate, self._settings
            if ordering > 0:
                rate, settings = rate * self._supporting_rate, settings.of_supporting
            values, weights = self._models[ordering].fill_leaves(1 << len(splits), rate, settings)
            moves.append(values)
        return Added(values, weights, moves)

    def repeat_tree(self, splits: Sequence[Split], moves: Sequence[Floats]) -> None:
        for ordering, values in zip(reversed(range(len(self._models))), moves, strict=True):
            assign_leaves(self._shards, splits, ordering)
            self._models[ordering].add(values)

    def unseen(self) -> None:
        """Every model has seen every row."""
        return None

    def raw_restored(self) -> None:
        tell(self._shards, lambda shard: shard.raw_restored([0]))
