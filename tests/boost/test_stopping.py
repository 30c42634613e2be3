"""When training stops, which trees stay, and which rows are held out for it."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pandas as pd
import pytest

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError, load_model
from ocelotboost.boost.stopping import BestIteration, TimeLimit
from tests.data import assert_same_bits, binary, multiclass, regression

NAN = float("nan")


def followed(values, higher_is_better=False, patience=None):
    """Best iteration, and after which one it asks to stop."""
    best = BestIteration(("eval_0", "AUC"), higher_is_better, patience)
    stops = [i for i in range(len(values)) if best.follow(values[: i + 1])]
    return best.iteration, stops[0] if stops else None


def test_the_first_of_equally_good_iterations_is_best():
    assert followed([3.0, 1.0, 2.0, 1.0]) == (1, None)
    assert followed([3.0, 5.0, 5.0], higher_is_better=True) == (1, None)


def test_patience_counts_trees_without_improvement():
    assert followed([3.0, 2.0, 2.5, 2.5, 1.0], patience=2) == (4, 3)
    assert followed([3.0, 2.0, 2.5, 1.0, 2.0, 2.0], patience=2) == (3, 5)


@pytest.mark.parametrize(
    ("values", "patience", "expected"),
    [
        ([NAN, 2.0, NAN, 1.0], None, (3, None)),
        ([2.0, NAN, NAN], 2, (0, 2)),
        ([NAN, NAN, NAN], 2, (None, 1)),
        ([NAN, NAN], None, (None, None)),
    ],
)
def test_a_nan_is_never_best_and_is_told_once(values, patience, expected):
    with pytest.warns(UserWarning, match="'AUC' on 'eval_0' is nan after iteration") as told:
        assert followed(values, patience=patience) == expected
    assert len(told) == 1


def test_values_may_come_several_at_a_time_and_twice():
    best = BestIteration(("eval_0", "AUC"), higher_is_better=True, patience=3)
    assert not best.follow([0.5, 0.7])
    assert not best.follow([0.5, 0.7])
    assert best.follow([0.5, 0.7, 0.6, 0.6, 0.6])
    assert (best.iteration, best.value) == (1, 0.7)


def test_improvements_that_are_too_small_are_not_waited_for():
    best = BestIteration(("eval_0", "RMSE"), False, patience=3, least=0.01)
    curve = [10.0, 9.0, 8.95, 8.94, 8.93]
    assert [best.follow(curve[:n]) for n in range(1, 6)] == [False] * 4 + [True]
    assert (best.iteration, best.value) == (4, 8.93)  # the best is kept all the same
    slow = BestIteration(("eval_0", "RMSE"), False, patience=3, least=0.01)
    assert not slow.follow([10.0, 9.0, 8.95, 8.91, 8.85, 8.8, 8.74])  # small steps add up


class Sometimes:
    """A metric that is nan where ``is_nan`` of the number of calls says so."""

    name = "sometimes"
    higher_is_better = False

    def __init__(self, is_nan):
        self.is_nan = is_nan
        self.calls = 0

    def value(self, target, raw, weight):
        self.calls += 1
        return NAN if self.is_nan(self.calls) else 1.0


def test_a_loss_that_is_nearly_gone_has_to_fall_by_more():
    best = BestIteration(("eval_0", "RMSE"), False, patience=3, least=1e-4)
    slowly = [1.0, 0.5, *(0.009 - 2e-4 * tree for tree in range(6))]
    assert best.follow(slowly)
    assert best.iteration == len(slowly) - 1
    same_pace = [1.0, 0.5, *(0.4 - 2e-4 * tree for tree in range(6))]
    assert not BestIteration(("eval_0", "RMSE"), False, patience=3, least=1e-4).follow(same_pace)


def test_a_metric_that_becomes_nan_stops_training_with_a_warning():
    X, y = regression(200)
    metric = Sometimes(lambda calls: calls > 6)  # two calls per tree: from the fourth tree on
    model = OcelotRegressor(
        iterations=40, boosting_type="Plain", eval_metric=metric, early_stopping_rounds=5
    )
    with pytest.warns(UserWarning, match="'sometimes' on 'eval_0' is nan after iteration 3"):
        model.fit(X, y, eval_set=(X, y))
    assert len(model.history_["learn"]["RMSE"]) == 6
    assert model.best_iteration_ == 0


def test_a_metric_that_is_always_nan_finds_no_best_trees():
    X, y = regression(200)
    model = OcelotRegressor(iterations=6, eval_metric=Sometimes(lambda calls: True))
    with pytest.warns(UserWarning, match="is nan after iteration 0"):
        model.fit(X, y, eval_set=(X, y))
    assert model.best_iteration_ is None
    assert model.n_iter_ == 6


def test_a_metric_that_returns_no_number_is_named():
    class Broken(Sometimes):
        def value(self, target, raw, weight):
            return None

    X, y = regression(200)
    model = OcelotRegressor(iterations=2, eval_metric=Broken(None))
    with pytest.raises(ParameterError, match="The metric 'sometimes' returned None"):
        model.fit(X, y)


def test_a_time_limit_that_allows_no_tree_is_told():
    X, y = regression(200)
    with pytest.warns(UserWarning, match=r"time_limit=1e-09 seconds was over before the first"):
        model = OcelotRegressor(time_limit=1e-9).fit(X, y)
    assert model.n_iter_ == 0


def test_the_seconds_after_an_iteration_include_its_tree():
    class Clock:
        def __init__(self):
            self.seen = []

        def before_iteration(self, info):
            self.seen.append(("before", info.iteration, info.seconds))

        def after_iteration(self, info):
            self.seen.append(("after", info.iteration, info.seconds))

    X, y = regression(200)
    clock = Clock()
    OcelotRegressor(iterations=3).fit(X, y, callbacks=clock)
    assert [seen[:2] for seen in clock.seen] == [
        (when, i) for i in range(3) for when in ("before", "after")
    ]
    seconds = [seen[2] for seen in clock.seen]
    assert all(a < b for a, b in itertools.pairwise(seconds))


def test_time_limit_expects_the_next_tree_to_take_as_long_as_the_others():
    clock = TimeLimit(10.0)
    clock.began = time.perf_counter() - 6.0
    assert not clock.reached(2)  # 3 seconds per tree: done after 9
    assert clock.reached(1)  # 6 seconds per tree: done after 12
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


def test_other_errors_of_a_callback_are_not_swallowed():
    class Broken:
        def after_iteration(self, info):
            raise ZeroDivisionError("mine")

    X, y = regression(200)
    with pytest.raises(ZeroDivisionError, match="mine"):
        OcelotRegressor(iterations=5).fit(X, y, callbacks=[Broken()])


def test_the_first_eval_set_decides():
    X, y = binary(400)
    noise = np.random.default_rng(0).permutation(y)
    model = OcelotClassifier(iterations=60, learning_rate=0.3)
    model.fit(X, y, eval_set=[(X, noise), (X, y)])
    history = model.history_
    assert model.best_iteration_ == int(np.argmin(history["eval_0"]["Logloss"]))
    assert model.best_iteration_ < int(np.argmin(history["eval_1"]["Logloss"])) == 59


def test_the_best_score_is_that_of_the_best_iteration(tmp_path):
    X, y = binary(400)
    noise = np.random.default_rng(0).permutation(y)
    model = OcelotClassifier(iterations=30, learning_rate=0.3, eval_metric=["AUC", "Brier"])
    first = model.fit(X, y, eval_set={"valid": (X, noise), "other": (X, y)}).n_iter_
    curve = model.history_["valid"]["AUC"]
    assert model.best_score_ == max(curve) == curve[model.best_iteration_]
    model.save_model(tmp_path / "m.ocelot")
    assert load_model(tmp_path / "m.ocelot").best_score_ == model.best_score_
    more = OcelotClassifier(iterations=5, use_best_model=False)
    more.fit(X, y, eval_set=(X, y), init_model=model)
    assert more.n_iter_ == first + 5
    assert more.best_score_ == min(more.history_["eval_0"]["Logloss"])
    assert OcelotClassifier(iterations=2).fit(X, y).best_score_ is None


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
    model = OcelotRegressor(
        iterations=1000, validation_fraction=0.25, learning_rate=0.5, boosting_type="Ordered"
    )
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


def with_time(n_rows=400):
    """Categories, numbers and a column of times that is not sorted."""
    rng = np.random.default_rng(6)
    when = rng.permutation(n_rows).astype(np.float64)
    who = rng.integers(0, 12, size=n_rows)
    frame = pd.DataFrame({"when": when, "who": who.astype(str), "x": rng.normal(size=n_rows)})
    return frame, 0.3 * who + frame["x"].to_numpy() + 0.01 * when


@pytest.mark.parametrize("has_time", [True, "when"])
@pytest.mark.parametrize("boosting_type", ["Plain", "Ordered"])
def test_with_time_the_last_rows_are_held_out_and_nothing_learns_from_them(has_time, boosting_type):
    X, y = with_time()
    late = (np.arange(400) if has_time is True else X["when"].to_numpy()) >= 300
    parameters = {"has_time": has_time, "boosting_type": boosting_type, "iterations": 60}
    held = OcelotRegressor(validation_fraction=0.25, refit=None, **parameters).fit(X, y)
    watched = OcelotRegressor(early_stopping_rounds=50, **parameters)
    watched.fit(X[~late], y[~late], eval_set=(X[late], y[late]))
    assert_same_bits(held.forest_, watched.forest_)
    assert held.history_["validation"] == watched.history_["eval_0"]


def test_with_time_a_share_that_holds_no_row_out_is_an_error():
    X, y = with_time(10)
    with pytest.raises(ParameterError, match=r"validation_fraction=0.01 of 10 rows"):
        OcelotRegressor(has_time=True, validation_fraction=0.01).fit(X, y)


def test_with_time_a_class_may_first_come_in_the_held_out_rows():
    X, _ = with_time(200)
    for labels in (np.arange(200) >= 160, np.arange(200) // 80):
        model = OcelotClassifier(has_time=True, validation_fraction=0.2, iterations=5)
        probabilities = model.fit(X, labels).predict_proba(X)
        assert np.isfinite(probabilities).all()


@pytest.mark.parametrize(("n_improving", "n_more"), [(1, 20), (60, 20), (90, 30), (400, 50)])
def test_patience_grows_with_the_number_of_trees(n_improving, n_more):
    best = BestIteration(None, False, 50, grows=True)
    curve: list[float] = [float(-tree) for tree in range(n_improving)]
    while not best.follow(curve):
        curve.append(0.0)
    assert len(curve) - n_improving == n_more
    assert best.iteration == n_improving - 1
