"""Predictions for tables that are read in batches are those for the same rows in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor, ParameterError
from ocelotboost.table import sources
from tests.data import binary, multiclass, regression
from tests.table.stored import STORED

NAMES = list("abcde")
X, Y = regression(300, seed=3, missing=0.1)
CITY = np.array(["Rom", "Paris", "Oslo", None], dtype=object)[np.arange(300) * 7 % 4]
TABLE = pa.table({**dict(zip(NAMES, X.T, strict=True)), "city": CITY})
WITH_MORE = TABLE.append_column("target", pa.array(Y)).append_column("id", pa.array(range(300)))
MODEL = OcelotRegressor(iterations=20).fit(TABLE, Y)


@pytest.mark.parametrize("kind", STORED)
@pytest.mark.parametrize("batch_rows", [64, 1 << 16])
def test_predictions_equal_those_in_memory(kind, batch_rows, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_MOST_ROWS", batch_rows)
    stored = STORED[kind](WITH_MORE, tmp_path / "data")
    np.testing.assert_array_equal(MODEL.predict(stored), MODEL.predict(TABLE))


def test_every_method_reads_in_batches(tmp_path):
    matrix, y = multiclass(300, seed=4)
    table = pa.table(dict(zip(NAMES, matrix.T, strict=True)))
    model = OcelotClassifier(iterations=5).fit(table, y)
    path = STORED["path"](table, tmp_path)
    for method in ("predict", "predict_proba", "predict_log_proba", "predict_raw"):
        predict = getattr(model, method)
        np.testing.assert_array_equal(predict(path), predict(table))
        np.testing.assert_array_equal(predict(path, n_trees=2), predict(table, n_trees=2))


def test_hive_partitions_are_columns(tmp_path):
    frame = pd.DataFrame({"a": X[:, 0], "year": np.repeat([2024, 2025, 2026], 100)})
    model = OcelotRegressor(iterations=10).fit(frame, Y + frame["year"])
    frame.to_parquet(tmp_path / "data", partition_cols=["year"])
    expected = model.predict(frame)
    np.testing.assert_array_equal(model.predict(tmp_path / "data"), expected)
    pattern = str(tmp_path / "data" / "year=*" / "*.parquet")
    np.testing.assert_array_equal(model.predict(pattern), expected)


def test_a_model_without_names_takes_the_columns_as_they_come(tmp_path):
    model = OcelotRegressor(iterations=5).fit(X, Y)
    path = STORED["path"](TABLE.drop_columns(["city"]), tmp_path)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        np.testing.assert_array_equal(model.predict(path), model.predict(X))


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: str(p / "no.parquet"), "which does not exist"),
        (lambda p: str(p / "*.parquet"), "matches no file"),
        (lambda p: p, "has no Parquet files"),
        (lambda p: iter([]), "without any batch"),
        (lambda p: iter([1, 2]), "iterator .* of int"),
        (lambda p: TABLE.slice(0, 0).to_reader(), "has no rows"),
        (lambda p: TABLE.drop_columns(["c"]).to_reader(), "now missing:\n- c"),
        (lambda p: iter([TABLE, TABLE.drop_columns(["b"])]), "'b' is not a column of a batch"),
    ],
)
def test_what_cannot_be_read_is_named(make, words, tmp_path):
    with pytest.raises(InputError, match=words):
        MODEL.predict(make(tmp_path))


def test_other_files_are_named_with_a_remedy(tmp_path):
    (tmp_path / "data.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match=r"only Parquet and Arrow files.*scan_csv"):
        MODEL.predict(tmp_path / "data.csv")
    (tmp_path / "broken.parquet").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"cannot be read.*broken.parquet"):
        MODEL.predict(tmp_path / "broken.parquet")


@pytest.mark.parametrize("kind", ["path", "LazyFrame", "RecordBatchReader", "table", "NumPy"])
def test_predictions_are_written_to_parquet(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_MOST_ROWS", 64)
    out = tmp_path / "predictions.parquet"
    if kind == "NumPy":
        model = OcelotRegressor(iterations=5).fit(X, Y)
        assert model.predict_to_parquet(X, out) == 300
        np.testing.assert_array_equal(pq.read_table(out)["prediction"], model.predict(X))
        return
    X_here = TABLE if kind == "table" else STORED[kind](WITH_MORE, tmp_path / "data")
    keep = ["city"] if kind == "table" else ["id", "city"]
    assert MODEL.predict_to_parquet(X_here, out, keep=keep) == 300
    written = pq.read_table(out)
    assert written.column_names == [*keep, "prediction"]
    np.testing.assert_array_equal(written["prediction"], MODEL.predict(TABLE))
    assert written["city"].to_pylist() == CITY.tolist()
    assert [p.name for p in tmp_path.glob("*.part")] == []


def test_probabilities_are_written_one_column_per_class(tmp_path):
    matrix, y = binary(300, seed=4)
    labels = np.where(y, "yes", "no")
    frame = pl.DataFrame(dict(zip(NAMES, matrix.T, strict=True)))
    model = OcelotClassifier(iterations=5).fit(frame, labels)
    out = tmp_path / "p.parquet"
    model.predict_to_parquet(frame.lazy(), out, method="predict_proba", n_trees=3)
    expected = model.predict_proba(frame, n_trees=3)
    written = pq.read_table(out)
    assert written.column_names == ["probability_no", "probability_yes"]
    np.testing.assert_array_equal(np.stack([c.to_numpy() for c in written.columns], 1), expected)
    model.predict_to_parquet(frame.lazy(), out)
    assert pq.read_table(out)["prediction"].to_pylist() == model.predict(frame).tolist()


def test_an_error_leaves_no_file(tmp_path):
    def batches():
        yield TABLE.slice(0, 100)
        raise RuntimeError("the source ended")

    with pytest.raises(RuntimeError, match="the source ended"):
        MODEL.predict_to_parquet(batches(), tmp_path / "p.parquet")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ParameterError, match="method='predict_proba'"):
        MODEL.predict_to_parquet(TABLE, tmp_path / "p.parquet", method="predict_proba")
    with pytest.raises(InputError, match="'name' is not a column of X"):
        MODEL.predict_to_parquet(TABLE, tmp_path / "p.parquet", keep=["name"])
