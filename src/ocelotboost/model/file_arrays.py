"""A forest as named arrays and back; arrays as few bytes and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import STATISTIC_ARRAYS, Indicators, StatisticTables, compact
from ocelotboost.model.training_summary import SUMMARY_ARRAYS, TrainingSummary

Fields = dict[str, Any]
Arrays = dict[str, NDArray[Any]]

#: dtype of every array in memory; the counts and sums of tables keep their own.
TREE_ARRAYS: dict[str, type[np.generic]] = {
    "split_columns": np.uint32,
    "split_borders": np.float64,
    "tree_depths": np.uint32,
    "leaf_values": np.float64,
    "leaf_weights": np.float64,
    "start_value": np.float64,
    "missing_high": np.bool_,
}
CATEGORY_ARRAYS: dict[str, type[np.generic] | None] = {
    "categorical": np.bool_,
    "hash_key": np.uint64,
    "indicators.columns": np.uint32,
    "indicators.hashes": np.uint64,
    **{
        f"statistics.{array.name}": None if array.counting else array.dtypes[0]
        for array in STATISTIC_ARRAYS
    },
}
#: What is remembered of training: all of them, or none.
TRAINING = "training."
TRAINING_ARRAYS: dict[str, type[np.generic]] = {
    TRAINING + array.name: array.dtypes[0] for array in SUMMARY_ARRAYS
}
#: Texts that belong to arrays.
CATEGORY_FIELDS = ("indicator_texts", "target_names")

#: The remedy for a damaged file.
RESTORE = "Restore the file from a copy or save the model again."

_SMALL_INTEGERS = (np.uint8, np.int8, np.uint16, np.int16, np.uint32)
_BORDERS = ("split_borders", "statistics.question_borders")


def arrays_of(forest: Forest) -> Arrays:
    """All arrays by name, contiguous."""
    parts: dict[str, Any] = {
        "": forest,
        "indicators.": forest.indicators,
        "statistics.": forest.statistics,
    }
    arrays = {
        prefix + field.name: np.ascontiguousarray(getattr(part, field.name))
        for prefix, part in parts.items()
        for field in dataclasses.fields(part)
        if prefix + field.name in {*TREE_ARRAYS, *CATEGORY_ARRAYS}
    }
    for name in _BORDERS:  # NaN has many bytes
        arrays[name] = np.where(np.isnan(arrays[name]), np.nan, arrays[name])
    for name in ("statistics.counts", "statistics.sums"):
        arrays[name] = compact(arrays[name])
    return arrays


def category_fields_of(forest: Forest) -> Fields:
    """The texts that belong to ``arrays_of``."""
    return {
        "indicator_texts": list(forest.indicators.texts),
        "target_names": [list(names) for names in forest.statistics.target_names],
    }


def forest_of(arrays: Arrays, fields: Fields) -> Forest:
    """The forest of these arrays."""
    trees: dict[str, Any] = {name: arrays[name] for name in TREE_ARRAYS}
    indicators, statistics = (
        {
            name.removeprefix(prefix): array
            for name, array in arrays.items()
            if name.startswith(prefix)
        }
        for prefix in ("indicators.", "statistics.")
    )
    texts, names = fields["indicator_texts"], fields["target_names"]
    if not isinstance(texts, list) or not all(isinstance(own, list) for own in names):
        raise TypeError("indicator_texts or target_names are not lists")
    return Forest(
        **trees,
        categorical=arrays["categorical"],
        hash_key=arrays["hash_key"],
        indicators=Indicators(**indicators, texts=tuple(texts)),
        statistics=StatisticTables(**statistics, target_names=tuple(map(tuple, names))),
    )


def training_arrays_of(summary: TrainingSummary | None) -> Arrays:
    """The arrays of what is remembered of training."""
    if summary is None:
        return {}
    return {
        name: np.ascontiguousarray(getattr(summary, name.removeprefix(TRAINING)))
        for name in TRAINING_ARRAYS
    }


def training_of(arrays: Arrays) -> TrainingSummary | None:
    """What ``training_arrays_of`` made arrays of."""
    if not TRAINING_ARRAYS.keys() <= arrays.keys():
        return None
    return TrainingSummary(**{n.removeprefix(TRAINING): arrays[n] for n in TRAINING_ARRAYS})


def listed(names: Iterable[str]) -> str:
    """Some names for a message, not too long."""
    some = sorted(names)
    text = ", ".join(name if len(name) <= 40 else f"{name[:40]}..." for name in some[:8])
    return text + (f" and {len(some) - 8} more" if len(some) > 8 else "")


def narrowed(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in the fewest bytes: small integers, float32, or as they are."""
    if array.dtype.kind == "f":
        counting = compact(array.reshape(-1)).reshape(array.shape)
        if counting.dtype.kind == "u" and not np.signbit(array).any():
            return counting
        with np.errstate(over="ignore"):
            single = array.astype(np.float32)
        return single if np.array_equal(single, array, equal_nan=True) else array
    if array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        for dtype in _SMALL_INTEGERS:
            if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
                return array.astype(dtype)
    return array


def widened(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array with its dtype in memory; only where that loses nothing."""
    dtype = {**TREE_ARRAYS, **CATEGORY_ARRAYS, **TRAINING_ARRAYS}[name]
    if dtype is None:
        dtype = np.float64 if array.dtype.kind == "f" else array.dtype.type
    if not np.can_cast(array.dtype, dtype, "safe"):
        raise TypeError(f"{name} is {array.dtype}")
    return array.astype(dtype)
