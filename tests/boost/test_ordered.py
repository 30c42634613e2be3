"""Ordered mode: no row's own target enters its gradient, for every kind of training."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost.boosting import boost
from ocelotboost.boost.grower import n_gradients
from ocelotboost.boost.ordered import OrderedModels
from ocelotboost.boost.shards import ask
from ocelotboost.boost.training_set import ShardSettings
from ocelotboost.errors import ParameterError
from ocelotboost.loss.passes import pass_for
from tests.boost.stages import stages_of
from tests.data import amounts, assert_same_bits, binary, counts, multiclass, regression

LOSSES = {
    "RMSE": regression,
    "MAE": regression,
    "Quantile:alpha=0.8": regression,
    "Huber:delta=1": regression,
    "Poisson": counts,
    "Gamma": amounts,
    "Tweedie:variance_power=1.5": counts,
}


def ordered(estimator, **parameters):
    defaults = {"iterations": 10, "boosting_type": "Ordered", "n_jobs": 2}
    return estimator(**{**defaults, **parameters})


def mixed(n_rows, seed=0):
    """Numbers and categories, some missing, and a target that both enter."""
    rng = np.random.default_rng(seed)
    city = rng.integers(0, 30, size=n_rows)
    device = rng.integers(0, 4, size=n_rows)
    number = rng.normal(size=n_rows)
    effect = rng.normal(size=30)[city] + (device == city % 4) + number
    y = (effect + rng.normal(size=n_rows) > 0.5).astype(np.int64)
    frame = pd.DataFrame(
        {"city": np.char.add("city ", city.astype(str)), "device": device.astype(str), "x": number}
    )
    frame.loc[rng.random(n_rows) < 0.1, "city"] = None
    return frame, y


def mixed_numbers(n_rows, seed=0):
    """The same with a number as the target."""
    X, y = mixed(n_rows, seed)
    return X, y + np.random.default_rng(seed + 1).normal(size=n_rows)


# ---- what it is for --------------------------------------------------------------------------


class Training:
    """The models of one training, whose structures can be given."""

    def __init__(self, estimator, X, y, definition=None):
        self.stages = stages_of(estimator, X, y, definition=definition)
        self.settings = self.stages.settings
        self.loss = self.stages.loss
        training, loss_pass = self.stages.training, pass_for(self.loss, 1)
        self.shards = training.holder.open(
            ShardSettings(
                self.loss,
                n_gradients(training, self.loss.n_outputs, self.settings),
                self.settings.sampling,
                np.random.SeedSequence(0),
                1,
            )
        )
        self.models = OrderedModels(
            self.shards,
            training,
            self.loss,
            loss_pass,
            self.settings.leaves,
            self.settings.segments,
            self.settings.body_gradients,
        )

    def structures(self):
        """Those that training chooses."""
        stages = self.stages
        boosted = boost(
            stages.training, [], self.loss, [], self.settings, [], stages.seed
        )  # fmt: skip
        return [tree.splits for tree in boosted.trees]

    def own_gradients(self, row):
        """Of one row, in every ordering: None where it is in the first body."""
        found = []
        for ordering in self.models.orderings:
            (evidence,) = ask(self.shards, lambda shard, r=ordering: shard.evidence(r))
            place = int(np.flatnonzero(evidence.rows == row)[0])
            seen = place < self.settings.segments.edges[0]
            found.append(None if seen else evidence.own[:, place].copy())
        return found


TASKS = {
    "categories": (OcelotClassifier, mixed, {}),
    "combinations of three": (OcelotClassifier, mixed, {"max_combination": 3, "depth": 4}),
    "categories of a number": (OcelotRegressor, mixed_numbers, {}),
    "numbers": (OcelotRegressor, regression, {}),
    "classes": (OcelotClassifier, multiclass, {}),
    "counts": (OcelotRegressor, counts, {"loss_function": "Poisson"}),
}


@pytest.mark.parametrize("task", TASKS)
@settings(deadline=None, max_examples=8)
@given(data=st.data())
def test_a_changed_target_does_not_change_the_gradient_of_its_row(task, data):
    kind, make, parameters = TASKS[task]
    n_rows = 60
    X, y = make(n_rows, seed=data.draw(st.integers(0, 50)))
    row = data.draw(st.integers(0, n_rows - 1))
    changed = y.copy()
    changed[row] = y[(row + 1 + int(np.argmax(np.roll(y, -row - 1) != y[row]))) % n_rows]
    estimator = ordered(kind, iterations=6, learning_rate=0.3, n_jobs=1, **parameters)
    before = Training(estimator, X, y)
    # What statistics of a number average is defined by all rows (docs/categories.md says how much
    # that tells). It is the only thing that a row's own target enters.
    statistics = before.stages.ordered.statistics
    after = Training(estimator, X, changed, None if statistics is None else statistics.definition)
    for splits in before.structures():
        gradients = zip(before.own_gradients(row), after.own_gradients(row), strict=True)
        for own, own_after in gradients:
            if own is None:
                assert own_after is None
                continue
            # The gradient is target minus prediction, so it moves by what the target moved.
            moved = own_after - own
            np.testing.assert_allclose(
                moved, moved_by(before.loss, y[row], changed[row]), atol=1e-6
            )
        before.models.add_tree(splits, before.settings.learning_rate)
        after.models.add_tree(splits, after.settings.learning_rate)


def moved_by(loss, before, after):
    if loss.n_outputs == 1:
        return np.array([float(after) - float(before)])
    classes = np.arange(loss.n_outputs)
    return (classes == after).astype(float) - (classes == before)


def test_in_plain_mode_it_does():
    X, y = mixed(60)
    changed = y.copy()
    changed[7] = 1 - y[7]
    found = []
    for target in (y, changed):
        model = OcelotClassifier(iterations=6, learning_rate=0.3, boosting_type="Plain")
        found.append(model.fit(X, target).predict_raw(X)[7])
    assert abs(found[0] - found[1]) > 0.1


def test_few_predictions_are_stored():
    for n_rows in (2, 3, 17, 100, 999):
        X, y = regression(n_rows)
        for s in (1, 3, 5):
            training = Training(ordered(OcelotRegressor, permutation_count=s), X, y)
            (of_models,) = ask(training.shards, lambda shard: shard.raw())
            assert sum(raw.size for raw in of_models.values()) <= 8 * (s + 1) * n_rows


def test_training_loss_is_less_of_a_promise_than_the_ordered_curve():
    X, y = binary(600, seed=3)
    y = np.where(np.random.default_rng(1).random(600) < 0.2, 1 - y, y)
    far, far_y = binary(4000, seed=4)
    far_y = np.where(np.random.default_rng(2).random(4000) < 0.2, 1 - far_y, far_y)
    model = ordered(OcelotClassifier, iterations=200, learning_rate=0.1)
    model.fit(X, y, eval_set=(far, far_y))
    curves = {name: np.array(model.history_[name]["Logloss"]) for name in model.history_}
    distance = {name: abs(curves[name] - curves["eval_0"])[-1] for name in ("learn", "ordered")}
    assert distance["ordered"] < 0.5 * distance["learn"]


# ---- everything that trains, trains in order -------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_losses(loss):
    X, y = LOSSES[loss](500, missing=0.05)
    model = ordered(OcelotRegressor, loss_function=loss, iterations=60).fit(X, y)
    losses = model.history_["learn"][model.model_.loss]
    unseen = model.history_["ordered"][model.model_.loss]
    assert losses[-1] < 0.98 * losses[0]
    assert unseen[-1] < unseen[0]


def test_rare_events_of_which_the_first_rows_have_none():
    X, _ = regression(2000)
    y = (np.random.default_rng(0).random(2000) < 0.01 * np.exp(X[:, 0])).astype(np.float32)
    model = ordered(OcelotRegressor, loss_function="Poisson", iterations=100).fit(X, y)
    unseen = model.history_["ordered"]["Poisson"]
    constant = np.mean(y) - np.mean(y) * np.log(np.mean(y))
    assert unseen[-1] < unseen[0] < 1.1 * constant
    assert 0.5 < model.predict(X).mean() / y.mean() < 2


def test_a_loss_of_the_users_own():
    class Squares:
        name = "Squares"

        def value(self, target, raw):
            return (target - raw) ** 2

        def derivatives(self, target, raw):
            return 2 * (raw - target), np.full_like(raw, 2.0)

    X, y = regression(400)
    model = ordered(OcelotRegressor, loss_function=Squares(), iterations=40).fit(X, y)
    assert model.history_["ordered"]["Squares"][-1] < 0.8 * model.history_["ordered"]["Squares"][0]


@pytest.mark.parametrize("score_function", ["Cosine", "L2"])
def test_several_classes_with_categories(score_function):
    X, _ = mixed(500)
    y = np.searchsorted([-0.5, 0.5], X["x"].to_numpy())
    model = ordered(OcelotClassifier, score_function=score_function, iterations=30).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.history_["ordered"]["MultiClass"][-1] < 0.5


@pytest.mark.parametrize("bootstrap_type", ["No", "Bayesian", "Bernoulli", "MVS"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sampling_and_weights(bootstrap_type, weighted):
    X, y = mixed(400)
    weight = np.random.default_rng(0).exponential(size=400) if weighted else None
    model = ordered(OcelotClassifier, bootstrap_type=bootstrap_type, iterations=40)
    model.fit(X, y, sample_weight=weight)
    assert model.score(X, y) > 0.75


@pytest.mark.parametrize("kind", ["ordered", "greedy", "leave_one_out", "holdout"])
@pytest.mark.parametrize("has_time", [False, True, "x"])
def test_statistics_and_time(kind, has_time):
    X, y = mixed(300)
    model = ordered(OcelotClassifier, target_statistic=kind, has_time=has_time).fit(X, y)
    assert model.score(X, y) > 0.6


def test_independent_orderings_are_other_orderings():
    X, y = mixed(300)
    together = ordered(OcelotClassifier).fit(X, y)
    apart = ordered(OcelotClassifier, independent_orderings=True).fit(X, y)
    assert not np.array_equal(together.predict_raw(X), apart.predict_raw(X))


@pytest.mark.parametrize("growth", [1.2, 2, 8])
@pytest.mark.parametrize("depth", [1, 3, 9])
def test_growth_and_depth(growth, depth):
    X, y = mixed(300)
    model = ordered(OcelotClassifier, segment_growth=growth, depth=depth, iterations=5)
    assert model.fit(X, y).score(X, y) > 0.5


@pytest.mark.parametrize(("first_body", "edge"), [(1, 1), (40, 40), (0.1, 30), (None, 5)])
def test_first_bodies(first_body, edge):
    X, y = mixed(300)
    training = Training(ordered(OcelotClassifier, first_body=first_body), X, y)
    assert training.settings.segments.edges[0] == edge
    assert ordered(OcelotClassifier, first_body=first_body).fit(X, y).score(X, y) > 0.5


def test_a_first_body_leaves_rows_to_come_after_it():
    X, y = mixed(300)
    with pytest.raises(ParameterError, match=r"first_body=300 leaves .* fewer than 300 rows"):
        ordered(OcelotClassifier, first_body=300).fit(X, y)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 9])
def test_a_handful_of_rows(n_rows):
    X, y = regression(n_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ordered(OcelotRegressor).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("n_rows", [2, 3, 5])
def test_a_handful_of_rows_of_which_half_are_history(n_rows):
    X = np.array([["a"], ["b"], ["c"], ["a"], ["b"]])[:n_rows]
    y = np.arange(n_rows)
    model = ordered(OcelotRegressor, target_statistic="holdout", one_hot_max_size=0).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert ("ordered" in model.history_) == (n_rows > 2)  # one row comes before nobody


def test_a_model_that_may_know_the_rows_is_continued_in_plain_mode():
    X, y = regression(600)
    first = ordered(OcelotRegressor, iterations=30).fit(X, y)
    more = OcelotRegressor(iterations=30).fit(X, y, init_model=first)
    assert more.n_iter_ == 60
    assert more.boosting_type_ == "Plain"
    assert "ordered" not in more.history_
    assert more.history_["learn"]["RMSE"][0] < first.history_["learn"]["RMSE"][-1]
    with pytest.raises(ParameterError, match=r"init_model.*boosting_type='auto' or 'Plain'"):
        ordered(OcelotRegressor).fit(X, y, init_model=first)


def test_an_eval_metric_is_watched_on_unseen_rows_too():
    X, y = binary(500)
    model = ordered(OcelotClassifier, eval_metric="AUC", iterations=30).fit(X, y)
    auc = model.history_["ordered"]["AUC"]
    assert len(auc) == 30
    assert 0.5 < auc[0] < auc[-1] < 1


@pytest.mark.usefixtures("five_threads")
@pytest.mark.parametrize("task", ["categories", "numbers", "classes"])
def test_the_same_bits_for_any_number_of_threads(task):
    kind, make, parameters = TASKS[task]
    X, y = make(15_000)
    model = ordered(kind, iterations=5, **parameters)
    first, *others = [model.set_params(n_jobs=n).fit(X, y).forest_ for n in (1, 2, 5)]
    for other in others:
        assert_same_bits(first, other)


def test_little_memory_for_histograms_changes_nothing(monkeypatch):
    X, y = mixed(400)
    whole = ordered(OcelotClassifier, depth=5).fit(X, y).forest_
    for module in ("scorer", "statistic_scorer"):
        monkeypatch.setattr(f"ocelotboost.grow.{module}.HISTOGRAM_BYTES", 1 << 14)
    assert_same_bits(whole, ordered(OcelotClassifier, depth=5).fit(X, y).forest_)


# ---- stopping ---------------------------------------------------------------------------------


def test_the_ordered_curve_goes_on_falling_on_noise_and_held_out_rows_stop():
    """Structures have seen the targets, so that the curve is no evidence for stopping."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 10)), rng.integers(0, 2, size=300)
    parameters = {"iterations": 200, "learning_rate": 0.1}
    curve = ordered(OcelotClassifier, **parameters).fit(X, y).history_["ordered"]["Logloss"]
    assert curve[-1] < 0.6  # without a single thing to learn
    held_out = ordered(OcelotClassifier, validation_fraction=0.3, **parameters).fit(X, y)
    assert held_out.n_iter_ < 50


def test_the_ordered_curve_is_no_reason_to_stop():
    X, y = binary(200)
    with pytest.raises(ParameterError, match="eval_set or a validation_fraction"):
        ordered(OcelotClassifier, early_stopping_rounds=5).fit(X, y)


def test_an_eval_set_stops_ordered_training():
    X, y = binary(400, seed=5)
    y = np.where(np.random.default_rng(1).random(400) < 0.3, 1 - y, y)
    model = ordered(OcelotClassifier, iterations=500, learning_rate=0.3, early_stopping_rounds=10)
    model.fit(X[:200], y[:200], eval_set=(X[200:], y[200:]))
    assert model.n_iter_ < 490
    assert model.best_iteration_ == int(np.argmin(model.history_["eval_0"]["Logloss"]))
