"""Snapshots: a training that was interrupted goes on, and the model has the same bits."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from tools.fingerprint import categories, numbers, signal, weights

from ocelotboost import (
    OcelotClassifier,
    OcelotRegressor,
    ParameterError,
    SnapshotError,
    load_model,
)
from ocelotboost.boost import snapshot as snapshot_module
from ocelotboost.boost.snapshot_file import from_bytes
from tests.boost.test_interrupt import InterruptAfter, interrupting
from tests.data import assert_same_bits, binary, regression

N_TREES = 7
CATEGORICAL = [3, 4, 5, 6]


class OwnLoss:
    """Squared error, as a user would write it."""

    name = "own"

    def value(self, target, raw):
        return (target - raw) ** 2

    def derivatives(self, target, raw):
        return 2 * (raw - target), np.full(len(raw), 2.0)


def classes():
    return np.searchsorted([-1.0, 1.5], signal())


def numeric(**parameters):
    return OcelotRegressor(**parameters), numbers(missing=True), signal()


def categorical(**parameters):
    return OcelotClassifier(cat_features=CATEGORICAL, **parameters), categories(), signal() > 0


def multiclass(**parameters):
    return OcelotClassifier(cat_features=CATEGORICAL, **parameters), categories(), classes()


PLAIN, ORDERED = {"boosting_type": "Plain"}, {"boosting_type": "Ordered"}
TRAININGS = {
    "numbers, Plain, no sampling": (numeric, {**PLAIN, "bootstrap_type": "No"}),
    "numbers, Plain, MVS, columns drawn": (numeric, {**PLAIN, "bootstrap_type": "MVS", "rsm": 0.5}),
    "numbers, Ordered, Bayesian": (numeric, {**ORDERED, "bootstrap_type": "Bayesian"}),
    "numbers, Ordered, Bernoulli": (numeric, {**ORDERED, "bootstrap_type": "Bernoulli"}),
    "numbers, Plain, Quantile": (numeric, {**PLAIN, "loss_function": "Quantile:alpha=0.8"}),
    "numbers, Ordered, MAE": (numeric, {**ORDERED, "loss_function": "MAE"}),
    "numbers, Plain, own loss": (numeric, {**PLAIN, "loss_function": OwnLoss()}),
    "categories, Plain, MVS": (categorical, PLAIN),
    "categories, Plain, Bernoulli": (categorical, {**PLAIN, "bootstrap_type": "Bernoulli"}),
    "categories, Ordered, MVS": (categorical, ORDERED),
    "categories, Ordered, segment gradients, combined numbers": (
        categorical, {**ORDERED, "body_gradients": "segment", "combine_numbers": True},
    ),
    "categories, Plain, columns drawn, little memory": (
        categorical, {**PLAIN, "rsm": 0.6, "cache_memory": 20_000, "combine_numbers": True},
    ),
    "categories, Ordered, little memory": (categorical, {**ORDERED, "cache_memory": 9_000}),
    "categories, Plain, holdout statistic": (
        categorical, {**PLAIN, "target_statistic": "holdout"},
    ),
    "categories, Ordered, time": (categorical, {**ORDERED, "has_time": True}),
    "classes, Plain": (multiclass, PLAIN),
    "classes, Plain, one step": (
        multiclass, {**PLAIN, "leaf_estimation_iterations": 1, "bootstrap_type": "No"},
    ),
    "classes, Ordered": (multiclass, ORDERED),
    "categories, early stopping, replay": (
        categorical,
        {"validation_fraction": 0.25, "early_stopping_rounds": 2, "refit": "replay"},
    ),
}  # fmt: skip


def make(name, **parameters):
    """A new estimator, its table and its target."""
    create, own = TRAININGS[name]
    settings = {"iterations": N_TREES, "depth": 4, "learning_rate": 0.2, "n_jobs": 1}
    return create(**{**settings, **own, **parameters})


def interrupted_fit(name, after, file, **arguments):
    model, X, y = make(name)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, snapshot=file, callbacks=InterruptAfter(after), **arguments)


def assert_same_model(found, expected):
    assert_same_bits(found.forest_, expected.forest_)
    assert found.history_ == expected.history_
    assert found.best_iteration_ == expected.best_iteration_


# ---- the same bits ---------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_that_goes_on_after_every_kth_tree_gives_the_same_model(name, step, tmp_path):
    model, X, y = make(name)
    expected = model.fit(X, y)
    n_trained = len(next(iter(expected.history_["learn"].values())))
    file = tmp_path / "run.snapshot"
    for after in range(step - 1, n_trained - 1, step):
        interrupted_fit(name, after, file)
    model, X, y = make(name)
    assert_same_model(model.fit(X, y, snapshot=file), expected)


@pytest.mark.parametrize("boosting_type", ["Plain", "Ordered"])
def test_eval_sets_weights_and_metrics_go_on(boosting_type, tmp_path):
    X, y, file = categories(), signal() > 0, tmp_path / "run.snapshot"

    def fit(**more):
        model = OcelotClassifier(
            iterations=N_TREES, learning_rate=0.2, cat_features=CATEGORICAL,
            eval_metric=["AUC", "Accuracy"], boosting_type=boosting_type, use_best_model=False,
        )  # fmt: skip
        halves = {"first": (X[:300], y[:300], weights()[:300]), "second": (X[300:], y[300:])}
        return model.fit(X, y, sample_weight=weights(), eval_set=halves, **more)

    expected = fit()
    for after in range(N_TREES - 1):
        with pytest.raises(KeyboardInterrupt):
            fit(snapshot=file, callbacks=InterruptAfter(after))
    assert_same_model(fit(snapshot=file), expected)


def test_a_continued_model_goes_on(tmp_path):
    X, y = regression(200)
    first = OcelotRegressor(iterations=3).fit(X, y)
    file = tmp_path / "run.snapshot"

    def fit(init_model=first, **more):
        return OcelotRegressor(iterations=5, learning_rate=0.1).fit(
            X, y, init_model=init_model, **more
        )

    with pytest.raises(KeyboardInterrupt):
        fit(snapshot=file, callbacks=InterruptAfter(2))
    with pytest.raises(SnapshotError, match="init_model"):
        fit(OcelotRegressor(iterations=4).fit(X, y), snapshot=file)
    assert_same_model(fit(snapshot=file), fit())


@pytest.mark.parametrize("boosting_type", ["Plain", "Ordered"])
def test_interrupted_at_any_line_the_snapshot_is_whole(boosting_type, tmp_path):
    X, y = binary(120)

    def fit(at=-1, **more):
        model = OcelotClassifier(
            iterations=4, depth=2, learning_rate=0.1, boosting_type=boosting_type, n_jobs=1,
            use_best_model=False,
        )  # fmt: skip
        with interrupting(at) as count:
            model.fit(X, y, eval_set=(X[:50], y[:50]), **more)
        return model, count[0]

    expected, _ = fit()
    n_stored = set()
    for interval in (0, 600):
        _, n_lines = fit(snapshot=tmp_path / f"{interval}", snapshot_interval=interval)
        for at in range(n_lines // 10, n_lines, max(n_lines // 30, 1)):
            file = tmp_path / f"{interval}-{at}"
            with pytest.raises(KeyboardInterrupt):
                fit(at, snapshot=file, snapshot_interval=interval)
            if file.exists():
                n_stored.add(len(from_bytes(file.read_bytes(), "").trees))
            found, _ = fit(snapshot=file)
            assert_same_model(found, expected)
    assert n_stored >= {0, 1, 2, 3, 4}


def test_any_seed_is_kept(tmp_path):
    X, y = regression(300)
    file = tmp_path / "run.snapshot"

    def fit(iterations, **more):
        model = OcelotRegressor(iterations=iterations, learning_rate=0.1, random_state=None)
        return model.fit(X, y, snapshot=file, **more)

    with pytest.raises(KeyboardInterrupt):
        fit(8, callbacks=InterruptAfter(3))
    entropy = from_bytes(file.read_bytes(), "").entropy
    expected = OcelotRegressor(iterations=8, learning_rate=0.1, random_state=entropy).fit(X, y)
    assert_same_model(fit(8), expected)


# ---- when it is written ----------------------------------------------------------------------


def n_stored(file):
    return len(from_bytes(file.read_bytes(), "").trees)


def test_it_is_written_at_the_beginning_at_intervals_and_at_the_end(tmp_path):
    X, y = regression(100)
    found = {0: [], 600: []}

    class Look:
        def before_iteration(self, info):
            found[interval].append(n_stored(file))

    for interval in found:
        file = tmp_path / f"{interval}.snapshot"
        OcelotRegressor(iterations=4).fit(
            X, y, snapshot=file, snapshot_interval=interval, callbacks=Look()
        )
        assert n_stored(file) == 4
    assert found == {0: [0, 1, 2, 3], 600: [0, 0, 0, 0]}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.snapshot", "600.snapshot"]


def test_a_finished_training_is_there_at_once(tmp_path):
    X, y = regression(100)
    file = tmp_path / "run.snapshot"
    expected = OcelotRegressor(iterations=4).fit(X, y, snapshot=file)

    class Refuse:
        def before_iteration(self, info):
            raise AssertionError("another tree")

    again = OcelotRegressor(iterations=4).fit(X, y, snapshot=file, callbacks=Refuse())
    assert_same_model(again, expected)


def test_what_a_callback_or_early_stopping_ended_stays_ended(tmp_path):
    X, y = regression(100)

    class Stop:
        def after_iteration(self, info):
            return info.iteration >= 2

    file = tmp_path / "stopped"
    for _ in range(2):
        model = OcelotRegressor(iterations=10).fit(X, y, snapshot=file, callbacks=Stop())
        assert model.n_iter_ == 3
    noise = np.random.default_rng(0).normal(size=100)
    file = tmp_path / "early"
    for iterations in (100, 200):
        model = OcelotRegressor(iterations=iterations, learning_rate=0.5, early_stopping_rounds=3)
        model.fit(X, noise, eval_set=(X, noise[::-1]), snapshot=file)
        assert len(model.history_["learn"]["RMSE"]) < 50


def test_more_iterations_are_as_if_they_had_been_asked_for_at_once(tmp_path):
    X, y = regression(200)
    file = tmp_path / "run.snapshot"
    OcelotRegressor(iterations=3, learning_rate=0.1).fit(X, y, snapshot=file)
    more = OcelotRegressor(iterations=7, learning_rate=0.1)
    assert_same_model(
        more.fit(X, y, snapshot=file), OcelotRegressor(iterations=7, learning_rate=0.1).fit(X, y)
    )
    with pytest.raises(SnapshotError, match="has 7 trees already, and iterations=3"):
        OcelotRegressor(iterations=3, learning_rate=0.1).fit(X, y, snapshot=file)


def test_iterations_that_the_learning_rate_follows_from_are_told(tmp_path):
    X, y = regression(200)
    file = tmp_path / "run.snapshot"
    rate = OcelotRegressor(iterations=50).fit(X, y, snapshot=file).learning_rate_
    with pytest.raises(SnapshotError, match=f"Give learning_rate={rate}"):
        OcelotRegressor(iterations=60).fit(X, y, snapshot=file)
    assert OcelotRegressor(iterations=60, learning_rate=rate).fit(X, y, snapshot=file).n_iter_ == 60


def test_the_time_before_counts(tmp_path, monkeypatch):
    X, y = regression(100)
    file = tmp_path / "run.snapshot"
    seconds = []

    class Note:
        def after_iteration(self, info):
            seconds.append(info.seconds)
            monkeypatch.setattr("time.perf_counter", lambda: 1e9 + 100 * len(seconds))
            if len(seconds) == 3:
                raise KeyboardInterrupt

    def fit(**more):
        return OcelotRegressor(iterations=9, learning_rate=0.1, **more).fit(
            X, y, snapshot=file, callbacks=Note()
        )

    monkeypatch.setattr("time.perf_counter", lambda: 1e9)
    with pytest.raises(KeyboardInterrupt):
        fit()
    fit()
    assert seconds == [100.0 * i for i in range(9)]
    file.unlink()
    seconds.clear()
    monkeypatch.setattr("time.perf_counter", lambda: 1e9)
    with pytest.raises(KeyboardInterrupt):
        fit(time_limit=700)
    assert fit(time_limit=700).n_iter_ == 7


def test_a_full_disk_does_not_end_training(tmp_path, monkeypatch):
    X, y = regression(100)
    write, written = snapshot_module.write_file, []

    def full(path, data):
        written.append(len(data))
        if len(written) > 1:
            raise OSError(28, "No space left on device")
        write(path, data)

    monkeypatch.setattr(snapshot_module, "write_file", full)
    file = tmp_path / "run.snapshot"
    with pytest.warns(UserWarning, match="could not be written.*No space left") as caught:
        model = OcelotRegressor(iterations=4).fit(X, y, snapshot=file, snapshot_interval=0)
    assert model.n_iter_ == 4
    assert len(caught) == len(written) - 1 == 5
    assert n_stored(file) == 0


# ---- what is refused -------------------------------------------------------------------------


def test_other_parameters_are_refused_by_name(tmp_path):
    X, y, file = categories(), signal() > 0, tmp_path / "run.snapshot"
    begun = {"iterations": 2, "learning_rate": 0.1, "cat_features": CATEGORICAL}
    OcelotClassifier(**begun).fit(X, y, snapshot=file)
    before = file.read_bytes()
    for name, value, stored in [
        ("depth", 5, 6), ("random_state", 1, 0), ("random_state", None, 0),
        ("learning_rate", 0.2, 0.1), ("priors", (0.0, 1.0), r"\[0.0, 0.5, 1.0\]"),
        ("border_count", 20, 254), ("bootstrap_type", "No", "'auto'"), ("rsm", 0.5, 1.0),
        ("eval_metric", "AUC", None), ("random_state", np.random.default_rng(3), 0),
    ]:  # fmt: skip
        model = OcelotClassifier(**{**begun, name: value})
        with pytest.raises(SnapshotError, match=f"with {name}={stored}, and now it is"):
            model.fit(X, y, snapshot=file)
    with pytest.raises(SnapshotError, match="estimator='classifier'"):
        OcelotRegressor(**begun).fit(X, y, snapshot=file)
    assert file.read_bytes() == before


def test_settings_of_a_run_may_differ(tmp_path):
    X, y = regression(100)
    file = tmp_path / "run.snapshot"
    OcelotRegressor(iterations=2, n_jobs=1).fit(X, y, snapshot=file)
    more = OcelotRegressor(iterations=2, n_jobs=2, time_limit=1e6, interrupt="keep")
    assert more.fit(X, y, snapshot=file).n_iter_ == 2


def changed(values, row, value):
    found = values.copy()
    found[row] = value
    return found


def test_other_data_is_refused_by_name(tmp_path):
    X, y, w = categories(), signal() > 0, np.rint(weights() + 1)
    file = tmp_path / "run.snapshot"
    begun = {"X": X, "y": y, "sample_weight": w, "eval_set": (X[:50], y[:50])}

    def fit(**different):
        model = OcelotClassifier(
            iterations=2, learning_rate=0.1, cat_features=CATEGORICAL, one_hot_max_size=6
        )
        return model.fit(**{**begun, **different}, snapshot=file)

    fit()
    for message, different in {
        "it is of a training with 700 rows, and X has 600": {
            "X": X[:600], "y": y[:600], "sample_weight": w[:600],
        },
        "with 7 columns, and X has 8": {
            "X": np.hstack([X, X[:, :1]]), "eval_set": (np.hstack([X, X[:, :1]])[:50], y[:50]),
        },
        "the column 1 of X is not": {"X": changed(X, (7, 1), 3.0)},
        "the column 4 of X is not": {"X": changed(X, (7, 4), "value 3")},
        "the column 6 of X is not": {"X": changed(X, (7, 6), "new")},
        "y is not": {"y": changed(y, 7, not y[7])},
        "sample_weight is not": {"sample_weight": changed(w, 7, 3.0)},
        "the eval set 'eval_0' is not": {"eval_set": (X[:50], ~y[:50])},
        "begun with the eval set 'eval_0', which is missing": {"eval_set": None},
        "begun without the eval set 'eval_1'": {"eval_set": [begun["eval_set"]] * 2},
    }.items():  # fmt: skip
        with pytest.raises(SnapshotError, match=message):
            fit(**different)
    assert fit().n_iter_ == 2


def test_columns_are_called_by_name(tmp_path):
    X, y = regression(100)
    X, file = pd.DataFrame(X).add_prefix("size_"), tmp_path / "run.snapshot"
    OcelotRegressor(iterations=1).fit(X, y, snapshot=file)
    with pytest.raises(SnapshotError, match="the names of the columns"):
        OcelotRegressor(iterations=1).fit(X.add_suffix("s"), y, snapshot=file)
    with pytest.raises(SnapshotError, match="the column 'size_1' of X"):
        OcelotRegressor(iterations=1).fit(X.assign(size_1=-X.size_1), y, snapshot=file)


def test_damaged_and_foreign_files_are_refused_and_left_alone(tmp_path):
    X, y = regression(100)
    file = tmp_path / "run.snapshot"
    model = OcelotRegressor(iterations=2).fit(X, y, snapshot=file)
    whole = file.read_bytes()
    model.save_model(tmp_path / "model.ocelot")
    rng = np.random.default_rng(0)
    flipped = [
        whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        for at in [0, 8, *rng.integers(9, len(whole), 40).tolist()]
    ]
    for data, message in [
        (whole[:-1], "start anew"),
        (whole[:100], "cut short"),
        (b"", "cut short"),
        (b"a,b\n1,2\n", "not a snapshot"),
        (whole.replace(b'\\"snapshot\\": 1', b'\\"snapshot\\": 2'), "written by ocelotboost"),
        ((tmp_path / "model.ocelot").read_bytes(), "it is a model. Give another name"),
        *((data, "Cannot go on from the snapshot") for data in flipped),
    ]:
        file.write_bytes(data)
        with pytest.raises(SnapshotError, match=message):
            OcelotRegressor(iterations=2).fit(X, y, snapshot=file)
        assert file.read_bytes() == data
    file.write_bytes(whole)
    with pytest.raises(ValueError, match="not a model"):
        load_model(file)


def test_impossible_arguments_are_refused_before_training(tmp_path):
    X, y = regression(100)
    model = OcelotRegressor(iterations=1)
    for interval in (-1, float("nan"), "10", None, True):
        with pytest.raises(ParameterError, match="snapshot_interval="):
            model.fit(X, y, snapshot=tmp_path / "s", snapshot_interval=interval)
    with pytest.raises(ParameterError, match="is a folder"):
        model.fit(X, y, snapshot=tmp_path)
    with pytest.raises(ParameterError, match="give the path of a file"):
        model.fit(X, y, snapshot=True)
    with pytest.raises(FileNotFoundError, match="Make this folder"):
        model.fit(X, y, snapshot=tmp_path / "nowhere" / "s")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y, snapshot=str(tmp_path / "s"))
