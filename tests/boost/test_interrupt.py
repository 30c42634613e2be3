"""Ctrl-C: the trees so far are kept, and whoever called hears of it."""

from __future__ import annotations

import sys
from contextlib import contextmanager

import pytest
from sklearn.model_selection import GridSearchCV

from ocelotboost import OcelotClassifier, OcelotRegressor
from tests.data import assert_same_bits, binary, regression


class InterruptAfter:
    """A callback that presses Ctrl-C after an iteration."""

    def __init__(self, iteration):
        self.iteration = iteration

    def after_iteration(self, info):
        if info.iteration == self.iteration:
            raise KeyboardInterrupt


def curve_lengths(model):
    return {len(curve) for curves in model.history_.values() for curve in curves.values()}


def test_before_the_first_tree_nothing_is_kept():
    class Interrupt:
        def before_iteration(self, info):
            raise KeyboardInterrupt

    X, y = regression(200)
    for interrupt in ("raise", "keep"):
        model = OcelotRegressor(iterations=5, interrupt=interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y, callbacks=[Interrupt()])
        assert not model.__sklearn_is_fitted__()


def test_the_trees_are_kept_and_the_interruption_goes_on():
    X, y = regression(200)
    model = OcelotRegressor(iterations=50, learning_rate=0.1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, callbacks=[InterruptAfter(6)])
    seven = OcelotRegressor(iterations=7, learning_rate=0.1).fit(X, y)
    assert_same_bits(model.forest_, seven.forest_)
    assert model.history_ == seven.history_


def test_fit_returns_where_the_trees_are_all_that_is_wanted():
    X, y = regression(200)
    model = OcelotRegressor(iterations=50, learning_rate=0.1, interrupt="keep")
    with pytest.warns(UserWarning, match="keeps its 7 trees"):
        model.fit(X, y, eval_set=(X, y), callbacks=[InterruptAfter(6)])
    assert model.best_iteration_ == 6
    assert model.n_iter_ == 7
    assert curve_lengths(model) == {7}


def test_a_search_ends():
    X, y = regression(100)
    search = GridSearchCV(OcelotRegressor(iterations=5), {"depth": [1, 2, 3]}, cv=2)
    counter = InterruptAfter(2)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y, callbacks=[counter])


@contextmanager
def interrupting(at):
    """Ctrl-C when the ``at``-th line of ``boost/`` inside the loop is reached; yields a counter."""
    count = [0]

    def trace_line(frame, event, argument):
        if event == "line":
            count[0] += 1
            if count[0] == at:
                raise KeyboardInterrupt
        return trace_line

    def trace_call(frame, event, argument):
        return trace_line if "/ocelotboost/boost/" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace_call)
    try:
        yield count
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("boosting_type", ["Plain", "Ordered"])
def test_at_any_moment_the_model_and_its_curves_agree(boosting_type):
    X, y = binary(120)

    def fitted(at, iterations=4):
        model = OcelotClassifier(
            iterations=iterations, depth=2, learning_rate=0.1, eval_metric="Accuracy",
            boosting_type=boosting_type, use_best_model=False, n_jobs=1,
        )  # fmt: skip
        with interrupting(at) as count:
            try:
                model.fit(X, y, eval_set=[(X, y), (X[:50], y[:50])])
            except KeyboardInterrupt:
                assert count[0] >= at
        return model, count[0]

    whole, n_lines = fitted(at=-1)
    kept = set()
    for at in range(n_lines // 2, n_lines, max(n_lines // 80, 1)):
        model, _ = fitted(at)
        if not model.__sklearn_is_fitted__():
            assert not kept or 3 in kept  # before the first tree, or after the loop
            continue
        n_trees = model.n_iter_
        kept.add(n_trees)
        assert curve_lengths(model) == {n_trees}
        assert_same_bits(model.forest_, whole.forest_.first(n_trees))
        for data, curves in model.history_.items():
            for metric, curve in curves.items():
                assert curve == whole.history_[data][metric][:n_trees]
        watched = whole.history_["eval_0"]["Accuracy"][:n_trees]
        assert model.best_iteration_ == watched.index(max(watched))
    assert len(kept) > 1
