"""The rows of a parcel at the models of an ordering's segments.

A loss of one output that C++ knows has kernels for segments. For others, all segments are one set
of rows: a row has a copy in each segment that it is part of, in leaves that belong to the segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.models import UnseenRows
from ocelotboost.boost.training_set import HeldRows
from ocelotboost.kernels import native
from ocelotboost.lazy import cached_property
from ocelotboost.leaves.estimate import RowsInLeaves
from ocelotboost.loss.base import Floats, Targets
from ocelotboost.loss.passes import Leaves, NativePass, Pass, SegmentedRows


class _Copies(NamedTuple):
    """The first rows of each segment, one segment after the other.

    segment  uint32, which of them
    era_row  intp, which of the rows as they stand
    """

    segment: NDArray[np.uint32]
    era_row: NDArray[np.intp]

    @classmethod
    def of(cls, ends: NDArray[np.intp]) -> _Copies:
        segment = np.repeat(np.arange(len(ends), dtype=np.uint32), ends)
        return cls(segment, np.concatenate([np.arange(end) for end in ends]))


class _LeavesOfCopies(NamedTuple):
    """What tells the leaves of copies: their segments, and the places of their rows."""

    segment: NDArray[np.uint32]
    place: NDArray[np.intp]

    def among(self, leaves: Leaves, n_leaves: int) -> Leaves:
        """Leaf ``segment * n_leaves + leaf``, by the leaves of all rows in the order of places."""
        return leaves[self.place] + self.segment * np.uint32(n_leaves)


class _Bodies(NamedTuple):
    """The bodies of all segments.

    column  intp, where raw predictions are
    """

    leaves: _LeavesOfCopies
    target: Targets
    weight: NDArray[np.float32] | None
    column: NDArray[np.intp]


class OrderedRows:
    """The rows of one parcel at M_{r,1}, M_{r,2} …; they stand era after era.

    raw_of_all   float64 (n_outputs, n_columns), the raw predictions of one segment after the other
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
        n_outputs = len(start_values[0])
        self._edges = eras[1:].astype(np.intp)  # where the bodies end, and the last tail
        self._columns = np.append(0, np.cumsum(self._edges[1:]))  # where segments begin
        self.raw_of_all = np.empty((n_outputs, self._columns[-1]))
        self.raw = [self.raw_of_all[:, begin:end] for begin, end in pairwise(self._columns)]
        for raw, value in zip(self.raw, start_values, strict=True):
            raw[:] = value[:, np.newaxis]
        # Slot 0 is for own models, slot C - j for the bodies of segments j > 0.
        self._gradients = np.zeros((n_slots, n_outputs, len(rows)), dtype=np.float32)
        self.differentiate_tails()

    def evidence(self) -> Evidence:
        """The gradients as they are after the last tree."""
        gradients = self._gradients
        for j in range(len(gradients)):
            body = slice(0, self._edges[j])
            raw = np.ascontiguousarray(self.raw[j][:, body])
            self._differentiate(raw, body, slot=0 if j == 0 else -j)
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
        after_first = slice(self._edges[0], None)
        return UnseenRows(*self._labels(after_first), self._raw_of_tails)

    def bodies_in_leaves(self, leaves: Leaves, n_leaves: int) -> RowsInLeaves:
        """The bodies of all segments, in leaf ``segment * n_leaves + leaf``. ``leaves`` are those
        of all rows, in the order of places."""
        own = self._bodies
        raw = self.raw_of_all.take(own.column, axis=1)
        return RowsInLeaves(own.target, own.weight, raw, own.leaves.among(leaves, n_leaves))

    def body_sums(self, loss_pass: NativePass, leaves: Leaves, n_leaves: int) -> Floats:
        """(n_segments, n_leaves, 3) gradients, Hessians and weights of all bodies."""
        return loss_pass.segment_sums(self._segmented(leaves), n_leaves, self.raw_of_all[0])

    def add_by_segment(self, loss_pass: NativePass, leaves: Leaves, values: Floats) -> None:
        """Add the values (n_segments, n_leaves) of their leaves to the predictions."""
        self.unseen_loss = loss_pass.move_segments(
            self._segmented(leaves), values, self.raw_of_all[0], self._gradients[0, 0]
        )

    def add(self, leaves: Leaves, values: Floats, n_threads: int) -> None:
        """The same with values (n_segments, n_leaves, n_outputs)."""
        _, n_leaves, n_outputs = values.shape
        own = self._leaves_of_everybody.among(leaves, n_leaves)
        flat = values.reshape(-1, n_outputs)
        native.add_leaf_values(own, flat, self.raw_of_all, n_threads=n_threads)
        self.differentiate_tails()

    def differentiate_tails(self) -> None:
        """Gradients and losses of the rows at the models that have not seen them."""
        after_first = slice(self._edges[0], None)
        self.unseen_loss = self._differentiate(self._raw_of_tails, after_first, slot=0)

    def _differentiate(self, raw: Floats, some: slice, slot: int) -> float:
        """Gradients of some rows at their raw predictions, into a slot; the sum of their losses."""
        out = np.empty(raw.shape, dtype=np.float32)
        total = self._pass.gradients(*self._labels(some), raw, out)
        self._gradients[slot, :, some] = out
        return total

    @cached_property
    def _bodies(self) -> _Bodies:
        copies = _Copies.of(self._edges[:-1])
        return _Bodies(
            self._leaves_of(copies),
            self._target[copies.era_row],
            None if self._weight is None else self._weight[copies.era_row],
            self._columns[copies.segment] + copies.era_row,
        )

    @cached_property
    def _leaves_of_everybody(self) -> _LeavesOfCopies:
        """Of bodies and tails."""
        return self._leaves_of(_Copies.of(self._edges[1:]))

    def _leaves_of(self, copies: _Copies) -> _LeavesOfCopies:
        return _LeavesOfCopies(copies.segment, self._rows[copies.era_row].astype(np.intp))

    @property
    def _raw_of_tails(self) -> Floats:
        begins = self._columns[:-1] + self._edges[:-1]
        tails = zip(begins, self._columns[1:], strict=True)
        return np.concatenate([self.raw_of_all[:, begin:end] for begin, end in tails], axis=1)

    def _segmented(self, leaves: Leaves) -> SegmentedRows:
        edges = self._eras[1:]
        own = leaves[self.places]
        return SegmentedRows(self._target, self._weight, self._inside, edges, own)

    def _labels(self, some: slice) -> tuple[Targets, NDArray[np.float32] | None]:
        return self._target[some], None if self._weight is None else self._weight[some]
