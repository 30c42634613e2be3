"""Both estimators are at home in scikit-learn: every check passes, and its tools work with them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.errors import ParameterError
from tests.data import assert_same_bits, binary, multiclass, regression


@parametrize_with_checks([OcelotClassifier(), OcelotRegressor()])
def test_scikit_learn_check(estimator, check, monkeypatch):
    # Without this scikit-learn leaves out its check of array API input.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)


# ---- copies ----------------------------------------------------------------------------------


def test_a_clone_has_the_parameters_and_is_not_fitted():
    X, y = binary(200)
    model = OcelotClassifier(iterations=5, depth=3, class_weights={0: 1.0, 1: 2.0}).fit(X, y)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not fresh.__sklearn_is_fitted__()
    assert_same_bits(fresh.fit(X, y).forest_, model.forest_)


def test_set_params_changes_what_is_trained():
    X, y = regression(200)
    model = OcelotRegressor(iterations=5).set_params(iterations=3, depth=2).fit(X, y)
    assert model.forest_.tree_depths.tolist() == [2, 2, 2]


def test_representation_shows_what_was_changed():
    assert repr(OcelotRegressor(depth=4)) == "OcelotRegressor(depth=4)"


def test_an_unfitted_estimator_can_be_pickled():
    again = pickle.loads(pickle.dumps(OcelotClassifier(depth=3)))
    assert again.depth == 3
    assert not again.__sklearn_is_fitted__()


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_copy_of_a_fitted_classifier_predicts_the_same(copied, n_classes):
    X, y = multiclass(300, n_classes=n_classes, missing=0.1)
    labels = np.array(["low", "middle", "high"])[y]
    model = OcelotClassifier(iterations=10).fit(X, labels, eval_set=(X, labels))
    again = copied(model)
    assert_same_bits(again.forest_, model.forest_)
    assert again.history_ == model.history_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(
        list(again.staged_predict_proba(X))[-1], list(model.staged_predict_proba(X))[-1]
    )


def test_pickles_do_not_hold_what_can_be_made_again():
    X, y = regression(300)
    model = OcelotRegressor(iterations=10).fit(X, y)
    before = pickle.dumps(model)
    model.predict(X)
    assert pickle.dumps(model) == before
    assert b"Predictor" not in before


# ---- tools -----------------------------------------------------------------------------------


def test_grid_search_finds_the_better_depth():
    X, y = regression(400)
    search = GridSearchCV(OcelotRegressor(iterations=40), {"depth": [1, 4]}, cv=3).fit(X, y)
    assert search.best_params_ == {"depth": 4}
    assert search.best_estimator_.n_iter_ == 40


def test_grid_search_reports_a_bad_parameter():
    X, y = regression(60)
    search = GridSearchCV(OcelotRegressor(), {"depth": [0]}, cv=2, error_score="raise")
    with pytest.raises(ParameterError, match="depth=0"):
        search.fit(X, y)


def test_in_a_pipeline_with_weights_and_nested_parameters():
    X, y = binary(300)
    pipeline = make_pipeline(StandardScaler(), OcelotClassifier(iterations=5))
    pipeline.set_params(ocelotclassifier__iterations=20)
    pipeline.fit(X, y, ocelotclassifier__sample_weight=np.where(y == 1, 2.0, 1.0))
    assert pipeline[-1].n_iter_ == 20
    assert pipeline.predict_proba(X).shape == (300, 2)
    assert pipeline.score(X, y) > 0.9


def test_predictions_by_cross_validation_are_those_of_the_folds():
    X, y = multiclass(300)
    model = OcelotClassifier(iterations=20)
    by_fold = cross_val_predict(model, X, y, cv=3, method="predict_proba")
    assert by_fold.shape == (300, 3)
    np.testing.assert_allclose(by_fold.sum(axis=1), 1.0)
    assert (by_fold.argmax(axis=1) == y).mean() > 0.7
    assert cross_val_score(model, X, y, cv=3, scoring="neg_log_loss").mean() > -0.7
