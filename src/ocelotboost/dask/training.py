"""The stages on a cluster: parcels, orderings and statistics of the rows, and the trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.replay import replay
from ocelotboost.boost.start import Start, are_whole
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.dask.cluster import Cluster
from ocelotboost.dask.partitions import (
    NO_PLACE,
    CutSettings,
    totals,
)
from ocelotboost.dask.quantizing import kept_by_partition
from ocelotboost.dask.reading import Partitions
from ocelotboost.dask.rows import ClusterRows, ClusterStatistics, RowsOnCluster
from ocelotboost.dask.some_rows import RowsByUse, SomeRows
from ocelotboost.estimator.settings import Settings
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import ToTrain, Trained, train_trees
from ocelotboost.kernels.contract import History
from ocelotboost.model.trained import TrainedModel
from ocelotboost.order.mode import is_ordered
from ocelotboost.order.offers import Combinations, choose_combinations, table_features
from ocelotboost.order.ordering import Orderings, make_orderings, single_ordering
from ocelotboost.order.parcels import Parcels, deal
from ocelotboost.order.segments import divide, first_body_in_rows
from ocelotboost.order.settings import OrderSettings
from ocelotboost.order.statistic import HISTORIES, statistic_columns, statistic_units
from ocelotboost.order.statistic_rows import StatisticRule
from ocelotboost.order.target import TargetDefinition
from ocelotboost.order.whole_data import WholeData
from ocelotboost.quantize.block import layout_columns
from ocelotboost.quantize.categorical_data import CategoryValues
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.labelled import LabelledTable

Weights = NDArray[np.float32] | None


class OrderOnCluster:
    """From borders to trees: parcels, orderings and statistics of the rows, and the training."""

    def __init__(
        self,
        cluster: Cluster,
        parts: Partitions,
        quantizer: Quantizer,
        values: CategoryValues,
        target: Target,
        continued: TrainedModel | None,
        settings: Settings,
    ) -> None:
        self._cluster = cluster
        self._parts = parts
        self._quantizer = quantizer
        self._target = target
        self._forest = None if continued is None else continued.forest
        self._settings = settings
        self._order: OrderSettings = settings.order
        self._combinations: Combinations = choose_combinations(
            values.features, values.value_counts, quantizer, settings.order.statistics
        )
        self._holder: ClusterRows | None = None
        self.bytes_exchanged = 0

    def train(self, rows: RowsByUse, callbacks: list[Any]) -> Trained:
        target, settings = self._target, self._settings.training
        own = rows.training
        value = LabelledTable(self._parts.like_a_table(), own.target, own.weight)
        start = Start.of(value, target.loss, target.centre, self._forest)
        training, statistics = self._training_set(own, rows.by_time, start, None)
        whole_data = self._whole_data(statistics)
        n_rows, order = own.n_rows, self._order
        segments = None
        if is_ordered(order.boosting_type, n_rows, target.n_classes):
            first_body = first_body_in_rows(order.first_body, n_rows)
            segments = divide(n_rows, order.segment_growth, first_body)
            by_time = own.by_time(rows.by_time)
            orderings = make_orderings(
                training.parcels, by_time, order.n_supporting, order.segment_seed
            )
            training = replace(training, orderings=orderings)
        assert self._holder is not None
        trained = train_trees(
            ToTrain(
                training,
                rows.watched,
                self._quantizer,
                whole_data,
                self._combinations,
                segments,
                self._parts.header.names,
            ),
            start,
            target,
            callbacks,
            settings,
            self._holder.boosting,
        )
        if not settings.replay:
            return trained
        return self._replayed(trained, rows, start, statistics)

    def end(self) -> None:
        """The rows are not needed any more."""
        if self._holder is not None:
            self._holder.end()
            self.bytes_exchanged += self._holder.bytes_exchanged
            self._holder = None

    def _replayed(
        self,
        trained: Trained,
        rows: RowsByUse,
        start: Start,
        before: ClusterStatistics | None,
    ) -> Trained:
        """Leaves and statistics from all rows, the held-out ones included."""
        self.end()
        self._order = replace(self._order, n_supporting=0)
        definition = None if before is None else before.definition
        everything, statistics = self._training_set(
            rows.everything, rows.by_time, start, definition
        )
        whole_data = self._whole_data(statistics)
        assert self._holder is not None
        trees = self._holder.persistently(
            partial(
                replay,
                trained.boosted.trees,
                everything,
                self._target.loss,
                trained.settings,
            )
        )
        return replace(
            trained, boosted=replace(trained.boosted, trees=trees), whole_data=whole_data
        )

    def _training_set(
        self,
        rows: SomeRows,
        by_time: NDArray[np.intp] | None,
        start: Start,
        definition: TargetDefinition | None,
    ) -> tuple[TrainingSet, ClusterStatistics | None]:
        """``definition`` is what statistics average, where that was decided before."""
        times = rows.by_time(by_time)
        parcels = deal(rows.n_rows, times, self._order.parcel_seed)
        target = parcels.deal(rows.target)
        weight = None if rows.weight is None else parcels.deal(rows.weight)
        statistics = self._statistics(rows, parcels, target, weight, times, definition)
        layout = layout_columns(self._quantizer.bin_counts, rows.n_rows)
        features = self._combinations.features
        on_cluster = RowsOnCluster(
            columns=self._parts.columns,
            places=self._places(rows, parcels),
            cut=CutSettings(self._quantizer, features, start),
            layout=layout,
            parcels=parcels,
            target=target,
            weight=weight,
            loss=self._target.loss,
            statistics=statistics,
        )
        self._holder = ClusterRows(self._cluster, on_cluster, self._order.n_threads)
        training = TrainingSet(
            layout,
            table_features(self._quantizer),
            target,
            weight,
            are_whole(weight),
            parcels,
            None if statistics is None else statistics.rule,
            None,
            self._holder,
        )
        return training, statistics

    def _statistics(
        self,
        rows: SomeRows,
        parcels: Parcels,
        target: NDArray[np.float32],
        weight: Weights,
        times: NDArray[np.intp] | None,
        definition: TargetDefinition | None,
    ) -> ClusterStatistics | None:
        given, features = self._order.statistics, self._combinations.features
        if not features:
            return None
        if definition is None:
            of_partitions = TotalsOfPartitions(self._parts, rows, features)
            definition = self._target.define_statistics(target, weight, of_partitions)
        targets = definition.of(target)
        orderings = self._orderings(parcels, times)
        rule = StatisticRule(
            columns=statistic_columns(targets, given.priors, given.prior_weight),
            history=HISTORIES[given.kind],
            window=0,
            units=statistic_units(targets.values, weight),
            names=targets.names,
            n_orderings=len(orderings),
            hash_key=self._parts.hash_key,
        )
        return ClusterStatistics(rule, definition, features, orderings, given.cache_bytes)

    def _orderings(self, parcels: Parcels, times: NDArray[np.intp] | None) -> Orderings:
        order = self._order
        if HISTORIES[order.statistics.kind] != History.BEFORE:
            return single_ordering(np.arange(parcels.n_rows))
        return make_orderings(parcels, times, order.n_supporting, order.statistic_seed)

    def _places(self, rows: SomeRows, parcels: Parcels) -> list[NDArray[np.uint32]]:
        places = np.full(self._parts.n_rows, NO_PLACE, dtype=np.uint32)
        places[rows.numbers()] = parcels.places(np.arange(rows.n_rows))
        return self._parts.pieces(places)

    def _whole_data(self, statistics: ClusterStatistics | None) -> WholeData | None:
        if statistics is None:
            return None
        assert self._holder is not None
        return WholeData(statistics.rule, self._holder.value_totals)


@dataclass(frozen=True)
class TotalsOfPartitions:
    """What the rows say of the values of each feature (``order.target.CategoryTotals``)."""

    parts: Partitions
    rows: SomeRows
    features: Sequence[int]

    def of_features(
        self, target: NDArray[np.float32], weight: Weights, units: NDArray[np.float64]
    ) -> list[NDArray[np.int64]]:
        """Of the rows as they come: sums of whole numbers do not depend on their order."""
        numbers, parts = self.rows.numbers(), self.parts
        cuts = np.searchsorted(numbers, parts.edges[1:-1])
        targets = np.split(self.rows.target, cuts)
        weights: Sequence[Weights] = [None] * len(targets)
        if self.rows.weight is not None:
            weights = np.split(self.rows.weight, cuts)
        found = parts.ask(
            totals,
            [
                (kept, self.features, own_target, own_weight, units)
                for kept, own_target, own_weight in zip(
                    kept_by_partition(parts, self.rows), targets, weights, strict=True
                )
            ],
        )
        return [_added([own[i] for own in found]) for i in range(len(self.features))]


def _added(parts: Sequence[tuple[NDArray[np.uint64], NDArray[np.int64]]]) -> NDArray[np.int64]:
    """Totals by value, values in the order of their hashes."""
    hashes, places = np.unique(np.concatenate([own for own, _ in parts]), return_inverse=True)
    found = np.zeros((len(hashes), 2), dtype=np.int64)
    np.add.at(found, places, np.concatenate([own for _, own in parts]))
    return found
