"""OcelotRegressor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.centre import centre_of, centred
from ocelotboost.estimator.choices import RegressionStatistic
from ocelotboost.estimator.documentation import documented
from ocelotboost.estimator.hints import hint_in_constructor
from ocelotboost.estimator.parameters import one_of, parameter
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.loss.registry import REGRESSION_LOSSES, loss_from
from ocelotboost.order.target import NumberTargets, TargetDefinition
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.table.roles import regression_target


@documented
@hint_in_constructor
@dataclass(eq=False, repr=False, kw_only=True)
class OcelotRegressor(RegressorMixin, OcelotEstimator):  # type: ignore[misc]
    """Gradient boosting of oblivious trees for a numeric target.

    >>> import numpy as np
    >>> from ocelotboost import OcelotRegressor
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> model = OcelotRegressor(iterations=100).fit(X, X[:, 0] + 2 * X[:, 1])
    >>> model.score(X, X[:, 0] + 2 * X[:, 1]) > 0.95
    True
    """

    regression_statistic: RegressionStatistic = parameter(
        "both",
        one_of(RegressionStatistic),
        "Target statistics of the target itself, of whether it is above its middle, or of both.",
    )

    _kind = "regressor"

    def predict(self, X: Any, *, n_trees: int | None = None) -> Floats:
        """The target as the first ``n_trees`` trees predict it, or all: (n,)."""
        fitted = self._require_fitted()
        return fitted.loss.link(self._raw_by(fitted, X, n_trees)[0])

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The prediction after each tree."""
        fitted = self._require_fitted()
        for raw in self._staged_raw_by(fitted, X):
            yield fitted.loss.link(raw[0])

    def _learn_target(self, y: Any, n_rows: int) -> Targets:
        values = regression_target(y, n_rows)
        self._centre = centre_of(values, self._loss())
        return centred(values, self._centre)

    def _encode_target(self, y: Any, n_rows: int, argument: str) -> Targets:
        return centred(regression_target(y, n_rows, argument=argument), self._centre)

    def _target_centre(self) -> float:
        return self._centre

    def _define_statistics(
        self, target: Targets, weight: NDArray[np.float32] | None, categories: CategoricalData
    ) -> TargetDefinition:
        return NumberTargets.define(
            target, weight, categories, float(self.prior_weight), self.regression_statistic
        )

    def _loss(self) -> Loss:
        choice = "RMSE" if self.loss_function is None else self.loss_function
        return loss_from(choice, REGRESSION_LOSSES)
