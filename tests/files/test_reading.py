"""Files of every format give the same table, at once and in batches; what is wrong is named."""

from __future__ import annotations

import gzip
import io
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

from ocelotboost import InputError
from ocelotboost.files import FileOptions, TableWriter, open_batches, read_table

ENDINGS = ["csv", "tsv", "csv.gz", "csv.zst", "parquet", "feather", "arrow", "jsonl", "jsonl.gz"]


@pytest.fixture
def table():
    return pa.table(
        {
            "city": ["Oslo", None, "Lyon, Rhône", 'a "b"'] * 25,
            "price": [1.5, 2.25, None, -4.0] * 25,
            "count": list(range(100)),
        }
    )


@pytest.fixture
def write(tmp_path, table):
    def write(name, what=table):
        path = tmp_path / name
        with TableWriter(str(path)) as writer:
            writer.write(what)
        return str(path)

    return write


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_gives_the_same_table(write, table, ending):
    assert read_table(write(f"a.{ending}")).to_pydict() == table.to_pydict()


@pytest.mark.parametrize("ending", ENDINGS)
def test_batches_are_the_table(write, table, ending):
    path = write(f"a.{ending}")
    batches = open_batches(path)
    assert batches.names == ("city", "price", "count")
    types = {"price": "number", "city": "text"}
    found = pa.concat_tables(batches.read(["price", "city"], types))
    assert found["price"].to_pylist() == table["price"].to_pylist()
    assert found["city"].to_pylist() == table["city"].to_pylist()


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_patterns_and_lists_are_one_table_in_the_order_of_names(write, table, ending, tmp_path):
    first, second = write(f"x-1.{ending}", table[:30]), write(f"x-2.{ending}", table[30:])
    for given in (str(tmp_path / f"x-*.{ending}"), [first, second]):
        assert read_table(given).to_pydict() == table.to_pydict()
        read = pa.concat_tables(open_batches(given).read(["count"], {}))
        assert read["count"].to_pylist() == list(range(100))


@pytest.mark.parametrize("delimiter", [";", "|", "\t", ","])
def test_the_delimiter_is_found(tmp_path, delimiter):
    path = tmp_path / "a.csv"
    path.write_text(f'a{delimiter}"b;,|"\n1{delimiter}x\n')
    assert read_table(str(path)).to_pydict() == {"a": [1], "b;,|": ["x"]}


def test_types_are_found_from_all_rows_and_texts_stay_as_written(tmp_path):
    path = tmp_path / "a.csv"
    rows = "".join(f"{i},0{i}\n" for i in range(200_000))
    path.write_text(f"number,code\n{rows}0.5,x\n")
    found = read_table(str(path), FileOptions(text=frozenset(["code"])))
    assert found["number"].type == pa.float64()
    assert found["number"][-1].as_py() == 0.5
    assert found["code"][7].as_py() == "07"


def test_dates_are_dates_and_truth_values_texts(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("day,moment,flag\n2024-01-31,2024-01-31 10:00:00,true\n,,\n")
    found = read_table(str(path))
    assert [str(t) for t in found.schema.types] == ["date32[day]", "timestamp[s]", "string"]
    types = {"day": "date", "flag": "text"}
    (batch,) = open_batches(str(path)).read(["day", "flag"], types)
    assert str(batch["day"].type) == "timestamp[us]"


def test_quotes_may_go_over_several_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,"two\nlines"\n3,x\n')
    assert read_table(str(path))["b"].to_pylist() == ["two\nlines", "x"]
    (batch,) = open_batches(str(path)).read(["b"], {"b": "text"})
    assert batch["b"].to_pylist() == ["two\nlines", "x"]


def test_names_may_be_given_and_other_encodings_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("Köln,1\n".encode("latin-1"))
    options = FileOptions(header=False, names=("city", "n"), encoding="latin-1")
    assert read_table(str(path), options).to_pydict() == {"city": ["Köln"], "n": [1]}
    with pytest.raises(InputError, match="not UTF-8: give the --encoding"):
        read_table(str(path), FileOptions(header=False))


# ---- stdin -----------------------------------------------------------------------------------


def as_bytes(table, kind):
    sink = io.BytesIO()
    if kind == "parquet":
        pa.parquet.write_table(table, sink)
    elif kind == "arrow stream":
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    else:
        lines = "city,count\n" + "".join(f"town {i % 7},{i}\n" for i in range(len(table)))
        sink.write(gzip.compress(lines.encode()) if kind == "gzip" else lines.encode())
    return sink.getvalue()


@pytest.mark.parametrize("kind", ["csv", "gzip", "parquet", "arrow stream"])
@pytest.mark.parametrize("rows", [100, 300_000])
def test_the_first_bytes_of_stdin_tell_what_it_is(monkeypatch, kind, rows):
    given = pa.table({"city": ["x"] * rows, "count": range(rows)})
    data = as_bytes(given, kind)
    for read in (read_table, lambda path: pa.concat_tables(open_batches(path).read(["count"], {}))):
        buffer = io.BufferedReader(io.BytesIO(data))
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer, isatty=lambda: False))
        assert np.array_equal(read("-")["count"].to_numpy(), np.arange(rows))


# ---- errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "'.*a.csv' is empty"),
        ("a.csv", "a,b\n1,2\n3\n", "line 3 has 1 values instead of 2: '3'"),
        ("a.csv", "a,a\n1,2\n", "two columns that are called 'a'"),
        ("a.xyz", "a\n1\n", "does not say what it is"),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "cannot be read"),
        ("a.parquet", "no", "cannot be read"),
        ("a.parquet.gz", "no", "compressed a second time"),
    ],
)
def test_errors_name_the_file_and_the_line(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        read_table(str(tmp_path / name))


def test_a_missing_file_is_named_with_one_that_is_similar(tmp_path):
    (tmp_path / "sales.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match=r"Did you mean '.*sales.csv'"):
        read_table(str(tmp_path / "sale.csv"))
    with pytest.raises(InputError, match="matches no file"):
        read_table(str(tmp_path / "*.parquet"))


def test_a_text_among_numbers_of_a_stream_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\nmany\n")
    with pytest.raises(InputError, match=r"line 3: 'many' is not a number.*--missing many"):
        list(open_batches(str(path)).read(["a"], {"a": "number"}))
    options = FileOptions(missing=("many",))
    (batch,) = open_batches(str(path), options).read(["a"], {"a": "number"})
    assert batch["a"].to_pylist() == read_table(str(path), options)["a"].to_pylist() == [1, None]


def test_files_whose_columns_differ_in_type_are_named(write):
    first = write("1.csv", pa.table({"a": [1]}))
    second = write("2.csv", pa.table({"a": ["x"]}))
    with pytest.raises(InputError, match=r"'a' is int64 in .* and string in"):
        read_table([first, second])
    assert read_table([first, second], FileOptions(text=frozenset("a")))["a"].to_pylist() == [
        "1",
        "x",
    ]
