"""Leaf values, once the structure of a tree is fixed: all rows, no sampling weights.

    Gradient   Σg / (Σw + λ)
    Newton     Σg / (Σh + λ); a system of equations where a row has several outputs, with many of
               them one whose off-diagonal part is a single product (cpp/core/leaves/newton.h)
    Exact      the weighted quantile of the residuals

Gradient and Newton take several steps. Each leaf goes its own way: a step that makes the loss of
its rows worse is halved. C++ does so leaf by leaf, NumPy for all leaves in one pass over the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.loss.base import Floats, LeafRule, Targets
from ocelotboost.loss.passes import LeafSums, Leaves, NativePass, Pass, SummingPass, rows_by_leaf

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


def estimate_leaves(
    loss_pass: Pass,
    target: Targets,
    weight: NDArray[np.float32] | None,
    raw: Floats,
    gradients: NDArray[np.float32] | None,
    leaves: Leaves,
    n_leaves: int,
    settings: LeafSettings,
) -> tuple[Floats, Floats]:
    """Values (n_leaves, n_outputs), before the learning rate, and weights (n_leaves,) of leaves.

    ``leaves`` (n,) are the rows' leaf numbers, ``raw`` (n_outputs, n) their raw predictions and
    ``gradients`` (n_outputs, n) the negative gradients there, if they are known.
    """
    if settings.rule.method == "Exact":
        values, weights = _quantiles(target, weight, raw, leaves, n_leaves, settings)
    elif isinstance(loss_pass, NativePass):
        values, weights = loss_pass.leaf_values(
            target,
            weight,
            raw,
            leaves,
            n_leaves,
            settings.rule.method == "Newton",
            settings.regularization,
            settings.rule.iterations,
        )
    elif settings.one_step:
        none = np.zeros((n_leaves, len(raw)))
        sums = loss_pass.leaf_sums(target, weight, raw, leaves, none, False, gradients)
        values, weights = _step(sums, settings), sums.weights
    else:
        values, weights = _in_steps(loss_pass, target, weight, raw, leaves, n_leaves, settings)
    values[weights < settings.min_weight] = 0.0
    return values, weights


def _quantiles(
    target: Targets,
    weight: NDArray[np.float32] | None,
    raw: Floats,
    leaves: Leaves,
    n_leaves: int,
    settings: LeafSettings,
) -> tuple[Floats, Floats]:
    rows, offsets = rows_by_leaf(leaves, n_leaves, settings.n_threads)
    quantiles, weights = np.empty(n_leaves), np.empty(n_leaves)
    native.leaf_quantiles(
        settings.alpha, target, weight, raw[0], rows, offsets, quantiles, weights,
        n_threads=settings.n_threads,
    )  # fmt: skip
    return quantiles[:, np.newaxis], weights


def _in_steps(
    loss_pass: SummingPass,
    target: Targets,
    weight: NDArray[np.float32] | None,
    raw: Floats,
    leaves: Leaves,
    n_leaves: int,
    settings: LeafSettings,
) -> tuple[Floats, Floats]:
    def sums_at(values: Floats) -> LeafSums:
        return loss_pass.leaf_sums(target, weight, raw, leaves, values, True)

    values: Floats = np.zeros((n_leaves, len(raw)))
    sums = sums_at(values)
    moving = np.ones((n_leaves, 1), dtype=np.bool_)
    for _ in range(settings.rule.iterations):
        step, sums = _improve(values, np.where(moving, _step(sums, settings), 0.0), sums, sums_at)
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
    values: Floats, step: Floats, sums: LeafSums, sums_at: Callable[[Floats], LeafSums]
) -> tuple[Floats, LeafSums]:
    """The steps (n_leaves, n_outputs), each halved until its leaf is no worse, and the sums after
    them. A leaf that never gets there takes none; its sums are of no use any more."""
    # Sums of many rows have rounding noise; it must not decide.
    limits = sums.losses + 1e-12 * np.abs(sums.losses)
    moved = sums_at(values + step)
    for _ in range(_MAX_HALVINGS):
        worse = moved.losses > limits
        if not worse.any():
            break
        step = np.where(worse[:, np.newaxis], step / 2, step)
        moved = sums_at(values + step)
    return np.where((moved.losses > limits)[:, np.newaxis], 0.0, step), moved
