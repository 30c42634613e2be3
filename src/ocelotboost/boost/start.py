"""Where the loop starts: the rows to learn from and to watch, and their first predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evaluation import EvalSet
from ocelotboost.boost.shards import LocalRows
from ocelotboost.boost.training_set import HeldRows, TrainingSet
from ocelotboost.boost.tree import rounded
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.model.forest import Forest
from ocelotboost.order.binned_rows import BinnedRows
from ocelotboost.order.looked_up_statistics import LookedUpStatistics
from ocelotboost.order.rows_in_order import RowsInOrder
from ocelotboost.order.whole_data import WholeData
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import LabelledTable, WatchedRows


@dataclass(frozen=True)
class Start:
    """What the new trees are added to: a constant, or the forest that they continue.

    value   (n_outputs,) start value of the new trees; zero where they continue a forest
    centre  what was subtracted from the target, and so from all predictions
    """

    value: Floats
    centre: float
    continued: Forest | None

    @classmethod
    def of(cls, rows: LabelledTable, loss: Loss, centre: float, continued: Forest | None) -> Start:
        """By the rows that train trees."""
        if continued is not None:
            return cls(np.zeros(loss.n_outputs), centre, continued)
        return cls(rounded(loss.start_value(rows.target, rows.weight)), centre, None)

    def identity(self) -> list[Any]:
        """What distinguishes it from other starts."""
        arrays = [self.value, np.array([self.centre])]
        if self.continued is not None:
            forest = self.continued
            arrays += [forest.split_columns, forest.split_borders, forest.leaf_values]
        return arrays

    def raw(self, table: Table, n_threads: int) -> Floats:
        """Raw predictions (n_outputs, n) before the first new tree."""
        if self.continued is not None:
            return make_predictor(self.continued).raw(table, n_threads) - self.centre
        return np.repeat(self.value[:, None], table.n_rows, axis=1)


def training_set(ordered: RowsInOrder, start: Start, n_threads: int) -> TrainingSet:
    """The rows to learn from, as the loop takes them."""
    statistics, table = ordered.statistics, ordered.rows.table
    memory = table.memory
    held = HeldRows(
        ordered.block,
        ordered.target,
        ordered.weight,
        ordered.parcels,
        memory.keep(ordered.parcels.deal(start.raw(table, n_threads))),
        None if statistics is None else statistics.rows,
        memory,
    )
    return TrainingSet(
        ordered.block.layout,
        ordered.features,
        ordered.target,
        ordered.weight,
        are_whole(ordered.weight),
        ordered.parcels,
        None if statistics is None else statistics.rows.source.rule,
        ordered.orderings,
        LocalRows(held, n_threads),
    )


def eval_set(
    watched: WatchedRows,
    quantizer: Quantizer,
    features: Sequence[int],
    whole_data: WholeData | None,
    start: Start,
    cache_bytes: int,
    n_threads: int,
) -> EvalSet:
    """Rows to watch, as the loop takes them. ``features`` have statistics, of ``whole_data``."""
    data = watched.data
    columns = quantizer.slots(data.table, n_threads)
    statistics, hashes = None, {}
    if whole_data is not None:
        hashes = {f: data.table.categories[f].row_hashes() for f in features}
        statistics = LookedUpStatistics(hashes, columns, whole_data, cache_bytes, n_threads)
    raw = start.raw(data.table, n_threads)
    binned = BinnedRows(columns, None if statistics is None else statistics.pages)
    return EvalSet(watched.name, binned, statistics, hashes, data.target, data.weight, raw)


def are_whole(weight: NDArray[np.float32] | None) -> bool:
    """Whether each counts copies of its row."""
    return weight is None or bool((weight == np.rint(weight)).all())
