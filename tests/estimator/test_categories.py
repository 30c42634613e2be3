"""Categories from end to end: what is learned, from any input, and what an eval set sees of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ocelotboost import InputError, OcelotClassifier
from ocelotboost.order.statistic import HISTORIES
from tests.data import assert_same_bits
from tests.estimator.category_data import (
    EVAL,
    EVAL_FRAME,
    EVAL_Y,
    FRAME,
    LABELS,
    Recorder,
    X,
    Y,
    columns,
    fit,
    frame_of,
    matrix_of,
    signal,
    staged_raw,
)

# ---- what there is to learn ---------------------------------------------------------------------


def test_classes_are_learned_from_categories():
    model = fit(iterations=80, task="binary")
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(EVAL_FRAME, LABELS["binary"](EVAL_Y)) > 0.8
    numbers_alone = OcelotClassifier(iterations=80).fit(
        FRAME[["number", "flag"]], LABELS["binary"](Y)
    )
    assert numbers_alone.score(EVAL_FRAME[["number", "flag"]], LABELS["binary"](EVAL_Y)) < 0.7


def test_several_classes_are_learned_from_categories():
    model = fit(iterations=80, task="multiclass")
    assert sorted(model.classes_) == ["high", "low", "middle"]
    assert model.score(EVAL_FRAME, LABELS["multiclass"](EVAL_Y)) > 0.6
    np.testing.assert_allclose(model.predict_proba(EVAL_FRAME).sum(axis=1), 1.0)


@pytest.mark.parametrize("statistic", ["mean", "binarized", "both"])
def test_numbers_are_learned_from_categories(statistic):
    model = fit(iterations=80, task="regression", regression_statistic=statistic)
    assert model.score(EVAL_FRAME, EVAL_Y) > 0.5
    names = {name for own in model.forest_.statistics.target_names for name in own}
    assert any(name == "mean target" for name in names) == (statistic != "binarized")
    assert any(name.startswith("share of target >") for name in names) == (statistic != "mean")


def test_combinations_are_found_where_the_target_needs_them():
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefgh"))[rng.integers(0, 8, size=(1000, 3))]
    y = ((letters[:, 0] < "e") ^ (letters[:, 1] < "e")).astype(int)
    train, test = slice(0, 700), slice(700, 1000)
    scores = {}
    for most in (1, 2):
        model = OcelotClassifier(iterations=20, depth=2, max_combination=most, random_state=1)
        model.fit(letters[train].astype(object), y[train], cat_features=[0, 1, 2])
        scores[most] = model.score(letters[test].astype(object), y[test])
        sizes = np.diff(model.forest_.statistics.member_offsets)
        assert sizes.max() <= most
    assert scores[2] > 0.95
    assert scores[1] < scores[2] - 0.1


# ---- any input ----------------------------------------------------------------------------------


def holders(table):
    """The same rows in everything that holds rows."""
    arrow = {name: pa.array(np.asarray(v) if name != "city" else v) for name, v in table.items()}
    arrow["number"] = pa.array(table["number"], from_pandas=True)
    return {
        "pandas": frame_of(table),
        "pandas categories": frame_of(table).astype({"city": "category", "code": "category"}),
        "pandas strings": frame_of(table).astype({"city": "string", "user": "string"}),
        "polars": pl.DataFrame({**table, "number": pl.Series(table["number"]).fill_nan(None)}),
        "polars categories": pl.DataFrame(table).with_columns(pl.col("city").cast(pl.Categorical)),
        "pyarrow": pa.table(arrow),
        "pyarrow dictionary": pa.table({**arrow, "city": arrow["city"].dictionary_encode()}),
        "pandas codes as text": frame_of(table).assign(code=[str(v) for v in table["code"]]),
        "pandas codes as floats": frame_of(table).astype({"code": "float64"}),
    }


@pytest.mark.parametrize("holder", holders(X))
def test_same_model_and_same_predictions_whatever_holds_the_rows(holder):
    expected = fit()
    model = fit(holders(X)[holder])
    assert_same_bits(model.forest_, expected.forest_)
    new, reference = holders(EVAL)[holder], expected.predict_proba(EVAL_FRAME)
    np.testing.assert_array_equal(model.predict_proba(new), reference)
    np.testing.assert_array_equal(expected.predict_proba(new), reference)


def test_numpy_objects_hold_categories_too():
    expected = fit()
    model = fit(matrix_of(X), cat_features=[1, 2, 3])
    assert_same_bits(model.forest_, expected.forest_)
    np.testing.assert_array_equal(
        model.predict_proba(matrix_of(EVAL)), expected.predict_proba(EVAL_FRAME)
    )
    from_lists = fit(matrix_of(X).tolist(), cat_features=[1, 2, 3])
    assert_same_bits(from_lists.forest_, expected.forest_)


def test_cat_features_of_fit_take_the_place_of_the_parameter():
    y = LABELS["binary"](Y)
    model = OcelotClassifier(iterations=3, cat_features=["flag"]).fit(
        FRAME, y, cat_features=["code", 4]
    )
    assert model.forest_.categorical.tolist() == [False, True, True, True, True]
    detected = OcelotClassifier(iterations=3).fit(FRAME, y)
    assert detected.forest_.categorical.tolist() == [False, True, True, False, False]


def test_unseen_and_missing_values_are_predicted():
    model = fit(iterations=20)
    row = FRAME.iloc[:1]
    unseen = row.assign(city="Atlantis")
    other = row.assign(city="Mu")
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(other))
    assert np.isfinite(model.predict_proba(row.assign(city=None, user=None, code=np.nan))).all()
    # Missing is a category of its own: in training there were some.
    rome, missing = (
        FRAME.assign(city=pd.Series([city] * len(FRAME), dtype=object)) for city in ("Rome", None)
    )
    assert (model.predict_proba(rome) != model.predict_proba(missing)).any()
    for nothing in (np.nan, pd.NA, pd.NaT):
        alike = FRAME.assign(city=pd.Series([nothing] * len(FRAME), dtype=object))
        np.testing.assert_array_equal(model.predict_proba(alike), model.predict_proba(missing))


def test_missing_categories_are_not_forbidden_where_missing_numbers_are():
    whole = FRAME.assign(number=FRAME["number"].fillna(0.0))
    model = fit(whole, nan_mode="Forbidden")
    model.predict(whole)
    with pytest.raises(InputError, match="number"):
        model.predict(FRAME)


# ---- evaluation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("task", LABELS)
def test_an_eval_set_is_predicted_as_the_model_will(task):
    recorder = Recorder()
    model = fit(task=task, eval_set=(EVAL_FRAME, EVAL_Y), eval_metric=recorder)
    assert model.n_iter_ == 8
    np.testing.assert_array_equal(staged_raw(model, EVAL_FRAME), recorder.raw[len(EVAL_Y)])


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_the_history_of_an_eval_set_is_that_of_staged_predictions(task):
    model = fit(task=task, eval_set=(EVAL_FRAME, EVAL_Y), eval_metric="Accuracy", iterations=20)
    labels = LABELS[task](EVAL_Y)
    staged = [float(np.mean(p == labels)) for p in model.staged_predict(EVAL_FRAME)]
    assert len(staged) == model.best_iteration_ + 1
    assert model.history_["eval_0"]["Accuracy"][: len(staged)] == staged


parameters = st.fixed_dictionaries(
    {
        "depth": st.sampled_from([1, 2, 4, 10]),
        "target_statistic": st.sampled_from([*HISTORIES, "ordered"]),
        "max_combination": st.integers(1, 4),
        "one_hot_max_size": st.sampled_from([0, 2, 10]),
        "rsm": st.sampled_from([1.0, 0.5, 0.1]),
        "permutation_count": st.integers(1, 3),
        "bootstrap_type": st.sampled_from(["auto", "No", "Bayesian", "Bernoulli", "MVS"]),
        "model_size_reg": st.sampled_from([0.0, 0.5, 5.0]),
        "priors": st.sampled_from([(0.0, 0.5, 1.0), (0.3,), (-1.0, 0.2, 0.5, 4.0)]),
        "prior_weight": st.sampled_from([0.01, 1.0, 5.0]),
        "has_time": st.sampled_from([False, False, True, "number"]),
        "score_function": st.sampled_from(["Cosine", "L2"]),
        "random_state": st.integers(0, 1000),
    },
)


@pytest.mark.usefixtures("five_threads")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parameters, st.sampled_from(list(LABELS)), st.sampled_from([4, 30, 150]), st.booleans(),
    st.sampled_from([None, 1, 10, 1000]), st.sampled_from(["none", "whole", "any"]),
)  # fmt: skip
def test_any_parameters_train_a_model_that_predicts_what_training_saw(
    parameters, task, n_rows, combine_numbers, window, weights
):
    kind = parameters["target_statistic"]
    parameters |= {
        "combine_numbers": combine_numbers and kind != "holdout",
        "statistic_window": window if kind == "ordered" else None,
        "iterations": 4,
    }
    table = columns(n_rows, seed=3)
    table["city"][0] = "Oslo"
    y = signal(table, seed=3)
    y[:4] = [-2.0, 0.0, 2.0, 2.0]  # every class is there
    rng = np.random.default_rng(0)
    weight = {
        "none": None,
        "whole": rng.integers(1, 4, size=n_rows),
        "any": rng.uniform(0.1, 2, size=n_rows),
    }[weights]
    forests = []
    for n_jobs in (1, 5):
        recorder = Recorder()
        model = fit(
            frame_of(table), y, task=task, eval_set=(EVAL_FRAME, EVAL_Y), sample_weight=weight,
            eval_metric=recorder, n_jobs=n_jobs, **parameters,
        )  # fmt: skip
        forests.append(model.forest_)
    assert_same_bits(*forests)
    np.testing.assert_array_equal(staged_raw(model, EVAL_FRAME), recorder.raw[len(EVAL_Y)])
    if kind == "greedy":  # training rows have the statistics of new ones
        found = staged_raw(model, frame_of(table))
        np.testing.assert_array_equal(found, recorder.raw[n_rows])
