"""What is left open is chosen by rules, and what is given is kept."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ocelotboost import OcelotClassifier, OcelotRegressor, load_model
from ocelotboost.estimator.choosing import PRESETS, Facts, choose
from ocelotboost.estimator.rows import SplitSettings, held_out
from ocelotboost.estimator.settings import settings_from
from tests.data import binary, regression


def chosen(
    estimator,
    n_rows=1000,
    n_categorical=0,
    n_classes=1,
    watches=False,
    continues=False,
    n_to_cross=5,
    n_columns=5,
):
    facts = Facts(n_rows, n_columns, n_categorical, n_to_cross, n_classes, watches, continues)
    return choose(settings_from(estimator, None, None), facts)


def recipes(settings):
    return [(own.boosting_type, own.depth) for own in settings.ensemble.recipes]


# ---- rules -------------------------------------------------------------------------------------


def test_what_is_left_open_races_with_held_out_rows():
    settings, choices = chosen(OcelotRegressor(), n_rows=1000)
    assert recipes(settings) == [("Plain", 6), ("Ordered", 6)]
    assert [own.crossed for own in settings.ensemble.recipes] == [True, False]
    assert settings.split.validation_fraction == 0.2
    assert settings.training.replay
    loop = settings.training.loop
    assert (loop.learning_rate, loop.early_stopping_rounds) == (0.12, 50)
    assert loop.patience_grows
    assert loop.rate_grows
    assert settings.ensemble.n_models == choices["n_models"].value == 4


@pytest.mark.parametrize("said", [{"learning_rate": 0.12}, {"iterations": 50}])
def test_a_rate_that_is_said_or_has_given_trees_does_not_grow(said):
    settings, _ = chosen(OcelotRegressor(**said), n_rows=1000)
    assert not settings.training.loop.rate_grows


@pytest.mark.parametrize(
    ("n_rows", "n_models", "share"),
    [
        (100, 4, 0.2),
        (5000, 4, 0.2),
        (5001, 2, 0.2),
        (100_000, 2, 0.2),
        (100_001, 1, 0.2),
        (1_000_000, 1, 0.02),
    ],
)
def test_more_rows_have_fewer_models_and_hold_out_less(n_rows, n_models, share):
    settings, _ = chosen(OcelotRegressor(), n_rows)
    assert settings.ensemble.n_models == settings.split.n_models == n_models
    assert settings.split.validation_fraction == pytest.approx(share, rel=1e-4)


def test_a_single_model_does_not_race():
    settings, _ = chosen(OcelotClassifier(), n_rows=200_000, n_categorical=3, n_classes=2)
    assert recipes(settings) == [("Plain", 8)]
    settings, _ = chosen(OcelotRegressor(n_models=1), n_rows=1000)
    assert recipes(settings) == [("Plain", 6)]


def test_many_rows_have_deep_trees_and_no_ordered_mode():
    settings, _ = chosen(OcelotClassifier(), n_rows=15_000, n_classes=2)
    assert recipes(settings) == [("Plain", 8), ("Ordered", 6)]
    settings, _ = chosen(OcelotClassifier(), n_rows=45_000, n_classes=2)
    assert recipes(settings) == [("Plain", 8), ("Plain", 6)]


def test_of_many_columns_models_with_crosses_draw_some_for_each_tree():
    for n_columns, share in ((9, 1.0), (10, 0.7)):
        settings, choices = chosen(OcelotRegressor(), n_columns=n_columns)
        assert [own.rsm for own in settings.ensemble.recipes] == [share, 1.0]
        assert ("rsm" in choices) == (share < 1)
    settings, _ = chosen(OcelotRegressor(rsm=0.4), n_columns=30)
    assert [own.rsm for own in settings.ensemble.recipes] == [0.4, 0.4]
    assert chosen(OcelotRegressor(iterations=9), n_columns=30)[0].training.loop.rsm == 1


@pytest.mark.parametrize(
    ("given", "size"),
    [({}, 10), ({"iterations": 9}, 2), ({"one_hot_max_size": 4}, 4), ({"quality": "fast"}, 10)],
)
def test_small_categories_are_one_hot_encoded(given, size):
    settings, choices = chosen(OcelotRegressor(**given), n_categorical=1)
    assert settings.quantize.one_hot_max_size == size
    assert ("one_hot_max_size" in choices) == (size == 10)


def test_what_is_given_does_not_race():
    settings, choices = chosen(OcelotRegressor(depth=4))
    assert recipes(settings) == [("Plain", 4), ("Ordered", 4)]
    assert "depth" not in choices
    settings, choices = chosen(OcelotRegressor(depth=4, boosting_type="Plain"))
    assert recipes(settings) == [("Plain", 4), ("Plain", 4)]
    assert not {"depth", "boosting_type"} & choices.keys()


@pytest.mark.parametrize("estimator", [OcelotRegressor(iterations=300), OcelotRegressor()])
def test_given_iterations_and_few_rows_hold_nothing_out(estimator):
    settings, _ = chosen(estimator, n_rows=1000 if estimator.iterations else 99)
    assert settings.training.loop.iterations == (estimator.iterations or 1000)
    assert settings.training.loop.early_stopping_rounds is None
    assert settings.split.validation_fraction is None
    assert not settings.training.replay
    assert (settings.ensemble.n_models, recipes(settings)) == (1, [("Plain", 6)])


def test_eval_sets_stop_a_single_model():
    settings, _ = chosen(OcelotRegressor(), watches=True)
    assert settings.split.validation_fraction is None
    assert settings.training.loop.early_stopping_rounds == 50
    assert settings.training.loop.iterations == PRESETS["default"].trees
    assert settings.ensemble.n_models == len(settings.ensemble.recipes) == 1


def test_continuing_adds_a_fixed_number_of_trees_in_plain_mode():
    settings, _ = chosen(OcelotClassifier(), n_classes=2, continues=True)
    assert settings.training.loop.iterations == 1000
    assert recipes(settings) == [("Plain", 6)]


@pytest.mark.parametrize(
    ("n_rows", "n_categorical", "n_classes", "mode"),
    [
        (1000, 0, 2, "Ordered"),
        (6000, 0, 2, "Plain"),
        (6000, 1, 2, "Ordered"),
        (6000, 1, 1, "Plain"),
        (41_000, 1, 2, "Plain"),
        (1000, 1, 101, "Plain"),
        (99, 1, 2, "Plain"),
    ],
)
def test_the_mode_of_a_given_number_of_trees(n_rows, n_categorical, n_classes, mode):
    settings, choices = chosen(OcelotClassifier(iterations=9), n_rows, n_categorical, n_classes)
    assert settings.order.boosting_type == choices["boosting_type"].value == mode


def test_presets_spend_more_or_less():
    fast, _ = chosen(OcelotRegressor(quality="fast"), n_rows=20_000)
    best, _ = chosen(OcelotRegressor(quality="best"), n_rows=20_000)
    assert (fast.ensemble.n_models, len(fast.ensemble.recipes)) == (1, 1)
    assert recipes(fast) == [("Plain", 8)]
    assert (best.ensemble.n_models, len(best.ensemble.recipes)) == (15, 3)
    assert best.training.loop.learning_rate < fast.training.loop.learning_rate


# ---- which rows are held out -------------------------------------------------------------------


def held(n_rows, n_models, share=0.2, by_time=None):
    settings = SplitSettings(share, False, "Min", np.random.SeedSequence(0), None, None, n_models)
    target = np.random.default_rng(0).normal(size=n_rows).astype(np.float32)
    return held_out(target, by_time, False, settings)


def test_no_row_is_held_out_twice_before_all_others_are():
    masks = held(1000, 7)
    assert len(masks) == 7
    assert_array_equal(np.sum(masks[:5], axis=0), 1)
    assert not (masks[5] & masks[6]).any()
    assert {int(mask.sum()) for mask in masks} == {200}


def test_the_first_rows_held_out_do_not_depend_on_the_number_of_models():
    for one, other in zip(held(503, 3, 0.3), held(503, 8, 0.3), strict=False):
        assert_array_equal(one, other)


def test_with_time_all_models_hold_the_last_rows_out():
    (mask,) = held(100, 3, by_time=np.arange(100))
    assert_array_equal(np.flatnonzero(mask), np.arange(80, 100))


# ---- what users see ----------------------------------------------------------------------------


def test_choices_are_told_and_kept(tmp_path):
    X, y = binary(400)
    model = OcelotClassifier(random_state=1).fit(X, y)
    assert {"n_models", "learning_rate", "validation_fraction", "boosting_type", "depth"} == (
        model.choices_.keys()
    )
    assert model.n_models_ == 4
    text = model.describe()
    for name, own in model.choices_.items():
        assert f"  {name} = " in text
        assert own.reason in text
    model.save_model(tmp_path / "model.ocelot")
    again = load_model(tmp_path / "model.ocelot")
    assert again.choices_ == model.choices_
    assert_array_equal(again.predict_raw(X), model.predict_raw(X))


def test_it_stops_where_there_is_nothing_to_learn():
    X, _ = regression(400)
    y = np.random.default_rng(5).normal(size=400)
    assert OcelotRegressor().fit(X, y).n_iter_ < 150


def test_left_to_itself_it_beats_a_thousand_trees_on_noisy_rows():
    X, y = regression(700)
    y = y + np.random.default_rng(3).normal(scale=2 * y.std(), size=len(y))
    train, test = slice(0, 400), slice(400, 700)
    errors = [
        float(np.mean((model.fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2))
        for model in (OcelotRegressor(), OcelotRegressor(iterations=1000))
    ]
    assert errors[0] < errors[1]
