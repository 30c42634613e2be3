"""A saved model predicts the same after loading."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ocelotboost import ModelFileError, OcelotClassifier, OcelotRegressor, load_model
from tests.data import amounts, assert_same_bits, binary, counts, multiclass, regression, shares

REGRESSION = {
    "RMSE": regression,
    "MAE": regression,
    "Quantile:alpha=0.123456789": regression,
    "Huber:delta=0.5": regression,
    "Poisson": counts,
    "Tweedie:variance_power=1.3": counts,
    "Gamma": amounts,
    "CrossEntropy": shares,
}


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
@pytest.mark.parametrize("loss", REGRESSION)
def test_regressors(loss, suffix, tmp_path):
    X, y = REGRESSION[loss](200)
    model = OcelotRegressor(iterations=8, loss_function=loss).fit(X, y)
    model.save_model(tmp_path / f"model.{suffix}")
    loaded = load_model(tmp_path / f"model.{suffix}")
    assert isinstance(loaded, OcelotRegressor)
    assert_same_bits(loaded.forest_, model.forest_)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.get_params() == model.get_params()


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
@pytest.mark.parametrize(
    "labels", [[0, 1], ["no", "yes"], [True, False], [3, 1, 2], ["ä", "日", ""]]
)
def test_classifiers(labels, suffix, tmp_path):
    X, codes = multiclass(200, n_classes=len(labels), missing=0.1)
    y = np.array(labels)[codes]
    model = OcelotClassifier(iterations=8).fit(X, y, eval_set=(X, y))
    model.save_model(tmp_path / f"model.{suffix}")
    loaded = load_model(tmp_path / f"model.{suffix}")
    assert isinstance(loaded, OcelotClassifier)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.classes_, model.classes_)
    assert loaded.history_ == model.history_
    assert loaded.best_iteration_ == model.best_iteration_


def test_column_names_are_kept(tmp_path):
    X, y = regression(100)
    frame = pd.DataFrame(X, columns=list("abcde"))
    OcelotRegressor(iterations=3).fit(frame, y).save_model(tmp_path / "m.ocelot")
    loaded = load_model(tmp_path / "m.ocelot")
    assert loaded.feature_names_in_.tolist() == list("abcde")
    with pytest.raises(ValueError, match="same order"):
        loaded.predict(frame[list("edcba")])


def test_continuing_from_a_file(tmp_path):
    X, y = binary(300)
    parameters = {"iterations": 5, "learning_rate": 0.1}
    model = OcelotClassifier(**parameters).fit(X, y)
    model.save_model(tmp_path / "m.ocelot")
    from_file = OcelotClassifier(**parameters).fit(X, y, init_model=tmp_path / "m.ocelot")
    from_model = OcelotClassifier(**parameters).fit(X, y, init_model=model)
    assert_same_bits(from_file.forest_, from_model.forest_)


def test_a_users_own_loss_is_not_in_the_file_but_raw_predictions_are(tmp_path):
    class Counts:
        def derivatives(self, target, raw):
            return np.exp(raw) - target, np.exp(raw)

        def link(self, raw):
            return np.exp(raw)

    X, y = counts(100)
    model = OcelotRegressor(iterations=3, loss_function=Counts()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), np.exp(model.predict_raw(X)))
    model.save_model(tmp_path / "m.ocelot")
    with pytest.warns(UserWarning, match=r"your own loss 'Counts'.*raw predictions"):
        loaded = load_model(tmp_path / "m.ocelot")
    np.testing.assert_array_equal(loaded.predict_raw(X), model.predict_raw(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict_raw(X))


def test_two_classes_with_one_output_each(tmp_path):
    X, y = binary(200)
    model = OcelotClassifier(iterations=8, loss_function="MultiClass").fit(X, y)
    assert model.predict_raw(X).shape == (200, 2)
    model.save_model(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_loaded_model_can_be_trained_again_with_its_parameters(tmp_path):
    X, y = regression(200)
    model = OcelotRegressor(iterations=np.int64(4), depth=np.int8(3)).fit(X, y)
    model.save_model(tmp_path / "m.ocelot")
    again = load_model(tmp_path / "m.ocelot").fit(X, y)
    assert_same_bits(again.forest_, model.forest_)


def test_a_model_without_trees_can_be_saved(tmp_path):
    X, y = regression(50)
    with pytest.warns(UserWarning, match="time_limit"):
        model = OcelotRegressor(time_limit=1e-9).fit(X, y)
    assert model.n_iter_ == 0
    model.save_model(tmp_path / "m.ocelot")
    np.testing.assert_array_equal(load_model(tmp_path / "m.ocelot").predict(X), model.predict(X))
    np.testing.assert_allclose(model.predict(X), y.mean(), rtol=1e-6)


def test_a_file_that_is_no_model(tmp_path):
    (tmp_path / "m.ocelot").write_bytes(b"not a model")
    with pytest.raises(ModelFileError, match=r"m\.ocelot"):
        load_model(tmp_path / "m.ocelot")
