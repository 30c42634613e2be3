"""OcelotRegressor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sklearn.base import RegressorMixin

from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.choices import RegressionStatistic
from ocelotboost.estimator.documentation import documented
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.estimator.hints import hint_in_constructor
from ocelotboost.estimator.number_target import NumberSettings
from ocelotboost.estimator.parameters import one_of, parameter
from ocelotboost.loss.base import Floats


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

    def predict(self, X: Any, *, n_trees: int | None = None) -> Floats:
        """The target as the first ``n_trees`` trees predict it, or all: (n,)."""
        fitted = self._require_fitted()
        return fitted.loss.link(self._raw_by(fitted, X, n_trees)[0])

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The prediction after each tree."""
        fitted = self._require_fitted()
        for raw in self._staged_raw_by(fitted, X):
            yield fitted.loss.link(raw[0])

    def _response(self, fitted: Fitted, raw: Floats) -> Floats:
        return fitted.loss.link(raw[0])

    def _target_settings(self) -> NumberSettings:
        return NumberSettings(
            self.loss_function, self.regression_statistic, float(self.prior_weight)
        )
