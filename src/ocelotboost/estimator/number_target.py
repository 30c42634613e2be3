"""A number as a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ocelotboost.estimator.centre import centre_of, centred
from ocelotboost.estimator.target import Weights
from ocelotboost.loss.base import Loss, Targets
from ocelotboost.loss.registry import REGRESSION_LOSSES, loss_from
from ocelotboost.order.target import CategoryTotals, NumberTargets, TargetDefinition
from ocelotboost.table.cache_directory import PROCESS_MEMORY, Memory
from ocelotboost.table.roles import regression_target, row_weights


@dataclass(frozen=True)
class NumberSettings:
    """The user's choices.

    loss_function  as it was given
    statistic      what target statistics average: "mean", "binarized" or "both"
    prior_weight   how many rows a prior counts for
    """

    loss_function: Any
    statistic: str
    prior_weight: float

    def learn(
        self, y: Any, sample_weight: Any, n_rows: int, memory: Memory = PROCESS_MEMORY
    ) -> LearnedNumbers:
        loss = loss_from(
            "RMSE" if self.loss_function is None else self.loss_function, REGRESSION_LOSSES
        )
        given = regression_target(y, n_rows)
        centre = centre_of(given, loss)
        values = centred(given, centre)
        weight = row_weights(sample_weight, n_rows)
        loss.check_target(values)
        return LearnedNumbers(memory.keep(values), weight, loss, centre, self)


@dataclass(frozen=True)
class LearnedNumbers:
    """Numbers in single precision, relative to ``centre`` (estimator/target.py)."""

    values: Targets
    weight: Weights
    loss: Loss
    centre: float
    settings: NumberSettings

    kind = "regressor"
    classes = None
    n_classes = 1

    def encode(self, y: Any, n_rows: int, argument: str) -> Targets:
        return centred(regression_target(y, n_rows, argument=argument), self.centre)

    def define_statistics(
        self, target: Targets, weight: Weights, categories: CategoryTotals
    ) -> TargetDefinition:
        settings = self.settings
        return NumberTargets.define(
            target, weight, categories, settings.prior_weight, settings.statistic
        )
