"""A mistake is answered in a line or two that say what to do: exit code 2, and no traceback."""

from __future__ import annotations

import json
import os

import pytest

from ocelotboost.cli import main
from tests.cli.conftest import run

TRAIN = ["train", "sales.csv", "-t", "sold"]

MISTAKES = [
    (["train", "nope.csv", "-t", "y"], "There is no file 'nope.csv'"),
    (["train", "sale.csv", "-t", "y"], "Did you mean 'sales.csv'?"),
    (["train", "sales.csv"], "Give the column to predict by --target"),
    (["train", "sales.csv", "-t", "sol"], "Did you mean 'sold'?"),
    (["train", "sales.csv", "-t", "sold", "--format", "cvs"], "Did you mean 'csv'?"),
    ([*TRAIN, "--cat", "cty"], "--cat cty is not a column of the table. Did you mean 'city'?"),
    ([*TRAIN, "--depth", "99"], "--depth 99 is not possible; give none, or a whole number"),
    ([*TRAIN, "--boosting-type", "plain"], "give one of auto, Ordered, Plain"),
    ([*TRAIN, "--n-estimators", "5"], "There is no option --n-estimators. Did you mean --iter"),
    ([*TRAIN, "--dpeth", "5"], "Did you mean --depth?"),
    ([*TRAIN, "--task", "ranking"], "give classification or regression"),
    ([*TRAIN, "--holdout", "3"], "give a share such as 0.2"),
    ([*TRAIN, "--regression-statistic", "mean"], "--regression-statistic is not for classif"),
    ([*TRAIN, "--loss-function", "Logos"], "There is no loss 'Logos'"),
    ([*TRAIN, "-o", "."], "is a directory"),
    ([*TRAIN, "-o", "no/m.ocelot"], "There is no directory 'no'"),
    ([*TRAIN, "--config", "no.toml"], "There is no file 'no.toml'"),
    (["predict", "sales.csv", "new.csv"], "it is not a model of Ocelot"),
    (["predict", "no.ocelot", "new.csv"], "There is no model file here"),
    (["predict", "sold.ocelot", "new.csv", "-k", "proba"], "give prediction, probability"),
    (["predict", "sold.ocelot", "new.csv", "-o", "a.foo"], "does not say what it is"),
    (["predict", "sold.ocelot", "new.csv", "--keep", "idd"], "Did you mean 'id'?"),
    (["evaluate", "sold.ocelot", "sales.csv"], "Columns that the model does not use: 'id', "),
    (["evaluate", "sold.ocelot", "sales.csv", "-t", "city"], "missing in"),
    (["evaluate", "sold.ocelot", "sales.csv", "-t", "sold", "-m", "AUX"], "There is no metric"),
    (["explain", "sold.ocelot", "new.csv", "--row", "600"], "there are rows 0 to 599"),
    (["importance", "sold.ocelot", "--kind", "gain"], "give prediction_change, "),
    (["params", "nonsense"], "No parameter is about 'nonsense'"),
    (["cv", *TRAIN[1:], "--folds", "1"], "give a whole number from 2"),
    (["tune", *TRAIN[1:], "--trials", "0"], "trials"),
    (["trian"], "Did you mean 'train'?"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES, ids=lambda v: " ".join(v)[:40])
def test_mistakes_are_answered(here, capsys, arguments, message):
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('target = "sold', "is not TOML"),
        ('traget = "sold"', "there is no option 'traget'. Did you mean 'target'?"),
        ("target = 3", "target = 3 is not possible; give a text"),
        ('target = "sold"\n[parameters]\nmax_depth = 3', "Did you mean 'depth'?"),
        ('target = "sold"\n[parameters]\ndepth = 300', "--depth 300 is not possible"),
    ],
)
def test_files_of_options_are_checked(here, capsys, content, message):
    path = here / "c.toml"
    path.write_text(content)
    assert main(["train", "sales.csv", "--config", str(path)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("x,y\n", "has columns, but no rows"),
        ("x,y\n1,2\n3\n", "line 3 has 1 values instead of 2"),
        ("x,y\n1,2\n3,\n", "missing in 1 of 2 rows (the first is row 1)"),
        ("y\n1\n2\n", "No column is left to learn from"),
    ],
)
def test_tables_are_checked(tmp_path, capsys, content, message):
    path = tmp_path / "a.csv"
    path.write_text(content)
    assert main(["train", str(path), "-t", "y", "-o", str(tmp_path / "m")]) == 2
    assert message in capsys.readouterr().err


def test_columns_of_the_model_that_are_missing_are_named(here, capsys):
    (here / "a.csv").write_text("city,size\nOslo,1\n")
    assert main(["predict", "sold.ocelot", str(here / "a.csv")]) == 2
    assert "lacks 2 columns of the model: 'zip', 'shop'." in capsys.readouterr().err


def test_the_command_itself_ends_with_the_code_and_one_line(folder):
    ran = run("predict", folder / "sold.ocelot", folder / "nope.csv")
    assert ran.returncode == 2
    assert ran.stdout == b""
    assert ran.stderr.decode().count("\n") == 1
    assert ran.stderr.startswith(b"ocelot predict: There is no file")


def test_mistakes_as_json(folder):
    ran = run("train", folder / "sales.csv", "-t", "nothing", "--json")
    assert ran.returncode == 2
    assert json.loads(ran.stdout)["code"] == 2


def test_debug_shows_where(folder):
    ran = run("train", folder / "nope.csv", "-t", "y", "--debug")
    assert b"Traceback" in ran.stderr


def test_a_place_without_permission_is_refused_before_training(here, capsys, monkeypatch):
    (here / "locked").mkdir()
    may = os.access  # root may write anywhere, so that the system is not asked

    def refuse(path, mode):
        return not str(path).endswith("locked") and may(path, mode)

    monkeypatch.setattr(os, "access", refuse)
    assert main([*TRAIN, "-o", str(here / "locked" / "m.ocelot")]) == 2
    assert "no permission" in capsys.readouterr().err


def test_a_failure_of_ours_is_code_1(here, capsys, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("out of luck")

    monkeypatch.setattr("ocelotboost.cli.models.installed", fail)
    assert main(["version"]) == 1
    assert "RuntimeError: out of luck" in capsys.readouterr().err
