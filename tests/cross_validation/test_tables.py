"""Tables of all kinds, and what folds share of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from ocelotboost import OcelotClassifier, OcelotRegressor, cv
from ocelotboost.quantize.binned_once import BinnedOnce
from ocelotboost.quantize.quantizer import Quantizer
from tests import data
from tests.data import assert_same_bits


def people(n_rows=240):
    """A frame with texts and missing values, and a target that depends on both."""
    rng = np.random.default_rng(0)
    town = rng.choice(["Aachen", "Bonn", "Celle", None], size=n_rows, p=[0.4, 0.3, 0.2, 0.1])
    age = rng.integers(18, 80, size=n_rows).astype(float)
    age[rng.random(n_rows) < 0.1] = np.nan
    chance = np.where(town == "Bonn", 0.8, 0.3) + np.where(age > 50, 0.1, 0.0)
    buys = np.where(rng.random(n_rows) < chance, "yes", "no")
    return {"town": town.tolist(), "age": age, "visits": rng.poisson(3, size=n_rows)}, buys.tolist()


@pytest.mark.parametrize("boosting_type", ["Plain", "Ordered"])
def test_pandas_and_polars_frames_give_the_same(boosting_type):
    columns, y = people()
    model = OcelotClassifier(iterations=10, depth=3, boosting_type=boosting_type)
    frames = (pd.DataFrame(columns), pl.DataFrame(columns))
    first, second = (
        cv(model, frame, target, cv=3, refit=True)
        for frame, target in zip(frames, (pd.Series(y), pl.Series(y)), strict=True)
    )
    assert np.array_equal(first.predictions, second.predictions)
    assert first.predictions.sum(axis=1) == pytest.approx(1.0)
    assert first.classes.tolist() == ["no", "yes"]
    assert first.model.predict(frames[0]).tolist() == second.model.predict(frames[1]).tolist()


@pytest.mark.parametrize("boosting_type", ["Plain", "Ordered"])
def test_folds_with_categories_that_share_nothing_are_fits_of_their_rows(boosting_type):
    columns, y = people()
    frame, y = pd.DataFrame(columns), np.array(y)
    parameters = {"iterations": 10, "depth": 3, "boosting_type": boosting_type}
    model = OcelotClassifier(**parameters, use_best_model=False)
    found = cv(model, frame, y, cv=3, share=False, return_models=True)
    for fold, own in zip(found.folds, found.models, strict=True):
        alone = OcelotClassifier(**parameters).fit(frame.iloc[fold.train], y[fold.train])
        assert_same_bits(own.forest_, alone.forest_)


@pytest.mark.parametrize("parameters", [{"iterations": 10}, {"n_models": 2}])
@pytest.mark.parametrize("share", [True, False])
def test_no_model_depends_on_the_targets_of_rows_that_judge_it(parameters, share):
    columns, y = people()
    y = np.array(y)
    model = OcelotClassifier(
        **parameters, depth=3, auto_class_weights="Balanced", use_best_model=False
    )
    pairs = [(np.arange(80, 240), np.arange(80)), (np.arange(120), np.arange(120, 240))]
    first = cv(model, pd.DataFrame(columns), y, cv=pairs, share=share, return_models=True)
    y[:40] = np.where(y[:40] == "yes", "no", "yes")  # these rows judge the first fold
    second = cv(model, pd.DataFrame(columns), y, cv=pairs, share=share, return_models=True)
    assert_same_bits(first.models[0].forest_, second.models[0].forest_)
    assert np.array_equal(first.predictions[:80], second.predictions[:80])
    assert not np.array_equal(first.predictions[120:], second.predictions[120:])


def test_folds_share_the_borders_of_all_rows():
    X, y = data.regression(60, 1)
    model = OcelotRegressor(iterations=40, depth=2, border_count=3)

    def borders(share):
        found = cv(model, X, y, cv=3, share=share, return_models=True)
        return {tuple(sorted(set(own.forest_.split_borders.tolist()))) for own in found.models}

    assert len(borders(share=True)) == 1
    assert len(borders(share=False)) == 3


@pytest.mark.parametrize("parameters", [{"iterations": 10}, {"n_models": 2}])
def test_bins_are_made_once(parameters, monkeypatch):
    columns, y = people()
    model = OcelotClassifier(**parameters, depth=3)
    taken = cv(model, pd.DataFrame(columns), y, cv=3)
    monkeypatch.setattr(BinnedOnce, "slots", Quantizer.slots)
    made = cv(model, pd.DataFrame(columns), y, cv=3)
    assert np.array_equal(taken.predictions, made.predictions)


def test_what_depends_on_the_number_of_rows_is_chosen_for_all_of_them():
    """So that the mode, say, is that of the final model."""
    X, y = data.binary(5400, 2)
    model = OcelotClassifier(iterations=2, depth=2)
    shared = cv(model, X, y, return_models=True, refit=True)
    assert {own.boosting_type_ for own in shared.models} == {"Plain"}
    assert shared.model.boosting_type_ == "Plain"
    alone = cv(model, X, y, return_models=True, share=False)
    assert {own.boosting_type_ for own in alone.models} == {"Ordered"}


def test_tables_that_are_read_in_batches(tmp_path):
    columns, y = people()
    frame = pl.DataFrame({**columns, "buys": y})
    frame.write_parquet(tmp_path / "people.parquet")
    model = OcelotClassifier(iterations=5, depth=3)
    from_file = cv(model, str(tmp_path / "people.parquet"), "buys", cv=3, refit=True)
    in_memory = cv(model, frame.drop("buys"), y, cv=3)
    assert np.array_equal(from_file.predictions, in_memory.predictions)
    assert from_file.model.n_features_in_ == 3


def test_columns_named_as_categories():
    X, y = data.regression(120)
    X[:, 0] = np.round(X[:, 0])
    found = cv(OcelotRegressor(iterations=3), X, y, cat_features=[0], return_models=True)
    assert all(own.forest_.categorical[0] for own in found.models)


@pytest.mark.parametrize("parallel", ["auto", "folds"])
def test_with_a_memory_limit(parallel):
    columns, y = people()
    parameters = {"iterations": 5, "depth": 3}
    frame = pd.DataFrame(columns)
    limited = cv(OcelotClassifier(**parameters, memory_limit="2 GB"), frame, y, parallel=parallel)
    free = cv(OcelotClassifier(**parameters), frame, y)
    assert np.array_equal(limited.predictions, free.predictions)


def test_sparse_matrices_and_lists():
    X, y = data.regression(90)
    X[np.abs(X) < 1.0] = 0.0
    model = OcelotRegressor(iterations=5, depth=3)
    dense, rare, listed = (
        cv(model, given, y, cv=3) for given in (X, sparse.csr_matrix(X), X.tolist())
    )
    assert np.array_equal(dense.predictions, rare.predictions)
    assert np.array_equal(dense.predictions, listed.predictions)


def test_time_that_orders_statistics_and_folds():
    columns, y = people()
    frame = pd.DataFrame({**columns, "day": np.random.default_rng(1).permutation(240)})
    model = OcelotClassifier(iterations=5, depth=3, has_time="day", use_best_model=False)
    found = cv(model, frame, y, time=frame["day"], cv=3, share=False, return_models=True)
    for fold, own in zip(found.folds, found.models, strict=True):
        alone = OcelotClassifier(iterations=5, depth=3, has_time="day")
        alone.fit(frame.iloc[fold.train], np.array(y)[fold.train])
        assert_same_bits(own.forest_, alone.forest_)
