"""Displays show the numbers that the model gives, where they are told to, and clip nothing."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError, cv, display
from tests.data import multiclass, regression
from tests.estimator.category_data import EVAL_FRAME, EVAL_Y, FRAME, LABELS, Y, fit


@pytest.fixture(scope="module")
def model():
    return fit(iterations=40, eval_set=(EVAL_FRAME, EVAL_Y))


@pytest.fixture(scope="module")
def y():
    return LABELS["binary"](Y)


DRAWN = {
    "learning curve": lambda m, y, ax: display.LearningCurveDisplay.from_estimator(m, ax=ax),
    "importances": lambda m, y, ax: display.ImportancesDisplay.from_estimator(
        m, FRAME, kind="shap", ax=ax
    ),
    "beeswarm": lambda m, y, ax: display.BeeswarmDisplay.from_estimator(m, FRAME, ax=ax),
    "waterfall": lambda m, y, ax: display.WaterfallDisplay.from_estimator(m, FRAME, row=2, ax=ax),
    "numbers": lambda m, y, ax: display.DependenceDisplay.from_estimator(
        m, FRAME, "number", colour_by="code", ax=ax
    ),
    "categories": lambda m, y, ax: display.DependenceDisplay.from_estimator(
        m, FRAME, "city", ax=ax
    ),
    "partial dependence": lambda m, y, ax: display.PartialDependenceDisplay.from_estimator(
        m, FRAME, "number", n_points=5, individual=True, ax=ax
    ),
    "of categories": lambda m, y, ax: display.PartialDependenceDisplay.from_estimator(
        m, FRAME, "city", ax=ax
    ),
    "of two": lambda m, y, ax: display.PartialDependenceDisplay.from_estimator(
        m, FRAME, ["number", "city"], n_points=4, ax=ax
    ),
    "gains": lambda m, y, ax: display.GainsDisplay.from_estimator(m, FRAME, y, ax=ax),
    "lift": lambda m, y, ax: display.LiftDisplay.from_estimator(m, FRAME, y, ax=ax),
    "statistics": lambda m, y, ax: display.CategoryStatisticsDisplay.from_estimator(
        m, FRAME, y, "user", ax=ax
    ),
    "ROC": lambda m, y, ax: display.RocCurveDisplay.from_estimator(m, FRAME, y, ax=ax),
    "precision and recall": lambda m, y, ax: display.PrecisionRecallDisplay.from_estimator(
        m, FRAME, y, ax=ax
    ),
    "calibration": lambda m, y, ax: display.CalibrationDisplay.from_estimator(m, FRAME, y, ax=ax),
    "confusion": lambda m, y, ax: display.ConfusionMatrixDisplay.from_estimator(m, FRAME, y, ax=ax),
}


@pytest.mark.parametrize("name", DRAWN)
def test_it_draws_on_the_axes_that_it_is_given(name, model, y):
    _, ax = pyplot.subplots()
    drawn = DRAWN[name](model, y, ax)
    assert drawn.ax_ is ax
    assert drawn.figure_ is ax.figure
    assert ax.has_data()


@pytest.mark.parametrize("name", [n for n in DRAWN if n not in {"ROC", "precision and recall",
                                  "calibration", "confusion"}])  # fmt: skip
def test_all_texts_are_inside_the_figure(name, model, y):
    figure = DRAWN[name](model, y, None).figure_
    figure.canvas.draw()
    assert_inside(figure)


def assert_inside(figure):
    drawn, whole = figure.get_tightbbox(), figure.bbox_inches
    assert whole.x0 - 0.02 <= drawn.x0
    assert drawn.x1 <= whole.x1 + 0.02
    assert whole.y0 - 0.02 <= drawn.y0
    assert drawn.y1 <= whole.y1 + 0.02


def test_a_learning_curve_marks_the_chosen_tree(model):
    shown = display.LearningCurveDisplay.from_estimator(model)
    assert set(shown.curves) == set(model.history_)
    assert shown.best == (model.best_iteration_, "eval_0")
    assert any(f"{model.best_iteration_ + 1} trees" in t.get_text() for t in shown.ax_.texts)
    with pytest.raises(ParameterError, match="metric='AUC' was not recorded"):
        display.LearningCurveDisplay.from_estimator(model, metric="AUC")


def test_curves_of_folds_mark_the_number_of_trees_that_their_mean_found():
    X, y = regression(200)
    found = cv(OcelotRegressor(iterations=20), X, y, cv=3)
    shown = found.plot()
    assert any(f"{found.n_trees[0]} trees" in text.get_text() for text in shown.ax_.texts)
    drawn = [line.get_ydata() for line in shown.ax_.lines if len(line.get_ydata()) == 20]
    assert any(np.array_equal(line, found.mean["RMSE"]) for line in drawn)
    assert_allclose(shown.test, found.curves["RMSE"])
    with pytest.raises(ParameterError, match="metric='AUC' was not recorded"):
        found.plot(metric="AUC")
    with pytest.raises(ParameterError, match="no curves"):
        cv(OcelotRegressor(quality="fast"), X, y, cv=2).plot()


def test_gains_are_counted(model, y):
    shown = display.GainsDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    assert_allclose(shown.share, [0, 0.25, 0.5, 0.75, 1])
    assert_allclose(shown.gains, [0, 0.5, 0.5, 1, 1])
    lift = display.LiftDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    assert_allclose(lift.lift, [2, 1, 4 / 3, 1])
    of_model = display.GainsDisplay.from_estimator(model, FRAME, y)
    is_yes = y == "yes"
    area = np.trapezoid(of_model.gains, of_model.share)
    auc = roc_auc_score(is_yes, model.predict_proba(FRAME)[:, 1])
    assert_allclose(area, is_yes.mean() / 2 + (1 - is_yes.mean()) * auc)
    with pytest.raises(InputError, match="no wanted row"):
        display.GainsDisplay.from_predictions([0, 0], [0.1, 0.2])
    with pytest.raises(InputError, match="one number per row"):
        display.LiftDisplay.from_predictions([0, 1], [[0.1], [0.2]])


def test_coverage_is_counted():
    X, y = regression(2000)
    model = OcelotRegressor(iterations=30, loss_function="Quantile:alpha=0.8").fit(X, y)
    shown = display.QuantileCoverageDisplay.from_estimator(model, X, y, n_groups=4)
    assert shown.alpha == 0.8
    assert_allclose(shown.overall, (y <= model.predict(X)).mean())
    assert_allclose(shown.coverage.mean(), shown.overall)
    assert (shown.low <= shown.coverage).all()
    assert (shown.high >= shown.coverage).all()
    other = OcelotRegressor(iterations=3).fit(X, y)
    with pytest.raises(ParameterError, match=r"no quantile: its loss is RMSE"):
        display.QuantileCoverageDisplay.from_estimator(other, X, y)


def test_a_class_is_chosen_among_several():
    X, y = multiclass(300)
    model = OcelotClassifier(iterations=10).fit(X, y)
    shown = display.BeeswarmDisplay.from_estimator(model, X, output=2)
    assert_allclose(shown.values, model.explain(X).values[:, :, 2])
    row = display.WaterfallDisplay.from_estimator(model, X, row=4, output=1)
    assert_allclose(row.values.sum() + row.base_value, model.predict_raw(X)[4, 1])
    for wrong in (None, 7):
        with pytest.raises(ParameterError, match=r"give one of \['0', '1', '2'\]"):
            display.BeeswarmDisplay.from_estimator(model, X, output=wrong)


# ---- what is known of categories -------------------------------------------------------------


def test_statistics_of_categories_are_those_of_the_rows_and_of_the_model(model, y):
    found = model.category_statistics(FRAME, y, "user")
    assert found.counts.sum() == len(FRAME)
    assert sorted(found.counts.tolist(), reverse=True) == found.counts.tolist()
    text = found.values[0]
    own = (FRAME["user"] == text).to_numpy()
    assert found.counts[0] == own.sum()
    assert_allclose(found.means[0], (y[own] == "yes").mean())
    assert found.target == "share of class 'yes'"
    if not np.isnan(found.statistic).all():
        assert_allclose(found.trained, found.counts)  # the rows are those of training
        assert ((found.bins >= 0) & (found.bins < 16)).all()
        order = np.argsort(found.statistic)
        assert (np.diff(found.bins[order]) >= 0).all()
    with pytest.raises(ParameterError, match="number holds numbers, not categories"):
        model.category_statistics(FRAME, y, "number")


# ---- trees -----------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 3, 6, 8])
def test_a_tree_is_drawn_with_its_questions(depth):
    model = fit(iterations=3, depth=depth)
    ax = model.plot_tree(1)
    texts = [text.get_text() for text in ax.texts]
    n_questions = int(model.forest_.tree_depths[1])
    assert sum(text.endswith(" ?") for text in texts) == min(n_questions, 6)
    shares = [float(text[:-2]) for text in texts if text.endswith(" %")]
    assert_allclose(sum(shares), 100, atol=3)
    ax.figure.canvas.draw()
    assert_inside(ax.figure)
    with pytest.raises(ParameterError, match="tree=3: the model has 3 trees"):
        model.plot_tree(3)
