"""Dask collections as lists of partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask
import dask.array

from ocelotboost.dask.cluster import Cluster
from ocelotboost.errors import InputError


@dataclass(frozen=True)
class Collection:
    """Rows in partitions: data frames, or arrays.

    name   what errors call it
    parts  one delayed object per partition
    """

    name: str
    parts: list[Any]

    @classmethod
    def of(cls, X: Any, name: str, estimator: str) -> Collection:
        if isinstance(X, dask.array.Array):
            if X.ndim != 2:
                raise InputError(f"{name} has {X.ndim} dimensions; give rows and columns.")
            whole_rows = X.rechunk({1: -1})
            return cls(name, list(whole_rows.to_delayed().ravel()))
        if is_frame(X):
            return cls(name, list(X.to_delayed()))
        local = estimator.removeprefix("Dask")
        raise InputError(
            f"{name} is of type {type(X).__name__}; {estimator} takes a dask DataFrame or Array. "
            f"Use {local} for tables in memory or in files, or dask.dataframe.from_pandas."
        )


def is_frame(X: Any) -> bool:
    """A dask DataFrame, whichever of Dask's modules defines it."""
    return dask.is_dask_collection(X) and hasattr(X, "map_partitions") and hasattr(X, "columns")


def gathered(cluster: Cluster, values: Any, name: str) -> Any:
    """What is known of each row, brought here; what is here already stays as it is."""
    if not dask.is_dask_collection(values):
        return values
    (found,) = cluster.results(cluster.compute([values]), name)
    return found
