"""Plain mode: models whose gradients every row's own target has entered.

Target statistics put a row into different leaves in different orderings. So each ordering has a
model of its own: M₀, whose trees are the result, and the supporting models M₁ … M_s, whose
gradients choose the trees' structures. Without categories all of them are equal, and M₀ is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.tree import rounded
from ocelotboost.kernels import native
from ocelotboost.leaves.estimate import LeafSettings, RowsInLeaves, estimate_leaves
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.loss.passes import Leaves, Pass
from ocelotboost.order.binned_rows import BinnedRows
from ocelotboost.order.feature import Feature, Split
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.parcels import Parcels
from ocelotboost.order.statistic_store import StatisticStore
from ocelotboost.quantize.block import ColumnBlock


@dataclass(frozen=True)
class TrainingSet:
    """The rows to learn from.

    block          the columns in bins
    features       the columns of the block
    target         float32 (n,)
    weight         float32 (n,), a weight of 1 counts like one row; None when all weigh 1
    whole_weights  the weights are whole numbers, so each counts copies of its row
    parcels        of the rows; everything here is in the order of their places
    statistics     of the categorical features, or None where there are none
    orderings      uint32 (s + 1, n) of ordered boosting, or None in Plain mode
    """

    block: ColumnBlock
    features: tuple[Feature, ...]
    target: Targets
    weight: NDArray[np.float32] | None
    whole_weights: bool
    parcels: Parcels
    statistics: StatisticStore | None = None
    orderings: Orderings | None = None

    @property
    def total_weight(self) -> float:
        if self.weight is None:
            return float(self.block.n_rows)
        return float(self.weight.sum(dtype=np.float64))

    @cached_property
    def binned(self) -> BinnedRows:
        """The rows, to be asked the questions of trees."""
        return BinnedRows.of_block(self.block, self.statistics)


class PlainRows:
    """The rows of one parcel at one M_r: raw predictions, and the negative gradients there.

    raw  float64 (n_outputs, n)
    """

    def __init__(self, training: TrainingSet, places: slice, loss_pass: Pass, raw: Floats) -> None:
        self.places = places
        self._target = training.target[places]
        self._weight = None if training.weight is None else training.weight[places]
        self._pass = loss_pass
        self.raw = raw
        self._gradients = np.empty(raw.shape, dtype=np.float32)
        self._loss: float | None = None  # None: gradients are those before the last tree

    def evidence(self) -> Evidence:
        self.differentiate()
        gradients = self._gradients
        eras = np.array([0, len(self._target)], dtype=np.uint32)
        return Evidence(gradients, gradients, self._weight, self.places, None, eras)

    def in_leaves(self, leaves: Leaves) -> RowsInLeaves:
        """``leaves`` are those of all rows, in the order of places."""
        known = None if self._loss is None else self._gradients
        return RowsInLeaves(self._target, self._weight, self.raw, leaves[self.places], known)

    def add(self, leaves: Leaves, values: Floats, n_threads: int) -> None:
        """Add the values (n_leaves, n_outputs) of their leaves to the rows' predictions."""
        native.add_leaf_values(leaves[self.places], values, self.raw, n_threads=n_threads)
        self._loss = None

    def differentiate(self) -> float:
        """The sum of the losses, weights included. One pass gives the gradients of the next tree
        and the loss after the last one."""
        if self._loss is None:
            self._loss = self._pass.gradients(self._target, self._weight, self.raw, self._gradients)
        return self._loss

    def raw_restored(self) -> None:
        """``raw`` was replaced."""
        self._loss = None


class PlainModel:
    """One M_r: the training rows, parcel by parcel."""

    def __init__(self, training: TrainingSet, loss: Loss, loss_pass: Pass, start: Floats) -> None:
        """``start`` (n_outputs, n) are the first raw predictions."""
        self._training = training
        self._loss = loss
        self._pass = loss_pass
        self.parcels = [
            PlainRows(training, places, loss_pass, start[:, places].copy())
            for places in training.parcels.slices
        ]

    @property
    def raw(self) -> Floats:
        """(n_outputs, n) of all rows."""
        parts = [rows.raw for rows in self.parcels]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    @property
    def loss(self) -> float:
        """Mean training loss at ``raw``."""
        total = sum(rows.differentiate() for rows in self.parcels)
        return self._loss.report(total / self._training.total_weight)

    def fill_leaves(
        self, leaves: Leaves, n_leaves: int, learning_rate: float, settings: LeafSettings
    ) -> tuple[Floats, Floats]:
        """Values (n_leaves, n_outputs) of the leaves that the rows are in, learning rate included,
        and weights (n_leaves,); the values are added to the rows' predictions."""
        in_leaves = [rows.in_leaves(leaves) for rows in self.parcels]
        values, weights = estimate_leaves(self._pass, in_leaves, n_leaves, settings)
        values = rounded(learning_rate * values)
        for rows in self.parcels:
            rows.add(leaves, values, settings.n_threads)
        return values, weights

    def raw_restored(self, known_gradients: bool) -> None:
        """``raw`` was replaced. Leaves are filled by the gradients there, if they are known, so
        that they have to be known again where they were."""
        for rows in self.parcels:
            rows.raw_restored()
            if known_gradients:
                rows.differentiate()


class PlainModels:
    """M₀ and the supporting models, in the order of their orderings."""

    def __init__(
        self,
        training: TrainingSet,
        loss: Loss,
        loss_pass: Pass,
        start: Floats,
        learning_rate: float,
        settings: LeafSettings,
        supporting_rate: float = 1.0,
    ) -> None:
        """``supporting_rate``: the share of the learning rate that supporting models take."""
        self._binned = training.binned
        self._learning_rate = learning_rate
        self._supporting_rate = supporting_rate
        self._settings = settings
        self._leaves = np.empty(training.block.n_rows, dtype=np.uint32)
        statistics = training.statistics
        n_orderings = 1 if statistics is None else len(statistics.source.orderings)
        self._models = [PlainModel(training, loss, loss_pass, start) for _ in range(n_orderings)]

    @property
    def main(self) -> PlainModel:
        """M₀."""
        return self._models[0]

    @property
    def orderings(self) -> list[int]:
        """Those that choose trees: 1 … s, or σ₀ where it is all there is."""
        return list(range(1, len(self._models))) or [0]

    @property
    def raw(self) -> dict[str, Floats]:
        return {
            f"model {r}, parcel {p}": rows.raw
            for r, model in enumerate(self._models)
            for p, rows in enumerate(model.parcels)
        }

    def evidence(self, ordering: int) -> list[Evidence]:
        return [rows.evidence() for rows in self._models[ordering].parcels]

    def add_tree(self, splits: Sequence[Split]) -> tuple[Floats, Floats]:
        """Every model fills the leaves of the structure by its own statistics and gradients.
        Values (n_leaves, n_outputs) and weights (n_leaves,) are those of M₀."""
        n_threads = self._settings.n_threads
        # M₀ comes last: its values are the result.
        for ordering in reversed(range(len(self._models))):
            self._binned.assign_leaves(splits, ordering, self._leaves, n_threads)
            rate = self._learning_rate * (self._supporting_rate if ordering > 0 else 1.0)
            filled = self._models[ordering].fill_leaves(
                self._leaves, 1 << len(splits), rate, self._settings
            )
        return filled

    def unseen(self) -> None:
        """Every model has seen every row."""
        return None

    def raw_restored(self) -> None:
        for model in self._models:
            model.raw_restored(known_gradients=model is self.main)
