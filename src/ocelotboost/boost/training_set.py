"""The rows to learn from, whole or cut into shards of whole parcels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.base import Targets
from ocelotboost.order.binned_rows import BinnedRows
from ocelotboost.order.feature import Feature
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.parcels import Parcels
from ocelotboost.order.statistic_store import StatisticStore
from ocelotboost.quantize.block import ColumnBlock
from ocelotboost.table.cache_directory import PROCESS_MEMORY, Memory


@dataclass(frozen=True)
class TrainingSet:
    """The rows to learn from, or a shard of them.

    block          the columns in bins
    features       the columns of the block
    target         float32 (n,)
    weight         float32 (n,), a weight of 1 counts like one row; None when all weigh 1
    whole_weights  the weights are whole numbers, so each counts copies of its row
    parcels        of the rows; everything here is in the order of their places
    statistics     of the categorical features, or None where there are none
    orderings      uint32 (s + 1, n) of ordered boosting, or None in Plain mode
    memory         where arrays go that are read and written from the first row to the last
    """

    block: ColumnBlock
    features: tuple[Feature, ...]
    target: Targets
    weight: NDArray[np.float32] | None
    whole_weights: bool
    parcels: Parcels
    statistics: StatisticStore | None = None
    orderings: Orderings | None = None
    memory: Memory = PROCESS_MEMORY

    @property
    def total_weight(self) -> float:
        if self.weight is None:
            return float(self.block.n_rows)
        return float(self.weight.sum(dtype=np.float64))

    @cached_property
    def binned(self) -> BinnedRows:
        """The rows, to be asked the questions of trees."""
        return BinnedRows(self.block, self.statistics)

    @property
    def n_statistic_orderings(self) -> int:
        """1 where there are no statistics."""
        return 1 if self.statistics is None else len(self.statistics.source.orderings)

    def shard(self, first: int, end: int) -> TrainingSet:
        """The parcels ``first`` … ``end - 1`` by themselves; their first row has place 0."""
        if (first, end) == (0, self.parcels.n_parcels):
            return self
        assert self.statistics is None, "statistics are of all rows"
        edges = self.parcels.edges[first : end + 1]
        places = slice(edges[0], edges[-1])
        return replace(
            self,
            block=self.block.part(places),
            target=self.target[places],
            weight=None if self.weight is None else self.weight[places],
            parcels=Parcels(tuple(edge - edges[0] for edge in edges)),
            orderings=None,
        )
