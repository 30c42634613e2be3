"""Snapshots: a training that was interrupted goes on, and the model has the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from tools.fingerprint import categories, signal, weights

from ocelotboost import (
    OcelotClassifier,
    OcelotRegressor,
    SnapshotError,
)
from ocelotboost.boost import snapshot as snapshot_module
from ocelotboost.boost.snapshot_file import from_bytes
from tests.boost.snapshots import (
    CATEGORICAL,
    N_TREES,
    TRAININGS,
    assert_same_model,
    interrupted_fit,
    make,
)
from tests.boost.test_interrupt import InterruptAfter, interrupting
from tests.data import binary, regression

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
