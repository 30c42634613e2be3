"""The rows to learn from: what the loop knows of them, and what whoever holds them has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.sampling import Sampling
from ocelotboost.lazy import cached_property
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.order.binned_rows import BinnedRows
from ocelotboost.order.feature import Feature
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.parcels import Parcels
from ocelotboost.order.statistic_rows import StatisticRows, StatisticRule
from ocelotboost.quantize.block import BlockLayout, ColumnBlock
from ocelotboost.table.cache_directory import PROCESS_MEMORY, Memory

if TYPE_CHECKING:
    from ocelotboost.boost.shards import Shards


#: By what it is of.
Digests = dict[str, str]


@dataclass(frozen=True)
class TrainingSet:
    """What the loop knows of the rows to learn from.

    layout         of the columns in bins
    features       the columns
    target         float32 (n,)
    weight         float32 (n,), a weight of 1 counts like one row; None when all weigh 1
    whole_weights  the weights are whole numbers, so each counts copies of its row
    parcels        of the rows; everything here is in the order of their places
    statistics     how those of the categorical features are made; None where there are none
    orderings      uint32 (s + 1, n) of ordered boosting, or None in Plain mode
    holder         who has the columns of the rows
    """

    layout: BlockLayout
    features: tuple[Feature, ...]
    target: Targets
    weight: NDArray[np.float32] | None
    whole_weights: bool
    parcels: Parcels
    statistics: StatisticRule | None
    orderings: Orderings | None
    holder: RowHolder

    @property
    def n_rows(self) -> int:
        return self.parcels.n_rows

    @property
    def n_columns(self) -> int:
        return len(self.layout.slots)

    @property
    def total_weight(self) -> float:
        if self.weight is None:
            return float(self.n_rows)
        return float(self.weight.sum(dtype=np.float64))

    @property
    def n_statistic_orderings(self) -> int:
        """1 where there are no statistics."""
        return 1 if self.statistics is None else self.statistics.n_orderings


@dataclass(frozen=True)
class ShardSettings:
    """What a shard needs to know of a training.

    n_gradients  how many a row has
    sampling     which rows choose the structure of a tree
    seed         of what sampling draws
    """

    loss: Loss
    n_gradients: int
    sampling: Sampling
    seed: np.random.SeedSequence
    n_threads: int

    def with_threads(self, n_threads: int) -> ShardSettings:
        """The same in a process that may use another number of threads."""
        sampling = self.sampling.with_threads(n_threads)
        return replace(self, sampling=sampling, n_threads=n_threads)


class RowHolder(Protocol):
    """Who has the rows: this process, or others."""

    def open(self, settings: ShardSettings) -> Shards:
        """The rows as shards, at the beginning of a training."""
        ...

    def digests(self) -> list[Digests]:
        """Of what is held (boost/identity.py)."""
        ...


@dataclass(frozen=True)
class HeldRows:
    """Rows, or a shard of them, with their columns.

    block       the columns in bins
    start       float64 (n_outputs, n) the raw predictions that training begins with
    statistics  of the categorical features, or None where there are none
    memory      where arrays go that are read and written from the first row to the last

    The other fields are those of ``TrainingSet``.
    """

    block: ColumnBlock
    target: Targets
    weight: NDArray[np.float32] | None
    parcels: Parcels
    start: Floats
    statistics: StatisticRows | None
    memory: Memory = PROCESS_MEMORY

    @property
    def n_rows(self) -> int:
        return self.block.n_rows

    @cached_property
    def binned(self) -> BinnedRows:
        """The rows, to be asked the questions of trees."""
        return BinnedRows(self.block, None if self.statistics is None else self.statistics.pages)

    def shard(self, first: int, end: int) -> HeldRows:
        """The parcels ``first`` … ``end - 1`` by themselves; their first row has place 0."""
        edges = self.parcels.edges[first : end + 1]
        places = slice(edges[0], edges[-1])
        block = self.block.part(places)
        parcels = Parcels(tuple(edge - edges[0] for edge in edges))
        statistics = self.statistics
        return HeldRows(
            block=block,
            target=self.target[places],
            weight=None if self.weight is None else self.weight[places],
            parcels=parcels,
            start=self.start[:, places],
            statistics=None if statistics is None else statistics.part(block, parcels, edges[0]),
        )
