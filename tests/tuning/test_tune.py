"""``tune``: what it promises of its result."""

from __future__ import annotations

import numpy as np
import pytest

import ocelotboost
from ocelotboost import OcelotRegressor, Tuning, tune


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
