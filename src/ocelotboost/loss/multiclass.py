"""MultiClass: one raw prediction per class, whose softmax is the class probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ocelotboost.loss.base import Floats, Targets
from ocelotboost.loss.declared import DeclaredLoss
from ocelotboost.loss.links import SOFTMAX, softmax


@dataclass(frozen=True)
class MultiClass(DeclaredLoss):
    """Minus log-likelihood of a class number. ``raw`` is (n_outputs, n), one output per class."""

    n_outputs: int

    estimators = ("classifier",)
    purpose = "any number of classes"
    link = SOFTMAX
    other_names = (
        "softmax", "multi_logloss", "mlogloss", "categorical_crossentropy", "multi:softmax",
        "multi:softprob",
    )  # fmt: skip

    def value(self, target: Targets, raw: Floats) -> Floats:
        own: Floats = raw[target.astype(np.intp), np.arange(len(target))]
        return softmax(raw)[1] - own

    def derivatives(self, target: Targets, raw: Floats) -> tuple[Floats, Floats]:
        """(n_outputs, n) and (n_outputs, n_outputs, n)."""
        p = self.link(raw)
        own = target == np.arange(self.n_outputs)[:, None]
        second = -p[:, None] * p[None, :]
        diagonal = np.arange(self.n_outputs)
        second[diagonal, diagonal] += p
        return p - own, second
