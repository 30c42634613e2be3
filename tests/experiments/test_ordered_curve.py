"""The experiment on the ordered curve: which fits it makes, and what its tables say of them."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from benchmarks.tables import SplitTable, generate_table
from experiments import ordered_curve
from experiments.ordered_curve import (
    BEST,
    CURVE,
    HELD,
    REPLAYED,
    Curves,
    Outcome,
    Stop,
    Training,
    curve_table,
    measure,
    stop_table,
)

TRAINING = Training(learning_rate=0.1, trees=4, rounds=2)


class Stub:
    """A classifier with a known curve, whose every tree brings it nearer to even chances."""

    patience: list[int | None]  # of every fit

    def __init__(self, **parameters):
        self.parameters = parameters

    def fit(self, X, y, eval_set=None):
        self.rows = len(X)
        self.n_iter_ = {None: 4, "ordered": 3}[self.parameters.get("early_stopping")]
        self.n_iter_ -= 2 * ("validation_fraction" in self.parameters)
        self.history_ = {"ordered": {"Logloss": [0.9, 0.8, 0.7, 0.75]}}
        if eval_set is not None:
            self.history_["eval_0"] = {"Logloss": [0.8, 0.6, 0.7, 0.8]}
        Stub.patience.append(self.parameters.get("early_stopping_rounds"))
        return self

    def predict_proba(self, X):
        share = 0.5 + 0.1 / self.n_iter_
        return np.full((len(X), 2), (share, 1 - share))


@pytest.fixture
def table(monkeypatch):
    Stub.patience = []
    monkeypatch.setattr(ordered_curve, "OcelotClassifier", Stub)
    split = SplitTable(generate_table(600), np.arange(600) >= 500)
    monkeypatch.setattr(ordered_curve, "split_table", lambda name: split)
    return split


def outcome(seed, ordered, test, **losses):
    ways = {"best": BEST, "curve": CURVE, "held": HELD, "replayed": REPLAYED}
    stops = {ways[way]: Stop(10 + seed, loss) for way, loss in losses.items()}
    return Outcome("adult", seed, 1000, Curves(ordered, test), stops)


def test_each_way_of_stopping_is_one_fit(table):
    found = measure("adult", table, TRAINING, seed=0, scale=1.0)
    assert found.rows == 500
    assert found.curves.test == [0.8, 0.6, 0.7, 0.8]
    assert found.stops[BEST] == Stop(2, 0.6)
    assert {way: stop.trees for way, stop in found.stops.items()} == {
        BEST: 2,
        CURVE: 3,
        HELD: 2,
        REPLAYED: 2,
    }
    assert found.stops[HELD].loss == found.stops[REPLAYED].loss != found.stops[CURVE].loss
    assert Stub.patience == [None, 2, 2, 2]


def test_gaps_are_relative_to_the_test_loss():
    curves = Curves(ordered=[1.2, 0.9, 0.6], test=[1.0, 0.6, 0.75])
    assert (curves.best, curves.ordered_best) == (1, 2)
    assert [curves.gap(tree) for tree in range(3)] == pytest.approx([0.2, 0.5, -0.2])
    row = curve_table([outcome(0, curves.ordered, curves.test)]).rows[0]
    assert row == ["adult", "1,000", "1", "2", "3", "+20.00%", "+50.00%", "-20.00%"]


def test_ways_are_compared_seed_by_seed():
    outcomes = [
        outcome(0, [1.0], [1.0], best=0.9, curve=0.98, held=1.0, replayed=0.95),
        outcome(2, [1.0], [1.0], best=1.8, curve=2.04, held=2.0, replayed=1.9),
    ]
    rows = {row[1]: row[2:] for row in stop_table(outcomes).rows}
    assert rows[CURVE] == ["11", "1.51000 ± 0.53000", "+0.00% ± 2.00%"]
    assert rows[HELD][-1] == "+0.00% ± 0.00%"
    assert rows[REPLAYED][-1] == "-5.00% ± 0.00%"
    assert rows[BEST][-1] == "-10.00% ± 0.00%"


def test_one_command_writes_tables_and_curves(table, tmp_path, monkeypatch, capsys):
    written, curves = tmp_path / "curve.md", tmp_path / "curve.json"
    words = ["--task", "adult", "--seeds", "0", "1", "--markdown", str(written)]
    monkeypatch.setattr(sys, "argv", ["ordered_curve", *words, "--json", str(curves)])
    ordered_curve.main()
    text = written.read_text()
    assert "Made by `python -m experiments.ordered_curve --task adult --seeds 0 1`" in text
    assert f"| adult | {CURVE} | 3 |" in text
    assert [one["curves"]["ordered"][2] for one in json.loads(curves.read_text())["outcomes"]] == [
        0.7,
        0.7,
    ]
    assert "adult, seed 1 …" in capsys.readouterr().out


def test_absent_tables_are_said_and_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OCELOT_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["ordered_curve", "--task", "kick", "--seeds", "0"])
    ordered_curve.main()
    assert "kick is not measured: no " in capsys.readouterr().out
