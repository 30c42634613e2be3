"""Tasks with categorical columns: real tables with their test rows, and a generated one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.data import Data, scaled_rows
from benchmarks.folder import published_test_rows, read_table
from benchmarks.peers import Held

HELD_FRACTION = 0.2  # of all rows to test where no split is published, of training rows to stop
SPLIT_SEED = 20
CLAIMS, EXPOSURE = "fremtpl2", "Exposure"


@dataclass(frozen=True)
class SplitTable:
    """A real table; the test rows are always the same."""

    all_rows: Data
    is_test: NDArray[np.bool]  # (rows,)

    @property
    def train(self) -> Data:
        """In file order."""
        return self.all_rows.take(np.flatnonzero(~self.is_test))

    @property
    def test(self) -> Data:
        """In file order."""
        return self.all_rows.take(np.flatnonzero(self.is_test))


@cache
def split_table(name: str, rows: int | None = None) -> SplitTable:
    """A table of the folder, all of it or a random sample, with its published test rows.

    Where none are published a fixed random fifth is for testing, of each class if there are any.
    """
    entry, table = read_table(name)
    data = Data(
        _frame(entry, table), _target(entry, table), categorical=tuple(entry["categorical"])
    )
    if name == CLAIMS:
        data = _claims_per_year(data)
    is_test = published_test_rows(entry)
    if is_test is None:
        data = data.sample(rows, SPLIT_SEED)
        is_test = random_rows(data.target, HELD_FRACTION, SPLIT_SEED)
    return SplitTable(data, is_test)


def hold(data: Data, seed: int) -> Held:
    """A fifth of the training rows set apart for early stopping."""
    is_held = random_rows(data.target, HELD_FRACTION, seed)
    return Held(data, data.take(np.flatnonzero(~is_held)), data.take(np.flatnonzero(is_held)))


def scaled(data: Data, scale: float, seed: int) -> Data:
    """Fewer rows of every class, but one at least; all rows for scale 1."""
    left_out = random_rows(data.target, 1 - scaled_rows(len(data), scale) / len(data), seed)
    return data.take(np.flatnonzero(~left_out))


def random_rows(target: NDArray[Any], fraction: float, seed: int) -> NDArray[np.bool]:
    """(rows,) a random part, rounded down; the part of each class where the target is classes.

    Rounded down so that of a class with few rows none is missing from the rest.
    """
    random = np.random.default_rng(seed)
    is_class = np.issubdtype(target.dtype, np.integer)
    groups = np.unique(target, return_inverse=True)[1] if is_class else np.zeros(len(target), int)
    chosen = np.zeros(len(target), dtype=np.bool)
    for group in range(groups.max() + 1):
        rows = random.permutation(np.flatnonzero(groups == group))
        chosen[rows[: int(fraction * len(rows))]] = True
    return chosen


def _claims_per_year(data: Data) -> Data:
    """Claims per year of exposure, each policy weighted by its exposure: for a Poisson loss the
    same task as counting claims with log(exposure) as offset."""
    exposure = data.features[EXPOSURE].to_numpy()
    rest = data.features.drop(columns=EXPOSURE)
    return Data(rest, data.target / exposure, exposure, data.categorical)


def _frame(entry: dict[str, Any], table: Any) -> pd.DataFrame:
    """The features in the order of the file; what is not categorical is a number."""
    left_out = {entry["target"], *entry["drop"]}
    categorical = set(entry["categorical"])
    return pd.DataFrame(
        {
            name: _categories(table.column(name))
            if name in categorical
            else table.column(name).to_numpy().astype(np.float32)
            for name in table.column_names
            if name not in left_out
        }
    )


def _categories(column: Any) -> pd.Series[Any]:
    """Integers as they are, all else as texts; so are integers with gaps, lest they be floats."""
    from pyarrow import string, types

    whole = types.is_integer(column.type) and not column.null_count
    found: pd.Series[Any] = (column if whole else column.cast(string())).to_pandas()
    return found


def _target(entry: dict[str, Any], table: Any) -> NDArray[Any]:
    column: NDArray[Any] = table.column(entry["target"]).to_numpy()
    if entry["task"] == "binary":
        positive: NDArray[np.bool] = column == entry["positive"]
        return positive.astype(np.int32)
    if entry["task"] == "multiclass":
        classes: NDArray[np.intp] = np.unique(column, return_inverse=True)[1]
        return classes.astype(np.int32)
    return column.astype(np.float32)


def generate_table(rows: int, *, categorical: int = 10, numeric: int = 10, seed: int = 20) -> Data:
    """A binary task of integer categories, 10 to 100,000 values per column, and normal numbers.

    Small values are the frequent ones, as in real tables. The target depends on an effect of
    every value, on a sine of every number and on the pairs of values of neighbouring columns.
    """
    random = np.random.default_rng(seed)
    columns: dict[str, NDArray[Any]] = {}
    signal = np.zeros(rows)
    before = np.zeros(rows, dtype=np.int64)
    for j, size in enumerate(np.geomspace(10, 100_000, categorical).round().astype(int)):
        values = (size * random.random(rows) ** 2).astype(np.int64)
        signal += random.normal(size=size)[values]
        signal += random.normal(size=1009)[(values * 31 + before) % 1009]
        before = values
        columns[f"category_{j}"] = values.astype(np.int32)
    for j in range(numeric):
        values = random.standard_normal(rows, dtype=np.float32)
        signal += np.sin(2 * values)
        columns[f"number_{j}"] = values
    signal *= 2 / signal.std()
    positive = random.random(rows) < 1 / (1 + np.exp(-signal))
    names = tuple(name for name in columns if name.startswith("category"))
    return Data(pd.DataFrame(columns), positive.astype(np.int32), categorical=names)


def generate_classes(rows: int, *, categorical: int = 24, classes: int = 8, seed: int = 20) -> Data:
    """A task of unbalanced classes and integer categories, 2 to 80 values per column.

    Small values and classes are the frequent ones. A class depends on an effect of every value and
    on the pairs of values of neighbouring columns.
    """
    random = np.random.default_rng(seed)
    columns: dict[str, NDArray[Any]] = {}
    signal = np.zeros((rows, classes))
    before = np.zeros(rows, dtype=np.int64)
    for j, size in enumerate(np.geomspace(2, 80, categorical).round().astype(int)):
        values = (size * random.random(rows) ** 1.5).astype(np.int64)
        signal += random.normal(size=(size, classes))[values]
        signal += random.normal(size=(1009, classes))[(values * 31 + before) % 1009]
        before = values
        columns[f"category_{j}"] = values.astype(np.int32)
    signal *= 2 / signal.std()
    signal -= 0.7 * np.arange(classes)
    drawn = (signal + random.gumbel(size=signal.shape)).argmax(axis=1)
    return Data(pd.DataFrame(columns), drawn.astype(np.int32), categorical=tuple(columns))
