"""Plain mode: one model, whose gradients every row's own target has entered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.loss.passes import Leaves, Pass
from ocelotboost.quantize.block import ColumnBlock


@dataclass(frozen=True)
class TrainingSet:
    """The rows to learn from.

    target         float32 (n,)
    weight         float32 (n,), or None when all weigh 1
    whole_weights  the weights are whole numbers, so each counts copies of its row
    """

    block: ColumnBlock
    target: Targets
    weight: NDArray[np.float32] | None
    whole_weights: bool

    @property
    def total_weight(self) -> float:
        if self.weight is None:
            return float(self.block.n_rows)
        return float(self.weight.sum(dtype=np.float64))

    @property
    def n_rows(self) -> float:
        """Rows, or copies of rows where the weights say so."""
        return self.total_weight if self.whole_weights else float(self.block.n_rows)


class PlainModel:
    """The training rows' raw predictions and the negative gradients there.

    raw        float64 (n_outputs, n)
    gradients  float32 (n_outputs, n), weights not included
    loss       mean training loss at ``raw``
    """

    def __init__(
        self, training: TrainingSet, loss: Loss, loss_pass: Pass, raw: Floats, n_threads: int
    ) -> None:
        self._training = training
        self._loss = loss
        self._pass = loss_pass
        self._n_threads = n_threads
        self.raw = raw
        self.gradients = np.empty(raw.shape, dtype=np.float32)
        self._differentiate()

    def add_tree(self, leaves: Leaves, leaf_values: Floats) -> None:
        """Add its leaf's values, of (n_leaves, n_outputs), to every row; leaves are (n,)."""
        native.add_leaf_values(leaves, leaf_values, self.raw, n_threads=self._n_threads)
        self._differentiate()

    def _differentiate(self) -> None:
        # One pass gives the gradients of the next tree and the loss after the last one.
        training = self._training
        total = self._pass.gradients(training.target, training.weight, self.raw, self.gradients)
        self.loss = self._loss.report(total / training.total_weight)
