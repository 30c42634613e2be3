"""Where shap is installed, its plots take what ``explain`` returns, texts and gaps included."""

from __future__ import annotations

import warnings

import matplotlib
import numpy as np
import pytest

from ocelotboost.explain.explanation import Explanation, shown_values
from tests.estimator.category_data import FRAME, fit

PLOTS = {
    "beeswarm": lambda plots, e: plots.beeswarm(e, show=False),
    "waterfall": lambda plots, e: plots.waterfall(e[0], show=False),
    "bar": lambda plots, e: plots.bar(e, show=False),
    "bar of a row": lambda plots, e: plots.bar(e[0], show=False),
    "numbers": lambda plots, e: plots.scatter(e[:, "number"], color=e, show=False),
    "texts": lambda plots, e: plots.scatter(e[:, "city"], show=False),
    "heatmap": lambda plots, e: plots.heatmap(e, show=False),
    "force": lambda plots, e: plots.force(e[0], matplotlib=True, show=False),
}


@pytest.fixture(scope="module")
def explanation():
    matplotlib.use("Agg")
    return fit(iterations=20).explain(FRAME)


@pytest.mark.parametrize("plot", PLOTS)
def test_plots_of_shap_take_texts(plot, explanation):
    shap = pytest.importorskip("shap", reason="pip install shap")
    assert isinstance(explanation, shap.Explanation)
    from matplotlib import pyplot

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of shap about matplotlib
        PLOTS[plot](shap.plots, explanation)
    assert pyplot.gcf().axes
    pyplot.close("all")


def test_without_shap_there_is_a_record_of_the_same_attributes(monkeypatch):
    monkeypatch.setattr("ocelotboost.explain.explanation.find_spec", lambda name: None)
    explanation = fit(iterations=5).explain(FRAME)
    assert isinstance(explanation, Explanation)
    assert explanation.values.shape == FRAME.shape
    assert explanation.feature_names == list(FRAME.columns)
    assert len(explanation) == len(FRAME)


def test_values_are_shown_as_the_user_gave_them():
    shown = shown_values(FRAME)
    assert shown.dtype == object
    cities = ["missing" if city is None else city for city in FRAME["city"]]
    assert shown[:, 1].tolist() == cities
    assert shown[:, 3].tolist() == FRAME["code"].tolist()
    numbers = shown_values(FRAME[["number", "code"]])
    assert numbers.dtype == np.float64
    assert shown_values([[1, 2], [3, 4]]).dtype == np.float64
    assert shown_values([["a", 2], [None, 4]]).tolist() == [["a", 2], ["missing", 4]]
    assert FRAME["city"].isna().any()  # the user's own table stays as it was
