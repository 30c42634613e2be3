"""Passes over the rows: gradients of all rows, and sums of derivatives over leaves.

One object a way of computing them. C++ knows some losses, and has leaf values of theirs in one go;
for the others, as a user's own, it takes sums over leaves and NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.loss.multiclass import MultiClass

Leaves = NDArray[np.uint32]
Weights = NDArray[np.float32] | None

#: With more classes, a leaf's Hessian is summarised by its diagonal and the expected classes. The
#: sums of a whole matrix cost n_outputs² per row. On covtype (7 classes, three seeds) they made
#: test losses 0.1 to 0.5 % lower with 500 trees or more; shorter runs went either way by 1 %. On
#: generated data with 20 and 64 classes they were no better. The limit itself was not tuned.
MOST_COUPLED_CLASSES = 32


class LeafSums(NamedTuple):
    """Sums over the rows of each leaf, weights included.

    gradients  (n_leaves, n_outputs) of the negative gradient
    hessians   (n_leaves, n_outputs, n_outputs); with many classes None
    weights    (n_leaves,)
    losses     (n_leaves,); 0 when they were not asked for
    classes    with many classes (3, n_leaves, n_outputs): gradients, diagonals of the Hessians and
               probabilities
    """

    gradients: Floats
    hessians: Floats | None
    weights: Floats
    losses: Floats
    classes: Floats | None = None


class SegmentedRows(NamedTuple):
    """Rows that stand era after era (order/segments.py).

    target  float32 (n,)
    weight  float32 (n,), or None when all weigh 1
    rows    uint32 (n,) which row each of them is
    edges   uint32 (n_segments + 1,) where the bodies end, and the last tail
    leaves  uint32 (n,) of the rows by their numbers
    """

    target: Targets
    weight: Weights
    rows: NDArray[np.uint32]
    edges: NDArray[np.uint32]
    leaves: Leaves


class Pass(Protocol):
    def gradients(
        self, target: Targets, weight: Weights, raw: Floats, out: NDArray[np.float32]
    ) -> float:
        """Fill ``out`` (n_outputs, n) with negative gradients at ``raw`` (n_outputs, n), without
        weights; return the weighted sum of the loss."""
        ...

    def leaf_sums(
        self,
        target: Targets,
        weight: Weights,
        raw: Floats,
        leaves: Leaves,
        leaf_steps: Floats,
        with_losses: bool,
        gradients: NDArray[np.float32] | None = None,
    ) -> LeafSums:
        """Sums at ``raw`` plus the step of each row's leaf, ``leaf_steps`` (n_leaves, n_outputs).
        ``leaves`` (n,) are leaf numbers. ``gradients`` (n_outputs, n) are given when they are known
        at ``raw``, the steps are zero and nobody needs the losses."""
        ...


@dataclass(frozen=True)
class NativePass:
    """A loss that C++ knows."""

    loss: Loss
    kind: int
    parameter: float
    n_threads: int

    def gradients(
        self, target: Targets, weight: Weights, raw: Floats, out: NDArray[np.float32]
    ) -> float:
        return native.loss_gradients(
            self.kind, self.parameter, target, weight, raw[0], out[0], n_threads=self.n_threads
        )

    def leaf_sums(
        self,
        target: Targets,
        weight: Weights,
        raw: Floats,
        leaves: Leaves,
        leaf_steps: Floats,
        with_losses: bool,
        gradients: NDArray[np.float32] | None = None,
    ) -> LeafSums:
        n_leaves = len(leaf_steps)
        sums, losses = np.empty((n_leaves, 3)), np.zeros(n_leaves)
        steps = leaf_steps[:, 0].copy() if leaf_steps.any() else None
        native.loss_leaf_sums(
            self.kind, self.parameter, target, weight, raw[0], leaves, steps, sums,
            n_threads=self.n_threads,
        )  # fmt: skip
        if with_losses:
            moved = _moved(raw, leaves, leaf_steps, self.n_threads)
            losses = _over_leaves(self.loss.value(target, moved[0]), weight, leaves, n_leaves)
        return LeafSums(sums[:, :1], sums[:, 1:2, np.newaxis], sums[:, 2], losses)

    def leaf_values(
        self,
        target: Targets,
        weight: Weights,
        raw: Floats,
        leaves: Leaves,
        n_leaves: int,
        newton: bool,
        regularization: float,
        steps: int,
    ) -> tuple[Floats, Floats]:
        """Values (n_leaves, 1) after some steps from 0, and weights (n_leaves,) of leaves."""
        rows, offsets = rows_by_leaf(leaves, n_leaves, self.n_threads)
        values, weights = np.empty(n_leaves), np.empty(n_leaves)
        native.leaf_values(
            self.kind,
            self.parameter,
            target,
            weight,
            raw[0],
            rows,
            offsets,
            newton,
            regularization,
            steps,
            values,
            weights,
            n_threads=self.n_threads,
        )
        return values[:, np.newaxis], weights

    def segment_sums(self, rows: SegmentedRows, n_leaves: int, raw: Floats) -> Floats:
        """(n_segments, n_leaves, 3) gradients, Hessians and weights of the bodies. ``raw`` holds
        the predictions of one segment after the other."""
        sums = np.empty((len(rows.edges) - 1, n_leaves, 3))
        native.segment_sums(self.kind, self.parameter, *rows, raw, sums, n_threads=self.n_threads)
        return sums

    def move_segments(
        self, rows: SegmentedRows, values: Floats, raw: Floats, out: NDArray[np.float32]
    ) -> float:
        """Add the values (n_segments, n_leaves) to ``raw``; then what ``gradients`` gives of the
        tails."""
        return native.move_segments(
            self.kind, self.parameter, *rows, values, raw, out, n_threads=self.n_threads
        )


@dataclass(frozen=True)
class _SoftmaxPass:
    loss: MultiClass
    n_threads: int

    def gradients(
        self, target: Targets, weight: Weights, raw: Floats, out: NDArray[np.float32]
    ) -> float:
        return native.softmax_gradients(target, weight, raw, out, n_threads=self.n_threads)

    def leaf_sums(
        self,
        target: Targets,
        weight: Weights,
        raw: Floats,
        leaves: Leaves,
        leaf_steps: Floats,
        with_losses: bool,
        gradients: NDArray[np.float32] | None = None,
    ) -> LeafSums:
        n_leaves, n_outputs = leaf_steps.shape
        if n_outputs > MOST_COUPLED_CLASSES:
            return self._class_sums(target, weight, raw, leaves, leaf_steps, with_losses, gradients)
        n_fields = n_outputs + n_outputs**2
        sums = np.empty((n_leaves, n_fields + 2))
        native.softmax_leaf_sums(
            target, weight, raw, gradients, leaves, leaf_steps, sums, n_threads=self.n_threads
        )
        hessians = sums[:, n_outputs:n_fields].reshape(n_leaves, n_outputs, n_outputs)
        return LeafSums(sums[:, :n_outputs], hessians, sums[:, -1], sums[:, -2])

    def _class_sums(
        self,
        target: Targets,
        weight: Weights,
        raw: Floats,
        leaves: Leaves,
        leaf_steps: Floats,
        with_losses: bool,
        gradients: NDArray[np.float32] | None,
    ) -> LeafSums:
        n_leaves = len(leaf_steps)
        losses = np.zeros(n_leaves)
        if gradients is None:
            moved = _moved(raw, leaves, leaf_steps, self.n_threads)
            gradients = np.empty(raw.shape, dtype=np.float32)
            self.gradients(target, weight, moved, gradients)
            if with_losses:
                losses = _over_leaves(self.loss.value(target, moved), weight, leaves, n_leaves)
        sums = np.empty((3, *leaf_steps.shape))
        native.class_leaf_sums(target, weight, gradients, leaves, sums, n_threads=self.n_threads)
        weights = np.bincount(leaves, weight, n_leaves).astype(np.float64)
        return LeafSums(sums[0], None, weights, losses, sums)


@dataclass(frozen=True)
class NumpyPass:
    """Any loss, by its own NumPy derivatives; also the specification of the other two."""

    loss: Loss

    def gradients(
        self, target: Targets, weight: Weights, raw: Floats, out: NDArray[np.float32]
    ) -> float:
        raw = raw[0] if self.loss.n_outputs == 1 else raw
        first, _ = self.loss.derivatives(target, raw)
        np.negative(first, out=out.reshape(first.shape), casting="same_kind")
        value = self.loss.value(target, raw)
        return float(value.sum() if weight is None else (value * weight).sum())

    def leaf_sums(
        self,
        target: Targets,
        weight: Weights,
        raw: Floats,
        leaves: Leaves,
        leaf_steps: Floats,
        with_losses: bool,
        gradients: NDArray[np.float32] | None = None,
    ) -> LeafSums:
        n_leaves, n_outputs = leaf_steps.shape
        moved = raw + leaf_steps[leaves].T
        moved = moved[0] if n_outputs == 1 else moved
        first, second = self.loss.derivatives(target, moved)

        def over_leaves(rows: Floats) -> Floats:
            fields = rows.reshape(-1, len(target))
            return np.array([_over_leaves(f, weight, leaves, n_leaves) for f in fields]).T

        return LeafSums(
            -over_leaves(first),
            over_leaves(second).reshape(n_leaves, n_outputs, n_outputs),
            _over_leaves(np.ones(len(target)), weight, leaves, n_leaves),
            _over_leaves(self.loss.value(target, moved), weight, leaves, n_leaves)
            if with_losses
            else np.zeros(n_leaves),
        )


def _moved(raw: Floats, leaves: Leaves, leaf_steps: Floats, n_threads: int) -> Floats:
    """Raw predictions after the steps (n_leaves, n_outputs) of the rows' leaves."""
    if not leaf_steps.any():
        return raw
    moved = raw.copy()
    native.add_leaf_values(leaves, leaf_steps, moved, n_threads=n_threads)
    return moved


def _over_leaves(rows: Floats, weight: Weights, leaves: Leaves, n_leaves: int) -> Floats:
    """Sums (n_leaves,) of one number per row, times its weight."""
    weighted = rows if weight is None else rows * weight.astype(np.float64)
    return np.bincount(leaves, weights=weighted, minlength=n_leaves).astype(np.float64, copy=False)


def add_up(parts: Sequence[LeafSums]) -> LeafSums:
    """Sums over several parcels, added in their order."""
    total, *others = parts
    for part in others:
        total = LeafSums(
            total.gradients + part.gradients,
            _both(total.hessians, part.hessians),
            total.weights + part.weights,
            total.losses + part.losses,
            _both(total.classes, part.classes),
        )
    return total


def _both(a: Floats | None, b: Floats | None) -> Floats | None:
    return None if a is None or b is None else a + b


def pass_for(loss: Loss, n_threads: int) -> Pass:
    """The fastest way to run this loss."""
    if isinstance(loss, MultiClass):
        return _SoftmaxPass(loss, n_threads)
    if loss.native is not None:
        return NativePass(loss, int(loss.native.kind), loss.native.parameter, n_threads)
    return NumpyPass(loss)


def rows_by_leaf(leaves: Leaves, n_leaves: int, n_threads: int) -> tuple[Leaves, Leaves]:
    """Rows (n,) in the order of their leaves, and where each leaf begins: (n_leaves + 1,)."""
    rows = np.empty(len(leaves), dtype=np.uint32)
    offsets = np.empty(n_leaves + 1, dtype=np.uint32)
    native.rows_by_leaf(leaves, rows, offsets, n_threads=n_threads)
    return rows, offsets
