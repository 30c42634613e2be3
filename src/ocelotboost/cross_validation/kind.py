"""Which estimator to validate, where parameters alone were given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.classifier import OcelotClassifier
from ocelotboost.estimator.regressor import OcelotRegressor
from ocelotboost.loss.names import parse_name
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES

_FORMS = "give an OcelotClassifier, an OcelotRegressor, or a dict of their parameters"


def estimator_from(given: Any, y: Any) -> OcelotEstimator:
    """A copy of the estimator, unfitted; of parameters, the kind that fits the target."""
    if isinstance(given, OcelotEstimator):
        copy: OcelotEstimator = clone(given)
        return copy
    if given is None or isinstance(given, Mapping):
        parameters = dict(given or {})
        kind = _kind_of_loss(parameters.get("loss_function")) or _kind_of_target(y)
        return kind(**parameters)
    if isinstance(given, type) and issubclass(given, OcelotEstimator):
        raise ParameterError(f"The estimator is the class {given.__name__}; give an object of it.")
    raise ParameterError(
        f"The estimator is of type {type(given).__name__}; {_FORMS}. For pipelines and other "
        "estimators there is sklearn.model_selection.cross_validate."
    )


def _kind_of_loss(loss: Any) -> type[OcelotEstimator] | None:
    if not isinstance(loss, str):
        return None
    name = parse_name(loss)[0]
    if name in CLASS_LOSSES and name not in REGRESSION_LOSSES:
        return OcelotClassifier
    return OcelotRegressor if name in REGRESSION_LOSSES else None


def _kind_of_target(y: Any) -> type[OcelotEstimator]:
    """Texts, truth values and two distinct numbers are classes; fractions are numbers."""
    values = np.asarray(y)
    if values.ndim == 0:
        raise ParameterError(
            f"y={y!r} names a column, which does not tell classes from numbers: give "
            "OcelotClassifier(...) or OcelotRegressor(...) in place of parameters."
        )
    if values.dtype.kind not in "iuf":
        return OcelotClassifier
    distinct = np.unique(values)
    if len(distinct) <= 2:
        return OcelotClassifier
    if (distinct != np.rint(distinct)).any():
        return OcelotRegressor
    raise ParameterError(
        f"y has {len(distinct):,} distinct whole numbers, which may be classes or amounts: give "
        "OcelotClassifier(...) or OcelotRegressor(...) in place of parameters."
    )
