"""Small data for the tests of training: tables with structure to find, and no equal splits.

Features and regression targets are float32 numbers, so every input type can hold them exactly.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.forest import Forest

Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]


def features(n_rows: int, n_columns: int = 5, *, seed: int = 0, missing: float = 0.0) -> Matrix:
    """Normal numbers, a share of them missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def signal(X: Matrix) -> NDArray[np.float64]:
    """What the targets depend on: a sum, a product and a step; missing values count 0.5."""
    known = np.where(np.isnan(X), 0.5, X).astype(np.float64)
    first, second = known[:, 0], known[:, 1 % X.shape[1]]
    return first + first * second + 2.0 * (known[:, -1] > 0.3)


def positive_mean(X: Matrix) -> NDArray[np.float64]:
    """What counts and amounts vary about."""
    return np.exp(np.clip(0.4 * signal(X), -2.0, 2.0))


def regression(
    n_rows: int, n_columns: int = 5, *, seed: int = 0, missing: float = 0.0
) -> tuple[Matrix, Vector]:
    X = features(n_rows, n_columns, seed=seed, missing=missing)
    noise = np.random.default_rng(seed + 1000).normal(scale=0.3, size=n_rows)
    return X, (signal(X) + noise).astype(np.float32)


def binary(
    n_rows: int, n_columns: int = 5, *, seed: int = 0, missing: float = 0.0
) -> tuple[Matrix, NDArray[np.int64]]:
    X, y = regression(n_rows, n_columns, seed=seed, missing=missing)
    return X, (y > 0.5).astype(np.int64)


def multiclass(
    n_rows: int, n_columns: int = 5, *, n_classes: int = 3, seed: int = 0, missing: float = 0.0
) -> tuple[Matrix, NDArray[np.int64]]:
    X, y = regression(n_rows, n_columns, seed=seed, missing=missing)
    inner = np.quantile(y, np.arange(1, n_classes) / n_classes)
    return X, np.searchsorted(inner, y).astype(np.int64)


def counts(
    n_rows: int, n_columns: int = 5, *, seed: int = 0, missing: float = 0.0
) -> tuple[Matrix, Vector]:
    """For Poisson and Tweedie."""
    X = features(n_rows, n_columns, seed=seed, missing=missing)
    mean = positive_mean(X)
    return X, np.random.default_rng(seed + 1000).poisson(mean).astype(np.float32)


def amounts(
    n_rows: int, n_columns: int = 5, *, seed: int = 0, missing: float = 0.0
) -> tuple[Matrix, Vector]:
    """For Gamma: above zero."""
    X = features(n_rows, n_columns, seed=seed, missing=missing)
    drawn = positive_mean(X) * np.random.default_rng(seed + 1000).gamma(2.0, 0.5, size=n_rows)
    return X, (drawn + 0.01).astype(np.float32)


def shares(n_rows: int, n_columns: int = 5, *, seed: int = 0) -> tuple[Matrix, Vector]:
    """For CrossEntropy: probabilities."""
    X, y = regression(n_rows, n_columns, seed=seed)
    return X, (1.0 / (1.0 + np.exp(-y))).astype(np.float32)


def fractional_weights(n_rows: int, seed: int = 0) -> Vector:
    return np.random.default_rng(seed + 2000).uniform(0.3, 3.0, size=n_rows).astype(np.float32)


def forest_arrays(forest: Forest) -> dict[str, NDArray[np.generic]]:
    """All arrays of a forest and of its parts, by name."""
    parts = {"": forest, "indicators.": forest.indicators, "statistics.": forest.statistics}
    named = {
        prefix + field.name: getattr(part, field.name)
        for prefix, part in parts.items()
        for field in dataclasses.fields(part)
    }
    return {name: value for name, value in named.items() if isinstance(value, np.ndarray)}


def assert_same_bits(first: Forest, second: Forest) -> None:
    """All arrays of two forests are equal to the last bit."""
    for name, array in forest_arrays(first).items():
        other = forest_arrays(second)[name]
        assert array.dtype == other.dtype, name
        assert array.shape == other.shape, name
        assert array.tobytes() == other.tobytes(), name
    assert first.derivation == second.derivation
    assert first.indicators.texts == second.indicators.texts
    assert first.statistics.target_names == second.statistics.target_names


def leaves_of(forest: Forest, X: NDArray[np.floating]) -> NDArray[np.intp]:
    """The leaf of every row in every tree, question by question: (n_trees, n)."""
    offsets = forest.split_offsets()
    leaves = np.zeros((forest.n_trees, len(X)), dtype=np.intp)
    for tree in range(forest.n_trees):
        for split in range(offsets[tree], offsets[tree + 1]):
            column, border = int(forest.split_columns[split]), forest.split_borders[split]
            values, high = X[:, column].astype(np.float64), bool(forest.missing_high[column])
            missing = np.isnan(values)
            if np.isnan(border):
                answers = missing if high else ~missing
            else:
                answers = np.where(missing, high, values > border)
            leaves[tree] = 2 * leaves[tree] + answers
    return leaves
