"""A file is there when it is complete, or not at all."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ocelotboost import InputError
from ocelotboost.files import TableWriter


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "jsonl.gz"])
def test_nothing_is_left_of_a_file_that_was_not_finished(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    path.write_text("before")

    def write_half():
        with TableWriter(str(path)) as writer:
            writer.write(pa.table({"a": [1]}))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_places_that_cannot_be_written_are_refused_at_once(tmp_path):
    with pytest.raises(InputError, match="is a directory"):
        TableWriter(str(tmp_path))
    with pytest.raises(InputError, match="There is no directory"):
        TableWriter(str(tmp_path / "no" / "a.csv"))
    with pytest.raises(InputError, match="does not say what it is"):
        TableWriter(str(tmp_path / "a.foo"))


def test_several_tables_are_one_file(tmp_path, capfdbinary):
    with TableWriter("-") as writer:
        for number in (1, 2):
            writer.write(pa.table({"a": [number]}))
    assert writer.n_rows == 2
    assert capfdbinary.readouterr().out == b'"a"\n1\n2\n'
