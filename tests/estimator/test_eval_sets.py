"""Rows to watch: their names, their forms, several metrics, and in a pipeline."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from ocelotboost import OcelotClassifier, OcelotRegressor, load_model
from ocelotboost.errors import InputError, ParameterError
from tests.data import assert_same_bits, binary, regression

X, Y = regression(300)
NEW_X, NEW_Y = regression(150, seed=9)


def regressor(**parameters):
    return OcelotRegressor(**{"iterations": 8, "boosting_type": "Plain", **parameters})


# ---- names and forms -------------------------------------------------------------------------


def test_a_dict_names_the_eval_sets(tmp_path):
    weight = np.linspace(0.5, 2.0, len(NEW_X))
    named = {"valid": (NEW_X, NEW_Y), "weighted": (NEW_X, NEW_Y, weight)}
    model = regressor().fit(X, Y, eval_set=named)
    assert list(model.history_) == ["learn", "valid", "weighted"]
    listed = regressor().fit(X, Y, eval_set=list(named.values()))
    assert model.history_["valid"] == listed.history_["eval_0"]
    assert model.history_["weighted"] == listed.history_["eval_1"]
    model.save_model(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").history_ == model.history_


def test_the_first_of_the_named_decides():
    named = {"zoo": (NEW_X, -NEW_Y), "ant": (NEW_X, NEW_Y)}
    model = regressor(iterations=30, early_stopping_rounds=3).fit(X, Y, eval_set=named)
    curve = model.history_["zoo"]["RMSE"]
    assert model.best_iteration_ == int(np.argmin(curve))
    assert len(curve) < 30


def test_validation_rows_in_arguments_of_their_own():
    weight = np.linspace(0.5, 2.0, len(NEW_X))
    model = regressor().fit(X, Y, X_val=NEW_X, y_val=NEW_Y, sample_weight_val=weight)
    same = regressor().fit(X, Y, eval_set={"validation": (NEW_X, NEW_Y, weight)})
    assert list(model.history_) == ["learn", "validation"]
    assert model.history_ == same.history_
    assert_same_bits(model.forest_, same.forest_)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"eval_set": (NEW_X,)}, r"eval_set\[0\] has 1 elements; give \(X, y\)"),
        ({"eval_set": [(NEW_X, NEW_Y, None, None)]}, r"eval_set\[0\] has 4 elements"),
        ({"eval_set": NEW_X}, r"eval_set\[0\] is of type ndarray"),
        ({"eval_set": {"valid": NEW_X}}, r"eval_set\['valid'\] is of type ndarray"),
        ({"eval_set": {"valid": (NEW_X[:, :2], NEW_Y)}}, r"eval_set\['valid'\]: "),
        ({"eval_set": {"learn": (NEW_X, NEW_Y)}}, "An eval set is called 'learn'"),
        ({"eval_set": {7: (NEW_X, NEW_Y)}}, "An eval set is called 7"),
        ({"X_val": NEW_X}, "X_val and y_val go together"),
        ({"sample_weight_val": NEW_Y}, "X_val and y_val go together"),
        ({"X_val": NEW_X, "y_val": NEW_Y[:9]}, "y_val"),
        ({"X_val": NEW_X, "y_val": NEW_Y, "eval_set": (NEW_X, NEW_Y)}, "two ways"),
    ],
)
def test_rows_that_cannot_be_watched(given, message):
    with pytest.raises(InputError, match=message):
        regressor().fit(X, Y, **given)


def test_two_sets_of_validation_rows():
    with pytest.raises(ParameterError, match=r"validation_fraction=0\.2 holds rows out"):
        regressor(validation_fraction=0.2).fit(X, Y, X_val=NEW_X, y_val=NEW_Y)


# ---- several metrics -------------------------------------------------------------------------


def test_several_metrics_are_recorded_and_the_first_decides(tmp_path):
    A, b = binary(400)
    noise = np.random.default_rng(0).permutation(b)
    for metrics in (["AUC", "Logloss", "Accuracy"], ("Accuracy", "AUC")):
        model = OcelotClassifier(iterations=30, learning_rate=0.3, eval_metric=metrics)
        model.fit(A, b, eval_set=(A, noise))
        curves = model.history_["eval_0"]
        assert set(curves) == {"Logloss", *metrics}
        assert model.best_iteration_ == int(np.argmax(curves[metrics[0]]))
        alone = OcelotClassifier(iterations=30, learning_rate=0.3, eval_metric=metrics[0])
        assert_same_bits(alone.fit(A, b, eval_set=(A, noise)).forest_, model.forest_)
    model.save_model(tmp_path / "m.ocelot")
    assert list(load_model(tmp_path / "m.ocelot").eval_metric) == ["Accuracy", "AUC"]


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (["MAE", "MAE"], "eval_metric has 'MAE' twice"),
        ([], r"eval_metric=\[\] is not possible"),
        (["MAE", "AUK"], "There is no metric 'AUK'"),
        (["MAE", None], "has no attribute 'name'"),
    ],
)
def test_metrics_that_cannot_be(metrics, message):
    with pytest.raises(ParameterError, match=message):
        regressor(eval_metric=metrics).fit(X, Y)


# ---- in a pipeline ---------------------------------------------------------------------------


def test_a_pipeline_transforms_the_validation_rows():
    shifted, scale = X * 100 + 7, StandardScaler()
    with sklearn.config_context(enable_metadata_routing=True):
        model = regressor(iterations=20).set_fit_request(X_val=True, y_val=True)
        pipeline = Pipeline([("scale", scale), ("model", model)], transform_input=["X_val"])
        pipeline.fit(shifted, Y, X_val=NEW_X * 100 + 7, y_val=NEW_Y)
    direct = regressor(iterations=20).fit(
        scale.transform(shifted), Y, X_val=scale.transform(NEW_X * 100 + 7), y_val=NEW_Y
    )
    assert pipeline[-1].history_ == direct.history_
    assert pipeline[-1].best_iteration_ == direct.best_iteration_


def test_a_pipeline_keeps_frames_and_categories():
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "x", "y")})
    new = pd.DataFrame({"a": NEW_X[:, 0], "b": np.where(NEW_X[:, 1] > 0, "x", "y")})
    with sklearn.config_context(enable_metadata_routing=True):
        model = regressor().set_fit_request(X_val=True, y_val=True)
        pipeline = make_pipeline("passthrough", model, transform_input=["X_val"])
        pipeline.fit(frame, Y, X_val=new, y_val=NEW_Y)
    direct = regressor().fit(frame, Y, X_val=new, y_val=NEW_Y)
    assert pipeline[-1].history_ == direct.history_
