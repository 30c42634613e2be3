"""What a fit leaves behind: all of it or nothing, the same after saving and pickling."""

from __future__ import annotations

import copy
import dataclasses
import pathlib
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError, load_model
from ocelotboost.estimator.base import OcelotEstimator
from tests.data import binary, counts, multiclass, regression
from tests.estimator.category_data import columns, frame_of, signal


def attributes_of(model):
    """Every public attribute that ends in an underscore, present or absent."""
    names = [name for name in dir(type(model)) if name.endswith("_") and not name.startswith("_")]
    assert len(names) > 12
    return {name: getattr(model, name, "absent") for name in names}


def assert_equal(found, expected):
    """Equal in type and value, arrays and records element by element; NaN equals NaN."""
    assert type(found) is type(expected)
    if dataclasses.is_dataclass(found):
        for field in dataclasses.fields(found):
            assert_equal(getattr(found, field.name), getattr(expected, field.name))
    elif isinstance(found, np.ndarray):
        assert found.dtype == expected.dtype
        assert_array_equal(found, expected)
    else:
        assert repr(found) == repr(expected)


def with_categories(n_rows):
    table = columns(n_rows)
    return frame_of(table), (signal(table) > 0).astype(int)


FITS = {
    "regressor": lambda: OcelotRegressor(iterations=6).fit(*regression(150, missing=0.1)),
    "log mean": lambda: OcelotRegressor(iterations=6, loss_function="Poisson").fit(*counts(150)),
    "two classes": lambda: OcelotClassifier(iterations=6).fit(*binary(150)),
    "three classes": lambda: OcelotClassifier(iterations=6).fit(*multiclass(150)),
    "text labels": lambda: OcelotClassifier(iterations=6).fit(
        binary(150)[0], np.where(binary(150)[1] > 0, "yes", "no")
    ),
    "names": lambda: OcelotRegressor(iterations=6).fit(
        pd.DataFrame(regression(90)[0], columns=list("abcde")), regression(90)[1]
    ),
    "stopped": lambda: OcelotRegressor(
        iterations=60, learning_rate=0.5, early_stopping_rounds=3, eval_metric="R2"
    ).fit(*regression(150), eval_set=regression(80, seed=5)),
    "replayed": lambda: OcelotClassifier(
        iterations=20, validation_fraction=0.3, refit="replay", boosting_type="Plain"
    ).fit(*binary(150)),
    "continued": lambda: OcelotRegressor(iterations=4, leaf_estimation_iterations=2).fit(
        *regression(150), init_model=OcelotRegressor(iterations=3).fit(*regression(150))
    ),
    "categories": lambda: OcelotClassifier(iterations=6).fit(*with_categories(200)),
    "missing forbidden": lambda: OcelotRegressor(iterations=3, nan_mode="Forbidden").fit(
        *regression(50)
    ),
}


def rows_for(name):
    if name == "categories":
        return with_categories(200)[0]
    if name == "names":
        return pd.DataFrame(regression(90)[0], columns=list("abcde"))
    return {"log mean": counts, "two classes": binary, "three classes": multiclass}.get(
        name, regression
    )(150)[0]


@pytest.mark.parametrize("way", ["ocelot", "json", "pickle", "deepcopy"])
@pytest.mark.parametrize("name", FITS)
def test_every_attribute_and_prediction_is_the_same_after(name, way, tmp_path):
    model = FITS[name]()
    X = rows_for(name)
    model.predict(X[:2])  # a prepared predictor must not get in the way
    if way == "pickle":
        again = pickle.loads(pickle.dumps(model))
    elif way == "deepcopy":
        again = copy.deepcopy(model)
    else:
        model.save_model(tmp_path / f"model.{way}")
        again = load_model(tmp_path / f"model.{way}")
    before, after = attributes_of(model), attributes_of(again)
    for attribute, value in before.items():
        assert_equal(after[attribute], value)
    assert again.get_params() == model.get_params()
    for method in ("predict", "predict_raw", "predict_proba", "decision_function"):
        if hasattr(model, method):
            assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))
    for one, other in zip(again.staged_predict(X), model.staged_predict(X), strict=True):
        assert_array_equal(one, other)
    assert str(again.describe("all")) == str(model.describe("all"))


def test_before_fit_every_attribute_is_absent_and_a_clone_has_none():
    for model in (OcelotClassifier(), clone(FITS["two classes"]())):
        assert set(attributes_of(model).values()) == {"absent"}
        with pytest.raises(NotFittedError, match="OcelotClassifier instance is not fitted"):
            model.predict([[1.0]])
        with pytest.raises(NotFittedError):
            model.save_model("nowhere")


def test_the_chosen_mode_and_rate_are_told(tmp_path):
    X, y = binary(150)
    chosen = OcelotClassifier(iterations=5).fit(X, y)
    assert (chosen.boosting_type_, chosen.bootstrap_type_) == ("Ordered", "MVS")
    assert 0 < chosen.learning_rate_ <= 0.5
    assert f"training: Ordered, learning rate {chosen.learning_rate_:.6g}" in chosen.describe()
    few = OcelotClassifier(iterations=5, learning_rate=0.25).fit(X[:50], y[:50])
    assert (few.boosting_type_, few.bootstrap_type_) == ("Plain", "No")
    assert few.learning_rate_ == 0.25
    assert "training: Plain, learning rate 0.25, sampling No" in few.describe()


def test_after_init_model_iterations_are_counted_from_the_first_tree():
    X, y = regression(150)
    first = OcelotRegressor(iterations=4).fit(X, y)
    model = OcelotRegressor(iterations=3).fit(X, y, eval_set=(X, y), init_model=first)
    assert (model.n_init_trees_, model.n_iter_, model.best_iteration_) == (4, 7, 6)
    assert len(model.history_["eval_0"]["RMSE"]) == 3
    assert "after 4 trees of another fit" in model.describe()


RUNTIME = {
    "n_jobs": 2,
    "verbose": 0,
    "cache_memory": "64MB",
    "cache_dir": "cache",
    "memory_limit": "100GB",
    "time_limit": 1e6,
    "interrupt": "keep",
}


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
def test_settings_of_a_run_are_neither_saved_nor_obeyed(suffix, tmp_path):
    X, y = regression(60)
    model = OcelotRegressor(iterations=2, depth=3, **RUNTIME).fit(X, y)
    declared = {f.name for f in dataclasses.fields(OcelotEstimator) if f.metadata["runtime"]}
    assert declared == set(RUNTIME)
    assert not declared & model.model_.parameters.keys()
    smuggled = {**model.model_.parameters, "n_jobs": 3000, "verbose": 1}
    model._fitted = dataclasses.replace(
        model._fitted, model=dataclasses.replace(model.model_, parameters=smuggled)
    )
    model.save_model(tmp_path / f"m.{suffix}")
    loaded = load_model(tmp_path / f"m.{suffix}")
    defaults = OcelotRegressor(iterations=2, depth=3)
    assert loaded.get_params() == defaults.get_params()


FILES_OF_FIT = (("estimator", "base.py"), ("estimator", "fitted.py"))


def interrupt_at(line_events, function, *arguments, **keywords):
    """Run the function, and raise KeyboardInterrupt at this line of the estimator's own code."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        if pathlib.Path(frame.f_code.co_filename).parts[-2:] not in FILES_OF_FIT:
            return None
        if event == "line":
            seen += 1
            if seen == line_events:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments, **keywords)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_an_interrupt_anywhere_leaves_all_of_the_old_model_or_all_of_the_new(tmp_path):
    X, y = binary(40)
    other = pd.DataFrame(X[:, :2], columns=["a", "b"])
    new = OcelotClassifier(iterations=2).fit(other, np.where(y > 0, "yes", "no"))
    place, outcomes = 1, set()
    while True:
        model = OcelotClassifier(iterations=2).fit(X, y)
        old = attributes_of(model)
        interrupted = interrupt_at(place, model.fit, other, np.where(y > 0, "yes", "no"))
        kept = model.n_features_in_ == 5
        expected = old if kept else attributes_of(new)
        for attribute, value in attributes_of(model).items():
            assert_equal(value, expected[attribute])
        rows = X if kept else other
        model.save_model(tmp_path / "m.ocelot")
        assert_array_equal(load_model(tmp_path / "m.ocelot").predict(rows), model.predict(rows))
        outcomes.add(kept)
        if not interrupted:
            break
        place += 1
    assert outcomes == {True, False}


def test_a_failing_refit_leaves_the_old_model(tmp_path):
    X, y = binary(60)
    model = OcelotClassifier(iterations=3).fit(X, y)
    before, predicted = attributes_of(model), model.predict_proba(X)
    with pytest.raises(ValueError, match="eval_set"):
        model.fit(X[:, :2], np.where(y > 0, "yes", "no"), eval_set=(X, y))
    for attribute, value in attributes_of(model).items():
        assert_equal(value, before[attribute])
    assert_array_equal(model.predict_proba(X), predicted)


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
def test_parameters_of_every_type_survive(suffix, tmp_path):
    X, y = binary(60)
    given = {
        "iterations": np.int32(2),
        "class_weights": {0: 1.0, np.int64(1): 2.5},
        "cat_features": np.array([0, 2]),
        "priors": np.array([0.25, 0.75]),
        "has_time": np.True_,
    }
    model = OcelotClassifier(**given).fit(X.round().astype(int), y)
    model.save_model(tmp_path / f"m.{suffix}")
    loaded = load_model(tmp_path / f"m.{suffix}")
    found = loaded.get_params()
    assert found["class_weights"] == {0: 1.0, 1: 2.5}
    assert found["cat_features"] == [0, 2]
    assert found["priors"] == (0.25, 0.75)
    assert found["has_time"] is True
    assert loaded.model_.dropped_parameters == ()
    again = loaded.fit(X.round().astype(int), y)
    assert_equal(again.forest_, model.forest_)


CATEGORIES = pd.DataFrame({"city": list("abcabcabd") * 12, "user": list("uvwxyz") * 18})
CATEGORY_TARGET = np.arange(108) % 7 + (CATEGORIES["city"] == "a") * 5.0


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize(
    "parameters",
    [
        {"priors": (-1e9, 0.5, 1e9)},
        {"priors": (1e9,), "prior_weight": 1e9},
        {"priors": (1e-320,), "prior_weight": 1e-320},
        {"l2_leaf_reg": 1e300},
        {"random_strength": 1e30},
        {"model_size_reg": 1e300},
        {"learning_rate": 1e-300},
        {"random_state": 10**25},
        {"statistic_window": 10**25},
    ],
    ids=str,
)
def test_what_trains_with_extreme_parameters_can_be_saved(parameters, scale, tmp_path):
    model = OcelotRegressor(iterations=3, one_hot_max_size=0, **parameters)
    model.fit(CATEGORIES, CATEGORY_TARGET * scale)
    model.save_model(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert_array_equal(loaded.predict(CATEGORIES), model.predict(CATEGORIES))
    assert np.isfinite(model.predict(CATEGORIES)).all()
    assert loaded.get_params() == model.get_params()


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"priors": (1e150,)}, r"priors=\(1e\+150,\).*numbers from -1e\+09 to 1e\+09"),
        ({"priors": [0.5, -1e10]}, r"priors=.*numbers from -1e\+09 to 1e\+09"),
        ({"prior_weight": 1e101}, r"prior_weight=1e\+101.*at most 1e\+09"),
    ],
)
def test_priors_that_no_bins_could_tell_apart_are_refused_at_fit(parameters, wanted):
    with pytest.raises(ParameterError, match=wanted):
        OcelotClassifier(iterations=2, **parameters).fit(CATEGORIES, CATEGORY_TARGET > 4)
