"""Leaf values, once the structure of a tree is fixed: all rows, no sampling weights.

    Gradient   Σg / (Σw + λ)
    Newton     Σg / (Σh + λ); a system of equations where a row has several outputs, with many of
               them one whose off-diagonal part is a single product (cpp/core/leaves/newton.h)
    Exact      the weighted quantile of the residuals

Gradient and Newton take several steps. Each leaf goes its own way: a step that makes the loss of
its rows worse is halved. Rows of a single parcel go leaf by leaf, in C++ where it knows the loss.
Otherwise a step of all leaves is one pass over the rows, whose sums are added up parcel by parcel
(order/parcels.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.lazy import cached_property
from ocelotboost.loss.base import Floats, LeafRule, Targets
from ocelotboost.loss.passes import LeafSums, Leaves, NativePass, Pass, rows_by_leaf

Scalar = TypeVar("Scalar", bound=np.generic)

_MAX_HALVINGS = 10
_NEGLIGIBLE = 1e-8


@dataclass(frozen=True)
class LeafSettings:
    """How to fill leaves.

    rule            method and number of steps
    regularization  λ in units of weight
    alpha           which quantile, for Exact
    min_weight      leaves lighter than this stay at zero
    """

    rule: LeafRule
    regularization: float
    alpha: float
    min_weight: float
    n_threads: int

    @property
    def one_step(self) -> bool:
        """A single step along the derivatives."""
        return self.rule.method != "Exact" and self.rule.iterations == 1

    @cached_property
    def of_supporting(self) -> LeafSettings:
        """For models that only choose trees: a single step."""
        return replace(self, rule=replace(self.rule, iterations=1))

    def step_of(self, sums: Floats) -> Floats:
        """One step of leaves with one output, by their sums (..., 3) of gradients, Hessians and
        weights."""
        gradients, hessians, weights = np.moveaxis(sums, -1, 0)
        divisor = hessians if self.rule.method == "Newton" else weights
        steps = gradients / (divisor + self.regularization)
        return np.where(weights < self.min_weight, 0.0, steps)


@dataclass(frozen=True)
class RowsInLeaves:
    """Rows of one parcel, and the leaves they are in.

    target     float32 (n,)
    weight     float32 (n,), or None when all weigh 1
    raw        float64 (n_outputs, n)
    leaves     uint32 (n,)
    gradients  float32 (n_outputs, n) the negative gradients at ``raw``, if they are known
    """

    target: Targets
    weight: NDArray[np.float32] | None
    raw: Floats
    leaves: Leaves
    gradients: NDArray[np.float32] | None = None

    def sums(self, loss_pass: Pass, steps: Floats, with_losses: bool) -> LeafSums:
        """At the raw predictions plus the steps (n_leaves, n_outputs) of their leaves."""
        known = None if with_losses or steps.any() else self.gradients
        return loss_pass.leaf_sums(
            self.target, self.weight, self.raw, self.leaves, steps, with_losses, known
        )


class RowsToFill(Protocol):
    """All rows of a model, which are in the leaves of a new tree."""

    @property
    def n_outputs(self) -> int: ...

    @property
    def n_parcels(self) -> int: ...

    def sums(self, steps: Floats, with_losses: bool) -> LeafSums:
        """At the raw predictions plus the steps (n_leaves, n_outputs), over all parcels."""
        ...

    def alone(self, n_leaves: int, settings: LeafSettings) -> tuple[Floats, Floats]:
        """Values and weights by the rows of the only parcel, where there is one."""
        ...

    def parcels(self) -> list[RowsInLeaves]:
        """The rows themselves."""
        ...


def estimate_leaves(
    loss_pass: Pass, rows: RowsToFill, n_leaves: int, settings: LeafSettings
) -> tuple[Floats, Floats]:
    """Values (n_leaves, n_outputs), before the learning rate, and weights (n_leaves,) of leaves."""
    exact = settings.rule.method == "Exact"
    native_steps = isinstance(loss_pass, NativePass) and not settings.one_step
    if rows.n_parcels == 1 and (exact or native_steps):
        values, weights = rows.alone(n_leaves, settings)
    elif exact:
        values, weights = _quantiles(rows.parcels(), n_leaves, settings)
    else:
        values, weights = _in_steps(rows, n_leaves, settings)
    values[weights < settings.min_weight] = 0.0
    return values, weights


def estimate_alone(
    loss_pass: Pass, rows: RowsInLeaves, n_leaves: int, settings: LeafSettings
) -> tuple[Floats, Floats]:
    """The same by the rows of one parcel, without a least weight: their quantiles, or the steps of
    a loss that C++ knows."""
    if settings.rule.method == "Exact":
        return _quantiles([rows], n_leaves, settings)
    assert isinstance(loss_pass, NativePass)
    return loss_pass.leaf_values(
        rows.target,
        rows.weight,
        rows.raw,
        rows.leaves,
        n_leaves,
        settings.rule.method == "Newton",
        settings.regularization,
        settings.rule.iterations,
    )


def _quantiles(
    parcels: Sequence[RowsInLeaves], n_leaves: int, settings: LeafSettings
) -> tuple[Floats, Floats]:
    leaves = _joined([rows.leaves for rows in parcels])
    weights = [rows.weight for rows in parcels if rows.weight is not None]
    rows, offsets = rows_by_leaf(leaves, n_leaves, settings.n_threads)
    quantiles, leaf_weights = np.empty(n_leaves), np.empty(n_leaves)
    native.leaf_quantiles(
        settings.alpha,
        _joined([rows.target for rows in parcels]),
        _joined(weights) if weights else None,
        _joined([rows.raw[0] for rows in parcels]),
        rows,
        offsets,
        quantiles,
        leaf_weights,
        n_threads=settings.n_threads,
    )
    return quantiles[:, np.newaxis], leaf_weights


def _joined(parts: list[NDArray[Scalar]]) -> NDArray[Scalar]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _in_steps(rows: RowsToFill, n_leaves: int, settings: LeafSettings) -> tuple[Floats, Floats]:
    values: Floats = np.zeros((n_leaves, rows.n_outputs))
    sums = rows.sums(values, rows.n_outputs > 1 and not settings.one_step)
    if settings.one_step:
        return _step(sums, settings), sums.weights
    moving = np.ones((n_leaves, 1), dtype=np.bool_)
    for _ in range(settings.rule.iterations):
        step, sums = _improve(values, np.where(moving, _step(sums, settings), 0.0), sums, rows.sums)
        values = values + step
        moving &= np.abs(step).max(axis=1, keepdims=True) > _NEGLIGIBLE
        if not moving.any():
            break
    return values, sums.weights


def _step(sums: LeafSums, settings: LeafSettings) -> Floats:
    regularization = settings.regularization
    if settings.rule.method == "Gradient":
        return sums.gradients / (sums.weights[:, None] + regularization)
    steps: Floats = np.empty_like(sums.gradients, order="C")
    if sums.hessians is None:
        assert sums.classes is not None, "many classes have sums of their own"
        native.class_steps(
            sums.classes, sums.weights, regularization, steps, n_threads=settings.n_threads
        )
    elif steps.shape[1] == 1:
        np.divide(sums.gradients, sums.hessians[:, :, 0] + regularization, out=steps)
    else:
        native.newton_steps(
            np.ascontiguousarray(sums.gradients),
            np.ascontiguousarray(sums.hessians),
            regularization,
            steps,
            n_threads=settings.n_threads,
        )
    return steps


def _improve(
    values: Floats, step: Floats, sums: LeafSums, sums_at: Callable[[Floats, bool], LeafSums]
) -> tuple[Floats, LeafSums]:
    """The steps (n_leaves, n_outputs), each halved until its leaf is no worse, and the sums after
    them. A leaf that never gets there takes none; its sums are of no use any more."""
    suspect = np.ones(len(step), dtype=np.bool_)
    if step.shape[1] == 1:
        # A step that has not turned the gradient round did not go too far.
        moved = sums_at(values + step, False)
        suspect = ~(moved.gradients * step >= 0)[:, 0]
        if not suspect.any():
            return step, moved
        sums = sums_at(values, True)
    # Sums of many rows have rounding noise; it must not decide.
    limits = sums.losses + 1e-12 * np.abs(sums.losses)
    moved = sums_at(values + step, True)
    for _ in range(_MAX_HALVINGS):
        worse = suspect & (moved.losses > limits)
        if not worse.any():
            return step, moved
        step = np.where(worse[:, np.newaxis], step / 2, step)
        moved = sums_at(values + step, True)
    return np.where((suspect & (moved.losses > limits))[:, np.newaxis], 0.0, step), moved
