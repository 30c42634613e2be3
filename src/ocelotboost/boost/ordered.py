"""Ordered mode: gradients that no row's own target has entered.

Each ordering σ_r is cut into segments (order/segments.py). The supporting model M_{r,j} learns from
the body of segment j and is kept for the rows of body and tail. The gradient of a row is taken at
the model whose tail it is in, which has seen earlier rows alone. A tree's structure is chosen by
how well the values that the body gives to leaves point along the gradients of the tail.

Supporting models take one step per tree: leaf means, as in the paper, or Newton's. M₀, which is the
result, learns from all rows as in Plain mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.models import Added, Unseen, UnseenRows
from ocelotboost.boost.plain import PlainModel
from ocelotboost.boost.shard import EraRows
from ocelotboost.boost.shards import FilledRows, Shards, ask, assign_leaves, tell
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.leaves.estimate import LeafSettings, estimate_leaves
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.loss.passes import NativePass, Pass
from ocelotboost.order.feature import Split
from ocelotboost.order.parcels import sum_in_order
from ocelotboost.order.segments import Segments


class OrderedModel:
    """M_{r,1}, M_{r,2} … of the ordering r, whose number is r."""

    def __init__(
        self,
        shards: Shards,
        number: int,
        training: TrainingSet,
        loss: Loss,
        loss_pass: Pass,
        ordering: NDArray[np.uint32],
        segments: Segments,
        body_gradients: str,
    ) -> None:
        """``body_gradients``: a body's are taken at its "segment"'s model, as in the paper, or at
        each row's "own". Every segment starts from the targets of its own body."""
        self._shards = shards
        self._number = number
        self._n_outputs = loss.n_outputs
        self._n_segments = segments.n_segments
        self._pass = loss_pass
        target, weight = training.target, training.weight
        rows = segments.rows_by_era(ordering)
        bodies = [rows[segments.body(j)] for j in range(segments.n_segments)]
        start_values = [
            loss.start_value(target[body], None if weight is None else weight[body])
            for body in bodies
        ]
        tails = rows[segments.edges[0] :]
        self.unseen_weight = (
            float(len(tails)) if weight is None else float(weight[tails].sum(dtype=np.float64))
        )
        n_slots = segments.n_segments if body_gradients == "segment" else 1
        of_parcels = []
        for places in training.parcels.slices:
            inside, eras = segments.eras_of(rows, places)
            of_parcels.append(EraRows(inside - np.uint32(places.start), eras))
        shards.tell_each(
            lambda shard, own: shard.start_ordered(number, own, start_values, n_slots),
            [of_parcels[first:end] for first, end in pairwise(shards.cuts)],
        )

    @property
    def unseen_loss(self) -> float:
        return sum(ask(self._shards, lambda shard: shard.unseen_losses(self._number)))

    @property
    def unseen(self) -> UnseenRows:
        """The rows of all tails."""
        parts = ask(self._shards, lambda shard: shard.unseen(self._number))
        if len(parts) == 1:
            return parts[0]
        weights = [part.weight for part in parts if part.weight is not None]
        return UnseenRows(
            np.concatenate([part.target for part in parts]),
            np.concatenate(weights) if weights else None,
            np.concatenate([part.raw for part in parts], axis=1),
        )

    def fill_leaves(self, n_leaves: int, learning_rate: float, settings: LeafSettings) -> Floats:
        """Every segment's model takes one step with the leaf values of its own body: (n_segments,
        n_leaves, n_outputs)."""
        number = self._number
        if isinstance(self._pass, NativePass) and settings.rule.method != "Exact":
            parts = ask(self._shards, lambda shard: shard.body_sums(number, n_leaves))
            steps = learning_rate * settings.step_of(sum_in_order(parts))[:, :, np.newaxis]
        else:
            n_all = self._n_segments * n_leaves
            bodies = self._bodies(n_leaves)
            values, _ = estimate_leaves(self._pass, bodies, n_all, settings.of_supporting)
            steps = learning_rate * values.reshape(self._n_segments, n_leaves, -1)
        self.add(steps)
        return steps

    def add(self, values: Floats) -> None:
        """Add the values (n_segments, n_leaves, n_outputs) to the predictions of the segments."""
        number = self._number
        if isinstance(self._pass, NativePass):
            of_leaves = np.ascontiguousarray(values[:, :, 0])
            tell(self._shards, lambda shard: shard.add_by_segment(number, of_leaves))
        else:
            tell(self._shards, lambda shard: shard.add_to_segments(number, values))

    def _bodies(self, n_leaves: int) -> FilledRows:
        """Those of all segments, which have leaves of their own."""
        number, n_segments = self._number, self._n_segments
        return FilledRows(
            self._shards,
            self._n_outputs,
            lambda shard, steps, with_losses: shard.body_leaf_sums(
                number, n_leaves, steps, with_losses
            ),
            lambda shard, _, settings: shard.body_leaf_values(
                number, n_leaves, settings, n_segments
            ),
            lambda shard: shard.bodies_in_leaves(number, n_leaves),
        )


class OrderedModels:
    """M₀ and the supporting models of every ordering."""

    def __init__(
        self,
        shards: Shards,
        training: TrainingSet,
        loss: Loss,
        loss_pass: Pass,
        settings: LeafSettings,
        segments: Segments,
        body_gradients: str,
    ) -> None:
        assert training.orderings is not None, "ordered boosting needs orderings"
        self._shards = shards
        self._with_statistics = training.statistics is not None
        self._loss = loss
        self._settings = settings
        # A single ordering, as of time, both fills leaves and chooses trees.
        first = 1 if len(training.orderings) > 1 else 0
        self._supporting = {
            r: OrderedModel(
                shards,
                r,
                training,
                loss,
                loss_pass,
                training.orderings[r],
                segments,
                body_gradients,
            )
            for r in range(first, len(training.orderings))
        }
        self.main = PlainModel(shards, 0, loss, loss_pass, training.total_weight)
        self._unseen_weight = sum(model.unseen_weight for model in self._supporting.values())

    @property
    def orderings(self) -> list[int]:
        """Those that choose trees."""
        return list(self._supporting)

    def unseen(self) -> Unseen:
        """The rows of all tails."""
        models = self._supporting.values()
        loss = sum(model.unseen_loss for model in models) / self._unseen_weight
        return Unseen(self._loss.report(loss), (model.unseen for model in models))

    def raw_restored(self) -> None:
        tell(self._shards, lambda shard: shard.raw_restored([0]))

    def add_tree(self, splits: Sequence[Split], learning_rate: float) -> Added:
        """Every model fills the leaves of the structure by its own statistics and gradients."""
        settings = self._settings
        n_leaves, moves = 1 << len(splits), []
        for ordering, model in self._supporting.items():
            self._assign(splits, ordering)
            moves.append(model.fill_leaves(n_leaves, learning_rate, settings))
        if self._with_statistics:
            assign_leaves(self._shards, splits, 0)
        values, weights = self.main.fill_leaves(n_leaves, learning_rate, settings)
        return Added(values, weights, [*moves, values])

    def repeat_tree(self, splits: Sequence[Split], moves: Sequence[Floats]) -> None:
        *supporting, of_main = moves
        for (ordering, model), values in zip(self._supporting.items(), supporting, strict=True):
            self._assign(splits, ordering)
            model.add(values)
        if self._with_statistics:
            assign_leaves(self._shards, splits, 0)
        self.main.add(of_main)

    def _assign(self, splits: Sequence[Split], ordering: int) -> None:
        """Without statistics the leaves are the same in every ordering."""
        if self._with_statistics or ordering == self.orderings[0]:
            assign_leaves(self._shards, splits, ordering)
