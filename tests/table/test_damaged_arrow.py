"""Arrow data that nobody has validated is an error and never the end of the process."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ocelotboost import InputError, OcelotClassifier, OcelotRegressor

TEXTS = ["Oslo", "a town with a long name", "Rome", "another town with a long name"] * 3
N = len(TEXTS)
Y = np.arange(N) % 2


def column(table: pa.Table) -> pa.Array:
    return table["town"].chunk(0)


# pyarrow looks at the ends of what it is given, and not at what it reads. So arrays are damaged
# once they are in a table, in the memory that they share.


def with_offset(kind: pa.DataType, place: int, value: int) -> pa.Table:
    """TEXTS, one of whose offsets is wrong."""
    _, offsets, texts = pa.array(TEXTS, kind).buffers()
    width = np.int64 if kind == pa.large_string() else np.int32
    changed = np.frombuffer(offsets, dtype=width)[: N + 1].copy()
    array = pa.Array.from_buffers(kind, N, [None, pa.py_buffer(changed), texts])
    table = pa.table({"town": array})
    changed[place] = value
    return table


def with_view(word: int, value: int) -> pa.Table:
    """TEXTS as string views, with one word of that of a long text changed: 0 is its size,
    2 its buffer, 3 where it begins."""
    _, views, *texts = pa.array(TEXTS, pa.string_view()).buffers()
    changed = np.frombuffer(views, dtype=np.int32)[: 4 * N].reshape(N, 4).copy()
    array = pa.Array.from_buffers(pa.string_view(), N, [None, pa.py_buffer(changed), *texts])
    table = pa.table({"town": array})
    changed[1, word] = value
    return table


def with_index(value: int, *, values: pa.Array | None = None) -> pa.Table:
    indices = pa.array(np.array([0, 1, value] * (N // 3), dtype=np.int32))
    dictionary = pa.array(["Oslo", "Rome", "Bonn"]) if values is None else values
    return pa.table({"town": pa.DictionaryArray.from_arrays(indices, dictionary, safe=False)})


def too_short(array: pa.Array) -> pa.Table:
    """A column from a stream that says it is longer than its buffers are."""
    sink = pa.BufferOutputStream()
    batch = pa.record_batch({"town": array})
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    said, wrong = np.int64(len(array)).tobytes(), np.int64(1_000_000).tobytes()
    changed = sink.getvalue().to_pybytes().replace(said, wrong)
    return pa.ipc.open_stream(changed).read_all()


DAMAGED = {
    **{
        f"{kind}: {what}": with_offset(kind, place, value)
        for kind in (pa.string(), pa.large_string())
        for what, place, value in [
            ("decreasing", 4, 1), ("far beyond", 4, 2**31 - 1), ("negative", 4, -5),
            ("first negative", 0, -(2**31)), ("last beyond", N, 2**31 - 1),
            ("last negative", N, -1),
        ]
    },
    **{
        f"view: {what}": with_view(word, value)
        for what, word, value in [
            ("too long", 0, 2**31 - 1), ("negative size", 0, -1), ("no such buffer", 2, 7),
            ("negative buffer", 2, -1), ("beyond its buffer", 3, 2**31 - 1), ("negative", 3, -9),
        ]
    },
    "index beyond the dictionary": with_index(3),
    "index far beyond": with_index(2**31 - 1),
    "index negative": with_index(-1),
    "dictionary of damaged texts": with_index(2, values=column(with_offset(pa.string(), 1, -1))),
    "offsets cut off": too_short(pa.array(["Oslo"] * 1237)),
    "views cut off": too_short(pa.array(["Oslo"] * 1237, pa.string_view())),
    "numbers cut off": too_short(pa.array([0.5] * 1237)),
    "booleans cut off": too_short(pa.array([True] * 1237)),
}  # fmt: skip


def holders(table: pa.Table):
    yield table
    yield pd.DataFrame({"town": pd.Series(pd.arrays.ArrowExtensionArray(table["town"]))})


@pytest.mark.parametrize("table", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_column_is_named_in_fit_and_in_predict(table):
    model = OcelotClassifier(iterations=2).fit(pa.table({"town": pa.array(TEXTS)}), Y)
    for X in holders(table):
        with pytest.raises(InputError, match=r"(?s)'town'.*damaged"):
            OcelotClassifier(iterations=2).fit(X, Y)
        with pytest.raises(InputError, match=r"(?s)'town'.*damaged"):
            model.predict(X)


@pytest.mark.parametrize("table", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_column_where_numbers_are_expected_is_an_error(table):
    model = OcelotRegressor(iterations=2).fit(pa.table({"town": np.arange(N)}), Y)
    for X in holders(table):
        with pytest.raises(InputError, match="'town'"):
            model.predict(X)


@pytest.mark.parametrize("table", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_target_is_an_error(table):
    for y in (column(table), table["town"]):
        with pytest.raises(InputError, match=r"y is damaged Arrow data"):
            OcelotClassifier(iterations=2).fit(np.arange(N)[:, np.newaxis], y)


def test_what_stands_behind_a_null_does_not_matter():
    missing = np.arange(N) == 4
    valid = pa.array(~missing).buffers()[1]
    for damaged in (pa.array(TEXTS, pa.string_view()), column(with_index(1))):
        kind, (_, values, *texts) = damaged.type, damaged.buffers()
        numbers = np.frombuffer(values, dtype=np.int32).copy().reshape(N, -1)
        numbers[missing] = -1
        if pa.types.is_dictionary(kind):
            indices = pa.Array.from_buffers(pa.int32(), N, [valid, pa.py_buffer(numbers)])
            array = pa.DictionaryArray.from_arrays(indices, damaged.dictionary, safe=False)
        else:
            array = pa.Array.from_buffers(kind, N, [valid, pa.py_buffer(numbers), *texts])
        expected = pa.array(
            [None if row == 4 else value for row, value in enumerate(damaged.to_pylist())]
        )
        model = OcelotClassifier(iterations=2).fit(pa.table({"town": expected}), Y)
        found = model.predict_raw(pa.table({"town": array}))
        np.testing.assert_array_equal(found, model.predict_raw(pa.table({"town": expected})))


FUZZ = """
import sys
import numpy as np
import pyarrow as pa
from ocelotboost import OcelotClassifier, OcelotError

n, rng = 40, np.random.default_rng(int(sys.argv[1]))
texts = [None if i % 7 == 3 else "a town with a long name"[: i % 23] for i in range(n)]
table = pa.table({
    "string": texts,
    "large": pa.array(texts, pa.large_string()),
    "view": pa.array(texts, pa.string_view()),
    "dictionary": pa.array(texts).dictionary_encode(),
    "number": pa.array([None if i % 5 == 0 else i / 3 for i in range(n)]),
    "bool": pa.array([None if i % 5 == 0 else i % 2 == 0 for i in range(n)]),
})
y = np.arange(n) % 2
model = OcelotClassifier(iterations=2, depth=3, n_jobs=1).fit(table, y)
sink = pa.BufferOutputStream()
with pa.ipc.new_stream(sink, table.schema) as writer:
    writer.write_table(table)
intact = np.frombuffer(sink.getvalue(), dtype=np.uint8)
read = refused = 0
for _ in range(int(sys.argv[2])):
    changed = intact.copy()
    for place in rng.integers(len(changed), size=rng.integers(1, 4)):
        changed[place] = rng.choice([0, 1, 127, 128, 255, rng.integers(256)])
    try:
        found = pa.ipc.open_stream(pa.py_buffer(changed)).read_all()
    except Exception:
        continue
    read += 1
    try:
        model.predict(found)
        OcelotClassifier(iterations=1, depth=2, n_jobs=1).fit(found, y[: len(found)])
    except OcelotError:
        refused += 1
print(read, refused)
"""


def test_bytes_of_a_stream_changed_at_random_never_end_the_process():
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FUZZ, "1", "400"],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (0, "")
    read, refused = map(int, process.stdout.split())
    assert read > 100
    assert refused > 10
