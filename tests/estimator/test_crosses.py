"""Crosses of number columns: found by short trainings, stored, and made again for new rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from ocelotboost import OcelotClassifier, OcelotRegressor, ParameterError, cv, load_model
from ocelotboost.estimator.choosing import Facts, choose
from ocelotboost.estimator.crossing import cross
from ocelotboost.estimator.rows import Division, counted
from ocelotboost.estimator.settings import settings_from
from ocelotboost.table.crosses import CROSSES
from ocelotboost.table.from_input import table_from_input

QUICK = {"n_models": 1, "random_state": 0}


def table_with_ratio(n=1500, seed=0):
    """The target is a price per area; the other columns tell nothing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "price": rng.uniform(1, 10, n),
            "noise": rng.normal(size=n),
            "area": rng.uniform(1, 10, n),
            "flag": rng.integers(0, 2, n),
            "city": rng.choice(["A", "B", "C", "D"], n),
        }
    )
    return X, (X["price"] / X["area"] + 0.1 * rng.normal(size=n)).to_numpy()


@pytest.fixture(scope="module")
def ratio_model():
    X, y = table_with_ratio()
    return OcelotRegressor(**QUICK).fit(X, y), X, y


def formulas_of(model):
    return [own.kind for own in model.model_.forest.derivation.formulas]


# ---- which are found -----------------------------------------------------------------------------


def test_the_ratio_is_found_first_and_helps(ratio_model):
    model, X, y = ratio_model
    assert model.choices_["crosses"].value[0] == "price / area"
    assert len(model.choices_["crosses"].value) <= 8
    unseen, truth = table_with_ratio(seed=1)
    without = OcelotRegressor(**QUICK, crosses=0).fit(X, y)
    assert "crosses" not in without.choices_
    error, other = (np.mean((own.predict(unseen) - truth) ** 2) for own in (model, without))
    assert error < 0.9 * other


@pytest.mark.parametrize(
    ("crosses", "found"),
    [("sum", "a + b"), ("difference", "a - b"), ("product", "a × b"), ("ratio", "a / b")],
)
def test_each_kind_is_found_where_it_is_the_target(crosses, found):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-3, 3, (1200, 3)), columns=["a", "b", "c"])
    y = CROSSES[crosses][1](X["a"].to_numpy(), X["b"].to_numpy())
    model = OcelotRegressor(**QUICK, crosses=1).fit(X, y)
    assert model.choices_["crosses"].value == [found]


def test_the_time_between_two_dates_is_found():
    rng = np.random.default_rng(0)
    ordered = np.datetime64("2024-01-01") + rng.integers(0, 300, 1200).astype("timedelta64[D]")
    days = rng.integers(1, 30, 1200)
    X = pl.DataFrame({"ordered": ordered, "came": ordered + days.astype("timedelta64[D]")})
    model = OcelotRegressor(**QUICK).fit(X, days.astype(float))
    assert model.choices_["crosses"].value == ["ordered - came"]
    assert np.abs(model.predict(X) - days).mean() < 1


def test_rows_that_judge_choose_nothing():
    X, y = table_with_ratio(1000)
    target = settings_from(OcelotRegressor(), None, None).target
    found = []
    for other in (y, np.where(np.arange(len(y)) < 200, -y, y)):
        learned = target.learn(other, None, len(y))
        held = [np.arange(len(y)) < 200]
        division = Division(counted(table_from_input(X), learned.values, None), held, [])
        settings = replace(settings_from(OcelotRegressor(random_state=0), None, None), crosses=5)
        found.append(cross(division, learned, settings).choices["crosses"].value)
    assert found[0] == found[1]


def test_rows_of_the_eval_set_are_crossed_too(ratio_model):
    _, X, y = ratio_model
    model = OcelotRegressor(**QUICK).fit(X[:1000], y[:1000], eval_set=(X[1000:], y[1000:]))
    assert model.choices_["crosses"].value[0] == "price / area"
    last = model.history_["eval_0"]["RMSE"][model.best_iteration_]
    assert last == pytest.approx(np.sqrt(np.mean((model.predict(X[1000:]) - y[1000:]) ** 2)))


# ---- where there are none ------------------------------------------------------------------------


def chosen(estimator, n_rows=5000, n_to_cross=4, continues=False):
    facts = Facts(n_rows, 6, 2, n_to_cross, 1, watches=False, continues=continues)
    return choose(settings_from(estimator, None, None), facts)[0].crosses


def test_by_themselves_they_are_looked_for_where_trees_are_left_open():
    assert chosen(OcelotRegressor()) == 8
    assert chosen(OcelotRegressor(), n_rows=10_000) == 16
    assert chosen(OcelotRegressor(iterations=100)) == 0
    assert chosen(OcelotRegressor(quality="fast")) == 0
    assert chosen(OcelotRegressor(nan_mode="Forbidden")) == 0
    assert chosen(OcelotRegressor(), n_rows=499) == 0
    assert chosen(OcelotRegressor(), n_to_cross=1) == 0
    assert chosen(OcelotRegressor(), n_to_cross=2001) == 0
    assert chosen(OcelotRegressor(), continues=True) == 0


def test_a_number_is_kept():
    assert chosen(OcelotRegressor(crosses=3, iterations=100)) == 3
    assert chosen(OcelotRegressor(crosses=3, quality="fast"), n_rows=50) == 3
    assert chosen(OcelotRegressor(crosses=3), n_to_cross=1) == 0


@pytest.mark.parametrize("value", [-1, 101, "many", 2.5, None])
def test_other_values_are_refused(value):
    with pytest.raises(ParameterError, match="crosses"):
        OcelotRegressor(crosses=value).fit([[1.0, 2.0]] * 4, [1, 2, 3, 4])


def test_sparse_columns_flags_and_categories_are_not_crossed():
    import scipy.sparse

    X, y = table_with_ratio(600)
    sparse = scipy.sparse.csr_array(X[["price", "area"]].to_numpy())
    assert "crosses" not in OcelotRegressor(**QUICK).fit(sparse, y).choices_
    flags = OcelotRegressor(**QUICK).fit(X[["flag", "price", "city"]], y)
    assert flags.choices_["crosses"].value == []


# ---- as part of the model ------------------------------------------------------------------------


def test_a_saved_model_takes_the_raw_columns(ratio_model, tmp_path):
    model, X, _ = ratio_model
    assert model.n_features_in_ == 5
    for name in ("model.ocelot", "model.json"):
        model.save_model(tmp_path / name)
        assert_array_equal(load_model(tmp_path / name).predict(X), model.predict(X))


def test_every_input_and_one_row_give_the_same(ratio_model):
    model, X, _ = ratio_model
    expected = model.predict(X)
    assert_array_equal(model.predict(pl.from_pandas(X)), expected)
    assert model.predict(X.iloc[[7]])[0] == expected[7]


def test_matrices_without_names():
    X, y = table_with_ratio(800)
    numbers = X[["price", "noise", "area"]].to_numpy()
    model = OcelotRegressor(**QUICK).fit(numbers, y)
    assert model.choices_["crosses"].value[0] == "feature 0 / feature 2"
    whole = model.predict(numbers)
    assert [model.predict(numbers[[row]])[0] for row in range(5)] == whole[:5].tolist()
    single = numbers.astype(np.float32)
    assert_array_equal(model.predict(single[:5]), model.predict(single)[:5])


def test_infinite_and_missing_numbers():
    X, y = table_with_ratio(800)
    X.loc[::50, "area"] = 0.0
    X.loc[1::50, "area"] = np.inf
    X.loc[2::50, "price"] = np.inf
    X.loc[3::50, "price"] = np.nan
    X.loc[4::50, ["price", "area"]] = np.inf
    model = OcelotRegressor(**QUICK, crosses=9).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_same_bits_for_any_threads(ratio_model):
    model, X, y = ratio_model
    again = OcelotRegressor(**QUICK, n_jobs=1).fit(X, y)
    assert_array_equal(again.predict(X), model.predict(X))


def test_importance_goes_to_the_columns_that_are_crossed(ratio_model):
    model, X, _ = ratio_model
    by_name = dict(zip(X.columns, model.feature_importances_, strict=True))
    assert by_name["price"] > 0.3
    assert by_name["area"] > 0.3
    explained = model.explain(X[:20])
    assert explained.values.shape == (20, 5)
    total = explained.values.sum(axis=1) + explained.base_values
    np.testing.assert_allclose(total, model.predict(X[:20]), rtol=1e-6)


def test_words(ratio_model):
    model, *_ = ratio_model
    text = model.describe(trees=3)
    assert "price / area > " in text


def test_a_model_with_crosses_is_continued(ratio_model):
    model, X, y = ratio_model
    more = OcelotRegressor(iterations=5, random_state=0).fit(X, y, init_model=model)
    assert formulas_of(more) == formulas_of(model)
    assert more.n_iter_ == model.n_iter_ + 5


def test_the_race_decides_about_crosses():
    X, y = table_with_ratio(700)
    model = OcelotRegressor(random_state=0).fit(X, y)
    assert model.choices_["boosting_type"].value == "Plain"
    assert "ratio" in formulas_of(model)


def test_a_model_that_does_not_ask_about_crosses_has_none(tmp_path):
    rng = np.random.default_rng(3)
    users = rng.integers(0, 150, 800)
    X = pd.DataFrame({"user": users, "u": rng.normal(size=800), "v": rng.normal(size=800)})
    y = rng.normal(size=150)[users] + 0.3 * X["u"] + rng.normal(size=800) > 0
    model = OcelotClassifier(iterations=1, depth=1, crosses=1, cat_features=["user"]).fit(X, y)
    assert len(model.choices_["crosses"].value) == 1
    assert formulas_of(model) == []
    model.save_model(tmp_path / "model.ocelot")
    assert_array_equal(load_model(tmp_path / "model.ocelot").predict(X), model.predict(X))


def test_folds_find_their_own():
    X, y = table_with_ratio(900)
    found = cv(OcelotRegressor(**QUICK), X, y, cv=3, return_models=True)
    for model, fold in zip(found.models, found.folds, strict=True):
        assert model.choices_["crosses"].value[0] == "price / area"
        assert_array_equal(model.predict(X.iloc[fold.test]), found.predictions[fold.test])
