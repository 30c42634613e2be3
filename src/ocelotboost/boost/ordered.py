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
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.models import Unseen, UnseenRows
from ocelotboost.boost.plain import PlainModel, TrainingSet
from ocelotboost.kernels import native
from ocelotboost.leaves.estimate import LeafSettings, RowsInLeaves, estimate_leaves
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.loss.passes import Leaves, NativePass, Pass, SegmentedRows
from ocelotboost.order.feature import Split
from ocelotboost.order.parcels import sum_in_order
from ocelotboost.order.segments import Segments


class OrderedRows:
    """The rows of one parcel at M_{r,1}, M_{r,2} …; they stand era after era.

    raw_of_all   float64, the raw predictions of all segments in one array
    raw          of each segment, (n_outputs, rows of body and tail) of them
    unseen_loss  sum of the losses of the tails, weights included
    """

    def __init__(
        self,
        training: TrainingSet,
        places: slice,
        loss_pass: Pass,
        rows: NDArray[np.uint32],
        eras: NDArray[np.uint32],
        start_values: Sequence[Floats],
        n_slots: int,
    ) -> None:
        """``rows`` are places, those of era e are ``rows[eras[e] : eras[e + 1]]``;
        ``start_values`` (n_outputs,) one per segment."""
        self.places = places
        self._pass = loss_pass
        self._rows = rows
        self._eras = eras
        self._inside = rows - np.uint32(places.start)
        self._target = training.target[rows]
        self._weight = None if training.weight is None else training.weight[rows]
        n_outputs, ends = len(start_values[0]), eras[2:].astype(np.intp)
        self.raw_of_all = np.empty(n_outputs * int(ends.sum()))
        pieces = np.split(self.raw_of_all, np.cumsum(ends[:-1]) * n_outputs)
        self.raw = [piece.reshape(n_outputs, -1) for piece in pieces]
        for raw, value in zip(self.raw, start_values, strict=True):
            raw[:] = value[:, np.newaxis]
        # Slot 0 is for own models, slot C - j for the bodies of segments j > 0.
        self._gradients = np.zeros((n_slots, n_outputs, len(rows)), dtype=np.float32)
        self.differentiate_tails()

    def evidence(self) -> Evidence:
        """The gradients as they are after the last tree."""
        gradients = self._gradients
        for j in range(len(gradients)):
            self._differentiate(j, self._body(j), slot=0 if j == 0 else -j)
        return Evidence(
            gradients=gradients.reshape(-1, gradients.shape[2]),
            own=gradients[0],
            weight=self._weight,
            places=self.places,
            rows=self._rows,
            eras=self._eras,
        )

    @property
    def unseen(self) -> UnseenRows:
        """The rows of all tails."""
        tails = [raw[:, self._tail(j)] for j, raw in enumerate(self.raw)]
        after_first = slice(self._eras[1], None)
        return UnseenRows(*self._labels(after_first), np.concatenate(tails, axis=1))

    def body_in_leaves(self, segment: int, leaves: Leaves) -> RowsInLeaves:
        """``leaves`` are those of all rows, in the order of places."""
        body = self._body(segment)
        raw = np.ascontiguousarray(self.raw[segment][:, body])
        return RowsInLeaves(*self._labels(body), raw, leaves[self._rows[body]])

    def body_sums(self, loss_pass: NativePass, leaves: Leaves, n_leaves: int) -> Floats:
        """(n_segments, n_leaves, 3) gradients, Hessians and weights of all bodies."""
        return loss_pass.segment_sums(self._segmented(leaves), n_leaves, self.raw_of_all)

    def add_by_segment(self, loss_pass: NativePass, leaves: Leaves, values: Floats) -> None:
        """Add the values (n_segments, n_leaves) of their leaves to the predictions."""
        self.unseen_loss = loss_pass.move_segments(
            self._segmented(leaves), values, self.raw_of_all, self._gradients[0, 0]
        )

    def add(self, segment: int, leaves: Leaves, values: Floats, n_threads: int) -> None:
        """Add the values (n_leaves, n_outputs) of their leaves to one segment's predictions."""
        raw = self.raw[segment]
        own_leaves = leaves[self._rows[: raw.shape[1]]]
        native.add_leaf_values(own_leaves, values, raw, n_threads=n_threads)

    def differentiate_tails(self) -> None:
        """Gradients and losses of the rows at the models that have not seen them."""
        self.unseen_loss = sum(
            self._differentiate(j, self._tail(j), slot=0) for j in range(len(self.raw))
        )

    def _differentiate(self, segment: int, some: slice, slot: int) -> float:
        """Gradients of some rows at a segment's model, into a slot; the sum of their losses."""
        raw = np.ascontiguousarray(self.raw[segment][:, some])
        out = np.empty(raw.shape, dtype=np.float32)
        total = self._pass.gradients(*self._labels(some), raw, out)
        self._gradients[slot, :, some] = out
        return total

    def _segmented(self, leaves: Leaves) -> SegmentedRows:
        edges = self._eras[1:]
        own = leaves[self.places]
        return SegmentedRows(self._target, self._weight, self._inside, edges, own)

    def _body(self, segment: int) -> slice:
        return slice(0, self._eras[segment + 1])

    def _tail(self, segment: int) -> slice:
        return slice(self._eras[segment + 1], self._eras[segment + 2])

    def _labels(self, some: slice) -> tuple[Targets, NDArray[np.float32] | None]:
        return self._target[some], None if self._weight is None else self._weight[some]


class OrderedModel:
    """M_{r,1}, M_{r,2} … of one ordering, parcel by parcel."""

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
        self.parcels = [
            OrderedRows(
                training, places, loss_pass, *segments.eras_of(rows, places), start_values, n_slots
            )
            for places in training.parcels.slices
        ]

    @property
    def unseen_loss(self) -> float:
        return sum(rows.unseen_loss for rows in self.parcels)

    @property
    def unseen(self) -> UnseenRows:
        """The rows of all tails."""
        parts = [rows.unseen for rows in self.parcels]
        if len(parts) == 1:
            return parts[0]
        weights = [part.weight for part in parts if part.weight is not None]
        return UnseenRows(
            np.concatenate([part.target for part in parts]),
            np.concatenate(weights) if weights else None,
            np.concatenate([part.raw for part in parts], axis=1),
        )

    def fill_leaves(
        self, leaves: Leaves, n_leaves: int, learning_rate: float, settings: LeafSettings
    ) -> None:
        """Every segment's model takes one step with the leaf values of its own body. ``leaves`` are
        those of the rows in the order of places."""
        loss_pass = self._pass
        if isinstance(loss_pass, NativePass) and settings.rule.method != "Exact":
            sums = sum_in_order(
                [rows.body_sums(loss_pass, leaves, n_leaves) for rows in self.parcels]
            )
            values = learning_rate * settings.step_of(sums)
            for rows in self.parcels:
                rows.add_by_segment(loss_pass, leaves, values)
            return
        one_step = replace(settings, rule=replace(settings.rule, iterations=1))
        for j in range(len(self.parcels[0].raw)):
            bodies = [rows.body_in_leaves(j, leaves) for rows in self.parcels]
            values, _ = estimate_leaves(loss_pass, bodies, n_leaves, one_step)
            for rows in self.parcels:
                rows.add(j, leaves, learning_rate * values, settings.n_threads)
        for rows in self.parcels:
            rows.differentiate_tails()


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
        segments = {
            f"segments {r}, parcel {p}": rows.raw_of_all
            for r, model in self._supporting.items()
            for p, rows in enumerate(model.parcels)
        }
        main = {f"model 0, parcel {p}": rows.raw for p, rows in enumerate(self.main.parcels)}
        return {**main, **segments}

    def evidence(self, ordering: int) -> list[Evidence]:
        return [rows.evidence() for rows in self._supporting[ordering].parcels]

    def unseen(self) -> Unseen:
        """The rows of all tails."""
        models = self._supporting.values()
        loss = sum(model.unseen_loss for model in models) / self._unseen_weight
        return Unseen(self._loss.report(loss), (model.unseen for model in models))

    def raw_restored(self) -> None:
        for model in self._supporting.values():
            for rows in model.parcels:
                rows.differentiate_tails()
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
