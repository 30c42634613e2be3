"""init_model: more trees for a model, and errors where it would not be the same model."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from tests.data import assert_same_bits, binary, counts, multiclass, regression


@pytest.mark.parametrize(
    ("kind", "make", "parameters"),
    [
        (OcelotRegressor, regression, {}),
        (OcelotRegressor, regression, {"loss_function": "Quantile:alpha=0.7"}),
        (OcelotRegressor, counts, {"loss_function": "Poisson"}),
        (OcelotClassifier, binary, {}),
        (OcelotClassifier, multiclass, {}),
    ],
    ids=["RMSE", "Quantile", "Poisson", "Logloss", "MultiClass"],
)
def test_the_first_trees_stay_and_predictions_add_up(kind, make, parameters, tmp_path):
    X, y = make(300, missing=0.1)
    first = kind(iterations=10, **parameters).fit(X, y)
    longer = kind(iterations=7, **parameters).fit(X, y, init_model=first)
    assert longer.n_iter_ == 17
    assert_same_bits(longer.forest_.first(10), first.forest_)
    assert_array_equal(list(longer.staged_predict(X))[9], first.predict(X))
    learn = next(iter(longer.history_["learn"].values()))
    assert len(learn) == 7
    assert learn[-1] < next(iter(first.history_["learn"].values()))[-1]
    first.save_model(tmp_path / "first.json")
    from_file = kind(iterations=7, **parameters).fit(X, y, init_model=str(tmp_path / "first.json"))
    assert_same_bits(from_file.forest_, longer.forest_)


def test_a_model_continues_itself():
    X, y = regression(200)
    model = OcelotRegressor(iterations=5).fit(X, y)
    assert [model.fit(X, y, init_model=model).n_iter_ for _ in range(3)] == [10, 15, 20]


def test_eval_sets_start_from_the_first_model():
    X, y = regression(400, seed=2)
    held_out = (X[300:], y[300:])
    first = OcelotRegressor(iterations=30, learning_rate=0.1).fit(X[:300], y[:300])
    model = OcelotRegressor(iterations=300, learning_rate=0.5, early_stopping_rounds=5)
    model.fit(X[:300], y[:300], eval_set=held_out, init_model=first)
    assert model.n_iter_ == model.best_iteration_ + 1
    assert model.n_init_trees_ == 30
    curve = model.history_["eval_0"]["RMSE"]
    assert int(np.argmin(curve)) == model.best_iteration_ - model.n_init_trees_
    error = np.sqrt(np.mean((model.predict(held_out[0]) - held_out[1]) ** 2))
    assert error == pytest.approx(min(model.history_["eval_0"]["RMSE"]), rel=1e-9)


def test_the_other_end_of_missing_values_is_an_error():
    X, y = regression(200, missing=0.2)
    low = OcelotRegressor(iterations=3).fit(X, y)
    high = OcelotRegressor(iterations=3, nan_mode="Max").fit(X, y)
    with pytest.raises(ParameterError, match=r"nan_mode='Max'.*below.*nan_mode='Min'"):
        OcelotRegressor(iterations=3, nan_mode="Max").fit(X, y, init_model=low)
    with pytest.raises(ParameterError, match=r"nan_mode='Min'.*above.*nan_mode='Max'"):
        OcelotRegressor(iterations=3).fit(X, y, init_model=high)


def test_another_meaning_of_raw_predictions_is_an_error():
    X, y = counts(200)
    model = OcelotRegressor(iterations=3).fit(X, y)
    with pytest.raises(InputError, match=r"RMSE.*number.*Poisson.*log mean"):
        OcelotRegressor(iterations=3, loss_function="Poisson").fit(X, y, init_model=model)
    OcelotRegressor(iterations=3, loss_function="MAE").fit(X, y, init_model=model)


def test_another_target_is_an_error():
    X, y = binary(200)
    labels = np.where(y == 1, "yes", "no")
    model = OcelotClassifier(iterations=3).fit(X, labels)
    with pytest.raises(InputError, match=r"\['no', 'yes'\].*\[0, 1\]"):
        OcelotClassifier(iterations=3).fit(X, y, init_model=model)
    with pytest.raises(InputError, match=r"a classifier with 1 outputs.*needs a regressor"):
        OcelotRegressor(iterations=3).fit(X, y, init_model=model)


def test_a_path_without_a_model_is_an_error(tmp_path):
    X, y = regression(50)
    with pytest.raises(FileNotFoundError, match="no model file"):
        OcelotRegressor(iterations=3).fit(X, y, init_model=tmp_path / "none.ocelot")
    with pytest.raises(InputError, match="not fitted yet"):
        OcelotRegressor(iterations=3).fit(X, y, init_model=OcelotRegressor())
