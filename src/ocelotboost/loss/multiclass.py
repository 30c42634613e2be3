"""MultiClass: one raw prediction a class, softmax of them is the class probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.base import Floats, LeafRule, Loss, Targets
from ocelotboost.loss.links import softmax


class MultiClass(Loss):
    """Minus log-likelihood of a class number. ``raw`` is (n_classes, n)."""

    name = "MultiClass"
    leaf_rule = LeafRule("Newton", 1)

    def __init__(self, n_classes: int) -> None:
        self.n_outputs = n_classes

    def link(self, raw: Floats) -> Floats:
        return softmax(raw)[0]

    def value(self, target: Targets, raw: Floats) -> Floats:
        own: Floats = raw[target.astype(np.intp), np.arange(len(target))]
        return softmax(raw)[1] - own

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        """(n_classes, n) and (n_classes, n_classes, n)."""
        p = self.link(raw)
        own = target == np.arange(self.n_outputs)[:, None]
        second = -p[:, None] * p[None, :]
        diagonal = np.arange(self.n_outputs)
        second[diagonal, diagonal] += p
        return p - own, second

    def start_value(self, target: Targets, weight: NDArray[np.float32] | None) -> Floats:
        return np.zeros(self.n_outputs)
