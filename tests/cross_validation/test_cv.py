"""What ``cv`` finds: the scores of the folds, the best number of trees, predictions, models."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_score

from ocelotboost import OcelotClassifier, OcelotRegressor, cv
from ocelotboost.errors import InputError, ParameterError
from tests import data
from tests.data import assert_same_bits


def test_scores_are_those_of_scikit_learn():
    X, y = data.binary(400)
    model = OcelotClassifier(iterations=30, eval_metric="Accuracy", use_best_model=False)
    splitter = StratifiedKFold(4, shuffle=True, random_state=3)
    expected = cross_val_score(model, X, y, cv=splitter)
    found = cv(model, X, y, cv=splitter, share=False)
    assert found.scores["Accuracy"].tolist() == expected.tolist()
    assert found.curves["Accuracy"][:, -1].tolist() == expected.tolist()


def test_folds_that_share_nothing_have_the_bits_of_a_fit_of_their_rows():
    X, y = data.regression(300, missing=0.1)
    model = OcelotRegressor(iterations=12, depth=3, use_best_model=False)
    found = cv(model, X, y, cv=3, share=False, return_models=True)
    for fold, own in zip(found.folds, found.models, strict=True):
        alone = OcelotRegressor(iterations=12, depth=3).fit(X[fold.train], y[fold.train])
        assert_same_bits(own.forest_, alone.forest_)
        assert np.array_equal(found.predictions[fold.test], alone.predict(X[fold.test]))


@pytest.mark.parametrize("parameters", [{"iterations": 20}, {"quality": "fast"}])
def test_the_same_bits_however_folds_are_trained(parameters, five_threads):
    X, y = data.multiclass(300)
    model = OcelotClassifier(**parameters, depth=3, n_jobs=3)
    first, second = (
        cv(model, X, y, cv=4, parallel=parallel, return_models=True)
        for parallel in ("folds", "inside")
    )
    for own, other in zip(first.models, second.models, strict=True):
        assert_same_bits(own.forest_, other.forest_)
    assert np.array_equal(first.predictions, second.predictions)
    for name, curves in first.curves.items():
        assert np.array_equal(curves, second.curves[name])


def test_the_mean_of_the_folds_finds_the_number_of_trees():
    X, y = data.binary(300)
    found = cv(OcelotClassifier(iterations=80, learning_rate=0.3), X, y, return_models=True)
    assert found.curves["Logloss"].shape == (5, 80)
    assert found.learn_curves["Logloss"].shape == (5, 80)
    assert found.best_iteration == found.mean["Logloss"].argmin()
    assert found.best_score == found.mean["Logloss"].min() < found.mean["Logloss"][-1]
    assert (
        found.scores["Logloss"].tolist()
        == found.curves["Logloss"][:, found.best_iteration].tolist()
    )
    assert all(model.n_iter_ == found.best_iteration + 1 for model in found.models)
    assert found.spread["Logloss"] == pytest.approx(found.curves["Logloss"].std(axis=0, ddof=1))


def test_early_stopping_follows_the_mean():
    X, y = data.binary(300)
    model = OcelotClassifier(iterations=500, learning_rate=0.3)
    stopped = cv(model.set_params(early_stopping_rounds=10), X, y)
    n_trees = stopped.curves["Logloss"].shape[1]
    assert n_trees == stopped.best_iteration + 1 + 10
    longer = cv(model.set_params(iterations=n_trees + 5, early_stopping_rounds=None), X, y)
    assert np.array_equal(stopped.curves["Logloss"], longer.curves["Logloss"][:, :n_trees])


def test_refit_is_a_fit_of_all_rows_with_the_number_of_trees_that_was_found():
    X, y = data.binary(300)
    found = cv(OcelotClassifier(iterations=60, depth=3), X, y, refit=True)
    again = OcelotClassifier(**found.model.get_params()).fit(X, y)
    assert_same_bits(found.model.forest_, again.forest_)
    assert found.model.iterations == found.model.n_iter_ == found.best_iteration + 1
    by_itself = cv(OcelotClassifier(quality="fast"), X, y, cv=2, refit=True)
    assert_same_bits(by_itself.model.forest_, OcelotClassifier(quality="fast").fit(X, y).forest_)


def test_an_estimator_that_chooses_by_itself_is_judged_as_it_is():
    X, y = data.regression(400)
    model = OcelotRegressor(n_models=2, depth=3)
    found = cv(model, X, y, cv=KFold(3), share=False)
    assert found.curves == {}
    assert found.best_iteration is None
    for fold, score in zip(found.folds, found.scores["RMSE"], strict=True):
        alone = OcelotRegressor(n_models=2, depth=3).fit(X[fold.train], y[fold.train])
        errors = alone.predict(X[fold.test]) - y[fold.test]
        assert score == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-6)


def test_rows_that_no_fold_judges_have_no_prediction():
    X, y = data.regression(100)
    splitter = ShuffleSplit(3, test_size=0.2, random_state=0)
    found = cv(OcelotRegressor(iterations=5, depth=2), X, y, cv=splitter, return_models=True)
    times = np.bincount(np.concatenate([fold.test for fold in found.folds]), minlength=100)
    assert np.array_equal(np.isnan(found.predictions), times == 0)
    row = int(np.argmax(times))
    judges = [m for m, fold in zip(found.models, found.folds, strict=True) if row in fold.test]
    mean = np.mean([model.predict(X[[row]])[0] for model in judges])
    assert found.predictions[row] == pytest.approx(mean)


class Recorder:
    def __init__(self, stop_at=None):
        self.infos, self.stop_at = [], stop_at

    def after_iteration(self, info):
        self.infos.append(info)
        return info.iteration + 1 == self.stop_at


def test_callbacks_see_all_folds_tree_by_tree_and_may_stop_them():
    X, y = data.regression(200)
    recorder = Recorder(stop_at=7)
    found = cv(OcelotRegressor(iterations=40), X, y, cv=3, callbacks=recorder)
    assert [info.iteration for info in recorder.infos] == list(range(7))
    assert found.curves["RMSE"].shape == (3, 7)
    last = recorder.infos[-1]
    assert np.array_equal(last.curves["RMSE"], found.curves["RMSE"])
    assert last.history["test"]["RMSE"] == found.mean["RMSE"].tolist()
    assert last.iterations == 40
    with pytest.raises(ParameterError, match="give the estimator iterations"):
        cv(OcelotRegressor(), X, y, callbacks=recorder)


def test_an_error_in_a_fold_is_raised_and_ends_all_folds():
    X, y = data.regression(200)

    class Broken:
        name, higher_is_better = "broken", False

        def value(self, target, raw, weight):
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        cv(OcelotRegressor(iterations=10, eval_metric=Broken()), X, y)


def test_an_interrupt_of_a_callback_ends_all_folds():
    X, y = data.regression(200)

    class Pressed:
        def after_iteration(self, info):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cv(OcelotRegressor(iterations=1000), X, y, callbacks=Pressed())


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("parameters", ["iterations=100_000", "quality='best'"])
def test_ctrl_c_ends_all_folds(parameters):
    code = f"""
from ocelotboost import OcelotRegressor, cv
from tests import data

X, y = data.regression(3000, 20)
model = OcelotRegressor({parameters}, learning_rate=0.001)
print("begun", flush=True)
cv(model, X, y)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert errors.splitlines()[-1] == "KeyboardInterrupt"


def test_time_is_limited_for_all_folds_together():
    X, y = data.regression(200)
    found = cv(OcelotRegressor(iterations=1_000_000, time_limit=0.5), X, y, cv=3)
    assert 0 < found.curves["RMSE"].shape[1] < 1_000_000


def test_weights_count_in_training_and_in_scores():
    X, y = data.regression(200)
    weight = data.fractional_weights(200)
    weight[:20] = 0.0
    found = cv(OcelotRegressor(iterations=5), X, y, cv=3, sample_weight=weight)
    for fold, score in zip(found.folds, found.scores["RMSE"], strict=True):
        squares = (found.predictions[fold.test] - y[fold.test]) ** 2
        assert score == pytest.approx(np.sqrt(np.average(squares, weights=weight[fold.test])))
    weight[:] = 0.0
    weight[:90] = 1.0
    with pytest.raises(InputError, match="All rows that fold 1 has to train on have weight 0"):
        cv(OcelotRegressor(iterations=5), X, y, cv=KFold(2), sample_weight=weight)


def test_targets_beyond_single_precision():
    X, y = data.regression(200)
    plain = cv(OcelotRegressor(iterations=10, eval_metric="R2"), X, y.astype(np.float64))
    moved = cv(OcelotRegressor(iterations=10, eval_metric="R2"), X, y.astype(np.float64) + 1e9)
    assert moved.scores["RMSE"] == pytest.approx(plain.scores["RMSE"], rel=1e-3)
    assert moved.scores["R2"] == pytest.approx(plain.scores["R2"], rel=1e-3)


def test_parameters_alone():
    X, y = data.binary(100)
    assert cv({"iterations": 3}, X, y).estimator == "OcelotClassifier"
    assert cv({"iterations": 3}, X, X[:, 0]).estimator == "OcelotRegressor"
    assert cv({"iterations": 3, "loss_function": "MAE"}, X, y).estimator == "OcelotRegressor"
    with pytest.raises(ParameterError, match="distinct whole numbers"):
        cv({"iterations": 3}, X, np.arange(100))
    with pytest.raises(ParameterError, match="cross_validate"):
        cv("adult", X, y)
    with pytest.raises(ParameterError, match="the class OcelotClassifier"):
        cv(OcelotClassifier, X, y)


def test_in_words():
    X, y = data.binary(200)
    found = cv(OcelotClassifier(iterations=5, eval_metric="AUC"), X, y, cv=3)
    assert str(found).splitlines()[0] == "3 folds of OcelotClassifier, 200 rows judged"
    assert f"AUC      {found.best_score:.5g} ±" in str(found)
    assert "AUC" in repr(found)
    assert "fold 3" in found._repr_html_()


def test_progress_shows_means(capsys):
    X, y = data.regression(100)
    cv(OcelotRegressor(iterations=4, verbose=2), X, y, cv=2)
    assert "2/4 trees" in capsys.readouterr().out
    cv(OcelotRegressor(quality="fast", verbose=1), X, y, cv=2)
    assert "fold 2 of 2: RMSE" in capsys.readouterr().out
