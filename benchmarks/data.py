"""Where the rows come from: generated tables with a fixed seed, and real tables from a folder.

Real tables are Parquet files described by an `index.json` (target, columns to drop, categorical
columns). The folder is the one named by the environment variable OCELOT_DATA, else
`../shared/datasets` beside the project.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PROJECT = Path(__file__).resolve().parent.parent
FEWEST_ROWS = 500


class DataMissingError(Exception):
    """A real table is not on this machine; the message says where it was looked for."""


@dataclass(frozen=True)
class Data:
    """A numeric learning task."""

    features: NDArray[np.float32]  # (rows, columns), C-contiguous, NaN is missing
    target: NDArray[Any]  # (rows,): float32, or int32 class numbers from 0
    weight: NDArray[np.float32] | None = None  # (rows,)

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: NDArray[Any] | slice) -> Data:
        """The chosen rows as a task of their own."""
        weight = None if self.weight is None else self.weight[rows]
        return Data(np.ascontiguousarray(self.features[rows]), self.target[rows], weight)


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
    return _sample(Data(data, classes), rows, seed)


def regression(name: str, rows: int | None = None, *, seed: int = 20) -> Data:
    """A regression table of the folder: its numeric columns and its target."""
    columns, features = _read(name)
    target = columns[_index(_folder())[name]["target"]].astype(np.float32)
    return _sample(Data(features, target), rows, seed)


def claim_frequency(rows: int | None = None, *, seed: int = 20) -> Data:
    """fremtpl2: claims per year of exposure, each policy weighted by its exposure.

    For a Poisson loss this is the same task as counting claims with log(exposure) as offset.
    """
    columns, features = _read("fremtpl2", drop=("Exposure",))
    exposure = columns["Exposure"].astype(np.float32)
    frequency = columns["ClaimNb"].astype(np.float32) / exposure
    return _sample(Data(features, frequency, exposure), rows, seed)


def _sample(data: Data, rows: int | None, seed: int) -> Data:
    """At most `rows` rows drawn without replacement; all of them, in file order, for None."""
    if rows is None or rows >= len(data):
        return data
    return data.take(np.random.default_rng(seed).choice(len(data), rows, replace=False))


def _folder() -> Path:
    return Path(os.environ.get("OCELOT_DATA", PROJECT.parent / "shared" / "datasets"))


def _index(folder: Path) -> dict[str, Any]:
    path = folder / "index.json"
    if not path.exists():
        raise DataMissingError(
            f"no {path}: set OCELOT_DATA to the folder of the Parquet tables and their index.json"
        )
    index: dict[str, Any] = json.loads(path.read_text())
    return index


def _read(
    name: str, drop: Sequence[str] = ()
) -> tuple[dict[str, NDArray[Any]], NDArray[np.float32]]:
    """All columns by name, and the numeric features as one float32 array (rows, columns)."""
    folder = _folder()
    entry = _index(folder)[name]
    path = folder / entry["file"]
    if not path.exists():
        raise DataMissingError(f"no {path}: set OCELOT_DATA to the folder that has it")
    from pyarrow import parquet

    table = parquet.read_table(path)
    left_out = {entry["target"], *entry["categorical"], *entry["drop"], *drop}
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    kept = [column.astype(np.float32) for name, column in columns.items() if name not in left_out]
    return columns, np.ascontiguousarray(np.stack(kept, axis=1))
