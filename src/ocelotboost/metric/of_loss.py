"""Every loss of the library as a metric: the mean of its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ocelotboost.errors import ParameterError
from ocelotboost.loss.declared import DeclaredLoss
from ocelotboost.loss.links import IDENTITY, SOFTMAX
from ocelotboost.metric.base import Metric, Raw, Target, Weight, one_output, weighted_mean


@dataclass(frozen=True)
class LossMetric(Metric):
    """The figure that training reports for the loss.

    A loss whose raw prediction is the response itself judges the response of any model: RMSE that
    of Poisson. The other losses judge raw scores directly, which cannot overflow needlessly.

    As in CatBoost, losses lack constants that do not depend on the prediction: only differences of
    Poisson, Tweedie and Gamma mean something.
    """

    loss: DeclaredLoss

    def value(self, target: Target, raw: Raw, weight: Weight | None) -> float:
        self._check_outputs(raw)
        with np.errstate(over="ignore"):
            judged = self.link(raw) if self.loss.link is IDENTITY else raw
            values = self.loss.value(target, judged.T)
            return self.loss.report(weighted_mean(values, weight))

    def _check_outputs(self, raw: Raw) -> None:
        if self.loss.link is not SOFTMAX:
            one_output(raw, self.name)
        elif raw.ndim != 2:
            raise ParameterError(
                f"The metric {self.name} is for several outputs, but the model has one; "
                "use Logloss for two classes."
            )
