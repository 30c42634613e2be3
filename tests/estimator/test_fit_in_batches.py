"""A model of a table that is read in batches has the bits of a model of the same rows in memory."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.order import parcels
from ocelotboost.quantize import borders
from ocelotboost.table import sources
from tests.data import assert_same_bits, regression
from tests.table.stored import STORED

N_ROWS = 400
FEATURES = ["a", "whole", "small", "gaps", "flag", "city", "code", "b"]


def _table() -> pa.Table:
    """Numbers and categories of many types; some have missing values, of which some batches have
    none."""
    X, y = regression(N_ROWS, 3, seed=7, missing=0.05)
    rng = np.random.default_rng(8)
    city = rng.choice(["Rom", "Paris", "Oslo", "Wien", "Bern", None], N_ROWS)
    late = np.arange(N_ROWS) > 300
    return pa.table(
        {
            "a": pa.array(X[:, 0], from_pandas=True),
            "whole": rng.integers(-1000, 1000, N_ROWS),
            "small": pa.array(rng.integers(0, 50, N_ROWS), pa.int16(), mask=late),
            "gaps": pa.array(X[:, 1].astype(np.float64), mask=rng.random(N_ROWS) < 0.2),
            "target": y,
            "flag": rng.random(N_ROWS) < 0.5,
            "city": pa.array(city),
            "weight": rng.integers(1, 4, N_ROWS).astype(np.float32),
            "code": pa.array([f"c{i}" for i in rng.integers(0, 300, N_ROWS)]).dictionary_encode(),
            "b": X[:, 2],
        }
    )


TABLE = _table()
Y = TABLE["target"].to_numpy()
WEIGHT = TABLE["weight"].to_numpy()
CLASSES = pa.array(np.where(Y > 1, "high", np.where(Y < 0, "low", "middle")))


def _in_memory(model, **arguments):
    return model.fit(TABLE.select(FEATURES), Y, **arguments)


@pytest.mark.parametrize("kind", STORED)
def test_every_source_gives_the_same_bits(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_MOST_ROWS", 64)
    stored = STORED[kind](TABLE.drop_columns(["weight"]), tmp_path / "data")
    model = OcelotRegressor(iterations=10, cache_dir=tmp_path / "cache").fit(stored, "target")
    assert_same_bits(model.forest_, _in_memory(OcelotRegressor(iterations=10)).forest_)
    assert model.feature_names_in_.tolist() == FEATURES
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
@pytest.mark.parametrize(
    "parameters",
    [
        {"boosting_type": "Plain"},
        {"boosting_type": "Ordered"},
        {"boosting_type": "Ordered", "has_time": "whole"},
        {"one_hot_max_size": 10, "max_combination": 2, "combine_numbers": True},
        {"target_statistic": "holdout"},
        {"validation_fraction": 0.2, "refit": "replay"},
        {"nan_mode": "Max", "cat_features": ["small", 1]},
        {"bootstrap_type": "MVS", "loss_function": "MAE"},
    ],
    ids=str,
)
def test_every_way_of_training_gives_the_same_bits(parameters, batch_rows, tmp_path, monkeypatch):
    """Also where borders are made of a sample, and rows are dealt into several parcels."""
    monkeypatch.setattr(sources, "_MOST_ROWS", batch_rows)
    monkeypatch.setattr(borders, "SAMPLE_SIZE", 150)
    monkeypatch.setattr(parcels, "PARCEL_ROWS", 170)
    if batch_rows == 1:
        parameters = {**parameters, "iterations": 2}
    model = OcelotRegressor(**{"iterations": 8, **parameters})
    expected = _in_memory(OcelotRegressor(**{"iterations": 8, **parameters}), sample_weight=WEIGHT)
    path = STORED["directory"](TABLE, tmp_path)
    model.fit(path, "target", sample_weight="weight")
    assert_same_bits(model.forest_, expected.forest_)
    assert model.history_ == expected.history_


def test_labels_of_every_kind_are_classes(tmp_path):
    for labels in (CLASSES, CLASSES.dictionary_encode(), pa.array(Y > 1), pa.array(Y.astype(int))):
        table = TABLE.set_column(4, "target", labels)
        expected = OcelotClassifier(iterations=3).fit(TABLE.select(FEATURES), np.asarray(labels))
        reader = table.drop_columns(["weight"]).to_reader(max_chunksize=90)
        model = OcelotClassifier(iterations=3).fit(reader, "target")
        assert_same_bits(model.forest_, expected.forest_)
        assert model.classes_.tolist() == expected.classes_.tolist()


def test_eval_sets_are_read_in_batches_too(tmp_path):
    training, watched = TABLE.slice(0, 300), TABLE.slice(300)
    pq.write_table(training, tmp_path / "training.parquet")
    pq.write_table(watched.append_column("id", pa.array(range(100))), tmp_path / "eval.parquet")
    settings = {"iterations": 30, "early_stopping_rounds": 5}
    weight = watched["weight"].to_numpy()
    expected = OcelotRegressor(**settings).fit(
        training.select(FEATURES),
        Y[:300],
        sample_weight=WEIGHT[:300],
        eval_set=(watched.select(FEATURES), Y[300:], weight),
    )
    path = str(tmp_path / "eval.parquet")
    for eval_set in (path, (path, "target", "weight"), [(pl.scan_parquet(path), Y[300:], weight)]):
        model = OcelotRegressor(**settings).fit(
            tmp_path / "training.parquet", "target", sample_weight="weight", eval_set=eval_set
        )
        assert_same_bits(model.forest_, expected.forest_)
        assert model.history_ == expected.history_
    in_memory = OcelotRegressor(**settings).fit(
        training.select(FEATURES),
        Y[:300],
        sample_weight=WEIGHT[:300],
        eval_set=(path, "target", "weight"),
    )
    assert_same_bits(in_memory.forest_, expected.forest_)


def test_training_continues_on_a_source(tmp_path):
    first = _in_memory(OcelotRegressor(iterations=5))
    expected = _in_memory(OcelotRegressor(iterations=5), init_model=first)
    path = STORED["path"](TABLE.drop_columns(["weight"]), tmp_path)
    model = OcelotRegressor(iterations=5).fit(path, "target", init_model=first)
    assert_same_bits(model.forest_, expected.forest_)


def test_the_target_may_be_an_array(tmp_path):
    path = STORED["glob"](TABLE.select(FEATURES), tmp_path)
    model = OcelotRegressor(iterations=5).fit(path, Y, sample_weight=WEIGHT)
    expected = _in_memory(OcelotRegressor(iterations=5), sample_weight=WEIGHT)
    assert_same_bits(model.forest_, expected.forest_)


def test_numbers_as_text_are_warned_of():
    texts = [f"{value:.3f}" for value in TABLE["b"].to_pylist()]
    table = TABLE.append_column("text", pa.array(texts))
    with pytest.warns(UserWarning, match="Numbers are stored as text in 1 column .'text'."):
        OcelotRegressor(iterations=1).fit(table.to_reader(), "target")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"y": None}, "y is missing: X is read in batches, so give the name"),
        ({"y": "targt"}, "y='targt' is not a column of X. Did you mean 'target'?"),
        (
            {"y": "target", "sample_weight": "w"},
            "sample_weight='w' is not a column of X. Its columns",
        ),
        ({"y": Y[:10]}, "X has 400 rows and y has 10 values"),
        ({"y": "gaps"}, "Input y contains NaN"),
        ({"y": "city"}, "text|strings"),
        ({"y": "target", "eval_set": ["no.parquet"]}, r"eval_set\[0\] X is the path 'no.parquet'"),
        ({"y": "target", "eval_set": iter([TABLE.select(["a"])])}, "eval_set.* not a column"),
    ],
)
def test_what_is_wrong_is_named(arguments, words):
    with pytest.raises(InputError, match=words):
        OcelotRegressor(iterations=1).fit(TABLE.to_reader(), **arguments)


def test_a_table_in_memory_has_no_named_target():
    with pytest.raises(InputError, match=r"pass the column itself, X\['target'\]"):
        OcelotRegressor(iterations=1).fit(TABLE, "target")


def test_the_first_row_of_a_batch_is_counted_from_the_first_row_of_all():
    dates = pa.array([None] * 100 + [0] * 300, pa.date32())
    table = TABLE.append_column("day", dates)
    model = OcelotRegressor(iterations=1, cat_features=["day"])
    with pytest.raises(InputError, match=r"Row 2, column 'day' \(position 10\) of X\[98:\]"):
        model.fit(table.to_reader(max_chunksize=98), Y)


def test_a_cache_directory_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    model = OcelotRegressor(iterations=1, cache_dir=tmp_path / "file")
    with pytest.raises(ParameterError, match=r"cache_dir='.*file' cannot be used"):
        model.fit(TABLE.to_reader(), "target")
