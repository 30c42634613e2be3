"""``tune``: what it promises of its result."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import ocelotboost
from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError, Tuning, tune


def numbers(n_rows=160, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * random.normal(size=n_rows)


def classes(n_rows=160, seed=0):
    X, y = numbers(n_rows, seed)
    return X, np.where(y > 0, "yes", "no")


FEW = {"iterations": 15}


@pytest.fixture(scope="module")
def found() -> Tuning:
    X, y = numbers()
    return tune(X, y, estimator=FEW, trials=8, cv=2)


def test_the_first_trial_is_the_defaults(found):
    X, y = numbers()
    alone = ocelotboost.cv(OcelotRegressor(**FEW), X, y, cv=2)
    first = found.trials[0]
    assert first["state"] == "complete"
    assert first["score"] == pytest.approx(alone.mean["RMSE"][-1], rel=0.05)
    assert first["depth"] == 6
    assert first["l2_leaf_reg"] == 3.0


def test_the_result_is_never_worse_than_the_defaults(found):
    assert found.best_score <= found.default_score
    assert found.default_score == found.trials[0]["score"]
    scores = [one["score"] for one in found.trials if one["score"] is not None]
    assert found.best_score == min(scores)


def test_the_estimator_is_fitted_on_all_rows_with_the_best_parameters(found):
    X, y = numbers()
    again = OcelotRegressor(**FEW, **found.best_params).fit(X, y)
    np.testing.assert_array_equal(found.estimator.predict(X), again.predict(X))


def test_a_search_can_be_repeated(found):
    X, y = numbers()
    again = tune(X, y, estimator={**FEW, "n_jobs": 1}, trials=8, cv=2)
    own, other = (
        [{key: value for key, value in one.items() if key != "seconds"} for one in trials]
        for trials in (found.trials, again.trials)
    )
    assert own == other
    assert found.best_params == again.best_params
    other_seed = tune(X, y, estimator=FEW, trials=4, cv=2, random_state=5)
    assert other_seed.trials[-1]["l2_leaf_reg"] != found.trials[3]["l2_leaf_reg"]


def test_what_mattered_is_shown(found):
    assert sum(found.importances.values()) == pytest.approx(1)
    assert set(found.importances) <= set(found.trials[0])
    text, html = str(found), found._repr_html_()
    for word in ("OcelotRegressor", "RMSE", "8 trials", "learning_rate", "2 folds"):
        assert word in text
        assert word in html


def test_it_can_be_plotted(found):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    display = found.plot()
    trials, importances = display.ax_
    assert trials.get_ylabel() == "RMSE"
    assert len(importances.patches) == len(found.importances)
    pyplot.close(display.figure_)


def test_the_metric_decides():
    X, y = classes()
    found = tune(X, y, estimator=FEW, trials=4, cv=2, metric="AUC")
    assert (found.metric, found.higher_is_better) == ("AUC", True)
    assert found.best_score >= found.default_score
    assert found.best_score == max(one["score"] for one in found.trials if one["score"])
    assert found.estimator.eval_metric == "AUC"


def test_without_iterations_held_out_rows_find_the_number_of_trees():
    X, y = classes()
    found = tune(X, y, trials=2, cv=2)
    assert isinstance(found.estimator, OcelotClassifier)
    assert found.estimator.n_models_ > 1
    assert "learning_rate" not in found.trials[0]
    assert found.trials[0]["trees"] < 1000


def test_frames_with_texts_and_gaps():
    polars = pytest.importorskip("polars")
    X, y = numbers()
    texts = np.where(X[:, 2] > 0, "red", "blue").astype(object)
    texts[::7] = None
    frame = polars.DataFrame({"size": X[:, 0], "height": X[:, 1], "colour": texts.tolist()})
    found = tune(frame, y, estimator=FEW, trials=2, cv=2)
    assert found.estimator.predict(frame).shape == y.shape
    assert found.estimator.feature_names_in_.tolist() == ["size", "height", "colour"]


def test_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = numbers()
    path = tmp_path / "rows.parquet"
    pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).to_parquet(path)
    found = tune(str(path), "y", estimator=OcelotRegressor(**FEW), trials=2, cv=2)
    in_memory = tune(X[:, :2], y, estimator=OcelotRegressor(**FEW), trials=2, cv=2)
    assert found.best_score == pytest.approx(in_memory.best_score)
    with pytest.raises(ParameterError, match="y='y' names a column"):
        tune(str(path), "y")


def test_what_cannot_be_used_is_named():
    X, y = numbers()
    with pytest.raises(InputError, match="iterator"):
        tune(iter([X]), y)
    with pytest.raises(ParameterError, match="random_state"):
        tune(X, y, random_state="first")
    with pytest.raises(ParameterError, match="estimator"):
        tune(X, y, estimator="OcelotRegressor")


def test_ranges_that_let_training_diverge_cost_one_trial():
    X, y = numbers()
    found = tune(
        X, y, estimator={"iterations": 60, "loss_function": "RMSE"}, trials=4, cv=2,
        space={"learning_rate": (3.0, 50.0), "l2_leaf_reg": (0.0, 0.1)},
    )  # fmt: skip
    assert found.best_params == {}
    assert "pruned" in {one["state"] for one in found.trials}


def test_progress_is_shown_in_lines(capsys):
    X, y = numbers()
    tune(X, y, estimator=FEW, trials=3, cv=2, verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"trial 1/3, \d:\d\d, best RMSE [\d.]+, defaults [\d.]+", lines[0])
    assert "defaults" in lines[-2]
    assert lines[-1] == "fitting the best on all rows"
    tune(X, y, estimator=FEW, trials=1, cv=2)
    assert capsys.readouterr().out == ""


def test_optuna_is_asked_for_only_by_tune(tmp_path):
    without = tmp_path / "optuna.py"
    without.write_text("raise ImportError('there is none')")
    program = (
        "import sys, ocelotboost\n"
        "assert 'optuna' not in sys.modules\n"
        "try:\n    ocelotboost.tune([[1.0]], [1.0])\n"
        "except ImportError as problem:\n    print(problem)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pip install 'ocelot-boost[tune]'" in ran.stdout
