"""Several models are one: the mean of their predictions, in one forest."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.estimator import ensemble, rival, side_by_side
from ocelotboost.estimator.averaging import in_turn
from ocelotboost.estimator.packing import pack
from ocelotboost.estimator.settings import settings_from
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.table.from_input import table_from_input
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
            self.settings.append(arguments[6])
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
        *rest, shares = others
        packed["forests"] = [pack([own], quantizer, target, *rest).forest for own in models]
        assert shares == [1 / 3] * 3
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


@pytest.mark.parametrize("row", [0, 1, 2, 3, 4, 5, 6, 7])
def test_a_value_that_some_models_never_see_is_no_trouble(row):
    """A category is the same in all rows but one, which some of the models hold out."""
    random = np.random.default_rng(7)
    X = pd.DataFrame({name: random.choice(list("abc"), 200) for name in "uv"})
    y = (X["u"] == "a") ^ (X["v"] == "b")
    X["rare"] = np.where(np.arange(200) == row, "once", "often")
    model = OcelotClassifier(random_state=0).fit(X, y)
    assert model.n_models_ > 1
    assert (model.predict(X) == y).mean() > 0.9


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
    monkeypatch.setattr(rival, "_TOLERANCE", -2.0)
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
    monkeypatch.setattr(rival, "_TOLERANCE", 1e9)
    recorded = Recorded(monkeypatch)
    X, y = binary(300)
    model = OcelotClassifier(n_models=4).fit(X, y)
    assert modes(recorded) == ["Plain", "Ordered"] * 2
    assert model.choices_["boosting_type"].value == ["Plain", "Ordered"]
    assert model.boosting_type_ == "Plain"


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
    assert model.n_models_ == 4
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
        "model 1 of at least 4: Plain of depth 6",
        "model 2 of at least 4: Ordered of depth 6",
    ]
    assert any(line.endswith(model.choices_["depth"].reason) for line in lines)
    for name, choice in model.choices_.items():
        assert name in ("boosting_type", "depth") or lines.count(choice.told(name)) == 1
    assert lines.index(told[0]) == len(model.choices_) - 2


# ---- side by side ------------------------------------------------------------------------------


@pytest.fixture
def lanes(monkeypatch):
    """Models train two at a time, however few rows there are."""
    monkeypatch.setattr(side_by_side, "_FEWEST_ROWS", 1)
    monkeypatch.setenv("OCELOT_NUM_THREADS", "2")


class Where:
    """In which threads models are trained, and how many of them at a time."""

    def __init__(self, monkeypatch, before=lambda: None):
        self.threads, self.most, self.now = [], 0, 0
        original = ensemble.train

        def train(*arguments):
            self.threads.append(threading.current_thread())
            self.now += 1
            self.most = max(self.most, self.now)
            before()
            trained = original(*arguments)
            self.now -= 1
            return trained

        monkeypatch.setattr(ensemble, "train", train)

    @property
    def is_side_by_side(self):
        return threading.current_thread() not in self.threads


@pytest.mark.parametrize("tolerance", [-2.0, 0.05, 1e9])
def test_models_side_by_side_have_the_same_bits(lanes, monkeypatch, tolerance):
    monkeypatch.setattr(rival, "_TOLERANCE", tolerance)
    X, y = mixed(500)
    alone = OcelotRegressor(n_models=4, n_jobs=1).fit(X, y)
    where = Where(monkeypatch)
    together = OcelotRegressor(n_models=4, n_jobs=2).fit(X, y)
    assert where.is_side_by_side
    assert where.most == 2
    assert_same_bits(together.forest_, alone.forest_)
    assert together.choices_ == alone.choices_
    assert together.history_ == alone.history_


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ({"n_jobs": 1}, {}),
        ({"time_limit": 1e6}, {}),
        ({"memory_limit": "1GB"}, {}),
        ({"eval_metric": Nothing()}, {}),
        ({"n_models": 1}, {}),
        ({}, {"callbacks": Counted()}),
    ],
    ids=lambda own: next(iter(own), ""),
)
def test_who_looks_on_sees_one_model_after_the_other(lanes, monkeypatch, parameters, arguments):
    where = Where(monkeypatch)
    X, y = regression(150)
    given = {"n_jobs": 2, "n_models": 2, "iterations": 3, **parameters}
    OcelotRegressor(**given).fit(X, y, **arguments)
    assert not where.is_side_by_side
    assert where.most == 1


def test_few_rows_are_trained_one_model_after_the_other(monkeypatch):
    monkeypatch.setenv("OCELOT_NUM_THREADS", "2")
    where = Where(monkeypatch)
    X, y = regression(150)
    OcelotRegressor(n_jobs=2, n_models=2, iterations=3).fit(X, y)
    assert not where.is_side_by_side


def test_an_error_of_one_model_ends_all(lanes, monkeypatch):
    def fail():
        if len(where.threads) == 2:
            raise RuntimeError("the second model")

    where = Where(monkeypatch, fail)
    X, y = regression(200)
    model = OcelotRegressor(iterations=100_000, n_models=3, n_jobs=2)
    with pytest.raises(RuntimeError, match="the second model"):
        model.fit(X, y)
    assert len(where.threads) == 2


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")
def test_ctrl_c_ends_models_that_train_side_by_side(lanes, monkeypatch):
    main = threading.main_thread().ident

    def press():
        if len(where.threads) == 2:
            threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT)).start()

    where = Where(monkeypatch, press)
    X, y = regression(200)
    model = OcelotRegressor(iterations=1_000_000, n_models=4, n_jobs=2, interrupt="keep")
    with pytest.warns(UserWarning, match="Training was interrupted"):
        model.fit(X, y)
    assert where.is_side_by_side
    assert model.n_models_ == 2
    assert model.n_iter_ >= 2
