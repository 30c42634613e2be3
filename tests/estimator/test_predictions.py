"""Ways to predict: by the first trees, stage by stage, and as logarithms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.classifier import _log_probabilities
from tests.data import binary, multiclass, regression

WITH_N_TREES = ["predict", "predict_raw", "predict_proba", "predict_log_proba", "decision_function"]


def with_categories(X):
    frame = pd.DataFrame(X).rename(columns=str)
    return frame.assign(kind=np.where(X[:, 0] > 0, "up", "down"), size=pd.cut(X[:, 1], 5).codes)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("categories", [False, True])
def test_the_first_trees_are_the_stages(n_classes, categories):
    X, y = multiclass(200, n_classes=n_classes)
    X = with_categories(X) if categories else X
    cat_features = ["size"] if categories else None
    model = OcelotClassifier(iterations=7, cat_features=cat_features, one_hot_max_size=0).fit(X, y)
    for method in ("predict", "predict_raw", "predict_proba"):
        stages = list(getattr(model, f"staged_{method}")(X))
        assert len(stages) == 7
        for n_trees, stage in enumerate(stages, start=1):
            found = getattr(model, method)(X, n_trees=n_trees)
            np.testing.assert_array_equal(found, stage)
        np.testing.assert_array_equal(getattr(model, method)(X), stages[-1])


def test_no_trees_predict_the_start_value():
    X, y = regression(200)
    model = OcelotRegressor(iterations=5).fit(X, y)
    np.testing.assert_array_equal(model.predict(X, n_trees=0), model.forest_.start_value[0])
    np.testing.assert_array_equal(model.predict(X, n_trees=np.int64(5)), model.predict(X))


@pytest.mark.parametrize("method", WITH_N_TREES)
@pytest.mark.parametrize("n_trees", [-1, 6, 2.0, "3", True])
def test_a_number_of_trees_that_there_are_not(method, n_trees):
    X, y = binary(100)
    model = OcelotClassifier(iterations=5).fit(X, y)
    with pytest.raises(ParameterError, match="has 5 trees: give a whole number from 0 to 5"):
        getattr(model, method)(X, n_trees=n_trees)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_logarithms_of_probabilities(n_classes):
    X, y = multiclass(300, n_classes=n_classes)
    model = OcelotClassifier(iterations=20).fit(X, y)
    logs = model.predict_log_proba(X)
    np.testing.assert_allclose(logs, np.log(model.predict_proba(X)), rtol=1e-9)
    np.testing.assert_allclose(
        model.predict_log_proba(X, n_trees=3), np.log(model.predict_proba(X, n_trees=3)), rtol=1e-9
    )


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_logarithms_of_probabilities_too_small_for_a_number(n_outputs):
    X, y = multiclass(60, n_classes=max(2, n_outputs))
    model = OcelotClassifier(iterations=1).fit(X, y)
    raw = np.array([[-2000.0, 2000.0], [0.0, 0.0], [500.0, 0.0]])[:n_outputs]
    logs = _log_probabilities(model._fitted, raw)
    expected = [[0, -2000], [-2000, 0]] if n_outputs == 1 else [[-2500, -500, 0], [0, -2000, -2000]]
    np.testing.assert_allclose(logs, expected, atol=1e-12)
