"""The rows of a parcel at the models of an ordering's segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.models import UnseenRows
from ocelotboost.boost.training_set import HeldRows
from ocelotboost.kernels import native
from ocelotboost.leaves.estimate import RowsInLeaves
from ocelotboost.loss.base import Floats, Targets
from ocelotboost.loss.passes import Leaves, NativePass, Pass, SegmentedRows


class OrderedRows:
    """The rows of one parcel at M_{r,1}, M_{r,2} …; they stand era after era.

    raw_of_all   float64, the raw predictions of all segments in one array
    raw          of each segment, (n_outputs, rows of body and tail) of them
    unseen_loss  sum of the losses of the tails, weights included
    """

    def __init__(
        self,
        held: HeldRows,
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
        self._target = held.target[rows]
        self._weight = None if held.weight is None else held.weight[rows]
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
