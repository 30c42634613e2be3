"""Twins: gradients, steps and values of leaves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import LossKind
from ocelotboost.kernels.reference.losses import derivatives, softmax

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.uint32]


def loss_gradients(
    kind: int,
    parameter: float,
    targets: Singles,
    weights: Singles | None,
    raw: Floats,
    out_gradients: Singles,
    *,
    n_threads: int,
) -> float:
    """Negative gradients at ``raw``, and the weighted sum of the loss."""
    gradient, _, loss = derivatives(LossKind(kind), parameter, targets.astype(np.float64), raw)
    out_gradients[:] = gradient
    return float((loss if weights is None else loss * weights).sum())


def loss_leaf_sums(
    kind: int,
    parameter: float,
    targets: Singles,
    weights: Singles | None,
    raw: Floats,
    leaves: Indices,
    steps: Floats | None,
    out: Floats,
    *,
    n_threads: int,
) -> None:
    """Sums over leaves at ``raw`` plus the leaves' steps: gradient, hessian and weight."""
    moved = raw if steps is None else raw + steps[leaves]
    gradient, hessian, _ = derivatives(LossKind(kind), parameter, targets.astype(np.float64), moved)
    weight = np.ones(len(targets)) if weights is None else weights.astype(np.float64)
    for field, rows in enumerate((gradient, hessian, np.ones(len(targets)))):
        out[:, field] = np.bincount(leaves, weights=rows * weight, minlength=len(out))


def leaf_values(
    kind: int,
    parameter: float,
    targets: Singles,
    weights: Singles | None,
    raw: Floats,
    rows: Indices,
    leaf_offsets: Indices,
    newton: bool,
    regularization: float,
    steps: int,
    out_values: Floats,
    out_weights: Floats,
    *,
    n_threads: int,
) -> None:
    """Each leaf goes from 0 by its gradient over hessian (newton) or weight, several times. Where a
    step overshoots and the loss is worse there, it is halved; after ten halvings the leaf stays."""

    def sums_at(own: Indices, value: float) -> list[float]:
        """Gradient, hessian, loss and weight of some rows."""
        y, x = targets[own].astype(np.float64), raw[own] + value
        fields = [*derivatives(LossKind(kind), parameter, y, x), np.ones(len(own))]
        return [float((f if weights is None else f * weights[own]).sum()) for f in fields]

    for leaf, own in _leaves(rows, leaf_offsets):
        value = 0.0
        out_weights[leaf] = sums_at(own, 0.0)[3]
        for _ in range(steps if len(own) else 0):
            gradient, hessian, loss, weight = sums_at(own, value)
            step = gradient / ((hessian if newton else weight) + regularization)
            halvings = 0
            if sums_at(own, value + step)[0] * step < 0:
                while halvings <= 10 and sums_at(own, value + step)[2] > loss + 1e-12 * abs(loss):
                    step /= 2
                    halvings += 1
            if halvings > 10:
                break
            value += step
            if abs(step) <= 1e-8:
                break
        out_values[leaf] = value


def segment_sums(
    kind: int,
    parameter: float,
    targets: Singles,
    weights: Singles | None,
    rows: Indices,
    edges: Indices,
    leaves: Indices,
    raw: Floats,
    out: Floats,
    *,
    n_threads: int,
) -> None:
    """Sums over the leaves of each segment's body, at the segment's raw predictions."""
    first = 0
    for segment, (body, end) in enumerate(pairwise(edges.tolist())):
        loss_leaf_sums(
            kind, parameter, targets[:body], None if weights is None else weights[:body],
            raw[first : first + body], leaves[rows[:body]], None, out[segment], n_threads=1,
        )  # fmt: skip
        first += end


def move_segments(
    kind: int,
    parameter: float,
    targets: Singles,
    weights: Singles | None,
    rows: Indices,
    edges: Indices,
    leaves: Indices,
    values: Floats,
    inout_raw: Floats,
    out_gradients: Singles,
    *,
    n_threads: int,
) -> float:
    """Add the values of its leaves to every segment. Gradients of the tails, and the sum of their
    losses, after it."""
    own_leaves = leaves[rows]
    first, total = 0, 0.0
    for segment, (body, end) in enumerate(pairwise(edges.tolist())):
        raw = inout_raw[first : first + end]
        raw += values[segment, own_leaves[:end]]
        total += loss_gradients(
            kind, parameter, targets[body:end], None if weights is None else weights[body:end],
            raw[body:], out_gradients[body:end], n_threads=1,
        )  # fmt: skip
        first += end
    return total


def softmax_gradients(
    targets: Singles,
    weights: Singles | None,
    raw: Floats,
    out_gradients: Singles,
    *,
    n_threads: int,
) -> float:
    """The same for raw predictions (n_outputs, n_rows) of class numbers."""
    probabilities, losses = softmax(targets, raw)
    own = targets == np.arange(len(raw))[:, None]
    out_gradients[:] = own - probabilities
    return float((losses if weights is None else losses * weights).sum())


def softmax_leaf_sums(
    targets: Singles,
    weights: Singles | None,
    raw: Floats,
    gradients: Singles | None,
    leaves: Indices,
    leaf_steps: Floats,
    out: Floats,
    *,
    n_threads: int,
) -> None:
    """Sums over leaves: gradients (n_outputs), hessian (n_outputs^2), loss, weight. With known
    gradients at ``raw`` steps are zero and there is no loss."""
    n_outputs = len(raw)
    out[:] = 0
    p, losses = softmax(targets, raw + leaf_steps[leaves].T)
    if gradients is not None:
        is_class = targets == np.arange(n_outputs)[:, None]
        p, losses = is_class - gradients.astype(np.float64), np.zeros(len(targets))
    weight = np.ones(len(targets)) if weights is None else weights.astype(np.float64)
    for row, leaf in enumerate(leaves):
        own = p[:, row]
        gradient = (targets[row] == np.arange(n_outputs)) - own
        hessian = np.diag(own) - np.outer(own, own)
        one = np.concatenate([gradient, hessian.ravel(), [losses[row], 1.0]])
        out[leaf] += weight[row] * one


def leaf_quantiles(
    alpha: float,
    targets: Singles,
    weights: Singles | None,
    raw: Floats,
    rows: Indices,
    leaf_offsets: Indices,
    out_values: Floats,
    out_weights: Floats,
    *,
    n_threads: int,
) -> None:
    """The smallest residual at which the weight up to it reaches alpha of the leaf's weight."""
    out_values[:] = 0.0
    for leaf, own in _leaves(rows, leaf_offsets):
        weight = np.ones(len(own)) if weights is None else weights[own].astype(np.float64)
        out_weights[leaf] = weight.sum()
        residual = (targets[own].astype(np.float64) - raw[own])[weight > 0]
        weight = weight[weight > 0]
        if len(residual):
            order = np.argsort(residual, kind="stable")
            reached = np.cumsum(weight[order]) >= alpha * weight.sum() * (1 - 1e-12)
            out_values[leaf] = residual[order][np.argmax(reached) if reached.any() else -1]


def add_leaf_values(
    leaves: Indices, leaf_values: Floats, inout_raw: Floats, *, n_threads: int
) -> None:
    """Add the values of its leaf to every row."""
    inout_raw += leaf_values[leaves].T


def _leaves(rows: Indices, leaf_offsets: Indices) -> list[tuple[int, Indices]]:
    return [
        (leaf, rows[leaf_offsets[leaf] : leaf_offsets[leaf + 1]])
        for leaf in range(len(leaf_offsets) - 1)
    ]
