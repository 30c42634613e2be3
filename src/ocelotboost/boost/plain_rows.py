"""The rows of a parcel at a model that has seen all of them."""

from __future__ import annotations

import numpy as np

from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.training_set import HeldRows
from ocelotboost.kernels import native
from ocelotboost.leaves.estimate import RowsInLeaves
from ocelotboost.loss.base import Floats
from ocelotboost.loss.passes import Leaves, Pass


class PlainRows:
    """The rows of one parcel at one M_r: raw predictions, and the negative gradients there.

    raw  float64 (n_outputs, n)
    """

    def __init__(self, rows: HeldRows, places: slice, loss_pass: Pass) -> None:
        self.places = places
        self._target = rows.target[places]
        self._weight = None if rows.weight is None else rows.weight[places]
        self._pass = loss_pass
        self.raw = rows.memory.keep(rows.start[:, places].copy())
        self._gradients = rows.memory.zeros(self.raw.shape, np.float32)
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
