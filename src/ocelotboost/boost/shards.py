"""All shards, and how their answers add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Protocol, TypeVar

from ocelotboost.boost.identity import held_digests
from ocelotboost.boost.shard import Shard
from ocelotboost.boost.training_set import Digests, HeldRows, ShardSettings
from ocelotboost.leaves.estimate import LeafSettings, RowsInLeaves
from ocelotboost.loss.base import Floats
from ocelotboost.loss.passes import LeafSums, add_up
from ocelotboost.order.binned_rows import located
from ocelotboost.order.exchange import Exchange, parcel_sequences
from ocelotboost.order.feature import Split
from ocelotboost.order.parcels import Parcels
from ocelotboost.order.statistic_rows import StatisticRows
from ocelotboost.order.statistic_store import StatisticStore

Answer = TypeVar("Answer")


def cut(parcels: Parcels) -> list[int]:
    """The parcels at which shards begin, and the end. One process needs a single shard."""
    return [0, parcels.n_parcels]


class Shards(Protocol):
    """The shards of one training, in the order of their parcels.

    cuts        the parcels at which they begin, and the end
    only        the single shard, where there is one in this process
    statistics  of the categorical features of all rows; None where there are none
    lasting     raw predictions stay where they are, in arrays of this process
    """

    cuts: list[int]
    only: Shard | None
    statistics: StatisticStore | None
    lasting: bool

    def tell_each(self, request: Callable[[Shard, Any], None], values: Sequence[Any]) -> None:
        """A request that changes the shards' own state, with a value for each."""
        ...

    def each(self, request: Callable[[Shard], Answer]) -> list[Answer]:
        """What every shard answers."""
        ...


def tell(shards: Shards, request: Callable[[Shard], None]) -> None:
    """A request that changes the shards' own state."""
    shards.tell_each(lambda shard, _: request(shard), [None] * (len(shards.cuts) - 1))


def ask(shards: Shards, request: Callable[[Shard], Iterable[Answer]]) -> list[Answer]:
    """What every parcel answers, in the order of parcels."""
    return list(chain.from_iterable(shards.each(request)))


def assign_leaves(shards: Shards, splits: Sequence[Split], ordering: int) -> None:
    """Put all rows into the leaves of a structure, by the answers in one ordering."""
    tell(shards, lambda shard: shard.one_leaf())
    for some, pages in located(splits, shards.statistics, ordering):
        tell(shards, lambda shard, some=some, pages=pages: shard.append_answers(some, pages))  # type: ignore[misc]


class StatisticsOfShards:
    """The statistics of all shards, asked together."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def each(self, request: Callable[[StatisticRows], Answer]) -> list[Answer]:
        return self._shards.each(lambda shard: request(shard.statistics))

    def tell_each(
        self, request: Callable[[StatisticRows, Any], None], values: Sequence[Any]
    ) -> None:
        self._shards.tell_each(lambda shard, own: request(shard.statistics, own), values)


class LocalShards:
    """Shards in this process, called directly."""

    lasting = True

    def __init__(self, shards: Sequence[Shard], cuts: list[int]) -> None:
        self.shards = shards
        self.cuts = cuts
        self.only = shards[0] if len(shards) == 1 else None
        self.statistics: StatisticStore | None = None

    def tell_each(self, request: Callable[[Shard, Any], None], values: Sequence[Any]) -> None:
        for shard, own in zip(self.shards, values, strict=True):
            request(shard, own)

    def each(self, request: Callable[[Shard], Answer]) -> list[Answer]:
        return list(map(request, self.shards))


@dataclass(frozen=True)
class LocalRows:
    """All rows are held by this process."""

    rows: HeldRows
    n_threads: int

    def open(self, settings: ShardSettings) -> LocalShards:
        rows, cuts = self.rows, cut(self.rows.parcels)
        held = [rows] if len(cuts) == 2 else [rows.shard(*ends) for ends in pairwise(cuts)]
        edges = rows.parcels.edges
        shards = LocalShards(
            [Shard(own, p, edges[p], settings) for own, p in zip(held, cuts[:-1], strict=True)],
            cuts,
        )
        if rows.statistics is not None:
            shards.statistics = self._store(shards, rows.statistics)
        return shards

    def _store(self, shards: LocalShards, statistics: StatisticRows) -> StatisticStore:
        source, capacity = statistics.source, statistics.pages.capacity
        maker: StatisticRows | Exchange = statistics
        if shards.only is None:
            sequences = parcel_sequences(self.rows.parcels, source.orderings)
            statistics_of_all = StatisticsOfShards(shards)
            maker = Exchange(statistics_of_all, source.rule, sequences, self.n_threads)
        return StatisticStore(source.rule, maker, capacity, self.rows.n_rows, self.n_threads)

    def digests(self) -> list[Digests]:
        return held_digests(self.rows)


@dataclass(frozen=True)
class FilledRows:
    """All rows of a model as leaves take them (leaves/estimate.py): what it asks of them are
    requests."""

    shards: Shards
    n_outputs: int
    sums_of: Callable[[Shard, Floats, bool], list[LeafSums]]
    values_of: Callable[[Shard, int, LeafSettings], list[tuple[Floats, Floats]]]
    parcels_of: Callable[[Shard], list[RowsInLeaves]]

    @property
    def n_parcels(self) -> int:
        return self.shards.cuts[-1]

    def sums(self, steps: Floats, with_losses: bool) -> LeafSums:
        return add_up(ask(self.shards, lambda shard: self.sums_of(shard, steps, with_losses)))

    def alone(self, n_leaves: int, settings: LeafSettings) -> tuple[Floats, Floats]:
        (own,) = ask(self.shards, lambda shard: self.values_of(shard, n_leaves, settings))
        return own

    def parcels(self) -> list[RowsInLeaves]:
        return ask(self.shards, self.parcels_of)
