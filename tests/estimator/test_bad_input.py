"""Mistakes get an error that names the thing, the value and the remedy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from tests.data import binary, regression

X, Y = regression(50)
_, LABELS = binary(50)


def fails_with(*texts: str, X=X, y=Y, estimator=OcelotRegressor, error=InputError, **fit):
    with pytest.raises(error) as caught:
        estimator(iterations=2).fit(X, y, **fit)
    for text in texts:
        assert text.lower() in str(caught.value).lower()


def changed(array, place, value):
    copy = np.array(array, dtype=np.float64 if isinstance(value, float | int) else object)
    copy[place] = value
    return copy


def test_target():
    fails_with("NaN", "row 7", y=changed(Y, 7, np.nan))
    fails_with("inf", "3", y=changed(Y, 3, np.inf))
    fails_with("[50, 49]", y=Y[:49])
    fails_with("'cat'", y=changed(Y, 2, "cat"))
    fails_with("one class only", "'a'", estimator=OcelotClassifier, y=["a"] * 50)
    fails_with("y to be passed", y=None)


def test_weights():
    fails_with("Row 4", "-1", sample_weight=changed(np.ones(50), 4, -1))
    fails_with("Row 4", "nan", sample_weight=changed(np.ones(50), 4, np.nan))
    fails_with("(49,)", "50", sample_weight=np.ones(49))
    fails_with("zero", sample_weight=np.zeros(50))


def test_tables():
    fails_with("0 sample(s)", X=X[:0], y=Y[:0])
    fails_with("0 feature(s)", X=X[:, :0])
    fails_with("Reshape your data", X=X[:, 0])
    fails_with("row 3, column 1", "dict", X=changed(X, (3, 1), {}))
    fails_with("Complex data not supported", X=X.astype(complex))


def test_losses_and_their_targets():
    fails_with("row 1", "above 0", y=changed(np.abs(Y) + 1, 1, 0.0),
               estimator=lambda **p: OcelotRegressor(loss_function="Gamma", **p))  # fmt: skip
    fails_with("row 1", "at least 0", y=changed(np.abs(Y), 1, -2.0),
               estimator=lambda **p: OcelotRegressor(loss_function="Poisson", **p))  # fmt: skip
    fails_with(
        "between 0 and 1",
        y=Y + 10,
        estimator=lambda **p: OcelotRegressor(loss_function="CrossEntropy", **p),
    )


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        ("Rmse", "Did you mean 'RMSE'"),
        ("Quantile:alpha=2", "alpha"),
        ("Quantile:beta=0.5", "beta"),
        ("Tweedie", "variance_power"),
        ("Logloss", "loss"),
        (object(), "derivatives"),
    ],
)
def test_loss_names(loss, text):
    fails_with(
        text, error=ParameterError, estimator=lambda **p: OcelotRegressor(loss_function=loss, **p)
    )


def test_losses_of_classifiers():
    three = np.arange(50) % 3
    fails_with(
        "two classes", "MultiClass", y=three, error=ParameterError,
        estimator=lambda **p: OcelotClassifier(loss_function="Logloss", **p),
    )  # fmt: skip


def test_metrics():
    for metric, text in (("AUK", "AUC"), ("Poisson", "does not fit"), (len, "name")):
        fails_with(
            text, error=ParameterError,
            estimator=lambda metric=metric, **p: OcelotRegressor(eval_metric=metric, **p),
        )  # fmt: skip


def test_eval_sets():
    fails_with("eval_set[0]", "(X, y)", eval_set=X)
    fails_with("eval_set[1]", "features", eval_set=[(X, Y), (X[:, :2], Y)])
    fails_with("eval_set[0] y", "NaN", eval_set=(X, changed(Y, 0, np.nan)))
    fails_with(
        "eval_set[0] y", "7", "training target", eval_set=(X, np.full(50, 7)), y=LABELS,
        estimator=OcelotClassifier,
    )  # fmt: skip


def test_eval_sets_fit_the_training_data():
    frame = pd.DataFrame(X, columns=list("abcde"))
    other = frame.rename(columns={"b": "z"})
    fails_with("eval_set[0]", "missing:\n- b", X=frame, eval_set=(other, Y))
    fails_with("eval_set[0] y", "[50, 3]", eval_set=(X, Y[:3]))
    fails_with("Row 2 of eval_set[0] weight", eval_set=(X, Y, changed(np.ones(50), 2, -1)))
    fails_with(
        "eval_set[0]", "row 4", "at least 0", y=np.abs(Y), eval_set=(X, changed(np.abs(Y), 4, -1)),
        estimator=lambda **p: OcelotRegressor(loss_function="Poisson", **p),
    )  # fmt: skip
    fails_with(
        "eval_set[0]", "column 1", eval_set=(changed(X, (0, 1), np.nan), Y),
        estimator=lambda **p: OcelotRegressor(nan_mode="Forbidden", **p),
    )  # fmt: skip


def test_cat_features():
    frame = pd.DataFrame(X, columns=list("abcde"))
    fails_with("'f'", "not a column of X", X=frame, error=ParameterError, cat_features=["f"])
    fails_with("'a'", "no names", error=ParameterError, cat_features="a")
    fails_with("position 5", "0 to 4", error=ParameterError, cat_features=[5])
    fails_with("position -1", error=ParameterError, cat_features=[-1])
    fails_with("boolean True", error=ParameterError, cat_features=[True] * 5)
    OcelotRegressor(iterations=1).fit(X, Y, cat_features=[])


def test_categories():
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["c"] = pd.date_range("2024-01-01", periods=50)
    fails_with("'c'", X=frame, cat_features=["c"])
    fails_with("row 3", "b'Paris'", X=changed(X, (3, 1), b"Paris"), cat_features=[1])


def test_parameters_of_categories_that_contradict_each_other():
    for parameters, text in (
        ({"statistic_window": 5, "target_statistic": "greedy"}, "statistic_window=5"),
        ({"combine_numbers": True, "target_statistic": "holdout"}, "combine_numbers=True"),
        ({"priors": []}, "priors"),
        ({"cache_memory": "many"}, "cache_memory"),
        ({"one_hot_max_size": 256}, "one_hot_max_size"),
    ):
        with pytest.raises(ParameterError, match=text):
            OcelotRegressor(iterations=1, **parameters).fit(X, Y, cat_features=[0])


def test_targets_whose_differences_do_not_fit_into_single_precision():
    fails_with("RMSE", "row 3", "1e38", y=changed(Y, 3, 3e38))


def test_a_learning_rate_that_does_not_converge():
    with pytest.raises(ParameterError, match=r"diverges.*learning_rate smaller than 50"):
        OcelotRegressor(iterations=500, learning_rate=50).fit(X, Y)


def test_a_name_for_two_things():
    class Root:
        name = "RMSE"
        higher_is_better = False

        def value(self, target, raw, weight):
            return 0.0

    with pytest.raises(ParameterError, match="both called 'RMSE'"):
        OcelotRegressor(eval_metric=Root()).fit(X, Y)


def test_a_loss_or_metric_that_is_a_class():
    class Own:
        def derivatives(self, target, raw):
            return raw - target, np.ones_like(raw)

    with pytest.raises(ParameterError, match=r"the class Own; give an object: Own\(\)"):
        OcelotRegressor(loss_function=Own).fit(X, Y)
    with pytest.raises(ParameterError, match="the class Own; give an object"):
        OcelotRegressor(eval_metric=Own).fit(X, Y)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (lambda target, raw: raw - target, "two arrays"),
        (lambda target, raw: (raw - target, 1.0), "second derivative.*shape"),
        (
            lambda target, raw: (np.log(raw * 0 - 1), raw),
            "first derivative.*nan for a row with target",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in log")
def test_derivatives_that_cannot_be_used(found, text):
    class Own:
        derivatives = staticmethod(found)

    with pytest.raises(InputError, match=f"(?s){text}"):
        OcelotRegressor(loss_function=Own()).fit(X, Y)


def test_class_weights():
    for weights, text in (
        ([1, 2, 3], "3 weights, y has 2 classes"),
        ({0: 1, 7: 2}, "7"),
        ([0, 0], "weight of zero"),
        ([1, 1e300], "infinite"),
    ):
        with pytest.raises(ParameterError, match=text):
            OcelotClassifier(class_weights=weights).fit(X, LABELS)


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = OcelotClassifier(iterations=3).fit(X, LABELS)
    expected = model.predict(X)
    with pytest.raises(ParameterError):
        model.fit(X[:, :2], np.where(LABELS, "yes", "no"), callbacks=[object()])
    np.testing.assert_array_equal(model.predict(X), expected)
    assert model.classes_.tolist() == [0, 1]


def test_callbacks_need_a_method():
    fails_with("before_iteration", error=ParameterError, callbacks=[object()])


@pytest.mark.parametrize("estimator", [OcelotClassifier, OcelotRegressor])
def test_every_parameter_refuses_a_wrong_value(estimator):
    free = {"loss_function", "eval_metric"}  # may be a user's object; tested above
    y = LABELS if estimator is OcelotClassifier else Y
    for declared in dataclasses.fields(estimator):
        if declared.name in free:
            continue
        nonsense = "" if declared.name == "cache_dir" else "nonsense"  # which may be a path
        for wrong in (object(), nonsense, -3.5, float("nan")):
            with pytest.raises(ParameterError) as caught:
                estimator(**{declared.name: wrong}).fit(X, y)
            assert declared.name in str(caught.value)
            assert repr(wrong) in str(caught.value)


def test_a_misspelt_choice_gets_a_hint():
    with pytest.raises(ParameterError, match="Did you mean 'Bayesian'"):
        OcelotRegressor(bootstrap_type="bayesian").fit(X, Y)


def test_leaf_rules_that_do_not_fit_the_loss():
    with pytest.raises(ParameterError, match="Exact"):
        OcelotRegressor(leaf_estimation_method="Exact").fit(X, Y)
    with pytest.raises(ParameterError, match="second derivative"):
        OcelotRegressor(loss_function="MAE", leaf_estimation_method="Newton").fit(X, Y)


def test_forbidden_missing_values():
    with_gap = changed(X, (3, 2), np.nan)
    with pytest.raises(InputError, match="Column 2"):
        OcelotRegressor(nan_mode="Forbidden").fit(with_gap, Y)
    model = OcelotRegressor(iterations=2, nan_mode="Forbidden").fit(X, Y)
    with pytest.raises(InputError, match="Column 2"):
        model.predict(with_gap)


def test_a_hold_out_of_nothing():
    with pytest.raises(ParameterError, match=r"validation_fraction=0\.001"):
        OcelotRegressor(validation_fraction=0.001, random_state=1).fit(X, Y)


def test_parameters_that_would_do_nothing():
    with pytest.raises(ParameterError, match="early_stopping_rounds=5 needs rows to watch"):
        OcelotRegressor(early_stopping_rounds=5).fit(X, Y)
    with pytest.raises(ParameterError, match="refit='replay'"):
        OcelotRegressor(refit="replay").fit(X, Y, eval_set=(X, Y))
