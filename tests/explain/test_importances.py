"""Importances: what matters is first, numbers that can be checked are right, errors are honest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.explain.importances import KINDS
from tests.data import features, multiclass
from tests.estimator.category_data import FRAME, LABELS, Y, fit


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_column_that_matters_is_first(kind, task):
    X = features(1500, 4)
    y = LABELS[task](3 * X[:, 2] + 0.5 * X[:, 0])
    kind_of_model = OcelotRegressor if task == "regression" else OcelotClassifier
    model = kind_of_model(iterations=60, depth=2).fit(X, y)
    found = model.importances(kind, X, y)
    ranked = [name for name, _ in found.ranked()]
    assert ranked[:2] == ["feature 2", "feature 0"]
    assert found.names == [f"feature {place}" for place in range(4)]
    assert found.values.shape == (4,)
    if kind in ("prediction_change", "splits"):
        assert found.errors is None
    else:
        assert (found.errors >= 0).all()
        assert found.values[2] > 10 * found.errors[2]


@pytest.mark.parametrize("kind", ["shap", "loss_change", "permutation"])
def test_categories_and_combinations_have_importances_too(kind):
    model = fit(iterations=40)
    found = model.importances(kind, FRAME, LABELS["binary"](Y))
    assert found.names == list(FRAME.columns)
    assert found.values[found.names.index("city")] > 0


def test_splits_are_counted_once():
    model = fit(iterations=40)
    assert_allclose(model.importances("splits").values.sum(), len(model.forest_.split_columns))
    assert_array_equal(model.importances().values, model.feature_importances_)


def test_mean_absolute_values_are_those_of_the_explanation():
    X, y = multiclass(300)
    model = OcelotClassifier(iterations=10).fit(X, y)
    found = model.importances("shap", X)
    values = np.abs(model.explain(X).values).sum(axis=2)
    assert_allclose(found.values, values.mean(axis=0))
    assert_allclose(found.errors, values.std(axis=0) / np.sqrt(300))


def test_a_shuffled_column_is_compared_by_the_loss():
    X = features(400, 3)
    y = X[:, 1] * 2
    model = OcelotRegressor(iterations=50).fit(X, y)
    found = model.importances("permutation", X, y, n_repeats=1, random_state=3)
    order = np.random.default_rng(3).permutation(400)
    shuffled = X.copy()
    shuffled[:, 1] = X[order, 1]
    losses = [((model.predict(rows) - y) ** 2).mean() for rows in (X, shuffled)]
    assert_allclose(found.values[1], losses[1] - losses[0], rtol=1e-4)


def test_weights_count_like_copies():
    X = features(200, 3)
    y = X[:, 0] + X[:, 1]
    model = OcelotRegressor(iterations=20).fit(X, y)
    weight = np.random.default_rng(0).integers(0, 4, size=200)
    copies = np.repeat(np.arange(200), weight)
    for kind in ("shap", "loss_change"):
        weighted = model.importances(kind, X, y, sample_weight=weight)
        copied = model.importances(kind, X[copies], y[copies])
        assert_allclose(weighted.values, copied.values, rtol=1e-10)


def test_a_target_far_from_zero_changes_nothing():
    X = features(500, 3).astype(np.float64)
    y = X[:, 0] + X[:, 1]
    near, far = (
        OcelotRegressor(iterations=20).fit(X, y + shift).importances("loss_change", X, y + shift)
        for shift in (0.0, 1e8)
    )
    assert_allclose(near.values, far.values, rtol=1e-3, atol=1e-6)


def test_a_pair_that_acts_together_is_first():
    X = pd.DataFrame(features(3000, 4), columns=list("abcd"))
    model = OcelotRegressor(iterations=60, depth=4).fit(X, X["b"] * X["d"] + X["a"])
    found = model.interactions(X)
    assert found.ranked()[0][:2] == ("b", "d")
    assert_allclose(found.values, found.values.T)
    together = 2 * np.abs(model.explain(X, interactions=True).values[:, 1, 3])
    assert_allclose(found.values[1, 3], together.mean())
    assert_allclose(found.errors[1, 3], together.std() / np.sqrt(3000))


def test_what_is_missing_is_named():
    X = features(50, 3)
    model = OcelotRegressor(iterations=3).fit(X, X[:, 0])
    with pytest.raises(ParameterError, match=r"kind='gain' is not possible; give one of"):
        model.importances("gain")
    with pytest.raises(InputError, match="X is missing"):
        model.importances("shap")
    with pytest.raises(InputError, match="y is missing"):
        model.importances("loss_change", X)
    with pytest.raises(InputError, match="49"):
        model.importances("permutation", X, X[:49, 0])


class WithoutValue:
    def derivatives(self, target, raw):
        return raw - target, np.ones_like(raw)


def test_a_loss_that_cannot_be_compared_says_so():
    X = features(50, 3)
    model = OcelotRegressor(iterations=3, loss_function=WithoutValue()).fit(X, X[:, 0])
    with pytest.raises(ParameterError, match=r"WithoutValue has no method value"):
        model.importances("loss_change", X, X[:, 0])
