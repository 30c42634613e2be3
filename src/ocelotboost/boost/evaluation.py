"""Metrics by iteration, on the training rows and on every eval set."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.callback import History
from ocelotboost.boost.models import Unseen
from ocelotboost.boost.plain import PlainModel
from ocelotboost.boost.tree import GrownTree
from ocelotboost.errors import ParameterError
from ocelotboost.grow.answers import Split
from ocelotboost.kernels import native
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.loss.passes import Pass
from ocelotboost.metric.base import MetricLike
from ocelotboost.order.combination import Combination
from ocelotboost.order.whole_data import WholeData
from ocelotboost.predict.statistics import StatisticLookup
from ocelotboost.quantize.block import ColumnSplit

#: In the history: training rows at the model.
LEARN = "learn"

#: In the history: training rows at supporting models that have not seen them.
UNSEEN = "ordered"


@dataclass(frozen=True)
class EvalSet:
    """Held-out rows and their raw predictions so far.

    bins        uint8 (n_columns, n)
    statistics  of the categorical features, or None where there are none
    raw         float64 (n_outputs, n), changed by every tree
    """

    name: str
    bins: NDArray[np.uint8]
    statistics: EvalStatistics | None
    target: Targets
    weight: NDArray[np.float32] | None
    raw: Floats

    def add_tree(self, tree: GrownTree, n_threads: int) -> None:
        bins = self.bins
        columns = [split.column for split in tree.splits]
        if self.statistics is not None:
            bins = (
                np.stack([self._bins_of(split) for split in tree.splits], axis=0)
                if tree.splits
                else bins
            )
            columns = list(range(len(columns)))
        native.predict_trees(
            bins,
            np.array(columns, dtype=np.uint32),
            np.array([split.bin for split in tree.splits], dtype=np.uint8),
            np.array([len(tree.splits)], dtype=np.uint32),
            tree.leaf_values,
            self.raw,
            n_threads=n_threads,
        )

    def _bins_of(self, split: Split) -> NDArray[np.uint8]:
        if isinstance(split, ColumnSplit):
            bins: NDArray[np.uint8] = self.bins[split.column]
            return bins
        assert self.statistics is not None
        bins = self.statistics.bins(split.combination)[split.column]
        return bins


class EvalStatistics:
    """Statistics of held-out rows, from the whole training data; kept while there is room."""

    def __init__(
        self,
        row_hashes: Mapping[int, NDArray[np.uint64]],
        bins: NDArray[np.uint8],
        whole_data: WholeData,
        cache_bytes: int,
        n_threads: int,
    ) -> None:
        self.row_hashes = row_hashes
        self._bins = bins
        self._whole_data = whole_data
        self._n_threads = n_threads
        unit_bytes = bins.shape[1] * whole_data.source.columns.n_columns
        self._capacity = max(cache_bytes // max(unit_bytes, 1), 1)
        self._known: OrderedDict[Combination, NDArray[np.uint8]] = OrderedDict()

    def bins(self, combination: Combination) -> NDArray[np.uint8]:
        """uint8 (n_columns, n) of a combination's statistic."""
        known = self._known.get(combination)
        if known is None:
            if len(self._known) == self._capacity:
                self._known.popitem(last=False)
            known = self._known[combination] = self._make(combination)
        self._known.move_to_end(combination)
        return known

    def _make(self, combination: Combination) -> NDArray[np.uint8]:
        lookup = StatisticLookup.of(
            self._whole_data.table(combination),
            self._whole_data.source.data.hash_key,
            n_threads=self._n_threads,
        )
        answers = None
        if combination.base:
            answers = np.zeros((1, self._bins.shape[1]), dtype=np.uint32)
            for split in combination.base:
                answers = answers * 2 + (self._bins[split.column] > split.bin)
        return lookup.bins(self.row_hashes, answers, self._n_threads)


class LossMetric:
    """The training loss as a metric of held-out rows, by the same fast pass."""

    higher_is_better = False

    def __init__(self, loss: Loss, loss_pass: Pass) -> None:
        self.name = loss.name
        self._loss = loss
        self._pass = loss_pass

    def of(self, eval_set: EvalSet) -> float:
        unused = np.empty(eval_set.raw.shape, dtype=np.float32)
        total = self._pass.gradients(eval_set.target, eval_set.weight, eval_set.raw, unused)
        weight = eval_set.weight
        whole = len(eval_set.target) if weight is None else weight.sum(dtype=np.float64)
        return self._loss.report(total / float(whole))


class Evaluation:
    """Records the loss, and the metrics besides it, of every data set."""

    def __init__(
        self,
        loss_metric: LossMetric,
        metrics: list[MetricLike],
        eval_sets: list[EvalSet],
        with_unseen: bool,
    ) -> None:
        self._loss_metric = loss_metric
        self._metrics = [metric for metric in metrics if metric.name != loss_metric.name]
        self.eval_sets = eval_sets
        names = [loss_metric.name, *(metric.name for metric in self._metrics)]
        self.history: History = {
            data: {name: [] for name in names}
            for data in (
                LEARN,
                *([UNSEEN] if with_unseen else []),
                *(eval_set.name for eval_set in eval_sets),
            )
        }

    def curve(self, watched: tuple[str, str] | None) -> list[float]:
        """The values of a metric on a data set, which grow with every tree; None: none."""
        if watched is None:
            return []
        data, metric = watched
        return self.history[data][metric]

    def record(
        self,
        target: Targets,
        weight: NDArray[np.float32] | None,
        main: PlainModel,
        unseen: Unseen | None,
    ) -> None:
        """One more value of everything, after a tree."""
        self._append(LEARN, [main.loss, *self._values(target, weight, main.raw)])
        if unseen is not None:
            self._append(UNSEEN, [unseen.loss, *self._unseen_means(unseen)])
        for eval_set in self.eval_sets:
            values = self._values(eval_set.target, eval_set.weight, eval_set.raw)
            self._append(eval_set.name, [self._loss_metric.of(eval_set), *values])

    def _unseen_means(self, unseen: Unseen) -> list[float]:
        """Of the metrics besides the loss, over all orderings."""
        if not self._metrics:
            return []
        values = [self._values(rows.target, rows.weight, rows.raw) for rows in unseen.rows]
        means: list[float] = np.mean(values, axis=0).tolist()
        return means

    def _append(self, data: str, values: list[float]) -> None:
        for curve, value in zip(self.history[data].values(), values, strict=True):
            curve.append(value)

    def _values(
        self, target: Targets, weight: NDArray[np.float32] | None, raw: Floats
    ) -> list[float]:
        """Of the metrics besides the loss."""
        # Metrics take rows first, as users do.
        rows_first = raw[0] if len(raw) == 1 else raw.T
        return [_value(metric, target, rows_first, weight) for metric in self._metrics]


def _value(
    metric: MetricLike, target: Targets, raw: Floats, weight: NDArray[np.float32] | None
) -> float:
    found = metric.value(target, raw, weight)
    try:
        return float(found)
    except (TypeError, ValueError):
        raise ParameterError(
            f"The metric {metric.name!r} returned {found!r}; its method value must return one "
            "number."
        ) from None
