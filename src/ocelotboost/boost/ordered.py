"""Ordered mode: gradients that no row's own target has entered.

Each ordering σ_r is cut into segments (order/segments.py). The supporting model M_{r,j} learns from
the body of segment j and is kept for the rows of body and tail. The gradient of a row is taken at
the model whose tail it is in, which has seen earlier rows alone. A tree's structure is chosen by
how well the values that the body gives to leaves point along the gradients of the tail.

Supporting models take one step a tree: leaf means, as in the paper, or Newton's. M₀, which is the
result, learns from all rows as in Plain mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.models import Unseen, UnseenRows
from ocelotboost.boost.plain import PlainModel, TrainingSet
from ocelotboost.kernels import native
from ocelotboost.leaves.estimate import LeafSettings, estimate_leaves
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.loss.passes import Leaves, NativePass, Pass
from ocelotboost.order.feature import Split
from ocelotboost.order.segments import Segments


class OrderedModel:
    """M_{r,1}, M_{r,2} … of one ordering; rows stand era after era.

    rows         uint32 (n,)
    raw_of_all   float64, the raw predictions of all segments in one array
    raw          of each segment, (n_outputs, rows of body and tail) of them
    unseen_loss  sum of the losses of the tails, weights included
    """

    def __init__(
        self,
        training: TrainingSet,
        loss: Loss,
        loss_pass: Pass,
        ordering: NDArray[np.uint32],
        segments: Segments,
        body_gradients: str,
    ) -> None:
        """``body_gradients``: a body's are taken at its "segment"'s model, as in the paper, or at
        each row's "own". Every segment starts from the targets of its own body."""
        self._pass = loss_pass
        self._segments = segments
        self.rows = segments.rows_by_era(ordering)
        self._target = training.target[self.rows]
        self._weight = None if training.weight is None else training.weight[self.rows]
        ends = segments.edges[1:]
        self.raw_of_all = np.empty(loss.n_outputs * sum(ends))
        pieces = np.split(self.raw_of_all, np.cumsum(ends[:-1]) * loss.n_outputs)
        self.raw = [piece.reshape(loss.n_outputs, -1) for piece in pieces]
        for j, raw in enumerate(self.raw):
            raw[:] = self._start_value(loss, j)[:, np.newaxis]
        # Slot 0 is for own models, slot C - j for the bodies of segments j > 0.
        n_slots = segments.n_segments if body_gradients == "segment" else 1
        self._gradients = np.zeros((n_slots, loss.n_outputs, len(self.rows)), dtype=np.float32)
        self.differentiate_tails()

    def evidence(self) -> Evidence:
        """The gradients as they are after the last tree."""
        segments, gradients = self._segments, self._gradients
        for j in range(len(gradients)):
            self._differentiate(j, segments.body(j), slot=0 if j == 0 else -j)
        return Evidence(
            gradients=gradients.reshape(-1, gradients.shape[2]),
            own=gradients[0],
            weight=self._weight,
            rows=self.rows,
            eras=segments.era_edges,
        )

    @property
    def unseen(self) -> UnseenRows:
        """The rows of all tails."""
        tails = [raw[:, self._segments.tail(j)] for j, raw in enumerate(self.raw)]
        return UnseenRows(*self._rows_of(self._after_first), np.concatenate(tails, axis=1))

    @property
    def unseen_weight(self) -> float:
        target, weight = self._rows_of(self._after_first)
        return float(len(target)) if weight is None else float(weight.sum(dtype=np.float64))

    def fill_leaves(
        self, leaves: Leaves, n_leaves: int, learning_rate: float, settings: LeafSettings
    ) -> None:
        """Every segment's model takes one step with the leaf values of its own body. ``leaves`` are
        those of the rows as they come."""
        if isinstance(self._pass, NativePass) and settings.rule.method != "Exact":
            self.unseen_loss = self._pass.step_segments(
                self._target,
                self._weight,
                self.rows,
                self._segments.era_edges[1:],
                leaves,
                n_leaves,
                settings.rule.method == "Newton",
                settings.regularization,
                settings.min_weight,
                learning_rate,
                self.raw_of_all,
                self._gradients[0, 0],
            )
            return
        one_step = replace(settings, rule=replace(settings.rule, iterations=1))
        own_leaves = leaves[self.rows]
        for j, raw in enumerate(self.raw):
            body = self._segments.body(j)
            values, _ = estimate_leaves(
                self._pass,
                *self._rows_of(body),
                np.ascontiguousarray(raw[:, body]),
                None,
                own_leaves[body],
                n_leaves,
                one_step,
            )
            native.add_leaf_values(
                own_leaves[: raw.shape[1]],
                learning_rate * values,
                raw,
                n_threads=settings.n_threads,
            )
        self.differentiate_tails()

    def _start_value(self, loss: Loss, segment: int) -> Floats:
        return loss.start_value(*self._rows_of(self._segments.body(segment)))

    def differentiate_tails(self) -> None:
        """Gradients and losses of the rows at the models that have not seen them."""
        segments = range(self._segments.n_segments)
        self.unseen_loss = sum(
            self._differentiate(j, self._segments.tail(j), slot=0) for j in segments
        )

    def _differentiate(self, segment: int, some: slice, slot: int) -> float:
        """Gradients of some rows at a segment's model, into a slot; the sum of their losses."""
        raw = np.ascontiguousarray(self.raw[segment][:, some])
        out = np.empty(raw.shape, dtype=np.float32)
        total = self._pass.gradients(*self._rows_of(some), raw, out)
        self._gradients[slot, :, some] = out
        return total

    @property
    def _after_first(self) -> slice:
        return slice(self._segments.edges[0], None)

    def _rows_of(self, some: slice) -> tuple[Targets, NDArray[np.float32] | None]:
        return self._target[some], None if self._weight is None else self._weight[some]


class OrderedModels:
    """M₀ and the supporting models of every ordering."""

    def __init__(
        self,
        training: TrainingSet,
        loss: Loss,
        loss_pass: Pass,
        start: Floats,
        learning_rate: float,
        settings: LeafSettings,
        segments: Segments,
        body_gradients: str,
    ) -> None:
        assert training.orderings is not None, "ordered boosting needs orderings"
        self._training = training
        self._loss = loss
        self._binned = training.binned
        self._learning_rate = learning_rate
        self._settings = settings
        self._leaves = np.empty(training.block.n_rows, dtype=np.uint32)
        # A single ordering, as of time, both fills leaves and chooses trees.
        first = 1 if len(training.orderings) > 1 else 0
        self._supporting = {
            r: OrderedModel(
                training,
                loss,
                loss_pass,
                training.orderings[r],
                segments,
                body_gradients,
            )
            for r in range(first, len(training.orderings))
        }
        self.main = PlainModel(training, loss, loss_pass, start)
        self._unseen_weight = sum(model.unseen_weight for model in self._supporting.values())

    @property
    def orderings(self) -> list[int]:
        """Those that choose trees."""
        return list(self._supporting)

    @property
    def raw(self) -> dict[str, Floats]:
        """Of M₀ and, one after the other, of the segments of every ordering."""
        segments = {f"segments {r}": model.raw_of_all for r, model in self._supporting.items()}
        return {"model 0": self.main.raw, **segments}

    def evidence(self, ordering: int) -> Evidence:
        return self._supporting[ordering].evidence()

    def unseen(self) -> Unseen:
        """The rows of all tails."""
        models = self._supporting.values()
        loss = sum(model.unseen_loss for model in models) / self._unseen_weight
        return Unseen(self._loss.report(loss), (model.unseen for model in models))

    def raw_restored(self) -> None:
        for model in self._supporting.values():
            model.differentiate_tails()
        self.main.raw_restored(known_gradients=True)

    def add_tree(self, splits: Sequence[Split]) -> tuple[Floats, Floats]:
        """Every model fills the leaves of the structure by its own statistics and gradients.
        Values (n_leaves, n_outputs) and weights (n_leaves,) are those of M₀."""
        settings, rate = self._settings, self._learning_rate
        n_leaves = 1 << len(splits)
        for ordering, model in self._supporting.items():
            # Without statistics the leaves are the same in every ordering.
            if self._training.statistics is not None or ordering == self.orderings[0]:
                self._binned.assign_leaves(splits, ordering, self._leaves, settings.n_threads)
            model.fill_leaves(self._leaves, n_leaves, rate, settings)
        if self._training.statistics is not None:
            self._binned.assign_leaves(splits, 0, self._leaves, settings.n_threads)
        return self.main.fill_leaves(self._leaves, n_leaves, rate, settings)
