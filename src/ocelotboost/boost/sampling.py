"""Which rows, and with which weight, choose the structure of the next tree.

Sampling weights multiply gradients in the scores only; leaf values come from all rows.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native

#: With fewer rows than this, ``bootstrap_type="auto"`` uses them all.
MIN_ROWS_TO_SAMPLE = 100


class Sampling(Protocol):
    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        last_leaf_size: float | None,
        rng: np.random.Generator,
    ) -> NDArray[np.float32] | None:
        """Sampling weight of each row, 0 for rows left out; None when all rows count one.

        gradients       (n_outputs, n)
        last_leaf_size  mean |leaf value| of the last tree, None before the first
        """
        ...


class AllRows:
    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        last_leaf_size: float | None,
        rng: np.random.Generator,
    ) -> None:
        return None


class Bayesian:
    """Weight (-ln U)^T: at T = 1 the Bayesian bootstrap, at T = 0 all ones."""

    def __init__(self, temperature: float) -> None:
        self.temperature = temperature

    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        last_leaf_size: float | None,
        rng: np.random.Generator,
    ) -> NDArray[np.float32]:
        drawn = rng.standard_exponential(int(gradients.shape[1]), dtype=np.float32)
        return drawn if self.temperature == 1 else drawn ** np.float32(self.temperature)


class Bernoulli:
    """Each row is taken with the same probability."""

    def __init__(self, share: float) -> None:
        self.share = share

    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        last_leaf_size: float | None,
        rng: np.random.Generator,
    ) -> NDArray[np.float32]:
        taken = rng.random(int(gradients.shape[1]), dtype=np.float32) < self.share
        if not taken.any():
            taken[rng.integers(len(taken))] = True
        return taken.astype(np.float32)


class MinimalVariance:
    """Rows with large gradients are likelier to be taken, and weigh less when they are."""

    def __init__(self, share: float, n_threads: int) -> None:
        self.share = share
        self.n_threads = n_threads

    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        last_leaf_size: float | None,
        rng: np.random.Generator,
    ) -> NDArray[np.float32]:
        if last_leaf_size is None:
            lengths = np.sqrt(np.einsum("kn,kn->n", gradients, gradients, dtype=np.float64))
            last_leaf_size = float(lengths.mean())
        n_rows = int(gradients.shape[1])
        uniform = rng.random(n_rows, dtype=np.float32)
        out = np.empty(n_rows, dtype=np.float32)
        native.minimal_variance_weights(
            gradients, weight, uniform, last_leaf_size**2, self.share, out,
            n_threads=self.n_threads,
        )  # fmt: skip
        return out if out.any() else np.ones_like(out)


def choose_sampling(
    bootstrap_type: str,
    subsample: float | None,
    temperature: float,
    n_outputs: int,
    n_rows: float,
    n_threads: int,
) -> Sampling:
    """The sampling of that name. 'auto': minimal variance, or Bayesian for several outputs."""
    if bootstrap_type == "auto":
        if n_rows < MIN_ROWS_TO_SAMPLE:
            bootstrap_type = "No"
        else:
            bootstrap_type = "MVS" if n_outputs == 1 else "Bayesian"
    share = 0.8 if subsample is None else subsample
    if bootstrap_type == "Bayesian" and temperature > 0:
        return Bayesian(temperature)
    if bootstrap_type == "Bernoulli" and share < 1:
        return Bernoulli(share)
    if bootstrap_type == "MVS" and share < 1:
        return MinimalVariance(share, n_threads)
    return AllRows()
