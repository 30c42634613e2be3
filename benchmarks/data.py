"""Numeric tasks: generated tables with a fixed seed, and real tables from the folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.folder import index, read_table

FEWEST_ROWS = 500
Features = Any  # a float32 array (rows, columns), C-contiguous; or a pandas DataFrame


@dataclass(frozen=True)
class Data:
    """A learning task: an array of numbers, or a frame that has categorical columns too."""

    features: Features  # NaN is missing; a frame's numeric columns are float32
    target: NDArray[Any]  # (rows,): float32, or int32 class numbers from 0
    weight: NDArray[np.float32] | None = None  # (rows,)
    categorical: tuple[str, ...] = ()  # names of a frame's columns: integers or texts

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: NDArray[Any] | slice) -> Data:
        """The chosen rows as a task of their own."""
        features: Features
        if isinstance(self.features, pd.DataFrame):
            features = self.features.iloc[rows]
        else:
            features = np.ascontiguousarray(self.features[rows])
        weight = None if self.weight is None else self.weight[rows]
        return Data(features, self.target[rows], weight, self.categorical)

    def sample(self, rows: int | None, seed: int) -> Data:
        """At most `rows` rows drawn without replacement; all of them, in file order, for None."""
        if rows is None or rows >= len(self):
            return self
        return self.take(np.random.default_rng(seed).choice(len(self), rows, replace=False))


def scaled_rows(rows: int, scale: float) -> int:
    """The number of rows at a reduced scale, large enough that every library still trains."""
    return max(min(rows, FEWEST_ROWS), round(rows * scale))


def generate(loss: str, rows: int, columns: int, *, seed: int = 20) -> Data:
    """Normal columns; the target is a bent, interacting sum of the first twenty, with noise.

    `loss` "Logloss" draws 0/1 labels from the sum's probability, "RMSE" adds unit noise.
    """
    random = np.random.default_rng(seed)
    features = random.standard_normal((rows, columns), dtype=np.float32)
    signal = _signal(features[:, : min(20, columns)], random)
    if loss == "Logloss":
        positive = random.random(rows) < 1.0 / (1.0 + np.exp(-signal))
        return Data(features, positive.astype(np.int32))
    noise = random.standard_normal(rows, dtype=np.float32)
    return Data(features, signal + noise)


def _signal(columns: NDArray[np.float32], random: np.random.Generator) -> NDArray[np.float32]:
    """Linear, periodic and product terms of each column, scaled to standard deviation two."""
    signal = np.zeros(len(columns), dtype=np.float32)
    for j in range(columns.shape[1]):
        linear, wave, product = random.normal(size=3).astype(np.float32)
        x, neighbour = columns[:, j], columns[:, j - 1]
        signal += linear * x + wave * np.sin(2 * x) + product * x * neighbour
    return signal * np.float32(2.0 / signal.std())


def covtype(rows: int | None = None, *, seed: int = 20) -> Data:
    """Forest cover type, seven classes; all 581,012 rows, or a random sample of them."""
    columns, data = _read("covtype")
    classes = np.unique(columns["Cover_Type"], return_inverse=True)[1].astype(np.int32)
    return Data(data, classes).sample(rows, seed)


def regression(name: str, rows: int | None = None, *, seed: int = 20) -> Data:
    """A regression table of the folder: its numeric columns and its target."""
    columns, features = _read(name)
    target = columns[index()[name]["target"]].astype(np.float32)
    return Data(features, target).sample(rows, seed)


def claim_frequency(rows: int | None = None, *, seed: int = 20) -> Data:
    """fremtpl2: claims per year of exposure, each policy weighted by its exposure.

    For a Poisson loss this is the same task as counting claims with log(exposure) as offset.
    """
    columns, features = _read("fremtpl2", drop=("Exposure",))
    exposure = columns["Exposure"].astype(np.float32)
    frequency = columns["ClaimNb"].astype(np.float32) / exposure
    return Data(features, frequency, exposure).sample(rows, seed)


def _read(name: str, drop: Sequence[str] = ()) -> tuple[dict[str, NDArray[Any]], Features]:
    """All columns by name, and the numeric features as one float32 array (rows, columns)."""
    entry, table = read_table(name)
    left_out = {entry["target"], *entry["categorical"], *entry["drop"], *drop}
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    kept = [column.astype(np.float32) for name, column in columns.items() if name not in left_out]
    return columns, np.ascontiguousarray(np.stack(kept, axis=1))
