"""Where the loop starts: the rows to learn from and to watch, and their first predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evaluation import EvalSet
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.boost.tree import rounded
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.model.forest import Forest
from ocelotboost.order.binned_rows import BinnedRows
from ocelotboost.order.looked_up_statistics import LookedUpStatistics
from ocelotboost.order.rows_in_order import RowsInOrder
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

    def raw(self, table: Table, n_threads: int) -> Floats:
        """Raw predictions (n_outputs, n) before the first new tree."""
        if self.continued is not None:
            return make_predictor(self.continued).raw(table, n_threads) - self.centre
        return np.repeat(self.value[:, None], table.n_rows, axis=1)


def training_set(ordered: RowsInOrder) -> TrainingSet:
    """The rows to learn from, as the loop takes them."""
    statistics = ordered.statistics
    return TrainingSet(
        ordered.block,
        ordered.features,
        ordered.target,
        ordered.weight,
        _are_whole(ordered.weight),
        ordered.parcels,
        None if statistics is None else statistics.store,
        ordered.orderings,
        ordered.rows.table.memory,
    )


def eval_set(
    watched: WatchedRows,
    quantizer: Quantizer,
    ordered: RowsInOrder,
    start: Start,
    cache_bytes: int,
    n_threads: int,
) -> EvalSet:
    """Rows to watch, as the loop takes them."""
    data = watched.data
    columns = quantizer.slots(data.table, n_threads)
    statistics, hashes = None, {}
    if ordered.statistics is not None:
        whole_data = ordered.statistics.whole_data
        hashes = {f: data.table.categories[f].row_hashes() for f in ordered.combinations.features}
        statistics = LookedUpStatistics(hashes, columns, whole_data, cache_bytes, n_threads)
    raw = start.raw(data.table, n_threads)
    binned = BinnedRows(columns, statistics)
    return EvalSet(watched.name, binned, hashes, data.target, data.weight, raw)


def _are_whole(weight: NDArray[np.float32] | None) -> bool:
    """Whether each counts copies of its row."""
    return weight is None or bool((weight == np.rint(weight)).all())
