"""What training promises: stopping, history, callbacks, continuing, sampling, odd data."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import ocelotboost.grow.scorer as scorer
from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.boost import stopping
from tests.data import assert_same_bits, binary, multiclass, regression

QUIET = {"bootstrap_type": "No", "random_strength": 0}


# ---- early stopping and history -------------------------------------------------------------


def noisy_split():
    X, y = binary(1200, seed=4)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(y)) < 0.3, 1 - y, y)
    return (X[:600], y[:600]), (X[600:], y[600:])


def test_early_stopping_keeps_the_best_trees():
    (X, y), held_out = noisy_split()
    model = OcelotClassifier(iterations=400, learning_rate=0.3, early_stopping_rounds=10)
    model.fit(X, y, eval_set=held_out)
    losses = model.history_["eval_0"]["Logloss"]
    assert model.best_iteration_ == int(np.argmin(losses))
    assert model.n_iter_ == model.best_iteration_ + 1
    assert len(losses) == model.best_iteration_ + 11 < 400
    p = model.predict_proba(held_out[0])[np.arange(600), held_out[1]]
    assert -np.log(p).mean() == pytest.approx(min(losses), rel=1e-6)


def test_history_has_every_metric_of_every_set():
    (X, y), held_out = noisy_split()
    model = OcelotClassifier(iterations=7, eval_metric="AUC")
    model.fit(X, y, eval_set=[held_out, (X[:50], y[:50])])
    assert list(model.history_) == ["learn", "ordered", "eval_0", "eval_1"]
    for values in model.history_.values():
        assert {name: len(v) for name, v in values.items()} == {"Logloss": 7, "AUC": 7}
    assert model.best_iteration_ == int(np.argmax(model.history_["eval_0"]["AUC"]))


def test_a_users_own_metric_decides():
    class Count:
        name = "count"
        higher_is_better = True

        def __init__(self):
            self.values = [1.0, 5.0, 2.0, 2.0, 2.0]
            self.calls = 0

        def value(self, target, raw, weight):
            assert target.shape == raw.shape
            self.calls += 1
            return self.values[(self.calls - 1) // 2]

    X, y = regression(300)
    model = OcelotRegressor(iterations=5, eval_metric=Count(), boosting_type="Plain")
    model.fit(X, y, eval_set=(X, y))
    assert model.best_iteration_ == 1
    assert model.n_iter_ == 2


def test_learn_loss_falls_without_noise():
    X, y = regression(300)
    learn = OcelotRegressor(iterations=50, **QUIET).fit(X, y).history_["learn"]["RMSE"]
    assert (np.diff(learn) < 0).all()


def test_validation_fraction_holds_out_the_same_share_of_each_class():
    X, y = multiclass(2000, n_classes=4)
    y[y == 3] = np.where(np.arange((y == 3).sum()) < 20, 3, 2)
    seen = []

    class Spy:
        name = "spy"
        higher_is_better = False

        def value(self, target, raw, weight):
            seen.append(target)
            return 0.0

    model = OcelotClassifier(
        iterations=1, validation_fraction=0.25, eval_metric=Spy(), boosting_type="Plain"
    )
    model.fit(X, y)
    learn, validation = seen
    assert len(learn) + len(validation) == 2000
    for label in range(4):
        share = (validation == label).sum() / (y == label).sum()
        assert share == pytest.approx(0.25, abs=0.05)


def test_replay_keeps_structures_and_uses_all_rows():
    X, y = regression(1000)
    parameters = {"iterations": 40, "validation_fraction": 0.3, "random_state": 3}
    plain = OcelotRegressor(**parameters, refit=None).fit(X, y)
    replayed = OcelotRegressor(**parameters, refit="replay").fit(X, y)
    np.testing.assert_array_equal(plain.forest_.split_borders, replayed.forest_.split_borders)
    np.testing.assert_array_equal(plain.forest_.split_columns, replayed.forest_.split_columns)
    first_leaves = slice(0, 1 << int(plain.forest_.tree_depths[0]))
    assert plain.forest_.leaf_weights[first_leaves].sum() == 700
    assert replayed.forest_.leaf_weights[first_leaves].sum() == 1000
    assert replayed.score(X, y) > plain.score(X, y)


# ---- callbacks, interruption, limits --------------------------------------------------------


def test_callbacks_see_the_loop_and_stop_it():
    class Recorder:
        def __init__(self):
            self.before, self.after = [], []

        def before_iteration(self, info):
            self.before.append((info.iteration, len(info.history["learn"]["RMSE"])))

        def after_iteration(self, info):
            self.after.append((info.iteration, len(info.history["learn"]["RMSE"])))
            return info.iteration == 3

    X, y = regression(300)
    recorder = Recorder()
    model = OcelotRegressor(iterations=100).fit(X, y, callbacks=[recorder])
    assert model.n_iter_ == 4
    assert recorder.before == [(i, i) for i in range(4)]
    assert recorder.after == [(i, i + 1) for i in range(4)]


def test_time_limit(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(stopping, "time", SimpleNamespace(perf_counter=lambda: now[0]))

    class OneSecondPerTree:
        def after_iteration(self, info):
            now[0] += 1

    X, y = regression(300)
    model = OcelotRegressor(iterations=10_000, time_limit=10.5)
    assert model.fit(X, y, callbacks=[OneSecondPerTree()]).n_iter_ == 10


def test_silent_by_default_and_not_when_verbose(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = regression(300)
    OcelotRegressor(iterations=3).fit(X, y)
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
    OcelotRegressor(iterations=3, verbose=True).fit(X, y)
    shown = capfd.readouterr().out
    assert "RMSE" in shown
    assert "3/3" in shown


# ---- continuing -----------------------------------------------------------------------------


def test_continuing_adds_trees_to_the_model():
    X, y = regression(300, missing=0.1)
    parameters = {"learning_rate": 0.1, "boosting_type": "Plain", **QUIET}
    first = OcelotRegressor(iterations=10, **parameters).fit(X, y)
    both = OcelotRegressor(iterations=10, **parameters).fit(X, y, init_model=first)
    whole = OcelotRegressor(iterations=20, **parameters).fit(X, y)
    assert both.n_iter_ == 20
    np.testing.assert_allclose(both.predict(X), whole.predict(X), rtol=1e-6)
    assert both.history_["learn"]["RMSE"][0] < first.history_["learn"]["RMSE"][-1]


def test_continuing_on_other_borders_needs_more_than_a_byte():
    X, y = regression(4000, 1)
    parameters = {"iterations": 200, "depth": 4, "boosting_type": "Plain"}
    model = OcelotRegressor(**parameters).fit(X[:2000], y[:2000])
    longer = OcelotRegressor(**parameters).fit(X[2000:], y[2000:], init_model=model)
    assert len(np.unique(longer.forest_.split_borders)) > 255
    stages = list(longer.staged_predict(X))
    np.testing.assert_array_equal(stages[-1], longer.predict(X))
    np.testing.assert_array_equal(stages[199], model.predict(X))


def test_continuing_from_another_target_is_an_error():
    X, y = multiclass(200, n_classes=3)
    model = OcelotClassifier(iterations=2).fit(X, y)
    with pytest.raises(InputError, match="init_model"):
        OcelotClassifier(iterations=2).fit(X, y > 0, init_model=model)
    with pytest.raises(InputError, match="features"):
        OcelotClassifier(iterations=2).fit(X[:, :2], y, init_model=model)
    with pytest.raises(InputError, match="fitted OcelotClassifier or OcelotRegressor"):
        OcelotClassifier(iterations=2).fit(X, y, init_model=object())


# ---- parameters that change the trees -------------------------------------------------------


@pytest.mark.parametrize("bootstrap_type", ["No", "Bayesian", "Bernoulli", "MVS"])
def test_every_sampling_learns(bootstrap_type):
    X, y = binary(1000)
    share = 0.5 if bootstrap_type in ("Bernoulli", "MVS") else None
    model = OcelotClassifier(iterations=50, bootstrap_type=bootstrap_type, subsample=share)
    assert model.fit(X[:700], y[:700]).score(X[700:], y[700:]) > 0.85


def test_a_users_own_loss_equals_the_built_in_one():
    class HalfSquare:
        name = "half square"

        def derivatives(self, target, raw):
            return raw - target, np.ones_like(raw)

        def value(self, target, raw):
            return (raw - target) ** 2

        def start_value(self, target, weight):
            return np.average(target.astype(np.float64), weights=weight)

    X, y = regression(300)
    parameters = {"iterations": 20, "learning_rate": 0.1, **QUIET}
    own = OcelotRegressor(loss_function=HalfSquare(), **parameters).fit(X, y)
    built_in = OcelotRegressor(**parameters).fit(X, y)
    np.testing.assert_array_equal(own.forest_.split_borders, built_in.forest_.split_borders)
    np.testing.assert_allclose(own.forest_.leaf_values, built_in.forest_.leaf_values, rtol=1e-6)
    assert own.history_["learn"]["half square"][-1] == pytest.approx(
        built_in.history_["learn"]["RMSE"][-1] ** 2
    )


@pytest.mark.parametrize("depth", [1, 3, 9])
def test_depth(depth):
    X, y = regression(2000)
    forest = OcelotRegressor(iterations=3, depth=depth, boosting_type="Plain").fit(X, y).forest_
    assert (forest.tree_depths == depth).all()
    # Ordered trees end where no question helps the rows that it was not chosen by.
    forest = OcelotRegressor(iterations=3, depth=depth, boosting_type="Ordered").fit(X, y).forest_
    assert (forest.tree_depths <= depth).all()
    assert (forest.tree_depths > 0).all()


def test_rsm_limits_the_columns_of_a_tree():
    X, y = regression(500, 10)
    forest = OcelotRegressor(iterations=20, rsm=0.2).fit(X, y).forest_
    offsets = forest.split_offsets()
    for tree in range(20):
        assert len(set(forest.split_columns[offsets[tree] : offsets[tree + 1]])) <= 2


def test_light_leaves_stay_at_zero():
    X, y = regression(500)
    forest = OcelotRegressor(iterations=5, min_data_in_leaf=30).fit(X, y).forest_
    light = forest.leaf_weights < 30
    assert light.any()
    assert (forest.leaf_values[light] == 0).all()


def test_deep_trees_do_not_need_all_histograms_at_once(monkeypatch):
    X, y = multiclass(3000, n_classes=3, missing=0.1)
    estimator = OcelotClassifier(iterations=3, depth=8)
    expected = estimator.fit(X, y).forest_
    monkeypatch.setattr(scorer, "HISTOGRAM_BYTES", 1 << 18)
    assert_same_bits(estimator.fit(X, y).forest_, expected)


def test_random_state():
    X, y = regression(300)
    one, same, other = (
        OcelotRegressor(iterations=10, random_state=seed).fit(X, y).forest_ for seed in (1, 1, 2)
    )
    assert_same_bits(one, same)
    assert not np.array_equal(one.leaf_values, other.leaf_values)


def test_class_weights_multiply_weights():
    X, y = multiclass(400, n_classes=3)
    weight = np.array([1.0, 2.0, 5.0])
    by_class = OcelotClassifier(iterations=10, class_weights={0: 1, 1: 2, 2: 5}).fit(X, y)
    by_list = OcelotClassifier(iterations=10, class_weights=[1, 2, 5]).fit(X, y)
    by_row = OcelotClassifier(iterations=10).fit(X, y, sample_weight=weight[y])
    assert_same_bits(by_class.forest_, by_row.forest_)
    assert_same_bits(by_list.forest_, by_row.forest_)


def test_balanced_weights_raise_a_rare_class():
    X, y = binary(2000)
    keep = (y == 0) | (np.arange(2000) % 10 == 0)
    X, y = X[keep], y[keep]
    plain = OcelotClassifier(iterations=20).fit(X, y)
    balanced = OcelotClassifier(iterations=20, auto_class_weights="Balanced").fit(X, y)
    assert balanced.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()
    with pytest.raises(ParameterError, match="not both"):
        OcelotClassifier(auto_class_weights="Balanced", class_weights=[1, 2]).fit(X, y)


# ---- odd data -------------------------------------------------------------------------------


@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
def test_missing_values_can_be_told_apart_from_all_numbers(nan_mode):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    X[::2] = np.nan
    y = np.isnan(X[:, 0]).astype(float)
    model = OcelotRegressor(iterations=30, depth=1, nan_mode=nan_mode, learning_rate=0.5, **QUIET)
    assert model.fit(X, y).score(X, y) > 0.999
    np.testing.assert_allclose(
        model.predict([[np.nan], [0.0], [1e9], [-1e9]]), [1, 0, 0, 0], atol=0.01
    )


def test_missing_values_that_training_never_saw_go_to_their_end():
    X, y = regression(400, 1)
    for nan_mode, extreme in (("Min", -1e30), ("Max", 1e30)):
        model = OcelotRegressor(iterations=10, nan_mode=nan_mode).fit(X, y)
        assert model.predict([[np.nan]]) == model.predict([[extreme]])


def test_infinities_sort_at_the_ends():
    X = np.array([[-np.inf], [-1.0], [1.0], [np.inf]] * 50)
    y = np.array([1.0, 2.0, 3.0, 4.0] * 50)
    model = OcelotRegressor(iterations=200, depth=2, learning_rate=0.3, **QUIET).fit(X, y)
    np.testing.assert_allclose(model.predict(X[:4]), y[:4], atol=1e-3)


@pytest.mark.parametrize("border_type", ["GreedyLogSum", "Quantile", "Uniform"])
@pytest.mark.parametrize("border_count", [1, 254])
def test_border_rules(border_type, border_count):
    X, y = regression(300)
    model = OcelotRegressor(iterations=5, border_type=border_type, border_count=border_count)
    forest = model.fit(X, y).forest_
    for column in range(5):
        assert len(np.unique(forest.split_borders[forest.split_columns == column])) <= border_count


def test_columns_without_information_are_never_asked():
    X, y = regression(300, 3)
    X = np.column_stack([np.full(300, 7.0), np.full(300, np.nan), X])
    forest = OcelotRegressor(iterations=20).fit(X, y).forest_
    assert set(forest.split_columns) <= {2, 3, 4}


def test_a_table_without_any_information_predicts_the_mean():
    model = OcelotRegressor(iterations=5).fit(np.zeros((10, 2)), np.arange(10))
    np.testing.assert_allclose(model.predict(np.zeros((3, 2))), 4.5)
    assert (model.forest_.tree_depths == 0).all()
    assert (model.feature_importances_ == 0).all()


def test_two_rows():
    model = OcelotClassifier(iterations=20).fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
