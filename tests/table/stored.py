"""The same table in everything that is read in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq


def _relation(table: pa.Table) -> Any:
    import duckdb

    return duckdb.from_arrow(table)


def _files(table: pa.Table, folder: Path, n_files: int = 3) -> list[str]:
    """The rows in several files of several row groups each, in the order of the names."""
    folder.mkdir(parents=True, exist_ok=True)
    paths, step = [], -(-len(table) // n_files)
    for i in range(n_files):
        path = folder / f"part-{i}.parquet"
        pq.write_table(table.slice(i * step, step), path, row_group_size=97)
        paths.append(str(path))
    return paths


def _directory(table: pa.Table, folder: Path) -> str:
    _files(table, folder)
    return str(folder)


def _one_file(table: pa.Table, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, folder / "all.parquet")
    return folder / "all.parquet"


def _ipc(table: pa.Table, folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    with pa.ipc.new_file(str(folder / "all.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=50)
    return str(folder / "all.arrow")


def _generator(table: pa.Table, n_rows: int) -> Iterator[pa.RecordBatch]:
    yield from table.to_batches(max_chunksize=n_rows)


#: Name -> table and an empty folder -> what is read in batches. One of them can be read once only.
STORED: dict[str, Callable[[pa.Table, Path], Any]] = {
    "path": lambda table, folder: str(_one_file(table, folder)),
    "Path": _one_file,
    "list": _files,
    "glob": lambda table, folder: _directory(table, folder) + "/*.parquet",
    "directory": _directory,
    "Arrow file": _ipc,
    "dataset": lambda table, folder: ds.dataset(_files(table, folder)),
    "in-memory dataset": lambda table, folder: ds.dataset(table),
    "LazyFrame": lambda table, folder: pl.scan_parquet(_files(table, folder)),
    "DuckDB relation": lambda table, folder: _relation(table),
    "RecordBatchReader": lambda table, folder: table.to_reader(max_chunksize=41),
    "iterator of batches of 1": lambda table, folder: _generator(table, 1),
    "iterator of batches of 100": lambda table, folder: _generator(table, 100),
    "iterator of polars frames": lambda table, folder: iter(
        [pl.from_arrow(table.slice(0, 10)), pl.from_arrow(table.slice(10))]
    ),
}
