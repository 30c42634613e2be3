"""Models that train at the same time are shown one after the other."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator import screen as module
from ocelotboost.estimator.screen import Screen


class Model:
    """A training on the screen: its trees come when the test says so."""

    def __init__(self, screen, title):
        self._screen = screen
        self._shown = screen._begin(title, lambda: module.progress_for(screen._verbose, "RMSE"))

    def grow(self, first, last):
        for tree in range(first, last):
            history = {"learn": {"RMSE": [1.0 / (t + 1) for t in range(tree + 1)]}}
            self._shown.after_iteration(IterationInfo(tree, 10, history, 1.0))

    def end(self):
        self._screen.end(self._shown)


@pytest.fixture
def screen():
    return Screen(verbose=2)  # a line every two trees


def test_one_after_the_other(screen, capsys):
    first, second = Model(screen, "first"), Model(screen, "second")
    second.grow(0, 3)
    first.grow(0, 4)
    screen.tell("so it is")
    assert [line[:4] for line in capsys.readouterr().out.splitlines()] == ["firs", " 2/1", " 4/1"]
    first.end()
    assert capsys.readouterr().out.splitlines() == ["second"]
    second.grow(3, 5)
    assert [line[:4] for line in capsys.readouterr().out.splitlines()] == [" 4/1"]
    second.end()
    assert [line[:5] for line in capsys.readouterr().out.splitlines()] == [" 5/10", "so it"]


def test_a_model_that_ended_before_its_turn_is_told_in_its_place(screen, capsys):
    first, second, third = (Model(screen, title) for title in ("first", "second", "third"))
    second.grow(0, 3)
    second.end()
    third.grow(0, 1)
    assert capsys.readouterr().out.splitlines() == ["first"]
    first.end()
    lines = [line[:6] for line in capsys.readouterr().out.splitlines()]
    assert lines == ["second", " 3/10 ", "third"]


def test_nothing_is_shown_unless_the_user_asks(capsys):
    screen = Screen(verbose=False)
    first = Model(screen, "first")
    first.grow(0, 10)
    screen.tell("a line")
    first.end()
    assert capsys.readouterr().out == ""


def test_an_error_leaves_the_screen_to_the_next(screen, monkeypatch, capsys):
    def fail(*arguments):
        raise RuntimeError

    monkeypatch.setattr(module, "boost", fail)
    with pytest.raises(RuntimeError):
        screen.boost("first", None, None, SimpleNamespace(name="RMSE"), [], None, [], None, None)
    screen.tell("the next")
    assert capsys.readouterr().out.splitlines() == ["first", "the next"]
