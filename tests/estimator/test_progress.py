"""What training shows: lines in a log, a bar in a terminal, a curve in a notebook."""

from __future__ import annotations

import builtins
import io
import math
import os
import re
import struct
import subprocess
import sys
import types

import pytest

from ocelotboost import OcelotRegressor
from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator.live_curve import LiveCurve, live_curve
from ocelotboost.estimator.progress import ProgressBar, ProgressLines, progress_for
from tests.data import regression

X, Y = regression(200)


def shown(capsys, eval_set=None, **parameters):
    """Lines of a fit, after its plan (test_plan.py)."""
    OcelotRegressor(**{"learning_rate": 0.1, **parameters}).fit(X, Y, eval_set=eval_set)
    lines = capsys.readouterr().out.splitlines()
    return [line for line in lines if re.match(r" *\d+/\d+ trees, ", line)]


def numbers_of_trees(lines):
    return [int(re.match(r" *(\d+)/\d+ trees, ", line)[1]) for line in lines]


@pytest.mark.parametrize("verbose", [False, 0])
def test_silent(capsys, verbose):
    OcelotRegressor(iterations=3, verbose=verbose).fit(X, Y)
    assert capsys.readouterr().out == ""


def test_a_number_asks_for_lines(capsys):
    lines = shown(capsys, iterations=25, verbose=10)
    assert numbers_of_trees(lines) == [10, 20, 25]
    assert all(re.search(r", \d:\d\d, \d:\d\d left, RMSE: learn [\d.]+", line) for line in lines)
    assert numbers_of_trees(shown(capsys, iterations=3, verbose=1)) == [1, 2, 3]
    assert numbers_of_trees(shown(capsys, iterations=3, verbose=100)) == [3]


def test_a_log_has_about_twenty_lines(capsys):
    assert numbers_of_trees(shown(capsys, iterations=40, verbose=True)) == [*range(2, 41, 2)]
    assert numbers_of_trees(shown(capsys, iterations=3, verbose=True)) == [1, 2, 3]


def test_the_last_tree_has_a_line_where_training_stops_early(capsys):
    lines = shown(
        capsys, (X, -Y), iterations=100, verbose=50, early_stopping_rounds=3, boosting_type="Plain"
    )
    assert numbers_of_trees(lines) == [4]


def test_lines_fit_and_show_the_set_that_decides_first(capsys):
    eval_set = {"a name of more than twelve letters": (X, Y), **{f"s{i}": (X, Y) for i in range(9)}}
    (line,) = shown(capsys, eval_set, iterations=2, verbose=2, eval_metric=["MAE", "RMSE"])
    assert len(line) < 80
    assert re.search(r"left, MAE: a name of .. [\d.]+, s0 [\d.]+", line)
    assert not line.endswith(",")


def test_an_output_that_cannot_hold_a_name(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    OcelotRegressor(iterations=1, verbose=1).fit(X, Y, eval_set={"größe": (X, Y)})
    assert b"RMSE: gr??e " in out.buffer.getvalue()


class ZMQInteractiveShell:
    """What a notebook's kernel has."""


class Displayed:
    """IPython's display: what was shown first, and the updates."""

    def __init__(self):
        self.pictures = []

    def __call__(self, picture, *, raw, display_id):
        assert raw
        assert display_id
        self.pictures.append(picture)
        return self

    def update(self, picture, *, raw):
        assert raw
        self.pictures.append(picture)


def test_a_notebook_gets_a_curve_and_without_ipython_lines(monkeypatch):
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")  # it would be taken for a terminal
    notebook = types.ModuleType("IPython.display")
    notebook.display = Displayed()
    monkeypatch.setitem(sys.modules, "IPython.display", notebook)
    assert type(progress_for(True, "RMSE")) is LiveCurve
    assert type(progress_for(5, "RMSE")) is ProgressLines
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    assert type(progress_for(True, "RMSE")) is ProgressLines


def test_the_curve_is_drawn_now_and_then_and_at_the_end():
    display = Displayed()
    history = {"learn": {"RMSE": []}, "a<b": {"RMSE": []}}
    with LiveCurve("RMSE", display) as progress:
        for tree in range(50):
            history["learn"]["RMSE"].append(1 / (tree + 1))
            history["a<b"]["RMSE"].append(2 / (tree + 1))
            progress.after_iteration(IterationInfo(tree, 50, history, 0.1 * tree))
    first, *_, last = display.pictures
    assert "1 of 50 trees" in first["text/html"]
    assert 2 <= len(display.pictures) < 50
    assert last["text/html"].count("<polyline") == 2
    assert "50 of 50 trees" in last["text/html"]
    assert "a&lt;b 0.04" in last["text/html"]
    assert "NaN" not in last["text/html"]
    assert last["text/plain"] == "50 of 50 trees"


def test_the_curve_of_a_metric_that_is_no_number_is_empty():
    history = {"learn": {"RMSE": [math.nan, math.inf]}}
    assert 'points=""' in live_curve(IterationInfo(1, 2, history, 0.0), "RMSE")


def test_a_terminal_gets_a_bar_and_a_dumb_one_lines(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert type(progress_for(True, "RMSE")) is ProgressBar
    assert type(progress_for(7, "RMSE")) is ProgressLines
    monkeypatch.setenv("TERM", "dumb")
    assert type(progress_for(True, "RMSE")) is ProgressLines


PROGRAM = """
import numpy as np
from ocelotboost import OcelotRegressor
X = np.random.default_rng(0).normal(size=(200, 3))
OcelotRegressor(iterations=1000, verbose=True, eval_metric="MAE", time_limit=600, depth=1,
    boosting_type="Ordered").fit(
    X, X[:, 0], eval_set={f"eval set {i}": (X, X[:, 0]) for i in range(5)}
)
"""


def test_the_bar_fits_a_terminal_of_80_columns():
    import fcntl
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    environment |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, env=environment) as process:
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:  # Linux: the other end is closed
            pass
    os.close(ours)
    assert process.returncode == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.decode())
    lines = [line.strip() for line in re.split(r"[\r\n]+", plain) if line.strip()]
    assert max(map(len, lines)) <= 80
    assert re.fullmatch(r"1000/1000 ━+ [\d:]+ MAE: eval set 0 [\d.]+, .*", lines[-1])
