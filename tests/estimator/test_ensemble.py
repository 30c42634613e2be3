"""Several models are one: the mean of their predictions, in one forest."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost.callback import IterationInfo
from ocelotboost.estimator import ensemble
from ocelotboost.estimator.averaging import in_turn
from ocelotboost.estimator.packing import pack
from ocelotboost.estimator.settings import settings_from
from ocelotboost.loss.pointwise import RMSE
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.labelled import LabelledTable
from tests.data import assert_same_bits, binary, multiclass, regression


def mixed(n_rows=300, seed=0):
    """Numbers and categories of many values."""
    rng = np.random.default_rng(seed)
    city = rng.integers(0, 30, size=n_rows)
    device = rng.integers(0, 4, size=n_rows)
    number = rng.normal(size=n_rows)
    frame = pd.DataFrame(
        {
            "number": number,
            "city": [f"city {value}" for value in city],
            "device": [f"device {value}" for value in device],
        }
    )
    return frame, number + 0.3 * (city % 5) + 2.0 * ((city + device) % 3 == 0)


class Recorded:
    """Notes the models that are averaged."""

    def __init__(self, monkeypatch):
        self.trained = []
        self.settings = []
        original = ensemble.train

        def train(*arguments):
            self.settings.append(arguments[-1])
            self.trained.append(original(*arguments))
            return self.trained[-1]

        monkeypatch.setattr(ensemble, "train", train)


@pytest.mark.parametrize("refit", ["replay", None])
@pytest.mark.parametrize(
    ("kind", "made"),
    [
        (OcelotRegressor, regression(300)),
        (OcelotRegressor, mixed()),
        (OcelotClassifier, (mixed()[0], (mixed()[1] > 1).astype(int))),
        (OcelotClassifier, multiclass(300)),
    ],
    ids=["numbers", "categories", "two classes", "classes"],
)
def test_the_prediction_is_the_mean_of_all_models(kind, made, refit, monkeypatch):
    X, y = made
    recorded, packed = Recorded(monkeypatch), {}
    import ocelotboost.estimator.base as base

    def packing(models, quantizer, target, *others):
        packed["forests"] = [pack([own], quantizer, target, *others).forest for own in models]
        return pack(models, quantizer, target, *others)

    monkeypatch.setattr(base, "pack", packing)
    model = kind(iterations=12, n_models=3, validation_fraction=0.25, refit=refit).fit(X, y)
    assert len(recorded.trained) == model.n_models_ == 3
    categorical = list(np.flatnonzero(model.forest_.categorical))
    table = table_from_input(X, cat_features=categorical, hash_key=model.forest_.hash_key)
    raw = [make_predictor(forest).raw(table, 1) for forest in packed["forests"]]
    found = model.predict_raw(X)
    assert_allclose(found.T if found.ndim > 1 else found[None], np.mean(raw, axis=0), rtol=1e-5)
    assert not np.array_equal(raw[0], raw[1])
    assert model.n_iter_ == sum(forest.n_trees for forest in packed["forests"])


def test_models_share_tables_when_all_rows_fill_them():
    X, y = mixed(500)
    one = OcelotRegressor(iterations=20, max_combination=1, n_models=1).fit(X, y)
    three = OcelotRegressor(iterations=20, max_combination=1, n_models=3).fit(X, y)
    assert one.forest_.statistics.n_tables == three.forest_.statistics.n_tables == 2


def test_any_number_of_threads_gives_the_same_bits():
    X, y = mixed(500)
    models = [OcelotRegressor(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2)]
    assert_same_bits(models[0].forest_, models[1].forest_)
    assert models[0].choices_ == models[1].choices_


def test_trees_come_in_turn_so_that_the_first_ones_are_an_average_too():
    X, y = regression(300)
    model = OcelotRegressor(iterations=30, n_models=3, learning_rate=0.1).fit(X, y)
    errors = [float(np.mean((raw - y) ** 2)) for raw in model.staged_predict(X)]
    assert errors[-1] < errors[29] < errors[2] < errors[0]
    assert list(in_turn([[1, 2], [], [3]])) == [1, 3, 2]


def test_history_is_the_mean_and_ends_where_models_do():
    X, y = regression(400)
    y = y + np.random.default_rng(0).normal(size=400)
    model = OcelotRegressor(n_models=3, boosting_type="Plain", depth=4).fit(X, y)
    curve = model.history_["validation"]["RMSE"]
    assert model.best_iteration_ == len(curve) - 1
    assert model.best_score_ == curve[-1]
    assert len(curve) <= model.n_iter_ <= 3 * len(curve)


# ---- the race ----------------------------------------------------------------------------------


def modes(recorded):
    return [settings.order.boosting_type for settings in recorded.settings]


def test_a_recipe_that_is_clearly_worse_is_dropped_and_replaced(monkeypatch):
    monkeypatch.setattr(ensemble, "_TOLERANCE", -2.0)
    recorded = Recorded(monkeypatch)
    X, y = regression(400)
    model = OcelotRegressor(n_models=3).fit(X, y)
    assert modes(recorded) == ["Plain", "Ordered", "Plain", "Plain"]
    assert model.n_models_ == 3
    assert model.choices_["boosting_type"].value == "Plain"
    assert model.choices_["boosting_type"].reason.endswith("than Ordered of depth 6")
    kept = [own for i, own in enumerate(recorded.trained) if i != 1]
    assert model.n_iter_ == sum(len(own.boosted.trees) for own in kept)


def test_recipes_that_are_as_good_take_turns(monkeypatch):
    monkeypatch.setattr(ensemble, "_TOLERANCE", 1e9)
    recorded = Recorded(monkeypatch)
    X, y = binary(300)
    model = OcelotClassifier(n_models=4).fit(X, y)
    assert modes(recorded) == ["Plain", "Ordered"] * 2
    assert model.choices_["boosting_type"].value == ["Plain", "Ordered"]
    assert model.boosting_type_ == "Plain"


def trained_with(curve):
    """As far as a rival looks at it."""
    history = {"validation": {"RMSE": curve}}
    return SimpleNamespace(boosted=SimpleNamespace(history=history))


def rows_with(spread):
    """Half of the targets are ``spread`` above the middle, half of them below."""
    target = np.tile([spread, -spread], 10**6).astype(np.float32)
    held = LabelledTable(table_from_input(target[:, None]), target, None)
    return SimpleNamespace(watched=[SimpleNamespace(data=held)])


def rival(spread):
    """Of a model that came from 10 to 6, on rows with another spread."""
    return ensemble._Rival(trained_with([9.0, 6.0, 7.0]), rows_with(10), rows_with(spread), RMSE())


@pytest.mark.parametrize(
    ("spread", "curve", "near"),
    [
        (10, [8.0, 6.2], True),
        (10, [8.0, 6.4], False),
        (20, [19.0, 12.4], True),  # the rows are harder, and the loss fell as far
        (5, [5.0, 3.3], False),  # they are easier, and it did not
        (10, [10.0, 9.0, -1.0], True),  # there is no share of a loss that may be negative
        (10, [], True),
        (10, [float("nan")], True),
    ],
)
def test_losses_are_compared_by_what_is_left_of_them(spread, curve, near):
    assert rival(spread).is_near(trained_with(curve)) == near


@pytest.mark.parametrize(("slope", "ends"), [(0.08, None), (0.01, 50)])
def test_a_recipe_is_given_up_when_its_pace_is_too_slow(slope, ends):
    too_slow = rival(10)
    curve: list[float] = []
    for tree in range(60):
        curve.append(10.0 - slope * tree)
        info = IterationInfo(tree, 100, {"validation": {"RMSE": curve}}, 0.0)
        if too_slow.after_iteration(info):
            break
    assert (None if len(curve) == 60 else len(curve)) == ends


class Nothing:
    """A metric that is never a number."""

    name = "nothing"
    higher_is_better = False

    def value(self, target, raw, weight):
        return float("nan")


def test_without_a_best_tree_all_recipes_stay():
    X, y = regression(150)
    model = OcelotRegressor(eval_metric=Nothing(), early_stopping_rounds=3)
    with pytest.warns(UserWarning, match="is nan after iteration"):
        model.fit(X, y)
    assert model.n_models_ == 2
    assert model.choices_["boosting_type"].value == ["Plain", "Ordered"]


# ---- what ends it ------------------------------------------------------------------------------


class Stopper:
    """Asks to stop after some trees of the second model."""

    def __init__(self, error=None):
        self.models, self.error = 0, error

    def after_iteration(self, info):
        self.models += info.iteration == 0
        if self.models == 2 and info.iteration == 3:
            if self.error is not None:
                raise self.error
            return True
        return None


def test_a_callback_that_stops_one_model_stops_all():
    X, y = regression(300)
    model = OcelotRegressor(iterations=10, n_models=5).fit(X, y, callbacks=[Stopper()])
    assert (model.n_models_, model.n_iter_) == (2, 14)


def test_an_interrupted_ensemble_keeps_the_models_so_far():
    X, y = regression(300)
    model = OcelotRegressor(iterations=10, n_models=5, interrupt="keep")
    with pytest.warns(UserWarning, match="Training was interrupted; the model keeps its 14 trees"):
        model.fit(X, y, callbacks=[Stopper(KeyboardInterrupt())])
    assert model.n_models_ == 2


def test_the_time_limit_is_that_of_all_models():
    X, y = regression(2000)
    model = OcelotRegressor(iterations=200_000, n_models=50, time_limit=0.5).fit(X, y)
    assert model.n_models_ < 50


def test_a_model_that_time_cut_short_does_not_spoil_the_average(monkeypatch):
    recorded = Recorded(monkeypatch)
    over = property(lambda clock: len(recorded.trained) == 3)
    monkeypatch.setattr(ensemble._Clock, "over", over)
    X, y = regression(300)
    model = OcelotRegressor(iterations=10, n_models=5, time_limit=1e6).fit(X, y)
    assert (len(recorded.trained), model.n_models_, model.n_iter_) == (3, 2, 20)


def test_later_models_may_have_no_time():
    X, y = regression(300)
    settings = settings_from(OcelotRegressor(iterations=5, time_limit=1e6), None, None)
    assert settings.training.loop.needs_trees
    assert not settings.of_training(1, 0.0).training.loop.needs_trees
    assert OcelotRegressor(iterations=5, n_models=2, time_limit=1e6).fit(X, y).n_models_ == 2


def test_models_have_a_snapshot_each_and_go_on(tmp_path):
    X, y = mixed(400)
    parameters = {"n_models": 3, "iterations": 12, "validation_fraction": 0.2}
    expected = OcelotRegressor(**parameters).fit(X, y)
    path = tmp_path / "run.snapshot"
    with pytest.raises(RuntimeError):
        OcelotRegressor(**parameters).fit(
            X, y, snapshot=path, snapshot_interval=0, callbacks=[Stopper(RuntimeError())]
        )
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.snapshot", "run.snapshot.1"]
    counted = Counted()
    found = OcelotRegressor(**parameters).fit(X, y, snapshot=path, callbacks=[counted])
    assert_same_bits(found.forest_, expected.forest_)
    assert counted.trees < 36
    assert_array_equal(found.predict(X), expected.predict(X))


class Counted:
    trees = 0

    def after_iteration(self, info):
        self.trees += 1


def test_progress_tells_models_and_what_the_race_decided(capsys):
    X, y = regression(200)
    model = OcelotRegressor(verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    told = [line for line in lines if line.startswith("model ")]
    assert told[:2] == [
        "model 1 of at least 2: Plain, depth 6",
        "model 2 of at least 2: Ordered, depth 6",
    ]
    assert any(line.endswith(model.choices_["depth"].reason) for line in lines)
