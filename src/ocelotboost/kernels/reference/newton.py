"""Twins of Newton's step in leaves with several outputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.uint32]

_NEGLIGIBLE = 1e-12


def newton_steps(
    gradients: Floats,
    hessians: Floats,
    regularization: float,
    out_steps: Floats,
    *,
    n_threads: int,
) -> None:
    """Solve (H + λI) step = gradient (n_leaves, n_outputs) in each leaf. An output whose equation
    follows from the others' stays at 0."""
    for leaf, hessian in enumerate(hessians):
        system = hessian + regularization * np.eye(len(hessian))
        out_steps[leaf] = _solve(system, gradients[leaf].copy())


def _solve(system: Floats, right: Floats) -> Floats:
    n = len(right)
    solvable = np.zeros(n, dtype=np.bool_)
    diagonal = system.diagonal().copy()
    for k in range(n):
        solvable[k] = system[k, k] > _NEGLIGIBLE * diagonal[k]
        if solvable[k]:
            factors = system[k, k + 1 :] / system[k, k]
            system[k + 1 :, k + 1 :] -= factors[:, None] * system[k, k + 1 :]
            right[k + 1 :] -= factors * right[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            right[k] -= system[k, j] * right[j]
        right[k] = right[k] / system[k, k] if solvable[k] else 0.0
    return right


def class_leaf_sums(
    targets: Singles,
    weights: Singles | None,
    gradients: Singles,
    leaves: Indices,
    out: Floats,
    *,
    n_threads: int,
) -> None:
    """Sums (3, n_leaves, n_outputs) of weighted gradients, p (1 - p) and p, from negative gradients
    1[class] - p of the softmax."""
    weight = np.ones(len(targets)) if weights is None else weights.astype(np.float64)
    n_leaves = out.shape[1]
    for k, own in enumerate(gradients.astype(np.float64)):
        p = (targets == k) - own
        for field, values in enumerate((own, p * (1.0 - p), p)):
            out[field, :, k] = np.bincount(leaves, weight * values, n_leaves)


def class_steps(
    sums: Floats,
    weights: Floats,
    regularization: float,
    out_steps: Floats,
    *,
    n_threads: int,
) -> None:
    """Newton's step with the Hessian C (diag(P) - P P' / W) C, where the diagonal matrix C makes
    its diagonal the true one, the sum of p (1 - p)."""
    for leaf, weight in enumerate(weights.tolist()):
        gradients, curvatures, expected = sums[:, leaf]
        alike = expected * (1.0 - expected / weight) if weight > 0 else np.zeros_like(expected)
        ratio = np.zeros_like(alike)
        np.divide(curvatures, alike, out=ratio, where=alike > 0)
        ratio = np.clip(ratio, 0.0, 1.0)
        diagonal = ratio * expected + regularization
        solvable = diagonal > 0
        diagonal[~solvable] = 1.0
        factors = np.sqrt(ratio) * expected
        step = np.where(solvable, gradients / diagonal, 0.0)
        shares = np.where(solvable, factors / diagonal, 0.0)
        rest = weight - sum((factors * shares).tolist())
        if rest > _NEGLIGIBLE * weight:
            step += shares * (sum((factors * step).tolist()) / rest)
        out_steps[leaf] = step
