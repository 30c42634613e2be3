"""Categories from end to end: any input, any target, any parameters."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, load_model
from ocelotboost.order.statistic import HISTORIES
from tests.data import assert_same_bits

NAMES = ["number", "city", "user", "code", "flag"]
CITIES = ["Oslo", "Rome", "Łódź", "São Paulo", "Bonn", None]
CATEGORICAL = ["city", "user", "code"]


def columns(n_rows, seed=0):
    """Numbers, two columns of texts with missing ones, whole numbers that are categories, and a few
    of those that are numbers."""
    rng = np.random.default_rng(seed)
    number = rng.normal(size=n_rows).astype(np.float32).astype(np.float64)
    number[rng.random(n_rows) < 0.1] = np.nan
    users = rng.integers(0, max(n_rows // 4, 1), size=n_rows)
    return {
        "number": number,
        "city": [CITIES[i] for i in rng.integers(0, len(CITIES), size=n_rows)],
        "user": [f"user {i}" for i in users],
        "code": rng.integers(-2, 3, size=n_rows),
        "flag": rng.integers(0, 2, size=n_rows),
    }


def signal(table, seed=0):
    """What the targets are made of: a city, a pair of categories, a user and a number."""
    city, code = np.array(table["city"], dtype=object), np.asarray(table["code"])
    user = np.array([int(text.split()[1]) for text in table["user"]])
    noise = np.random.default_rng(seed + 1).normal(scale=0.3, size=len(city))
    number = np.nan_to_num(table["number"])
    pair = np.where((city == "Rome") == (code > 0), 1.0, -1.0)
    return (1.5 * (city == "Oslo") + pair + np.sin(user) + 0.5 * number + noise).astype(np.float32)


def frame_of(table):
    return pd.DataFrame({**table, "city": pd.Series(table["city"], dtype=object)})


def matrix_of(table):
    return np.array([list(table[name]) for name in NAMES], dtype=object).T


X, EVAL = columns(300), columns(120, seed=5)
FRAME, EVAL_FRAME = frame_of(X), frame_of(EVAL)
Y, EVAL_Y = signal(X), signal(EVAL, seed=5)
LABELS = {
    "binary": lambda y: np.where(y > 0, "yes", "no"),
    "multiclass": lambda y: np.array(["low", "middle", "high"])[np.digitize(y, [-0.7, 0.7])],
    "regression": lambda y: y,
}


def fit(
    X=FRAME, y=Y, *, task="binary", sample_weight=None, eval_set=None, init_model=None, **parameters
):
    estimator = OcelotRegressor if task == "regression" else OcelotClassifier
    parameters = {"iterations": 8, "learning_rate": 0.3, "cat_features": CATEGORICAL, **parameters}
    if eval_set is not None:
        eval_set = (eval_set[0], LABELS[task](eval_set[1]))
    return estimator(**parameters).fit(
        X, LABELS[task](y), sample_weight=sample_weight, eval_set=eval_set, init_model=init_model
    )


def response(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


# ---- what there is to learn ---------------------------------------------------------------------


def test_classes_are_learned_from_categories():
    model = fit(iterations=80, task="binary")
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(EVAL_FRAME, LABELS["binary"](EVAL_Y)) > 0.8
    numbers_alone = OcelotClassifier(iterations=80).fit(
        FRAME[["number", "flag"]], LABELS["binary"](Y)
    )
    assert numbers_alone.score(EVAL_FRAME[["number", "flag"]], LABELS["binary"](EVAL_Y)) < 0.7


def test_several_classes_are_learned_from_categories():
    model = fit(iterations=80, task="multiclass")
    assert sorted(model.classes_) == ["high", "low", "middle"]
    assert model.score(EVAL_FRAME, LABELS["multiclass"](EVAL_Y)) > 0.6
    np.testing.assert_allclose(model.predict_proba(EVAL_FRAME).sum(axis=1), 1.0)


@pytest.mark.parametrize("statistic", ["mean", "binarized", "both"])
def test_numbers_are_learned_from_categories(statistic):
    model = fit(iterations=80, task="regression", regression_statistic=statistic)
    assert model.score(EVAL_FRAME, EVAL_Y) > 0.5
    names = {name for own in model.forest_.statistics.target_names for name in own}
    assert any(name == "mean target" for name in names) == (statistic != "binarized")
    assert any(name.startswith("share of target >") for name in names) == (statistic != "mean")


def test_combinations_are_found_where_the_target_needs_them():
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefgh"))[rng.integers(0, 8, size=(1000, 3))]
    y = ((letters[:, 0] < "e") ^ (letters[:, 1] < "e")).astype(int)
    train, test = slice(0, 700), slice(700, 1000)
    scores = {}
    for most in (1, 2):
        model = OcelotClassifier(iterations=20, depth=2, max_combination=most, random_state=1)
        model.fit(letters[train].astype(object), y[train], cat_features=[0, 1, 2])
        scores[most] = model.score(letters[test].astype(object), y[test])
        sizes = np.diff(model.forest_.statistics.member_offsets)
        assert sizes.max() <= most
    assert scores[2] > 0.95
    assert scores[1] < scores[2] - 0.1


# ---- any input ----------------------------------------------------------------------------------


def holders(table):
    """The same rows in everything that holds rows."""
    arrow = {name: pa.array(np.asarray(v) if name != "city" else v) for name, v in table.items()}
    arrow["number"] = pa.array(table["number"], from_pandas=True)
    return {
        "pandas": frame_of(table),
        "pandas categories": frame_of(table).astype({"city": "category", "code": "category"}),
        "pandas strings": frame_of(table).astype({"city": "string", "user": "string"}),
        "polars": pl.DataFrame({**table, "number": pl.Series(table["number"]).fill_nan(None)}),
        "polars categories": pl.DataFrame(table).with_columns(pl.col("city").cast(pl.Categorical)),
        "pyarrow": pa.table(arrow),
        "pyarrow dictionary": pa.table({**arrow, "city": arrow["city"].dictionary_encode()}),
        "pandas codes as text": frame_of(table).assign(code=[str(v) for v in table["code"]]),
        "pandas codes as floats": frame_of(table).astype({"code": "float64"}),
    }


@pytest.mark.parametrize("holder", holders(X))
def test_same_model_and_same_predictions_whatever_holds_the_rows(holder):
    expected = fit()
    model = fit(holders(X)[holder])
    assert_same_bits(model.forest_, expected.forest_)
    new, reference = holders(EVAL)[holder], expected.predict_proba(EVAL_FRAME)
    np.testing.assert_array_equal(model.predict_proba(new), reference)
    np.testing.assert_array_equal(expected.predict_proba(new), reference)


def test_numpy_objects_hold_categories_too():
    expected = fit()
    model = fit(matrix_of(X), cat_features=[1, 2, 3])
    assert_same_bits(model.forest_, expected.forest_)
    np.testing.assert_array_equal(
        model.predict_proba(matrix_of(EVAL)), expected.predict_proba(EVAL_FRAME)
    )
    from_lists = fit(matrix_of(X).tolist(), cat_features=[1, 2, 3])
    assert_same_bits(from_lists.forest_, expected.forest_)


def test_cat_features_of_fit_take_the_place_of_the_parameter():
    y = LABELS["binary"](Y)
    model = OcelotClassifier(iterations=3, cat_features=["flag"]).fit(
        FRAME, y, cat_features=["code", 4]
    )
    assert model.forest_.categorical.tolist() == [False, True, True, True, True]
    detected = OcelotClassifier(iterations=3).fit(FRAME, y)
    assert detected.forest_.categorical.tolist() == [False, True, True, False, False]


def test_unseen_and_missing_values_are_predicted():
    model = fit(iterations=20)
    row = FRAME.iloc[:1]
    unseen = row.assign(city="Atlantis")
    other = row.assign(city="Mu")
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(other))
    assert np.isfinite(model.predict_proba(row.assign(city=None, user=None, code=np.nan))).all()
    # Missing is a category of its own: in training there were some.
    rome, missing = (
        FRAME.assign(city=pd.Series([city] * len(FRAME), dtype=object)) for city in ("Rome", None)
    )
    assert (model.predict_proba(rome) != model.predict_proba(missing)).any()
    for nothing in (np.nan, pd.NA, pd.NaT):
        alike = FRAME.assign(city=pd.Series([nothing] * len(FRAME), dtype=object))
        np.testing.assert_array_equal(model.predict_proba(alike), model.predict_proba(missing))


def test_missing_categories_are_not_forbidden_where_missing_numbers_are():
    whole = FRAME.assign(number=FRAME["number"].fillna(0.0))
    model = fit(whole, nan_mode="Forbidden")
    model.predict(whole)
    with pytest.raises(InputError, match="number"):
        model.predict(FRAME)


# ---- evaluation ---------------------------------------------------------------------------------


class Recorder:
    """A metric that keeps the raw predictions it is given, by the number of rows; the last ones are
    the best."""

    name = "recorder"
    higher_is_better = True

    def __init__(self):
        self.raw = {}

    def value(self, target, raw, weight):
        self.raw.setdefault(len(target), []).append(raw.copy())
        return len(self.raw[len(target)])


def staged_raw(model, X):
    """Raw predictions after each tree, rows first."""
    return [raw[0] if len(raw) == 1 else raw.T for raw in model._staged_raw(X)]


@pytest.mark.parametrize("task", LABELS)
def test_an_eval_set_is_predicted_as_the_model_will(task):
    recorder = Recorder()
    model = fit(task=task, eval_set=(EVAL_FRAME, EVAL_Y), eval_metric=recorder)
    assert model.n_iter_ == 8
    np.testing.assert_array_equal(staged_raw(model, EVAL_FRAME), recorder.raw[len(EVAL_Y)])


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_the_history_of_an_eval_set_is_that_of_staged_predictions(task):
    model = fit(task=task, eval_set=(EVAL_FRAME, EVAL_Y), eval_metric="Accuracy", iterations=20)
    labels = LABELS[task](EVAL_Y)
    staged = [float(np.mean(p == labels)) for p in model.staged_predict(EVAL_FRAME)]
    assert len(staged) == model.best_iteration_ + 1
    assert model.history_["eval_0"]["Accuracy"][: len(staged)] == staged


parameters = st.fixed_dictionaries(
    {
        "depth": st.sampled_from([1, 2, 4, 10]),
        "target_statistic": st.sampled_from([*HISTORIES, "ordered"]),
        "max_combination": st.integers(1, 4),
        "one_hot_max_size": st.sampled_from([0, 2, 10]),
        "rsm": st.sampled_from([1.0, 0.5, 0.1]),
        "permutation_count": st.integers(1, 3),
        "bootstrap_type": st.sampled_from(["auto", "No", "Bayesian", "Bernoulli", "MVS"]),
        "model_size_reg": st.sampled_from([0.0, 0.5, 5.0]),
        "priors": st.sampled_from([(0.0, 0.5, 1.0), (0.3,), (-1.0, 0.2, 0.5, 4.0)]),
        "prior_weight": st.sampled_from([0.01, 1.0, 5.0]),
        "has_time": st.sampled_from([False, False, True, "number"]),
        "score_function": st.sampled_from(["Cosine", "L2"]),
        "random_state": st.integers(0, 1000),
    },
)


@settings(max_examples=40)
@given(
    parameters, st.sampled_from(list(LABELS)), st.sampled_from([4, 30, 150]), st.booleans(),
    st.sampled_from([None, 1, 10, 1000]), st.sampled_from(["none", "whole", "any"]),
)  # fmt: skip
def test_any_parameters_train_a_model_that_predicts_what_training_saw(
    parameters, task, n_rows, combine_numbers, window, weights
):
    kind = parameters["target_statistic"]
    parameters |= {
        "combine_numbers": combine_numbers and kind != "holdout",
        "statistic_window": window if kind == "ordered" else None,
        "iterations": 4,
    }
    table = columns(n_rows, seed=3)
    table["city"][0] = "Oslo"
    y = signal(table, seed=3)
    y[:4] = [-2.0, 0.0, 2.0, 2.0]  # every class is there
    rng = np.random.default_rng(0)
    weight = {
        "none": None,
        "whole": rng.integers(1, 4, size=n_rows),
        "any": rng.uniform(0.1, 2, size=n_rows),
    }[weights]
    forests = []
    for n_jobs in (1, 5):
        recorder = Recorder()
        model = fit(
            frame_of(table), y, task=task, eval_set=(EVAL_FRAME, EVAL_Y), sample_weight=weight,
            eval_metric=recorder, n_jobs=n_jobs, **parameters,
        )  # fmt: skip
        forests.append(model.forest_)
    assert_same_bits(*forests)
    np.testing.assert_array_equal(staged_raw(model, EVAL_FRAME), recorder.raw[len(EVAL_Y)])
    if kind == "greedy":  # training rows have the statistics of new ones
        found = staged_raw(model, frame_of(table))
        np.testing.assert_array_equal(found, recorder.raw[n_rows])


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


@pytest.mark.parametrize("task", LABELS)
def test_the_number_of_threads_does_not_change_the_model(task):
    models = [
        fit(task=task, combine_numbers=True, iterations=6, n_jobs=n, eval_set=(EVAL_FRAME, EVAL_Y))
        for n in (1, 2, 5)
    ]
    for model in models[1:]:
        assert_same_bits(model.forest_, models[0].forest_)
        assert model.history_ == models[0].history_


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
def test_without_orderings_seeds_change_nothing(kind):
    quiet = {"boosting_type": "Plain", "bootstrap_type": "No", "random_strength": 0}
    one, other = (fit(target_statistic=kind, random_state=seed, **quiet) for seed in (1, 2))
    assert_same_bits(one.forest_, other.forest_)


def test_the_order_of_rows_is_time_when_they_say_so():
    options = {"bootstrap_type": "No", "random_strength": 0}
    by_rows = fit(has_time=True, **options)
    assert_same_bits(by_rows.forest_, fit(has_time=True, random_state=7, **options).forest_)
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
    stopped, replayed = fit(**options), fit(**options, refit="replay")
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


# ---- small and awkward tables -------------------------------------------------------------------


def test_a_single_row():
    one, value = FRAME.iloc[:1], np.array([2.5], dtype=np.float32)
    model = fit(one, value, task="regression")
    np.testing.assert_allclose(model.predict(EVAL_FRAME), 2.5, rtol=1e-6)


@pytest.mark.parametrize("kind", HISTORIES)
@pytest.mark.parametrize("one_hot_max_size", [0, 10])
def test_two_rows(kind, one_hot_max_size):
    two = pd.DataFrame({"city": ["Oslo", "Rome"], "code": [1, 2]})
    parameters = {"target_statistic": kind, "one_hot_max_size": one_hot_max_size, "iterations": 3}
    regressor = OcelotRegressor(**parameters).fit(two, [1.0, 2.0])
    assert np.isfinite(regressor.predict(two)).all()
    classifier = OcelotClassifier(**parameters).fit(two, ["a", "b"])
    assert np.isfinite(classifier.predict_proba(two)).all()


@pytest.mark.parametrize("kind", HISTORIES)
@pytest.mark.parametrize("value", [0.0, 7.0, -1e20])
def test_a_constant_target(kind, value):
    y = np.full(len(Y), value, dtype=np.float32)
    model = fit(FRAME, y, task="regression", target_statistic=kind)
    np.testing.assert_allclose(model.predict(EVAL_FRAME), y[: len(EVAL_Y)], rtol=1e-6)


@pytest.mark.parametrize("kind", HISTORIES)
def test_columns_of_categories_that_say_nothing(kind):
    empty = FRAME.assign(city=None, code="same")
    model = fit(empty, target_statistic=kind, cat_features=["city", "code", "user"])
    assert np.isfinite(model.predict_proba(EVAL_FRAME.assign(code="new"))).all()
    alone = OcelotClassifier(iterations=3, cat_features=[0], target_statistic=kind)
    alone.fit(empty[["city"]], LABELS["binary"](Y))
    assert len(np.unique(alone.predict_proba(EVAL_FRAME[["city"]]), axis=0)) == 1


def test_as_many_categories_as_rows():
    rng = np.random.default_rng(0)
    X = rng.permutation(1000).astype(object)[:, None]
    y = np.arange(1000) % 2
    model = OcelotClassifier(iterations=20, cat_features=[0]).fit(X, y)
    assert model.score(X, y) < 0.7  # ordered statistics do not give a row's own target away
    assert len(np.unique(model.predict_proba(X + 5000), axis=0)) == 1


@pytest.mark.parametrize("depth", [1, 10])
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_combinations_have_at_most_so_many_features(most, depth):
    model = fit(max_combination=most, depth=depth, one_hot_max_size=0, model_size_reg=0)
    tables = model.forest_.statistics
    assert tables.n_tables > 0
    assert np.diff(tables.member_offsets).max() <= (most if depth > 1 else 1)
    assert model.forest_.tree_depths.max() <= depth


@pytest.mark.parametrize("most_values", [0, 2, 10])
def test_features_of_few_values_are_asked_for_each(most_values):
    model = fit(one_hot_max_size=most_values, iterations=20, max_combination=1)
    indicators, tables = model.forest_.indicators, model.forest_.statistics
    asked = {NAMES[column] for column in indicators.columns}
    assert asked <= ({"city", "code"} if most_values == 10 else set())
    assert ("city" in asked) == (most_values == 10)
    assert not asked & {NAMES[column] for column in tables.members}
    if asked:
        assert "Oslo" in indicators.texts


def test_no_statistics_are_made_where_all_features_are_asked_for_each_value():
    options = {"one_hot_max_size": 10, "cat_features": ["city", "code"], "cache_memory": 1}
    X = FRAME[["number", "city", "code"]]
    models = [
        fit(X, max_combination=1, target_statistic=kind, **options)
        for kind in ("ordered", "holdout")
    ]
    assert_same_bits(models[0].forest_, models[1].forest_)  # no row was held back


def test_numbers_are_part_of_combinations_only_when_wanted():
    assert len(fit(iterations=20).forest_.statistics.question_columns) == 0
    model = fit(iterations=20, combine_numbers=True, model_size_reg=0)
    assert len(model.forest_.statistics.question_columns) > 0


def test_a_window_keeps_what_came_last():
    # The target of a city turns over time; the last rows know it best.
    rng = np.random.default_rng(0)
    n_rows, half = 2000, 1000
    city = np.array([f"city {i}" for i in rng.integers(0, 10, size=n_rows)], dtype=object)
    even = np.array([int(text[-1]) % 2 for text in city])
    y = np.where(np.arange(n_rows) < half, even, 1 - even)
    model = OcelotClassifier(iterations=5, has_time=True, statistic_window=200, cat_features=[0])
    model.fit(city[:, None], y)
    assert model.forest_.statistics.counts.sum() == 200
    assert (model.predict(city[:, None]) == 1 - even).all()
    for window in (None, 10**30):
        model = OcelotClassifier(iterations=5, has_time=True, statistic_window=window)
        model.fit(city[:, None], y, cat_features=[0])
        assert model.forest_.statistics.counts.sum() == n_rows


def test_a_holdout_keeps_half_of_the_rows_apart():
    model = fit(target_statistic="holdout", iterations=5, max_combination=1)
    assert model.forest_.leaf_weights[: 1 << model.forest_.tree_depths[0]].sum() == 150
    tables = model.forest_.statistics
    for table in range(tables.n_tables):
        assert tables.counts[tables.entries_of(table)].sum() == 150


def test_missing_and_moved_columns_are_named_before_any_is_read():
    frame = pd.DataFrame(
        {"city": ["a", "b", "c", "a"] * 5, "age": range(20), "kind": ["x", "y"] * 10}
    )
    model = OcelotClassifier(iterations=2).fit(frame, [0, 1] * 10)
    with pytest.raises(InputError, match="yet now missing:\n- city"):
        model.predict(frame.drop(columns="city"))
    with pytest.raises(InputError, match="same order"):
        model.predict(frame[["age", "kind", "city"]])
    with pytest.raises(InputError, match=r"eval_set\[0\]: .*\n.*yet now missing:\n- kind"):
        model.fit(frame, [0, 1] * 10, eval_set=(frame[["city", "age"]], [0, 1] * 10))
