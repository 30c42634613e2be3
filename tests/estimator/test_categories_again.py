"""Models with categories again: with weights, threads, seeds, more trees, saved and loaded."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from ocelotboost import InputError, OcelotClassifier, load_model
from ocelotboost.order.statistic import HISTORIES
from tests.data import assert_same_bits
from tests.estimator.category_data import (
    EVAL_FRAME,
    EVAL_Y,
    FRAME,
    LABELS,
    Recorder,
    Y,
    fit,
    response,
    staged_raw,
)

# ---- weights ------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", LABELS)
@pytest.mark.parametrize("combine_numbers", [False, True])
def test_a_weight_counts_as_copies_in_greedy_statistics(task, combine_numbers):
    weight = np.random.default_rng(0).integers(1, 5, size=len(Y))
    parameters = {
        "task": task,
        "target_statistic": "greedy",
        "boosting_type": "Plain",
        "bootstrap_type": "No",
        "combine_numbers": combine_numbers,
    }
    weighted = fit(FRAME, Y, sample_weight=weight, **parameters)
    copied = fit(FRAME.loc[FRAME.index.repeat(weight)], Y.repeat(weight), **parameters)
    np.testing.assert_array_equal(weighted.predict_raw(EVAL_FRAME), copied.predict_raw(EVAL_FRAME))
    np.testing.assert_array_equal(weighted.forest_.split_columns, copied.forest_.split_columns)
    np.testing.assert_array_equal(
        weighted.forest_.statistics.counts, copied.forest_.statistics.counts
    )


@pytest.mark.parametrize("kind", HISTORIES)
def test_weights_enter_histories(kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"city": ["Oslo", "Rome", "Bonn"] * 40})
    y = (rng.random(120) < np.tile([0.2, 0.5, 0.8], 40)).astype(int)
    weight = np.where(y == 1, 5.0, 1.0)
    model = OcelotClassifier(iterations=3, target_statistic=kind).fit(frame, y, weight)
    tables = model.forest_.statistics
    assert tables.n_tables == 1
    assert tables.counts.dtype == np.uint8
    if kind == "holdout":
        assert 60 < tables.counts.sum() < weight.sum()
    else:
        assert tables.counts.sum() == weight.sum()
        assert tables.sums.sum() == 5 * y.sum()


def test_rows_without_weight_are_not_there():
    weight = (np.arange(len(Y)) % 3 > 0).astype(float)
    kept = np.flatnonzero(weight)
    weighted = fit(sample_weight=weight)
    assert_same_bits(weighted.forest_, fit(FRAME.iloc[kept], Y[kept]).forest_)


# ---- the same model -----------------------------------------------------------------------------


@pytest.mark.usefixtures("five_threads")
@pytest.mark.parametrize("task", LABELS)
def test_the_number_of_threads_does_not_change_the_model(task):
    models = [
        fit(task=task, combine_numbers=True, iterations=6, n_jobs=n, eval_set=(EVAL_FRAME, EVAL_Y))
        for n in (1, 2, 5)
    ]
    for model in models[1:]:
        assert_same_bits(model.forest_, models[0].forest_)
        assert model.history_ == models[0].history_


@pytest.mark.usefixtures("five_threads")
def test_enough_rows_for_threads_to_share_leaves_train_the_same_model():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 60, size=(30_000, 3))
    y = (np.sin(matrix[:, 0]) + np.cos(matrix[:, 1] * matrix[:, 2]) > 0).astype(int)
    forests = [
        OcelotClassifier(iterations=2, depth=4, n_jobs=n)
        .fit(matrix, y, cat_features=[0, 1, 2])
        .forest_
        for n in (1, 4)
    ]
    assert_same_bits(*forests)


def test_seeds_change_orderings():
    one, same, other = (
        fit(bootstrap_type="No", random_strength=0, random_state=s) for s in (1, 1, 2)
    )
    assert_same_bits(one.forest_, same.forest_)
    assert (one.predict_proba(FRAME) != other.predict_proba(FRAME)).any()


@pytest.mark.parametrize("kind", ["greedy", "leave_one_out"])
def test_without_orderings_seeds_change_no_prediction(kind):
    quiet = {"boosting_type": "Plain", "bootstrap_type": "No", "random_strength": 0}
    one, other = (fit(target_statistic=kind, random_state=seed, **quiet) for seed in (1, 2))
    np.testing.assert_array_equal(one.predict_raw(EVAL_FRAME), other.predict_raw(EVAL_FRAME))


def test_the_order_of_rows_is_time_when_they_say_so():
    options = {"bootstrap_type": "No", "random_strength": 0}
    by_rows = fit(has_time=True, **options)
    other_seed = fit(has_time=True, random_state=7, **options)
    np.testing.assert_array_equal(
        by_rows.predict_raw(EVAL_FRAME), other_seed.predict_raw(EVAL_FRAME)
    )
    # A column says the same, whatever order the rows come in. Borders do not depend on it either.
    timed = FRAME.assign(number=np.arange(len(FRAME), dtype=float))
    shuffled = np.random.default_rng(0).permutation(len(Y))
    first = fit(timed, has_time=True, **options)
    second = fit(timed.iloc[shuffled], Y[shuffled], has_time="number", **options)
    np.testing.assert_allclose(
        first.predict_proba(EVAL_FRAME), second.predict_proba(EVAL_FRAME), rtol=1e-6
    )


# ---- held-out rows, and more trees --------------------------------------------------------------


@pytest.mark.parametrize("task", LABELS)
@pytest.mark.parametrize("kind", ["ordered", "holdout"])
def test_replay_fills_leaves_and_statistics_from_all_rows(task, kind):
    options = {"iterations": 15, "validation_fraction": 0.3, "target_statistic": kind, "task": task}
    stopped, replayed = fit(**options, refit=None), fit(**options, refit="replay")
    assert stopped.history_ == replayed.history_
    assert stopped.best_iteration_ == replayed.best_iteration_
    before, after = stopped.forest_, replayed.forest_
    np.testing.assert_array_equal(before.split_columns, after.split_columns)
    np.testing.assert_array_equal(before.split_borders, after.split_borders)
    assert np.isfinite(response(replayed, EVAL_FRAME)).all()
    if kind == "ordered":
        assert after.leaf_weights.sum() == pytest.approx(before.leaf_weights.sum() / 0.7, rel=0.02)
        assert after.statistics.counts.sum() > 1.2 * before.statistics.counts.sum()


@pytest.mark.parametrize("task", LABELS)
def test_a_model_with_categories_is_continued(task):
    first = fit(task=task, iterations=6)
    longer = fit(task=task, iterations=5, init_model=first)
    assert longer.n_iter_ == 11
    staged = list(longer.staged_predict(EVAL_FRAME))
    np.testing.assert_array_equal(staged[5], first.predict(EVAL_FRAME))
    learn = next(iter(longer.history_["learn"].values()))
    assert learn[-1] < next(iter(first.history_["learn"].values()))[-1]


def test_a_model_is_continued_on_other_rows_with_its_own_statistics():
    first, recorder = fit(iterations=6), Recorder()
    second = fit(
        EVAL_FRAME, EVAL_Y, iterations=5, init_model=first, eval_set=(FRAME, Y),
        eval_metric=recorder,
    )  # fmt: skip
    staged = staged_raw(second, FRAME)
    np.testing.assert_array_equal(staged[5], first.predict_raw(FRAME))
    np.testing.assert_array_equal(staged[6:], recorder.raw[len(Y)])


def test_a_model_is_not_continued_with_other_categories():
    first = fit()
    with pytest.raises(InputError, match=r"init_model has categories .*cat_features=\[1, 2, 3\]"):
        fit(cat_features=None, init_model=first)
    with pytest.raises(InputError, match="init_model has categories"):
        fit(cat_features=["code", "flag"], init_model=first)


# ---- saving -------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["ocelot", "json"])
@pytest.mark.parametrize("task", LABELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_saved_model_predicts_the_same(task, suffix, weighted, tmp_path):
    weight = np.random.default_rng(0).uniform(0.5, 2, size=len(Y)) if weighted else None
    model = fit(
        task=task, combine_numbers=True, one_hot_max_size=10, max_combination=3,
        sample_weight=weight,
    )  # fmt: skip
    path = tmp_path / f"model.{suffix}"
    model.save_model(path)
    loaded = load_model(path)
    assert_same_bits(loaded.forest_, model.forest_)
    np.testing.assert_array_equal(response(loaded, EVAL_FRAME), response(model, EVAL_FRAME))
    assert loaded.get_params() == model.get_params()
    assert_same_bits(
        fit(task=task, iterations=3, init_model=path).forest_,
        fit(task=task, iterations=3, init_model=model).forest_,
    )


def test_a_pickled_model_predicts_the_same():
    model = fit(combine_numbers=True)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(EVAL_FRAME), model.predict_proba(EVAL_FRAME))


def test_importances_are_of_features():
    importances = fit(iterations=30, combine_numbers=True).feature_importances_
    assert importances.shape == (5,)
    assert importances.sum() == pytest.approx(1.0)
    assert importances[1] > importances[4]
