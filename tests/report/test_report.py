"""A report says all there is to say, in both forms, for every kind of target."""

from __future__ import annotations

import dataclasses
import html
import json
import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError, load_model
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.report.document import Figure, Paragraph
from tests.data import binary, regression
from tests.explain.test_dates import MODEL as DATES
from tests.explain.test_dates import X as DATE_ROWS
from tests.explain.test_dates import Y as DATE_TARGETS
from tests.report.subjects import N_TRAINING, fitted, reported, table, targets

KINDS = ["binary", "classes", "numbers"]


def texts(report, anchor):
    return " ".join(
        block.text
        for block in report.document.section(anchor).blocks
        if isinstance(block, Paragraph)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_verdict_comes_first_and_all_sections_are_there(kind):
    anchors = [section.anchor for section in reported(kind).document.sections]
    of_target = "errors" if kind == "numbers" else "decisions"
    assert anchors == [
        "verdict", of_target, "why", "subgroups", "leakage", "data", "learning", "trees", "repeat",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_small_and_loads_nothing(kind):
    page = reported(kind).html
    assert len(page.encode()) < 1_000_000
    assert not re.search(r"(src|href)\s*=\s*[\"']?\s*(https?:|//)", page)
    assert "@import" not in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("kind", KINDS)
def test_what_users_call_things_is_no_markup(kind):
    page = reported(kind).html
    body, data = page.split('id="report-data">')
    data = data.split("</script>")[0]
    assert "<b>income</b>" not in body
    assert "<" not in data
    names = [column["name"] for column in json.loads(data)["shared"]["columns"]]
    assert "<b>income</b>" in names
    assert html.escape("<b>income</b>") in body


@pytest.mark.parametrize("kind", KINDS)
def test_markdown_has_the_same_sections_and_whole_tables(kind):
    text = reported(kind).markdown
    for section in reported(kind).document.sections:
        assert f"\n## {section.title}\n" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


@pytest.mark.parametrize("kind", KINDS)
def test_shap_values_of_the_page_sum_to_its_predictions(kind):
    model, X, _ = fitted(kind)
    data = reported(kind).document.data
    rows = np.array(data["rows"])
    raw = model.predict_raw(X.iloc[rows]).reshape(len(rows), -1)
    values = np.frombuffer(_bytes(data["values"]), dtype="<i2").reshape(len(rows), -1, raw.shape[1])
    sums = values.sum(axis=1) * data["scale"] + np.array(data["base"])
    np.testing.assert_allclose(sums, raw, atol=10 * data["scale"] + 1e-3)


def _bytes(packed):
    import base64

    return base64.b64decode(packed["bytes"])


def test_a_model_from_a_file_gives_the_same_report(tmp_path):
    model, X, y = fitted("binary")
    for suffix in ("ocelot", "json"):
        model.save_model(tmp_path / f"model.{suffix}")
        loaded = load_model(tmp_path / f"model.{suffix}").report(X=X, y=y)
        assert loaded.html == reported("binary").html


def test_the_same_report_twice_has_the_same_bytes():
    model, X, y = fitted("classes")
    assert model.report(X=X, y=y).html == reported("classes").html


def test_the_form_follows_from_the_name_or_is_asked_for(tmp_path):
    model, X, y = fitted("numbers")
    written = model.report(tmp_path / "a.html", X, y)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == written.html == str(written)
    model.report(str(tmp_path / "a.md"), X, y)
    model.report(tmp_path / "b.txt", X, y, format="md")
    assert (tmp_path / "a.md").read_bytes() == (tmp_path / "b.txt").read_bytes()
    assert (
        (tmp_path / "a.md").read_text(encoding="utf-8").startswith("# How good is the regressor?")
    )


def test_notebooks_show_what_is_in_no_file(tmp_path):
    model, X, y = fitted("numbers")
    shown = reported("numbers")._repr_html_()
    assert shown.startswith("<iframe")
    assert (
        html.unescape(re.search('srcdoc="(.*?)"', shown, re.DOTALL)[1]) == reported("numbers").html
    )
    assert "<iframe" not in model.report(tmp_path / "a.html", X, y)._repr_html_()


def test_a_title_is_the_first_line():
    model, X, y = fitted("numbers")
    report = model.report(X=X, y=y, title="Rents <2026>")
    assert "<h1>Rents &lt;2026&gt;</h1>" in report.html


def test_training_rows_make_the_linear_baseline_fair():
    model, X, y = fitted("numbers")
    given = table()[:N_TRAINING], targets(table(), "numbers")[:N_TRAINING]
    report = model.report(X=X, y=y, X_train=given[0], y_train=given[1])
    assert "was trained on the training rows" in report.markdown
    assert "was cross-validated on the given rows" in reported("numbers").markdown


def test_the_command_repeats_the_training():
    X, y = binary(300)
    model = OcelotClassifier(iterations=7, depth=2, random_state=3).fit(X, y)
    page = model.report(X=X, y=y).markdown
    command = re.search("```python\n(.*?)```", page, re.DOTALL)[1]
    scope = {"X": X, "y": y}
    exec(command, scope)
    np.testing.assert_array_equal(scope["model"].predict_raw(X), model.predict_raw(X))


def test_the_command_says_where_an_object_was_given():
    X, y = binary(100)
    model = OcelotClassifier(iterations=3, random_state=np.random.default_rng(0)).fit(X, y)
    assert "random_state=...,  # an object" in model.report(X=X, y=y).markdown


def test_weights_count_like_copies_in_the_headline():
    X, y = regression(300)
    model = OcelotRegressor(iterations=20).fit(X, y)
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted = model.report(X=X, y=y, sample_weight=weight)
    copied = model.report(X=X[copies], y=y[copies])
    first, second = (
        next(b for b in r.document.section("verdict").blocks if isinstance(b, Figure)).data["bars"]
        for r in (weighted, copied)
    )
    assert first[0]["of"][0] == pytest.approx(second[0]["of"][0], rel=1e-6)


@pytest.mark.parametrize(
    ("rows", "says"),
    [(slice(0, 1), "1 row"), (slice(0, 3), "3 rows")],
)
def test_few_rows_are_no_error(rows, says):
    model, X, y = fitted("numbers")
    assert says in model.report(X=X[rows], y=y[rows]).markdown


def test_rows_of_one_class_cannot_be_ranked():
    model, X, y = fitted("binary")
    report = model.report(X=X[y == "no"], y=y[y == "no"])
    assert "All rows are of the same class" in texts(report, "verdict")
    assert "NaN" not in report.html.split('id="report-data">')[1].split("</script>")[0]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({}, InputError, "X is missing"),
        ({"X": "given"}, InputError, "y is missing"),
        ({"X": "given", "y": "short"}, InputError, "600 rows and y has 3 values|inconsistent"),
        ({"X": "fewer", "y": "given"}, InputError, "feature names should match"),
        ({"X": "given", "y": "strange"}, InputError, "a class that the training target does not"),
        ({"X": "given", "y": "given", "format": "pdf"}, ParameterError, "'html', 'md' or 'auto'"),
        ({"X": "given", "y": "given", "X_train": "given"}, InputError, "y_train is missing"),
        ({"path": "table", "X": "given"}, ParameterError, "must be the name of a file"),
        ({"X": "some.parquet", "y": "given"}, InputError, "needs its rows in memory"),
    ],
)
def test_bad_input_is_named(arguments, error, says):
    model, X, y = fitted("binary")
    meant = {
        ("X", "given"): X,
        ("X_train", "given"): X,
        ("X", "fewer"): X[["age", "city"]],
        ("y", "given"): y,
        ("y", "short"): y[:3],
        ("y", "strange"): np.where(np.arange(len(y)) == 5, "maybe", y),
        ("path", "table"): X,
    }
    given = {
        name: meant.get((name, value), value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }
    with pytest.raises(error, match=says):
        model.report(**given)


def test_before_fit_there_is_nothing_to_report():
    with pytest.raises(NotFittedError):
        OcelotClassifier().report("report.html", [[1.0]], [1])


@pytest.mark.parametrize("loss", ["Quantile:alpha=0.9", "Poisson", "Gamma", "MAE", "CrossEntropy"])
def test_every_loss_has_a_verdict(loss):
    X, y = regression(300)
    y = 1 / (1 + np.exp(-y))
    model = OcelotRegressor(iterations=20, loss_function=loss).fit(X, y)
    verdict = texts(model.report(X=X, y=y), "verdict")
    assert "better than" in verdict.lower()
    assert "nan" not in verdict


def test_a_users_own_loss_is_judged_by_the_usual_metrics():
    class Squares:
        def derivatives(self, target, raw):
            return raw - target, np.ones_like(raw)

    X, y = regression(300)
    model = OcelotRegressor(iterations=20, loss_function=Squares()).fit(X, y)
    assert "RMSE is" in texts(model.report(X=X, y=y), "verdict")


def test_a_model_without_weights_of_training_is_explained_by_the_given_rows():
    X, y = regression(200)
    model = OcelotRegressor(iterations=5).fit(X, y)
    forest = model.forest_
    weightless = dataclasses.replace(forest, leaf_weights=np.zeros_like(forest.leaf_weights))
    record = dataclasses.replace(model.model_, forest=weightless)
    model._fitted = Fitted.of(record, model._loss_)
    report = model.report(X=X, y=y)
    assert "matters most" in texts(report, "why")


def test_dates_and_durations_are_shown_as_such():
    report = DATES.report(X=DATE_ROWS, y=DATE_TARGETS, format="md")
    page = str(report)
    assert "3 of dates or times" in texts(report, "data")
    assert "| `bought` | date | " in page
    assert "| `wait` | duration | " in page
    assert re.search(r"2022-01-0\d \d\d:\d\d to 2023-", page)
    assert re.search(r"`wait` [\d.]+ days to [\d.]+ days", page)
    assert re.search(r"`seen` [\d: -]+ UTC to [\d: -]+ UTC", page)
    shared = json.loads(report.html.split('id="report-data">')[1].split("</script>")[0])["shared"]
    holds = {column["name"]: column.get("holds") for column in shared["columns"]}
    assert holds == {"price": None, "bought": "date", "seen": "date", "wait": "duration"}
