"""The stage on a cluster: partitions that workers read as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import dask
import numpy as np
from distributed import Future
from numpy.typing import NDArray

from ocelotboost.dask.cluster import Cluster
from ocelotboost.dask.collections import Collection
from ocelotboost.dask.partitions import (
    Columns,
    Header,
    header_of,
    length,
    no_times,
    ranges_of,
    read,
    taken,
    times,
    with_formulas,
)
from ocelotboost.errors import InputError
from ocelotboost.estimator.reading import ReadSettings
from ocelotboost.table.cat_features import columns_listed
from ocelotboost.table.categories import CategoryColumn
from ocelotboost.table.columns import Table
from ocelotboost.table.derived import formulas_for_dates, varying
from ocelotboost.table.formulas import Derivation, Formula
from ocelotboost.table.times import join_times

Weights = NDArray[np.float32] | None


class Partitions:
    """A collection whose partitions are read by workers.

    header  what all of them have in common
    edges   the rows at which partitions begin, and the end
    """

    def __init__(
        self, cluster: Cluster, collection: Collection, header: Header, hash_key: NDArray[np.uint64]
    ) -> None:
        self.cluster = cluster
        self.header = header
        self.hash_key = hash_key
        self._collection = collection
        self._columns: list[Future] | None = self._read()
        lengths = self.ask(length, [()] * len(self._collection.parts))
        self.edges = np.cumsum([0, *lengths])
        if self.n_rows == 0:
            raise InputError(f"{collection.name} has no rows; give at least one.")

    @classmethod
    def of(
        cls,
        cluster: Cluster,
        collection: Collection,
        cat_features: Any,
        hash_key: Any,
        derivation: Derivation | None = None,
    ) -> Partitions:
        """The first partition with rows tells which columns are categorical or hold dates."""
        named = None if cat_features is None else columns_listed(cat_features)
        task = dask.delayed(header_of, pure=False)
        for number, part in enumerate(collection.parts):
            what = f"Partition {number} of {collection.name}"
            (header,) = cluster.results(
                cluster.compute([task(part, named, hash_key, derivation)]), what
            )
            if header is not None:
                return cls(cluster, collection, header, hash_key)
        raise InputError(f"{collection.name} has no rows; give at least one.")

    @classmethod
    def for_training(
        cls, cluster: Cluster, collection: Collection, settings: ReadSettings
    ) -> Partitions:
        """With derived columns, as ``estimator.reading.read`` has them."""
        parts = cls.of(
            cluster, collection, settings.cat_features, settings.hash_key, settings.derivation
        )
        if settings.derivation is None:
            possible = formulas_for_dates(parts.like_a_table(), settings.date_parts)
            parts._derive(possible)
        return parts

    def _derive(self, possible: list[Formula]) -> None:
        """Derive the columns that vary in any partition, or between them."""
        if not possible:
            return
        arguments = [(possible,)] * len(self._collection.parts)
        found = np.array(self.ask(ranges_of, arguments))
        lows, highs = found[..., 0].min(axis=0), found[..., 1].max(axis=0)
        formulas = varying(possible, zip(lows.tolist(), highs.tolist(), strict=True))
        derivation = replace(self.header.derivation, formulas=formulas)
        self.header = self.header._replace(derivation=derivation)
        columns = self.columns()
        self._columns = [self.cluster.submit(with_formulas, own, formulas) for own in columns]

    @property
    def n_rows(self) -> int:
        return int(self.edges[-1])

    def columns(self) -> list[Future]:
        """They are read once, and again when workers were lost."""
        columns, self._columns = self._columns, None
        return self._read() if columns is None else columns

    def ask(self, function: Any, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """A function of the columns of each partition, and of arguments of its own."""
        self._columns = columns = self.columns()
        futures = [
            self.cluster.submit(function, own, *more)
            for own, more in zip(columns, arguments, strict=True)
        ]
        return self.cluster.results(futures, f"Partition {{}} of {self._collection.name}")

    def pieces(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """What is known of each row, by partition."""
        return np.split(values, self.edges[1:-1])

    def taken(self, rows: NDArray[np.intp]) -> Table:
        """Some rows, ascending, brought here."""
        wanted = np.zeros(self.n_rows, dtype=np.bool_)
        wanted[rows] = True
        chosen = [(np.flatnonzero(own),) for own in self.pieces(wanted)]
        return joined(self.ask(taken, chosen))

    def rows_by_time(self, has_time: bool | int | str) -> NDArray[np.intp] | None:
        """All rows, the earliest first, those of equal times as they come; None: no time."""
        if isinstance(has_time, bool | np.bool_):
            return np.arange(self.n_rows) if has_time else None
        names = self.header.names or ()
        position = names.index(has_time) if has_time in names else has_time
        parts = self.ask(times, [(position,)] * len(self._collection.parts))
        return np.argsort(np.concatenate(parts), kind="stable")

    def like_a_table(self) -> Table:
        """A table of these columns, without the columns."""
        nothing = np.empty(0, dtype=np.uint64)
        column = CategoryColumn(nothing, None, lambda rows: [])
        header = self.header
        return Table(
            self.n_rows,
            header.n_columns + len(header.derivation.formulas),
            header.names,
            (),
            dict.fromkeys(header.categorical, column),
            self.hash_key,
            times=no_times(header.derivation),
            formulas=header.derivation.formulas,
        )

    def _read(self) -> list[Future]:
        task, name = dask.delayed(read, pure=False), self._collection.name
        return self.cluster.compute(
            [
                task(part, number, self.header, self.hash_key, name)
                for number, part in enumerate(self._collection.parts)
            ]
        )


def joined(parts: Sequence[Columns]) -> Table:
    """The rows of several partitions as one table."""
    filled = [own for own in parts if own.n_rows] or list(parts[:1])
    first = filled[0]
    return replace(
        first,
        n_rows=sum(own.n_rows for own in filled),
        numbers=[
            (position, np.concatenate([own.numbers[i][1] for own in filled]))
            for i, (position, _) in enumerate(first.numbers)
        ],
        categories={
            p: replace(
                own,
                hashes=np.concatenate([one.categories[p].hashes for one in filled]),
                texts=None,
            )
            for p, own in first.categories.items()
        },
        times={p: join_times([one.times[p] for one in filled]) for p in first.times},
    ).table()
