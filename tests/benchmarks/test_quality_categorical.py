"""Runs of the quality comparison: measured, stored, written and read."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks import quality_categorical
from benchmarks.comparison import mean_log_loss, percent, standard_error
from benchmarks.data import Data
from benchmarks.peers import Stopped
from benchmarks.quality_categorical import BY_NAME, runs_of
from benchmarks.runs import Conditions, find_run, keep_run, read_runs
from benchmarks.tables import SplitTable, generate_table

from tests.benchmarks.runs import run


class Constant:
    """A library that predicts one probability and counts how often it was asked to fit."""

    version = "1"

    def __init__(self, name, probability):
        self.name = name
        self.probability = probability
        self.fits = 0

    def fit_stopped(self, held, stopping):
        self.fits += 1
        return Stopped(lambda features: np.full(len(features), self.probability), trees=7)


@pytest.fixture
def table(monkeypatch):
    data = generate_table(600)
    split = SplitTable(data, np.arange(600) >= 500)
    monkeypatch.setattr(quality_categorical, "split_table", lambda name, rows: split)
    return split


@pytest.mark.parametrize("ours", ["ocelot", "ocelot-ordered"])
def test_peers_are_taken_from_the_store_and_ocelot_is_not(table, ours):
    libraries = {name: Constant(name, 0.5) for name in (ours, "catboost", "lightgbm")}
    stored = [run(ours, 0.1, stored=True), run("catboost", 0.2, stored=True)]
    conditions = Conditions("amazon", 0, 0.05)
    found = {r.library: r for r in runs_of(BY_NAME["amazon"], conditions, libraries, stored)}
    assert found["catboost"] is stored[1]
    assert not found[ours].stored
    assert found[ours].loss == pytest.approx(np.log(2))
    assert found["lightgbm"].trees == 7
    assert [library.fits for library in libraries.values()] == [1, 0, 1]


def test_other_conditions_are_no_substitute(table):
    stored = [run("catboost", 0.2, stored=True)]
    conditions = Conditions("amazon", 0, 0.1)
    assert list(runs_of(BY_NAME["amazon"], conditions, {}, stored)) == []


def test_runs_survive_the_file_and_are_marked(tmp_path):
    path = tmp_path / "runs.json"
    for loss, library, seed in ((0.2, "catboost", 0), (0.3, "xgboost", 1), (0.25, "catboost", 0)):
        keep_run(path, {"cores": 2}, run(library, loss, seed=seed))
    found = read_runs(path)
    assert found == [run("catboost", 0.25, stored=True), run("xgboost", 0.3, seed=1, stored=True)]
    assert find_run(found, Conditions("amazon", 1, 0.05), "catboost") is None


def test_runs_under_other_conditions_have_other_keys():
    usual = run("catboost", 0.2)
    other = replace(usual, conditions=replace(usual.conditions, trees=10))
    assert usual.key != other.key


def test_log_loss_of_one_column_is_that_of_two():
    data = Data(np.zeros((2, 1)), np.array([0, 1], dtype=np.int32))
    shares = np.array([0.25, 0.5])
    both = mean_log_loss(data, np.stack([1 - shares, shares], axis=1))
    assert mean_log_loss(data, shares) == both == pytest.approx(-np.log(0.75 * 0.5) / 2)


def test_standard_error_of_a_single_value_is_left_out():
    assert percent(0.01, standard_error([0.01])) == "+1.00%"
    assert standard_error([1.0, 3.0]) == pytest.approx(1.0)


def test_absent_data_is_said_and_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OCELOT_DATA", str(tmp_path))
    fake = SimpleNamespace(name="catboost", package="catboost", version="1")
    monkeypatch.setattr(quality_categorical, "load", lambda names, required: {"catboost": fake})
    file = tmp_path / "runs.json"
    words = ["quality", "--task", "nursery", "--seeds", "0", "--json", str(file)]
    monkeypatch.setattr(sys, "argv", words)
    quality_categorical.main()
    said = capsys.readouterr().out
    assert f"nursery is not measured: no {tmp_path / 'index.json'}: set OCELOT_DATA" in said


def test_all_runs_are_written_with_the_command(tmp_path, table, monkeypatch, capsys):
    catboost = Constant("catboost", 0.5)
    catboost.package = "catboost"
    monkeypatch.setattr(quality_categorical, "load", lambda names, required: {"catboost": catboost})
    file = tmp_path / "runs.json"
    words = ["--task", "amazon", "--seeds", "0", "1", "--only", "catboost", "--json", str(file)]
    monkeypatch.setattr(sys, "argv", ["quality", *words])
    quality_categorical.main()
    written = json.loads(file.read_text())
    command = "python -m benchmarks.quality_categorical --task amazon --only catboost --seeds 0 1"
    assert {entry["facts"]["command"] for entry in written.values()} == {command}
    assert [entry["values"]["conditions"]["seed"] for entry in written.values()] == [0, 1]
    assert "0.69315 ± 0.00000" in capsys.readouterr().out
