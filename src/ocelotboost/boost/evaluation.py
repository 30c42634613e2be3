"""Metrics by iteration, on the training rows and on every eval set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.callback import History
from ocelotboost.boost.models import MainModel, Unseen
from ocelotboost.boost.tree import GrownTree
from ocelotboost.errors import ParameterError
from ocelotboost.kernels import native
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.loss.passes import Pass
from ocelotboost.metric.base import MetricLike
from ocelotboost.order.binned_rows import BinnedRows, PagedStatistics, located

#: In the history: training rows at the model.
LEARN = "learn"

#: In the history: training rows at supporting models that have not seen them.
UNSEEN = "ordered"


@dataclass(frozen=True)
class EvalSet:
    """Held-out rows and their raw predictions so far.

    binned      to be asked the questions of trees
    statistics  those of their categories; None where there are none
    row_hashes  the categories of each feature that has statistics: uint64 (n,)
    raw         float64 (n_outputs, n), changed by every tree
    """

    name: str
    binned: BinnedRows
    statistics: PagedStatistics | None
    row_hashes: Mapping[int, NDArray[np.uint64]]
    target: Targets
    weight: NDArray[np.float32] | None
    raw: Floats

    def add_tree(self, tree: GrownTree, n_threads: int) -> None:
        leaves = np.zeros(len(self.target), dtype=np.uint32)
        for some, pages in located(tree.splits, self.statistics, 0):
            self.binned.append_answers(some, pages, leaves, n_threads)
        native.add_leaf_values(leaves, tree.leaf_values, self.raw, n_threads=n_threads)


class LossMetric:
    """The training loss as a metric of held-out rows, by the same fast pass."""

    higher_is_better = False

    def __init__(self, loss: Loss, loss_pass: Pass) -> None:
        self.name = loss.name
        self._loss = loss
        self._pass = loss_pass

    def of(self, eval_set: EvalSet) -> float:
        return self.at(eval_set.target, eval_set.weight, eval_set.raw)

    def at(self, target: Targets, weight: NDArray[np.float32] | None, raw: Floats) -> float:
        """At raw predictions (n_outputs, n)."""
        unused = np.empty(raw.shape, dtype=np.float32)
        total = self._pass.gradients(target, weight, raw, unused)
        whole = len(target) if weight is None else weight.sum(dtype=np.float64)
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
        main: MainModel,
        unseen: Unseen | None,
    ) -> None:
        """One more value of everything, after a tree."""
        # Predictions of all parcels are put together for metrics alone.
        values = self._values(target, weight, main.raw) if self._metrics else []
        self._append(LEARN, [main.loss, *values])
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
