"""The stage on a cluster: which rows are trained on and which are watched.

The driver knows the target and the weight of every row, and its number in the collection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.dask.cluster import Cluster
from ocelotboost.dask.collections import Collection
from ocelotboost.dask.reading import Partitions
from ocelotboost.errors import InputError
from ocelotboost.estimator.eval_sets import VALIDATION
from ocelotboost.estimator.rows import (
    SplitSettings,
    check_no_validation,
    check_validation,
    held_out,
    in_rows,
)
from ocelotboost.estimator.target import Target
from ocelotboost.order.ordering import check_time
from ocelotboost.table.labelled import LabelledTable, WatchedRows
from ocelotboost.table.roles import match_columns, row_weights

Weights = NDArray[np.float32] | None


@dataclass(frozen=True)
class WatchedCollection:
    """An eval set: its columns are brought to the driver.

    name      in the history
    argument  what errors call it
    """

    name: str
    argument: str
    given: Collection
    y: Any
    weight: Any

    def rows(self, cluster: Cluster, like: Partitions, target: Target) -> WatchedRows:
        header = like.header
        own = Partitions.of(cluster, self.given, header.categorical, like.hash_key)
        try:
            match_columns(own.like_a_table(), header.names, header.n_columns, "the model")
        except InputError as problem:
            raise InputError(f"{self.argument}: {problem}") from None
        parts = Partitions(cluster, self.given, header, like.hash_key)
        table = parts.taken(np.arange(parts.n_rows))
        encoded = target.encode(self.y, table.n_rows, f"{self.argument} y")
        weight = row_weights(self.weight, table.n_rows, argument=f"{self.argument} weight")
        return WatchedRows(self.name, LabelledTable(table, encoded, weight))


@dataclass(frozen=True)
class SomeRows:
    """Rows of a collection, with target and weight.

    rows  ascending; None: all of them
    """

    rows: NDArray[np.intp] | None
    target: NDArray[np.float32]
    weight: Weights

    @property
    def n_rows(self) -> int:
        return len(self.target)

    def take(self, chosen: NDArray[np.intp]) -> SomeRows:
        rows = chosen if self.rows is None else self.rows[chosen]
        weight = None if self.weight is None else self.weight[chosen]
        return SomeRows(rows, self.target[chosen], weight)

    def numbers(self) -> NDArray[np.intp]:
        return np.arange(self.n_rows) if self.rows is None else self.rows

    def by_time(self, everything: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
        """These rows in the order of time, as numbers among them."""
        if everything is None or self.rows is None:
            return everything
        number = np.full(len(everything), -1)
        number[self.rows] = np.arange(self.n_rows)
        found = number[everything]
        return found[found >= 0]


@dataclass(frozen=True)
class RowsByUse:
    """The rows by what they are for, as ``estimator.rows.Rows``.

    by_time  all rows of the collection in the order of time; None: they have none
    """

    everything: SomeRows
    training: SomeRows
    watched: list[WatchedRows]
    by_time: NDArray[np.intp] | None


def split(
    parts: Partitions, target: Target, evals: list[WatchedRows], settings: SplitSettings
) -> RowsByUse:
    """Rows to train on, and rows to watch."""
    check_time(parts.like_a_table(), settings.has_time)
    everything = _counted(target)
    by_time = parts.rows_by_time(settings.has_time)
    if settings.validation_fraction is None:
        check_no_validation(settings, evals)
        return RowsByUse(everything, everything, evals, by_time)
    check_validation(settings, evals)
    (chosen,) = held_out(
        everything.target, everything.by_time(by_time), target.classes is not None, settings
    )
    held = everything.take(np.flatnonzero(chosen))
    table = parts.taken(held.numbers())
    validation = WatchedRows(VALIDATION, LabelledTable(table, held.target, held.weight))
    training = everything.take(np.flatnonzero(~chosen))
    return RowsByUse(everything, training, [validation, *evals], by_time)


def _counted(target: Target) -> SomeRows:
    """Without rows of weight zero, as ``estimator.rows.counted``."""
    if target.weight is None:
        return SomeRows(None, target.values, None)
    weight = in_rows(target.weight)
    rows = SomeRows(None, target.values, None if (weight[weight > 0] == 1).all() else weight)
    return rows if weight.all() else rows.take(np.flatnonzero(weight))
