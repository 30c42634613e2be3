"""Area under the receiver operating characteristic curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.links import LOGIT, SOFTMAX
from ocelotboost.metric.base import Metric, Raw, Target, Weight


@dataclass(frozen=True)
class AUC(Metric):
    """The chance that a row of the class is scored above a row of another; a tie counts half.

    Two classes: any increasing function of the probability ranks the same, so raw scores are
    used. A target that is a probability p counts as p rows of class 1 and 1 − p of class 0.
    K classes: each class against the rest by its probability, averaged with the classes' weights.
    Without a pair to compare (one class only) it is 0.5: nothing is known.
    """

    higher_is_better = True
    understands = frozenset({LOGIT, SOFTMAX})
    purpose = "classes; for more than two, each against the rest, averaged by weight"
    other_names = ("roc_auc", "auroc")

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        rows = np.ones(len(target)) if weight is None else weight.astype(np.float64)
        if raw.ndim == 1:
            return _area(raw, rows * target, rows)
        probability = self.link(raw)
        areas, shares = np.zeros(raw.shape[1]), np.zeros(raw.shape[1])
        for k in range(raw.shape[1]):
            of_class = rows * (target == k)
            areas[k], shares[k] = _area(probability[:, k], of_class, rows), of_class.sum()
        total = shares.sum()
        return float((areas * shares).sum() / total) if total > 0 else 0.5


def _area(
    scores: NDArray[np.float64], positive: NDArray[np.float64], rows: NDArray[np.float64]
) -> float:
    """Walk up the scores, a group of equal ones at a time:

    scores     1    2  2  2    5
    positive   0    1  0  1    1
    negative   1    0  1  0    0      below: 0 | 1 | 2
    pairs won  0    2·(1 + 1/2)  1·2
    """
    order = np.argsort(scores)
    ranked = scores[order]
    if len(ranked) == 0:
        return 0.5
    if np.isnan(ranked[-1]):
        return float("nan")
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    won = np.add.reduceat(positive[order], starts)
    lost = np.add.reduceat((rows - positive)[order], starts)
    pairs = won.sum() * lost.sum()
    if not pairs > 0:
        return 0.5
    below = np.cumsum(lost)
    below -= 0.5 * lost
    return float((won * below).sum() / pairs)
