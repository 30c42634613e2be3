from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from ocelotboost import OcelotClassifier, OcelotRegressor


@parametrize_with_checks([OcelotClassifier(), OcelotRegressor()])
def test_scikit_learn_check(estimator, check, monkeypatch):
    # Without this scikit-learn leaves out its check of array API input.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)
