"""From a file to a model to predictions: the same as in Python, in files and in pipes."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from ocelotboost import OcelotClassifier, load_model
from ocelotboost.cli import main
from ocelotboost.files import read_table
from tests.cli.conftest import COMMAND, run, write


@pytest.fixture
def model(folder):
    return load_model(folder / "sold.ocelot")


def test_training_shows_the_columns_and_saves_what_python_would_train(folder, tmp_path):
    ran = run(
        *["train", folder / "sales.parquet", "-t", "sold", "--ignore", "price,id,count"],
        *["--iterations", "20", "--depth", "3", "-o", tmp_path / "m.ocelot"],
    )
    assert ran.returncode == 0, ran.stderr
    shown, notes = ran.stdout.decode(), ran.stderr.decode()
    for words in ("column", "what looks odd", "target", "ignored", "20/20 trees", "Saved"):
        assert words in shown
    assert "classification, because the target has 2 distinct texts" in notes
    table = read_table(str(folder / "sales.parquet"))
    X = table.drop_columns(["sold", "price", "id", "count"])
    again = OcelotClassifier(iterations=20, depth=3).fit(X, table["sold"].to_numpy())
    found = load_model(tmp_path / "m.ocelot")
    assert np.array_equal(found.predict_proba(X), again.predict_proba(X))


def test_a_pipe_gives_what_predict_gives(folder, model):
    given = (folder / "new.csv").read_bytes()
    ran = run("predict", folder / "sold.ocelot", given=given)
    assert ran.returncode == 0, ran.stderr
    found = pa.csv.read_csv(pa.BufferReader(ran.stdout))["prediction"].to_pylist()
    names = list(model.feature_names_in_)
    assert found == model.predict(read_table(str(folder / "sales.parquet")).select(names)).tolist()
    assert ran.stderr == b""


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "jsonl.gz", "tsv"])
def test_kinds_kept_columns_and_formats(here, model, ending):
    path = str(here / f"p.{ending}")
    kinds = ["--kind", "prediction,probability", "-k", "raw"]
    assert main(["predict", "sold.ocelot", "new.csv", *kinds, "--keep", "zip,id", "-o", path]) == 0
    found = read_table(path)
    names = ["zip", "id", "prediction", "probability_no", "probability_yes", "raw"]
    assert found.column_names == names
    table = read_table("sales.parquet")
    X = table.select(list(model.feature_names_in_))
    assert np.allclose(found["probability_yes"].to_numpy(), model.predict_proba(X)[:, 1])
    if ending == "parquet":  # what is copied stays as it is written
        assert found["zip"].to_pylist() == table["zip"].to_pylist()


def test_rows_in_many_batches_are_the_same_rows(folder, tmp_path, model):
    table = read_table(str(folder / "sales.parquet"))
    many = pa.concat_tables([table] * 400)
    write(tmp_path / "many.csv", many)
    out = tmp_path / "out.parquet"
    assert main(["predict", str(folder / "sold.ocelot"), str(tmp_path / "many.csv"), "-q",
                 "-o", str(out)]) == 0  # fmt: skip
    found = pa.parquet.read_table(out)["prediction"].to_pylist()
    once = model.predict(table.select(list(model.feature_names_in_))).tolist()
    assert found == once * 400


def test_a_pipe_that_is_closed_early_is_no_error(folder, tmp_path):
    table = read_table(str(folder / "sales.parquet"))
    write(tmp_path / "many.csv", pa.concat_tables([table] * 200))
    command = [COMMAND, "predict", str(folder / "sold.ocelot"), str(tmp_path / "many.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b'"prediction"\n'
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_options_go_through_a_file(here):
    first, second = str(here / "1.ocelot"), str(here / "2.ocelot")
    config = str(here / "c.toml")
    options = ["-t", "price", "--ignore", "sold,id", "--cat", "zip", "--weight", "count"]
    parameters = ["--iterations", "10", "--l2_leaf_reg", "2.5", "--use-best-model", "false"]
    train = ["train", "sales.csv", "-q"]
    assert main([*train, *options, *parameters, "-o", first, "--save-config", config]) == 0
    assert main([*train, "--config", config, "-o", second]) == 0
    one, two = load_model(first), load_model(second)
    assert one.get_params() == two.get_params()
    assert one.l2_leaf_reg == 2.5
    assert one.use_best_model is False
    X = read_table("sales.parquet").select(list(one.feature_names_in_))
    assert np.array_equal(one.predict(X), two.predict(X))
    assert main([*train, "--config", config, "--iterations", "4", "-o", second]) == 0
    assert load_model(second).n_iter_ == 4


def test_json_is_one_object(folder, tmp_path):
    ran = run(
        *["train", folder / "sales.csv", "-t", "sold", "--ignore", "id,price", "--json"],
        *["--iterations", "5", "--holdout", "0.25", "-o", tmp_path / "m.ocelot"],
    )
    found = json.loads(ran.stdout)
    assert ran.stderr == b""
    assert found["n_trees"] == 5
    assert found["n_rows"] == 450
    assert found["evaluation"]["n_rows"] == 150
    assert {f["name"] for f in found["evaluation"]["figures"]} >= {"AUC", "log loss"}


def test_rows_are_kept_aside_by_time_and_by_group(here, capsys):
    out = ["-o", str(here / "m.ocelot"), "--iterations", "5", "--json", "--holdout", "0.2"]
    train = ["train", "sales.csv", "-t", "price", "--ignore", "sold"]
    assert main([*train, "--time", "id", *out]) == 0
    assert json.loads(capsys.readouterr().out)["evaluation"]["n_rows"] == 120
    assert load_model(here / "m.ocelot").has_time is True
    assert main([*train, "--group", "shop", *out]) == 0
    groups = read_table("sales.parquet")["shop"].to_numpy()
    n_held_out = json.loads(capsys.readouterr().out)["evaluation"]["n_rows"]
    sizes = np.bincount(groups)
    assert n_held_out != 120 or 120 in sizes.cumsum()
    assert "shop" not in load_model(here / "m.ocelot").feature_names_in_


def test_libsvm_and_column_descriptions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(3)
    lines = [f"{int(r[0] > 0)} " + " ".join(f"{i + 1}:{v}" for i, v in enumerate(r)) for r in X]
    (tmp_path / "a.svm").write_text("\n".join(lines) + "\n")
    assert main(["train", "a.svm", "--iterations", "5", "-q"]) == 0
    assert main(["predict", "model.ocelot", "a.svm", "-o", "p.csv"]) == 0
    assert read_table("p.csv").num_rows == 80

    rows = [f"{'ab'[int(r[0] > 0)]}\t{r[0]:.3f}\t{k % 3:02}\tnote {k}" for k, r in enumerate(X)]
    (tmp_path / "a.data").write_text("\n".join(rows) + "\n")
    (tmp_path / "a.cd").write_text("0\tLabel\n2\tCateg\tkind\n3\tAuxiliary\n")
    assert main(["train", "a.data", "--cd", "a.cd", "--iterations", "5", "-q"]) == 0
    model = load_model("model.ocelot")
    assert list(model.feature_names_in_) == ["column_1", "kind"]
    assert model.forest_.categorical.tolist() == [False, True]
    assert main(["evaluate", "model.ocelot", "a.data", "--cd", "a.cd"]) == 0
    assert main(["predict", "model.ocelot", "a.data", "--cd", "a.cd", "-o", "p.csv"]) == 0


def test_a_memory_limit_reads_parquet_in_batches_and_gives_the_same_model(here):
    options = ["-t", "price", "--ignore", "sold,id", "--iterations", "5", "-q", "-o"]
    one, two = str(here / "1.ocelot"), str(here / "2.ocelot")
    assert main(["train", "sales.parquet", *options, one]) == 0
    assert main(["train", "sales.parquet", *options, two, "--memory-limit", "4GB"]) == 0
    X = read_table("sales.parquet").select(list(load_model(one).feature_names_in_))
    assert np.array_equal(load_model(one).predict(X), load_model(two).predict(X))


def test_texts_can_be_numbers_and_rows_without_a_target_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{'?' if k % 9 == 0 else k / 2},{'' if k % 7 == 0 else k}" for k in range(60)]
    (tmp_path / "a.csv").write_text("x,y\n" + "\n".join(rows) + "\n")
    options = ["-t", "y", "--num", "x", "--iterations", "3", "-q"]
    assert main(["train", "a.csv", *options]) == 2
    assert main(["train", "a.csv", *options, "--drop-missing"]) == 0
    assert not load_model("model.ocelot").forest_.categorical.any()


def test_eval_sets_decide_when_to_stop(here):
    path = str(here / "m.ocelot")
    options = ["-t", "price", "--ignore", "sold,id", "--iterations", "300", "-q", "-o", path]
    options += ["--early-stopping-rounds", "5", "--eval", "sales.csv", "--learning-rate", "2"]
    assert main(["train", "sales.csv", *options]) == 0
    assert "eval_0" in load_model(path).history_
    assert load_model(path).n_iter_ < 300


def test_weights_of_classes_that_are_numbers(here):
    config, path = str(here / "c.toml"), str(here / "m.ocelot")
    options = ["-t", "count", "--ignore", "price,id,sold", "--iterations", "3", "-q", "-o", path]
    weights = ["--class-weights", "1=1,2=2.5,3=1", "--save-config", config]
    assert main(["train", "sales.csv", *options, *weights]) == 0
    assert load_model(path).class_weights == {1: 1, 2: 2.5, 3: 1}
    assert main(["train", "sales.csv", "--config", config, "-q", "-o", path]) == 0
    assert load_model(path).class_weights == {1: 1, 2: 2.5, 3: 1}
