"""Commands that judge, explain and convert models say what the methods of Python say."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ocelotboost import load_model
from ocelotboost.cli import main
from ocelotboost.files import read_table
from tests.cli.conftest import write


@pytest.fixture
def answer(here, capsys):
    """Run a command with --json in this process."""

    def answer(*arguments):
        assert main([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return answer


@pytest.fixture
def model(folder):
    return load_model(folder / "sold.ocelot")


@pytest.fixture
def table(folder):
    return read_table(str(folder / "sales.parquet"))


def test_evaluate(answer, model, table):
    found = answer("evaluate", "sold.ocelot", "sales.csv", "-t", "sold", "-m", "F1")
    X = table.select(list(model.feature_names_in_))
    accuracy = found["metrics"]["accuracy"]
    assert accuracy["value"] == pytest.approx(model.score(X, table["sold"].to_numpy()))
    assert accuracy["low"] <= accuracy["value"] <= accuracy["high"]
    assert 0 < found["metrics"]["F1"]["value"] <= 1


def test_the_target_need_not_be_named_where_only_one_column_can_be_it(here, capsys, table, model):
    names = [*model.feature_names_in_, "sold"]
    write(here / "t.csv", table.select(names))
    assert main(["evaluate", "sold.ocelot", str(here / "t.csv")]) == 0
    assert "target: 'sold'" in capsys.readouterr().err


def test_compare(answer, here, capsys):
    other = str(here / "small.ocelot")
    train = ["train", "sales.csv", "-t", "sold", "--ignore", "id,price,size", "-q", "-o", other]
    assert main([*train, "--iterations", "3"]) == 0
    capsys.readouterr()
    found = answer("compare", "sold.ocelot", other, "sales.csv", "-t", "sold")
    assert found["better"] == "sold"
    assert found["sentence"].startswith("sold is better: its log loss is lower by")
    assert found["test"]["p_value"] < 0.001
    same = answer("compare", "sold.ocelot", "sold.ocelot", "sales.csv", "-t", "sold")
    assert same["better"] is None
    assert same["test"]["mean"] == 0


def test_compare_with_a_column_of_predictions(answer, here, table, model):
    X = table.select(list(model.feature_names_in_))
    chances = model.predict_proba(X)[:, 1]
    write(here / "p.csv", table.append_column("chance", [np.clip(chances + 0.2, 0, 1)]))
    found = answer("compare", "sold.ocelot", "@chance", here / "p.csv", "-t", "sold")
    assert found["test"]["mean"] > 0


def test_explain(answer, here, model, table, capsys):
    path = here / "shap.parquet"
    assert answer("explain", "sold.ocelot", "new.csv", "--keep", "id", "-o", path)["n_rows"] == 600
    found = read_table(str(path))
    names = [f"shap_{name}" for name in model.feature_names_in_]
    assert found.column_names == ["id", "base", *names]
    total = sum(found[name].to_numpy() for name in ("base", *names))
    X = table.select(list(model.feature_names_in_))
    assert np.allclose(total, model.predict_raw(X))
    one = answer("explain", "sold.ocelot", "new.csv", "--row", 7)
    assert one["raw_prediction"] == pytest.approx(total[7])
    assert main(["explain", "sold.ocelot", "new.csv", "--row", "7"]) == 0
    assert "Prediction: " in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["prediction_change", "splits", "shap", "permutation"])
def test_importance(answer, kind):
    found = answer("importance", "sold.ocelot", "sales.csv", "--kind", kind, "-t", "sold")
    assert next(iter(found["importances"])) in ("size", "city")


def test_describe_convert_report_version(answer, here, model, table):
    assert answer("describe", "sold.ocelot")["text"] == model.describe()
    answer("convert", "sold.ocelot", here / "m.json")
    X = table.select(list(model.feature_names_in_))
    assert np.array_equal(load_model(here / "m.json").predict_raw(X), model.predict_raw(X))
    answer("report", "sold.ocelot", "sales.csv", "-t", "sold", "-o", here / "r.html")
    assert (here / "r.html").read_text().startswith("<!")
    assert "ocelot-boost" in answer("version")


def test_params_are_found_by_names_of_other_libraries(answer):
    (found,) = answer("params", "n_estimators")["parameters"]
    assert found["name"] == "iterations"
    assert len(answer("params")["parameters"]) > 40


def test_cv_and_its_model_and_predictions(answer, here):
    model, out = here / "m.ocelot", here / "p.csv"
    found = answer(
        *["cv", "sales.csv", "-t", "price", "--ignore", "id,sold", "--iterations", "20"],
        *["--folds", "3", "-o", model, "--predictions", out, "--group", "shop"],
    )
    assert len(found["scores"]["RMSE"]) == 3
    assert found["mean"]["RMSE"] == pytest.approx(np.mean(found["scores"]["RMSE"]))
    assert read_table(str(out)).num_rows == 600
    assert load_model(model).n_iter_ == found["best_iteration"] + 1


def test_tune_saves_the_best(answer, here):
    found = answer(
        *["tune", "sales.csv", "-t", "sold", "--ignore", "id,price", "--iterations", "10"],
        *["--trials", "3", "--folds", "2", "-o", here / "m.ocelot"],
    )
    assert found["best_score"] <= found["default_score"]
    assert load_model(here / "m.ocelot").n_iter_ <= 10
