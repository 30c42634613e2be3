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


class Stub:
    """A classifier with known curves that asks for nothing but even chances."""

    n_iter_ = 3

    def __init__(self, **parameters):
        self.history_ = {"ordered": {"Logloss": [0.9, 0.7]}, "eval_0": {"Logloss": [0.8, 0.6]}}

    def fit(self, X, y, eval_set=None):
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


@pytest.fixture
def table(monkeypatch):
    split = SplitTable(generate_table(600), np.arange(600) >= 500)
    monkeypatch.setattr(ordered_curve, "split_table", lambda name: split)
    return split


def outcome(seed, ordered, test, **losses):
    ways = {"best": BEST, "curve": CURVE, "held": HELD, "replayed": REPLAYED}
    stops = {ways[way]: Stop(10 + seed, loss) for way, loss in losses.items()}
    return Outcome("adult", seed, 1000, Curves(ordered, test), stops)


def test_a_model_stopped_by_the_curve_is_that_of_all_trees_cut_where_the_curve_is_lowest(table):
    training = Training(learning_rate=0.3, trees=12, rounds=12)
    found = measure("adult", table, training, seed=0, scale=1.0)
    curves, stops = found.curves, found.stops
    assert found.rows == 500
    assert len(curves.ordered) == len(curves.test) == 12
    assert stops[BEST] == Stop(curves.best + 1, min(curves.test))
    assert stops[CURVE] == Stop(curves.ordered_best + 1, curves.test[curves.ordered_best])
    assert stops[HELD].trees == stops[REPLAYED].trees
    assert stops[HELD].loss != stops[REPLAYED].loss


def test_the_ordered_curve_stops_when_it_has_not_fallen_for_a_while():
    curves = Curves(ordered=[0.9, 0.7, 0.8, 0.8, 0.6], test=[1.0] * 5)
    assert [curves.stopped_by_ordered(rounds) for rounds in (1, 2, 3)] == [1, 1, 4]


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
    monkeypatch.setattr(ordered_curve, "OcelotClassifier", Stub)
    written, curves = tmp_path / "curve.md", tmp_path / "curve.json"
    words = ["--task", "adult", "--seeds", "0", "1", "--markdown", str(written)]
    monkeypatch.setattr(sys, "argv", ["ordered_curve", *words, "--json", str(curves)])
    ordered_curve.main()
    text = written.read_text()
    assert "by `python -m experiments.ordered_curve --task adult --seeds 0 1`" in text
    assert f"| adult | {CURVE} | 2 |" in text
    assert f"| adult | {HELD} | 3 |" in text
    outcomes = json.loads(curves.read_text()).values()
    assert [one["values"]["curves"]["ordered"] for one in outcomes] == [[0.9, 0.7]] * 2
    assert "adult, seed 1 …" in capsys.readouterr().out


def test_absent_tables_are_said_and_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OCELOT_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["ordered_curve", "--task", "kick", "--seeds", "0"])
    ordered_curve.main()
    assert "kick is not measured: no " in capsys.readouterr().out
