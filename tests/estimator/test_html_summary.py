"""What notebooks show of an estimator."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser

import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import make_pipeline

from ocelotboost import OcelotClassifier, OcelotRegressor, load_model
from tests.data import regression
from tests.estimator.category_data import columns, frame_of, signal


class Tags(HTMLParser):
    """Fails where a tag is closed that is not the innermost open one; collects the text."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


def text_of(estimator):
    """The words a reader sees, without the tags, which are balanced."""
    tags = Tags()
    tags.feed(estimator._repr_mimebundle_()["text/html"])
    assert tags.open == []
    return " ".join(" ".join(tags.text).split())


@pytest.fixture(scope="module")
def fitted():
    table = columns(300)
    model = OcelotClassifier(iterations=30, validation_fraction=0.3, eval_metric="AUC")
    return model.fit(frame_of(table), (signal(table) > 0).astype(int))


def test_an_unfitted_estimator_shows_what_was_changed_and_all_parameters():
    model = OcelotRegressor(depth=3, loss_function="Quantile:alpha=0.9")
    text = text_of(model)
    assert text.startswith("OcelotRegressor not fitted")
    assert "depth =3, loss_function ='Quantile:alpha=0.9'" in text
    assert all(declared.name in text for declared in dataclasses.fields(model))
    assert "parameters all at their defaults" in text_of(OcelotRegressor())


def test_a_fitted_estimator_shows_what_was_found(fitted, tmp_path):
    text = text_of(fitted)
    assert text.startswith(f"OcelotClassifier {fitted.n_iter_} trees")
    assert "loss Logloss, classes [0, 1]" in text
    assert f"{fitted.boosting_type_} boosting" in text
    assert "numeric and" in text
    assert f"best tree ({fitted.best_iteration_})" in text
    assert f"AUC {fitted.best_score_:.5g}" in text
    assert fitted.feature_names_in_[fitted.feature_importances_.argmax()] in text
    fitted.save_model(tmp_path / "model.ocelot")
    assert text_of(load_model(tmp_path / "model.ocelot")) == text


def test_trees_of_another_fit_are_counted():
    X, y = regression(120)
    first = OcelotRegressor(iterations=3).fit(X, y)
    again = OcelotRegressor(iterations=4).fit(X, y, init_model=first, eval_set=(X, y))
    text = text_of(again)
    assert "3 trees came from init_model" in text
    assert f"best tree ({again.best_iteration_})" in text
    assert f"RMSE {again.best_score_:.5g}" in text


def test_names_and_classes_cannot_write_html():
    frame = pd.DataFrame({"<script>": [0.0, 1.0] * 30})
    model = OcelotClassifier(iterations=2).fit(frame, ["<b>yes", "no"] * 30)
    html = model._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "&lt;b&gt;yes" in html


def test_scikit_learn_decides_whether_there_is_html(fitted):
    assert fitted._repr_html_() == fitted._repr_mimebundle_()["text/html"]
    with sklearn.config_context(display="text"):
        assert not hasattr(fitted, "_repr_html_")
        assert set(fitted._repr_mimebundle_()) == {"text/plain"}
    assert "OcelotClassifier" in make_pipeline(fitted)._repr_mimebundle_()["text/html"]
