"""The tables of the benchmarks: which row is in which part, what is a category, what is absent."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.data import Data
from benchmarks.folder import DataMissingError
from benchmarks.tables import generate_table, hold, random_rows, scaled, split_table
from numpy.testing import assert_array_equal
from pyarrow import parquet

ROWS = 50


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with one table of every kind of column."""
    split_table.cache_clear()
    monkeypatch.setenv("OCELOT_DATA", str(tmp_path))
    row = np.arange(ROWS)
    table = pa.table(
        {
            "id": row,
            "code": pa.array(row % 7, pa.int32()),
            "code with gaps": pa.array([None if i % 5 == 0 else i % 3 for i in row], pa.int64()),
            "text": pa.array([None if i % 4 == 0 else "ab"[i % 2] for i in row]),
            "count": pa.array([None if i == 3 else i for i in row], pa.int16()),
            "label": ["yes" if i % 5 == 0 else "no" for i in row],
        }
    )
    parquet.write_table(table, tmp_path / "table.parquet")
    rows = pa.table({"dataset": ["published", "other", "published"], "row": [1, 2, 4]})
    parquet.write_table(rows, tmp_path / "test_rows.parquet")
    entry = {
        "file": "table.parquet",
        "rows": ROWS,
        "task": "binary",
        "target": "label",
        "positive": "yes",
        "categorical": ["code", "code with gaps", "text"],
        "drop": ["id"],
    }
    listed = {"file": "test_rows.parquet", "dataset": "published"}
    index = {
        "random": entry,
        "first": {**entry, "test_rows": {"first": 40}},
        "published": {**entry, "test_rows": listed},
        "absent": {**entry, "file": "absent.parquet"},
    }
    (tmp_path / "index.json").write_text(json.dumps(index))
    yield tmp_path
    split_table.cache_clear()


def test_columns_are_numbers_integer_codes_or_texts(folder):
    data = split_table("random").all_rows
    assert list(data.features) == ["code", "code with gaps", "text", "count"]
    assert data.categorical == ("code", "code with gaps", "text")
    assert data.features["code"].dtype == np.int32
    assert list(data.features["code with gaps"].dropna().unique()) == ["1", "2", "0"]
    assert data.features["text"].isna().sum() == 13
    assert data.features["count"].dtype == np.float32
    assert np.isnan(data.features["count"][3])
    assert_array_equal(data.target, (np.arange(ROWS) % 5 == 0).astype(np.int32))


def test_published_test_rows_are_kept(folder):
    assert_array_equal(np.flatnonzero(split_table("first").is_test), np.arange(40, 50))
    table = split_table("published")
    assert_array_equal(table.test.features["count"], [1.0, 4.0])
    assert len(table.train) == ROWS - 2


def test_without_published_rows_a_fifth_of_each_class_is_for_testing(folder):
    table = split_table("random")
    assert table.test.target.sum() == 2
    assert len(table.test) == 10


def test_early_stopping_rows_depend_on_the_seed_alone(folder):
    data = split_table("first").train
    once, again, other = hold(data, 0), hold(data, 0), hold(data, 1)
    assert len(once.stop) == 7  # a fifth of 8 and a fifth of 32, rounded down
    assert len(once.train) + len(once.stop) == len(once.all_rows)
    assert once.stop.features.equals(again.stop.features)
    assert not once.stop.features.equals(other.stop.features)


def test_a_class_of_two_rows_stays_in_the_larger_part():
    target = np.array([0] * 98 + [1] * 2, dtype=np.int32)
    assert random_rows(target, 0.2, seed=0)[-2:].sum() == 0
    assert random_rows(target.astype(np.float32), 0.2, seed=0).sum() == 20


def test_the_message_says_where_a_table_was_looked_for(folder):
    with pytest.raises(DataMissingError, match=r"no .*absent\.parquet: set OCELOT_DATA"):
        split_table("absent")
    (folder / "index.json").unlink()
    with pytest.raises(DataMissingError, match=r"no .*index\.json: set OCELOT_DATA"):
        split_table("published")


def test_generated_categories_span_ten_to_a_hundred_thousand_values():
    data = generate_table(2000)
    assert len(data.categorical) == 10
    assert len(data.features.columns) == 20
    assert data.features["category_0"].max() == 9
    assert data.features["category_9"].max() > 90_000
    assert 0.3 < data.target.mean() < 0.7
    assert generate_table(2000).features.equals(data.features)


def test_scaled_data_keeps_a_row_of_every_class():
    target = np.array([0] * 1999 + [1], dtype=np.int32)
    data = Data(np.zeros((2000, 1), dtype=np.float32), target)
    assert scaled(data, 0.5, seed=0).target.sum() == 1
    assert len(scaled(data, 0.5, seed=0)) == 1001
    assert len(scaled(data, 1.0, seed=0)) == 2000
