"""When training stops, which trees stay, and which rows are held out for it."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost.stopping import BestIteration, TimeLimit
from tests.data import assert_same_bits, binary, multiclass, regression

NAN = float("nan")


def followed(values, higher_is_better=False, patience=None):
    """Best iteration, and after which one it asks to stop."""
    best = BestIteration(higher_is_better, patience)
    stops = [i for i, value in enumerate(values) if best.update(i, value)]
    return best.iteration, stops[0] if stops else None


def test_the_first_of_equally_good_iterations_is_best():
    assert followed([3.0, 1.0, 2.0, 1.0]) == (1, None)
    assert followed([3.0, 5.0, 5.0], higher_is_better=True) == (1, None)


def test_patience_counts_trees_without_improvement():
    assert followed([3.0, 2.0, 2.5, 2.5, 1.0], patience=2) == (4, 3)
    assert followed([3.0, 2.0, 2.5, 1.0, 2.0, 2.0], patience=2) == (3, 5)


def test_a_metric_that_is_not_a_number_is_never_best():
    assert followed([NAN, 2.0, NAN, 1.0]) == (3, None)
    assert followed([2.0, NAN, NAN], patience=2) == (0, 2)


def test_time_limit_expects_the_next_tree_to_take_as_long_as_the_others():
    clock = TimeLimit(10.0)
    clock.began = time.perf_counter() - 6.0
    assert not clock.reached(2)  # 3 seconds a tree: done after 9
    assert clock.reached(1)  # 6 seconds a tree: done after 12
    assert not TimeLimit(None).reached(5)


def test_a_callback_can_stop_before_an_iteration():
    class Stop:
        def before_iteration(self, info):
            return info.iteration == 4

    X, y = regression(200)
    model = OcelotRegressor(iterations=10, learning_rate=0.1).fit(X, y, callbacks=Stop())
    four = OcelotRegressor(iterations=4, learning_rate=0.1).fit(X, y)
    assert_same_bits(model.forest_, four.forest_)
    assert len(model.history_["learn"]["RMSE"]) == 4


def test_only_true_stops():
    class Chatty:
        def after_iteration(self, info):
            return "carry on"

    X, y = regression(200)
    assert OcelotRegressor(iterations=5).fit(X, y, callbacks=[Chatty()]).n_iter_ == 5


def test_an_interruption_before_the_first_tree_is_an_interruption():
    class Interrupt:
        def before_iteration(self, info):
            raise KeyboardInterrupt

    X, y = regression(200)
    with pytest.raises(KeyboardInterrupt):
        OcelotRegressor(iterations=5).fit(X, y, callbacks=[Interrupt()])


def test_other_errors_of_a_callback_are_not_swallowed():
    class Broken:
        def after_iteration(self, info):
            raise ZeroDivisionError("mine")

    X, y = regression(200)
    with pytest.raises(ZeroDivisionError, match="mine"):
        OcelotRegressor(iterations=5).fit(X, y, callbacks=[Broken()])


def test_an_interruption_keeps_the_best_trees_of_an_eval_set():
    class Interrupt:
        def after_iteration(self, info):
            if info.iteration == 6:
                raise KeyboardInterrupt

    X, y = regression(200)
    model = OcelotRegressor(iterations=50, learning_rate=0.1)
    with pytest.warns(UserWarning, match="keeps its 7 trees"):
        model.fit(X, y, eval_set=(X, y), callbacks=[Interrupt()])
    assert model.best_iteration_ == 6
    assert model.n_iter_ == 7
    assert {len(v) for of_set in model.history_.values() for v in of_set.values()} == {7}


def test_the_first_eval_set_decides():
    X, y = binary(400)
    noise = np.random.default_rng(0).permutation(y)
    model = OcelotClassifier(iterations=60, learning_rate=0.3)
    model.fit(X, y, eval_set=[(X, noise), (X, y)])
    history = model.history_
    assert model.best_iteration_ == int(np.argmin(history["eval_0"]["Logloss"]))
    assert model.best_iteration_ < int(np.argmin(history["eval_1"]["Logloss"])) == 59


def test_the_history_is_the_metric_of_the_stages():
    X, y = multiclass(300)
    model = OcelotClassifier(iterations=6, eval_metric="Accuracy").fit(X, y, eval_set=(X, y))
    for stage, labels in enumerate(model.staged_predict(X)):
        assert model.history_["eval_0"]["Accuracy"][stage] == pytest.approx((labels == y).mean())
    for stage, p in enumerate(model.staged_predict_proba(X)):
        expected = -np.log(p[np.arange(300), y]).mean()
        for name in ("learn", "eval_0"):
            assert model.history_[name]["MultiClass"][stage] == pytest.approx(expected, rel=1e-6)


# ---- held-out rows ---------------------------------------------------------------------------


class Spy:
    """A metric that remembers the targets of each data set."""

    name = "spy"
    higher_is_better = False

    def __init__(self):
        self.targets = []

    def value(self, target, raw, weight):
        self.targets.append(np.array(target))
        return 0.0


def test_held_out_rows_come_first_in_the_history_and_stop_training():
    X, y = regression(400)
    model = OcelotRegressor(iterations=1000, validation_fraction=0.25, learning_rate=0.5)
    model.fit(X, y, eval_set=(X, y))
    assert list(model.history_) == ["learn", "ordered", "validation", "eval_0"]
    errors = model.history_["validation"]["RMSE"]
    assert model.best_iteration_ == int(np.argmin(errors))
    assert len(errors) == model.best_iteration_ + 51  # patience is 50 unless given
    assert model.n_iter_ == model.best_iteration_ + 1


def test_every_part_of_a_numeric_target_is_held_out():
    X, y = regression(1000)
    y = np.sort(y)
    spy = Spy()
    OcelotRegressor(
        iterations=1, validation_fraction=0.2, eval_metric=spy, boosting_type="Plain"
    ).fit(X, y)
    learn, held_out = spy.targets
    np.testing.assert_array_equal(np.sort(np.concatenate([learn, held_out])), y)
    for tenth in range(10):
        low, high = y[tenth * 100], y[tenth * 100 + 99]
        assert 15 <= ((held_out >= low) & (held_out <= high)).sum() <= 25


def test_a_rare_class_is_held_out_and_trained_on():
    X, _ = regression(1000)
    y = np.array(["rare"] * 4 + ["common"] * 996)
    for random_state in range(5):
        spy = Spy()
        model = OcelotClassifier(
            iterations=1,
            validation_fraction=0.5,
            eval_metric=spy,
            random_state=random_state,
            boosting_type="Plain",
        )
        model.fit(X, y)
        assert [int(target.sum()) for target in spy.targets] == [2, 2]


def test_the_held_out_rows_depend_on_the_seed_only():
    X, y = regression(300)
    chosen = []
    for random_state, n_jobs in ((1, 1), (1, 2), (2, 1)):
        spy = Spy()
        OcelotRegressor(
            iterations=1, validation_fraction=0.3, eval_metric=spy, random_state=random_state,
            n_jobs=n_jobs,
        ).fit(X, y)  # fmt: skip
        chosen.append(spy.targets[1].tolist())
    assert chosen[0] == chosen[1] != chosen[2]
