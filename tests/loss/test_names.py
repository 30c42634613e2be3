"""A loss that an estimator does not have: the error names who has it, or what was meant."""

from __future__ import annotations

import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.errors import ParameterError
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES
from ocelotboost.metric.registry import METRICS, OTHER_NAMES
from tests.data import binary

X, Y = binary(40)


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        (OcelotRegressor, "Logloss", "Logloss is for OcelotClassifier"),
        (OcelotRegressor, "MultiClass", "MultiClass is for OcelotClassifier"),
        (OcelotRegressor, "binary:logistic", "Logloss is for OcelotClassifier"),
        (OcelotClassifier, "RMSE", "RMSE is for OcelotRegressor"),
        (OcelotClassifier, "Quantile:alpha=0.9", "Quantile is for OcelotRegressor"),
        (OcelotClassifier, "mse", "RMSE is for OcelotRegressor"),
        (OcelotClassifier, "log_loss", "no loss 'log_loss'. Did you mean 'Logloss'"),
        (OcelotRegressor, "reg:squarederror", "no loss 'reg:squarederror'. Did you mean 'RMSE'"),
        (OcelotRegressor, "rmse", "Did you mean 'RMSE'"),
        (OcelotClassifier, "zebra", "There is no loss 'zebra'. Allowed: Logloss"),
    ],
)
def test_the_error_tells_who_takes_the_loss(kind, name, message):
    with pytest.raises(ParameterError, match=message):
        kind(iterations=1, loss_function=name).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "meant"), [("roc_auc", "AUC"), ("acc", "Accuracy"), ("mlogloss", "MultiClass")]
)
def test_metrics_of_other_libraries_get_a_hint(name, meant):
    with pytest.raises(ParameterError, match=f"no metric '{name}'. Did you mean '{meant}'"):
        OcelotClassifier(iterations=1, eval_metric=name).fit(X, Y)


def test_other_names_lead_to_names_that_there_are():
    ours = {*CLASS_LOSSES, *REGRESSION_LOSSES, *METRICS}
    assert set(OTHER_NAMES) <= ours
    others = [other for names in OTHER_NAMES.values() for other in names]
    assert len(set(others)) == len(others)
    assert not set(others) & ours
