"""The stage as one call: which rows train trees, their statistics, orderings and segments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ocelotboost.kernels.contract import History
from ocelotboost.order.combination import Combinations, choose_combinations
from ocelotboost.order.mode import is_ordered
from ocelotboost.order.ordering import Orderings, halves, make_orderings, single_ordering
from ocelotboost.order.segments import Segments, divide, first_body_in_rows
from ocelotboost.order.settings import OrderSettings
from ocelotboost.order.statistic import HISTORIES, statistic_columns
from ocelotboost.order.statistic_cache import StatisticCache, StatisticSource
from ocelotboost.order.target import StatisticTarget, TargetDefinition
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
    cache       those of the rows that train trees
    whole_data  those of any other rows
    """

    definition: TargetDefinition
    cache: StatisticCache
    whole_data: WholeData


@dataclass(frozen=True)
class RowsInOrder:
    """What the loop learns from.

    rows          those that train trees
    block         their columns in bins
    combinations  of categorical features that trees may ask about
    statistics    None where no feature has any
    orderings     uint32 (s + 1, n) of Ordered mode; None is Plain
    segments      of these orderings
    """

    rows: LabelledTable
    block: ColumnBlock
    combinations: Combinations
    statistics: Statistics | None
    orderings: Orderings | None
    segments: Segments | None


def order(
    data: LabelledTable, quantized: Quantized, target: StatisticTarget, settings: OrderSettings
) -> RowsInOrder:
    """Rows for training."""
    quantizer, categories = quantized.quantizer, quantized.categories
    combinations = choose_combinations(categories, quantizer, settings.statistics)
    if combinations.features:
        chosen = categories.select(combinations.features)
        ordered = _with_statistics(
            data, chosen, quantizer, combinations, target.define_statistics, settings
        )
    else:
        ordered = _without_statistics(data, quantizer, combinations, settings)
    n_rows = ordered.rows.n_rows
    if not is_ordered(settings.boosting_type, n_rows, target.n_classes):
        return ordered
    first_body = first_body_in_rows(settings.first_body, n_rows)
    return replace(
        ordered,
        orderings=make_orderings(
            ordered.rows.table, settings.has_time, settings.n_supporting, settings.segment_seed
        ),
        segments=divide(n_rows, settings.segment_growth, first_body),
    )


def order_again(
    data: LabelledTable, before: RowsInOrder, quantizer: Quantizer, settings: OrderSettings
) -> RowsInOrder:
    """More rows, to fill the leaves of finished trees. What statistics average and how it is cut
    into bins stays, as the questions of the trees do. Supporting models are not needed."""
    combinations = before.combinations
    if before.statistics is None:
        return _without_statistics(data, quantizer, combinations, settings)
    definition = before.statistics.definition
    return _with_statistics(
        data,
        CategoricalData.of(data.table, combinations.features, settings.n_threads),
        quantizer,
        combinations,
        lambda *_: definition,
        replace(settings, n_supporting=0),
    )


def _without_statistics(
    data: LabelledTable, quantizer: Quantizer, combinations: Combinations, settings: OrderSettings
) -> RowsInOrder:
    block = quantizer.block(data.table, settings.n_threads)
    return RowsInOrder(data, block, combinations, None, None, None)


def _with_statistics(
    data: LabelledTable,
    categories: CategoricalData,
    quantizer: Quantizer,
    combinations: Combinations,
    define: Callable[..., TargetDefinition],
    settings: OrderSettings,
) -> RowsInOrder:
    """``categories`` are those of ``data`` that have statistics."""
    n_threads, trained = settings.n_threads, data
    if settings.statistics.kind == "holdout":
        rows, history = halves(data.table, settings.has_time, settings.history_seed)
        both = np.concatenate([rows, history])
        trained, data = data.take(rows), data.take(both)
        categories = categories.select(categories.features, both)
    block = quantizer.block(trained.table, n_threads)
    definition = define(data.target, data.weight, categories)
    source = _source(data, categories, definition, settings)
    cache = StatisticCache(source, block, settings.statistics.cache_bytes, n_threads)
    statistics = Statistics(definition, cache, WholeData(cache, n_threads))
    return RowsInOrder(trained, block, combinations, statistics, None, None)


def _source(
    data: LabelledTable,
    categories: CategoricalData,
    definition: TargetDefinition,
    settings: OrderSettings,
) -> StatisticSource:
    given = settings.statistics
    targets = definition.of(data.target)
    return StatisticSource(
        data=categories,
        targets=targets,
        weight=data.weight,
        orderings=statistic_orderings(data.table, settings),
        columns=statistic_columns(targets, given.priors, given.prior_weight),
        history=HISTORIES[given.kind],
        window=0 if given.window is None else min(given.window, data.n_rows),
    )


def statistic_orderings(table: Table, settings: OrderSettings) -> Orderings:
    """One for all where the statistics have no order."""
    if HISTORIES[settings.statistics.kind] != History.BEFORE:
        return single_ordering(np.arange(table.n_rows))
    return make_orderings(table, settings.has_time, settings.n_supporting, settings.statistic_seed)
