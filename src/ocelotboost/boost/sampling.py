"""Which rows, and with which weight, choose the structure of the next tree.

Sampling weights multiply gradients in the scores only; leaf values come from all rows.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.kernels import native
from ocelotboost.loss.links import exponential, logarithm
from ocelotboost.order.mode import FEWEST_ORDERED_ROWS

Own = TypeVar("Own")

#: With fewer rows than this, ``bootstrap_type="auto"`` uses them all.
MIN_ROWS_TO_SAMPLE = FEWEST_ORDERED_ROWS

#: Of several outputs, fewer rows need weights that vary more.
_MOST_ROWS_OF_OUTPUTS = 10_000


class Sampling(Protocol):
    """takes_all_rows: each counts as one."""

    bootstrap_type: str
    takes_all_rows: bool

    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        leaf_size: float,
        rng: np.random.Generator,
    ) -> NDArray[np.float32] | None:
        """Sampling weight of each row of a parcel, 0 for rows left out; None when all rows count
        one.

        gradients  (n_outputs, n)
        leaf_size  mean |leaf value| of the last tree; before the first, mean length of a gradient
        """
        ...

    def with_threads(self, n_threads: int) -> Sampling:
        """The same in a process that may use another number of threads."""
        ...


class _OneThread:
    """What draws without threads."""

    def with_threads(self: Own, n_threads: int) -> Own:
        return self


class AllRows(_OneThread):
    bootstrap_type = "No"
    takes_all_rows = True

    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        leaf_size: float,
        rng: np.random.Generator,
    ) -> None:
        return None


class Bayesian(_OneThread):
    """Weight (-ln U)^T: at T = 1 the Bayesian bootstrap, at T = 0 all ones."""

    bootstrap_type = "Bayesian"
    takes_all_rows = False

    def __init__(self, temperature: float) -> None:
        self.temperature = temperature

    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        leaf_size: float,
        rng: np.random.Generator,
    ) -> NDArray[np.float32]:
        drawn = rng.standard_exponential(int(gradients.shape[1]), dtype=np.float32)
        return drawn if self.temperature == 1 else _to_the_power(drawn, self.temperature)


def _to_the_power(values: NDArray[np.float32], exponent: float) -> NDArray[np.float32]:
    """values ** exponent, with the library's own functions: the same bits on every machine."""
    found = np.zeros_like(values)
    above = values > 0
    found[above] = exponential(exponent * logarithm(values[above].astype(np.float64)))
    return found


class Bernoulli(_OneThread):
    """Each row is taken with the same probability."""

    bootstrap_type = "Bernoulli"
    takes_all_rows = False

    def __init__(self, share: float) -> None:
        self.share = share

    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        leaf_size: float,
        rng: np.random.Generator,
    ) -> NDArray[np.float32]:
        taken = rng.random(int(gradients.shape[1]), dtype=np.float32) < self.share
        if len(taken) and not taken.any():
            taken[rng.integers(len(taken))] = True
        return taken.astype(np.float32)


class MinimalVariance:
    """Rows with large gradients are likelier to be taken, and weigh less when they are."""

    bootstrap_type = "MVS"
    takes_all_rows = False

    def __init__(self, share: float, n_threads: int) -> None:
        self.share = share
        self.n_threads = n_threads

    def weights(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        leaf_size: float,
        rng: np.random.Generator,
    ) -> NDArray[np.float32]:
        n_rows = int(gradients.shape[1])
        uniform = rng.random(n_rows, dtype=np.float32)
        out = np.empty(n_rows, dtype=np.float32)
        native.minimal_variance_weights(
            gradients, weight, uniform, leaf_size**2, self.share, out,
            n_threads=self.n_threads,
        )  # fmt: skip
        return out if out.any() else np.ones_like(out)

    def with_threads(self, n_threads: int) -> MinimalVariance:
        return MinimalVariance(self.share, n_threads)


def choose_sampling(
    bootstrap_type: str,
    subsample: float | None,
    temperature: float | None,
    n_outputs: int,
    n_rows: int,
    n_threads: int,
) -> Sampling:
    """The sampling of that name, or the one that ``resolve_sampling`` makes of 'auto'."""
    name = resolve_sampling(bootstrap_type, subsample, temperature, n_outputs, n_rows)
    share = 0.8 if subsample is None else subsample
    if name == "Bayesian" and temperature != 0:
        return Bayesian(1.0 if temperature is None else temperature)
    if name == "Bernoulli" and share < 1:
        return Bernoulli(share)
    if name == "MVS" and share < 1:
        return MinimalVariance(share, n_threads)
    return AllRows()


def resolve_sampling(
    bootstrap_type: str,
    subsample: float | None,
    temperature: float | None,
    n_outputs: int,
    n_rows: int,
) -> str:
    """'auto' is the sampling that a share or a temperature belongs to; without both, minimal
    variance, or Bayesian for several outputs of not too many rows, or none for few rows."""
    if bootstrap_type != "auto":
        return bootstrap_type
    if temperature is not None and subsample in (None, 1):
        return "Bayesian"
    if subsample is not None:
        return "MVS"
    if n_rows < MIN_ROWS_TO_SAMPLE:
        return "No"
    return "Bayesian" if n_outputs > 1 and n_rows <= _MOST_ROWS_OF_OUTPUTS else "MVS"


def check_sampling(bootstrap_type: str, subsample: float | None, temperature: float | None) -> None:
    """Refuse a share or a temperature that the sampling would ignore. A share of 1 and a
    temperature of 0 leave all rows as they are, so that they contradict nothing."""
    share_counts = subsample is not None and subsample < 1
    temperature_counts = temperature is not None and temperature > 0
    if share_counts and bootstrap_type in ("No", "Bayesian"):
        raise ParameterError(
            f"subsample={subsample} does nothing with bootstrap_type={bootstrap_type!r}, which "
            "takes all rows; use bootstrap_type='Bernoulli' or 'MVS', or leave subsample out."
        )
    if temperature_counts and bootstrap_type in ("No", "Bernoulli", "MVS"):
        raise ParameterError(
            f"bagging_temperature={temperature} does nothing with bootstrap_type="
            f"{bootstrap_type!r}; use bootstrap_type='Bayesian', or leave bagging_temperature out."
        )
    if share_counts and temperature_counts:
        raise ParameterError(
            f"subsample={subsample} is for bootstrap_type='Bernoulli' and 'MVS', "
            f"bagging_temperature={temperature} for 'Bayesian'; give one of them."
        )
