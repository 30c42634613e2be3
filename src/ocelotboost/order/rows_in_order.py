"""The stage as one call: which rows train trees, their statistics, orderings and segments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import History
from ocelotboost.order.feature import Feature
from ocelotboost.order.mode import is_ordered
from ocelotboost.order.offers import Combinations, choose_combinations, table_features
from ocelotboost.order.ordering import (
    Orderings,
    halves,
    make_orderings,
    rows_by_time,
    single_ordering,
)
from ocelotboost.order.parcels import Parcels, deal
from ocelotboost.order.segments import Segments, divide, first_body_in_rows
from ocelotboost.order.settings import OrderSettings
from ocelotboost.order.statistic import HISTORIES, statistic_columns, statistic_units
from ocelotboost.order.statistic_rows import StatisticRows, StatisticSource
from ocelotboost.order.statistic_store import page_capacity
from ocelotboost.order.target import StatisticTarget, TargetDefinition, TotalsOfRows
from ocelotboost.order.whole_data import WholeData
from ocelotboost.quantize.block import ColumnBlock
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.quantized import Quantized
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import LabelledTable


@dataclass(frozen=True)
class Statistics:
    """Statistics of the categorical features.

    definition  what they average
    rows        those of the rows that train trees
    whole_data  those of any other rows
    """

    definition: TargetDefinition
    rows: StatisticRows
    whole_data: WholeData


@dataclass(frozen=True)
class SharedByModels:
    """What several models of the same data have in common, so that one table per combination is
    enough for all of them.

    definition    what statistics average, and how it is cut into bins
    combinations  of categorical features that trees may ask about
    """

    definition: TargetDefinition
    combinations: Combinations


@dataclass(frozen=True)
class RowsInOrder:
    """What the loop learns from.

    rows          those that train trees, as they came
    parcels       into which they are dealt; all that follows is in the order of their places
    target        float32 (n,)
    weight        float32 (n,), or None when all weigh 1
    block         their columns in bins
    features      the columns of the block
    combinations  of categorical features that trees may ask about
    statistics    None where no feature has any
    orderings     uint32 (s + 1, n) of Ordered mode; None is Plain
    segments      of these orderings
    """

    rows: LabelledTable
    parcels: Parcels
    target: NDArray[np.float32]
    weight: NDArray[np.float32] | None
    block: ColumnBlock
    features: tuple[Feature, ...]
    combinations: Combinations
    statistics: Statistics | None
    orderings: Orderings | None
    segments: Segments | None


def order(
    data: LabelledTable,
    quantized: Quantized,
    target: StatisticTarget,
    settings: OrderSettings,
    shared: SharedByModels | None = None,
) -> RowsInOrder:
    """Rows for training. What has statistics, and what they average, follows from these rows unless
    it is ``shared`` by several models."""
    quantizer, categories = quantized.quantizer, quantized.categories
    if shared is None:
        combinations = combinations_of(categories, quantizer, settings)
    else:
        combinations = shared.combinations
    if combinations.features:
        chosen = categories.select(combinations.features)
        define = target.define_statistics if shared is None else _always(shared.definition)
        ordered = _with_statistics(data, chosen, quantizer, combinations, define, settings)
    else:
        ordered = _without_statistics(data, quantizer, combinations, settings)
    n_rows = ordered.rows.n_rows
    if not is_ordered(settings.boosting_type, n_rows, target.n_classes):
        return ordered
    by_time = rows_by_time(ordered.rows.table, settings.has_time)
    first_body = first_body_in_rows(settings.first_body, n_rows)
    return replace(
        ordered,
        orderings=make_orderings(
            ordered.parcels, by_time, settings.n_supporting, settings.segment_seed
        ),
        segments=divide(n_rows, settings.segment_growth, first_body),
    )


def combinations_of(
    categories: CategoricalData, quantizer: Quantizer, settings: OrderSettings
) -> Combinations:
    """Of the features that these rows tell apart."""
    counts = categories.value_counts.tolist()
    return choose_combinations(categories.features, counts, quantizer, settings.statistics)


def order_again(
    data: LabelledTable, before: RowsInOrder, quantizer: Quantizer, settings: OrderSettings
) -> RowsInOrder:
    """More rows, to fill the leaves of finished trees. What statistics average and how it is cut
    into bins stays, as the questions of the trees do. Supporting models are not needed."""
    combinations = before.combinations
    if before.statistics is None:
        return _without_statistics(data, quantizer, combinations, settings)
    define = _always(before.statistics.definition)
    return _with_statistics(
        data,
        CategoricalData.of(data.table, combinations.features, settings.n_threads),
        quantizer,
        combinations,
        define,
        replace(settings, n_supporting=0),
    )


def _always(definition: TargetDefinition) -> Callable[..., TargetDefinition]:
    """Whatever the rows are."""
    return lambda *_: definition


def _without_statistics(
    data: LabelledTable, quantizer: Quantizer, combinations: Combinations, settings: OrderSettings
) -> RowsInOrder:
    by_time = rows_by_time(data.table, settings.has_time)
    parcels = deal(data.n_rows, by_time, settings.parcel_seed, settings.n_parcels)
    memory = data.table.memory
    if parcels.rows is not None:
        parcels = replace(parcels, rows=memory.keep(parcels.rows))
    return RowsInOrder(
        rows=data,
        parcels=parcels,
        target=memory.keep(parcels.deal(data.target)),
        weight=None if data.weight is None else memory.keep(parcels.deal(data.weight)),
        block=quantizer.block(data.table, settings.n_threads, parcels.rows),
        features=table_features(quantizer),
        combinations=combinations,
        statistics=None,
        orderings=None,
        segments=None,
    )


def _with_statistics(
    data: LabelledTable,
    categories: CategoricalData,
    quantizer: Quantizer,
    combinations: Combinations,
    define: Callable[..., TargetDefinition],
    settings: OrderSettings,
) -> RowsInOrder:
    """``categories`` are those of ``data`` that have statistics."""
    trained, given = data, settings.statistics
    rows = history = np.empty(0, dtype=np.intp)
    if given.kind == "holdout":
        by_time = rows_by_time(data.table, settings.has_time)
        rows, history = halves(data.n_rows, by_time, settings.history_seed)
        trained = data.take(rows)
    ordered = _without_statistics(trained, quantizer, combinations, settings)
    parcels, target, weight = ordered.parcels, ordered.target, ordered.weight
    if len(history):
        target = np.append(target, data.target[history])
        if weight is not None and data.weight is not None:
            weight = np.append(weight, data.weight[history])
        categories = categories.select(categories.features, np.append(parcels.deal(rows), history))
    elif parcels.rows is not None:
        categories = categories.select(categories.features, parcels.rows)
    definition = define(target, weight, TotalsOfRows(categories))
    targets = definition.of(target)
    source = StatisticSource(
        data=categories,
        targets=targets,
        weight=weight,
        orderings=statistic_orderings(ordered.rows.table, parcels, len(history), settings),
        columns=statistic_columns(targets, given.priors, given.prior_weight),
        history=HISTORIES[given.kind],
        window=0 if given.window is None else min(given.window, len(target)),
        units=statistic_units(targets.values, weight),
    )
    capacity = page_capacity(given.cache_bytes, ordered.block.n_rows, source.columns.n_bytes)
    held = StatisticRows(source, ordered.block, capacity, settings.n_threads)
    whole_data = WholeData(source.rule, held.value_totals)
    return replace(ordered, statistics=Statistics(definition, held, whole_data))


def statistic_orderings(
    table: Table, parcels: Parcels, n_history: int, settings: OrderSettings
) -> Orderings:
    """One for all where the statistics have no order."""
    if HISTORIES[settings.statistics.kind] != History.BEFORE:
        return single_ordering(np.arange(parcels.n_rows + n_history))
    by_time = rows_by_time(table, settings.has_time)
    return make_orderings(parcels, by_time, settings.n_supporting, settings.statistic_seed)
