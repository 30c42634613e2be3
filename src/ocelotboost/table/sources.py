"""Tables that are read in batches of rows, because they may be larger than memory.

    a path, a glob, a directory, a list of them     Parquet or Arrow files, hive partitions included
    pyarrow.dataset.Dataset                         whatever it holds
    polars.LazyFrame, a DuckDB relation             the query runs while it is read
    pyarrow.RecordBatchReader, any iterator         of record batches, tables or data frames

Each is read once, from the first row to the last, and only the columns that are needed. No library
is imported before an object of its kind is seen; files are read by pyarrow.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from importlib import import_module
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ocelotboost.errors import InputError
from ocelotboost.table.from_frame import as_frame
from ocelotboost.table.values import shorten

#: A batch has about this many bytes of numbers, and no more than this many rows.
_BATCH_BYTES = 1 << 24
_MOST_ROWS = 1 << 16

_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
}


@dataclass(frozen=True)
class Source:
    """A table that can be read once.

    names  of all columns, in their order
    read   columns, and rows per batch -> data frames of a library that narwhals knows
    """

    names: tuple[str, ...]
    read: Callable[[list[str], int], Iterator[Any]]

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """The columns as narwhals data frames, none of them empty."""
        n_rows = max(min(_BATCH_BYTES // (8 * max(len(columns), 1)), _MOST_ROWS), 1)
        for batch in self.read(list(columns), n_rows):
            frame = as_frame(_as_table(batch), "a batch")
            if frame is None:
                raise InputError(
                    f"A batch is {shorten(batch)} ({type(batch).__name__}): an iterator has to "
                    "give Arrow record batches, Arrow tables or data frames."
                )
            if len(frame):
                self.find(columns, frame.columns, "a batch")
                yield frame.select(columns)
        _give_back_memory()

    def find(
        self, columns: Sequence[str], names: Sequence[str] | None = None, argument: str = "X"
    ) -> None:
        """Raise InputError when one of the columns is not there."""
        found = self.names if names is None else names
        for column in columns:
            if column not in found:
                raise no_column(column, found, argument)


def no_column(
    column: str, names: Sequence[str], argument: str, given: str | None = None
) -> InputError:
    """The error for a column that a table does not have; ``given`` is how the user named it."""
    close = difflib.get_close_matches(column, names, n=1)
    shown = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    hint = f"Did you mean {close[0]!r}?" if close else f"Its columns are {shown}."
    return InputError(f"{given or repr(column)} is not a column of {argument}. {hint}")


def is_source(X: Any) -> bool:
    """Is it a table that is read in batches? All else is in memory already."""
    if isinstance(X, str | PathLike | Iterator):
        return True
    if isinstance(X, list | tuple):
        return len(X) > 0 and all(isinstance(path, str | PathLike) for path in X)
    kind = type(X)
    library = kind.__module__.split(".")[0]
    if library == "pyarrow":
        return hasattr(X, "scanner") or hasattr(X, "read_next_batch")
    return (library == "polars" and kind.__name__ == "LazyFrame") or _is_relation(X)


def is_read_once(X: Any) -> bool:
    """Is nothing left of it once it was read?"""
    return isinstance(X, Iterator) or hasattr(X, "read_next_batch")


def as_source(X: Any, argument: str = "X") -> Source:
    """What ``is_source`` says yes to. ``argument`` is what errors call it."""
    if isinstance(X, str | PathLike):
        return _from_dataset(dataset_of([X], argument))
    if isinstance(X, list | tuple):
        return _from_dataset(dataset_of(X, argument))
    if isinstance(X, Iterator) and not hasattr(X, "read_next_batch"):
        return _from_iterator(X, argument)
    if hasattr(X, "read_next_batch"):
        return _from_reader(X)
    if hasattr(X, "scanner"):
        return _from_dataset(X)
    if _is_relation(X):
        return _from_relation(X)
    return _from_lazy_frame(X)


def _is_relation(X: Any) -> bool:
    return type(X).__name__ == "DuckDBPyRelation"


# ---- files ----------------------------------------------------------------------------------


def dataset_of(paths: Sequence[Any], argument: str = "X") -> Any:
    """A pyarrow data set of files and directories, in the order in which they are given."""
    arrow = pyarrow_module("pyarrow.dataset", "files")
    found = [name for path in paths for name in _expanded(fspath(path), argument)]
    try:
        if any(Path(name).is_dir() or "://" in name for name in found):
            several = [
                arrow.dataset(name, format=_format(name, argument), partitioning="hive")
                for name in found
            ]
            return several[0] if len(several) == 1 else arrow.dataset(several)
        formats = sorted({_format(name, argument) for name in found})
        if len(formats) > 1:
            raise InputError(f"{argument} has Parquet files and Arrow files: give one kind.")
        return arrow.dataset(found, format=formats[0], partitioning="hive")
    except (OSError, ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{argument} cannot be read: {error}") from error


def _expanded(path: str, argument: str) -> list[str]:
    if "://" in path or Path(path).exists():
        return [path]
    if has_magic(path):
        found = sorted(glob(path, recursive=True))
        if found:
            return found
        raise InputError(f"{argument} is the pattern {path!r}, which matches no file.")
    raise InputError(
        f"{argument} is the path {path!r}, which does not exist. Give a Parquet file, a "
        "directory of them, a pattern such as 'data/*.parquet', or a table."
    )


def _format(name: str, argument: str) -> str:
    """By the ending; of a directory by that of its first file."""
    path = Path(name)
    if path.is_dir():
        files = (file for file in sorted(path.rglob("*")) if file.suffix in _FORMATS)
        first = next(files, None)
        if first is None:
            raise InputError(f"{argument} is the directory {name!r}, which has no Parquet files.")
        path = first
    if path.suffix not in _FORMATS and path.is_file() and path.suffix:
        raise InputError(
            f"{argument} is {name!r}: only Parquet and Arrow files are read. Read others with "
            "their library, for example polars.scan_csv or pyarrow.dataset.dataset(path, "
            "format='csv'), and pass the result."
        )
    return _FORMATS.get(path.suffix, "parquet")


def _from_dataset(dataset: Any) -> Source:
    def read(columns: list[str], n_rows: int) -> Iterator[Any]:
        # Little is read ahead: row groups may be large.
        options = {} if not _is_parquet(dataset) else {"fragment_scan_options": _parquet_options()}
        scanner = dataset.scanner(
            columns=columns, batch_size=n_rows, batch_readahead=1, fragment_readahead=1, **options
        )
        yield from scanner.to_batches()

    return Source(tuple(dataset.schema.names), read)


def _is_parquet(dataset: Any) -> bool:
    return getattr(getattr(dataset, "format", None), "default_extname", None) == "parquet"


def _parquet_options() -> Any:
    arrow = import_module("pyarrow.dataset")
    return arrow.ParquetFragmentScanOptions(
        use_buffered_stream=True, buffer_size=1 << 16, pre_buffer=False
    )


# ---- queries and streams --------------------------------------------------------------------


def _from_lazy_frame(X: Any) -> Source:
    def read(columns: list[str], n_rows: int) -> Iterator[Any]:
        chosen = X.select(columns)
        if not hasattr(chosen, "collect_batches"):
            raise InputError(
                "X is a polars.LazyFrame, which this version of polars cannot collect in batches: "
                "use polars 1.34 or newer, write it by X.sink_parquet(path) and pass the path, or "
                "pass X.collect()."
            )
        yield from chosen.collect_batches(chunk_size=n_rows, maintain_order=True)

    return Source(tuple(X.collect_schema().names()), read)


def _from_relation(X: Any) -> Source:
    def read(columns: list[str], n_rows: int) -> Iterator[Any]:
        pyarrow_module("pyarrow", "a DuckDB relation")
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        chosen = X.project(quoted)
        reader = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch
        yield from reader(n_rows)

    return Source(tuple(X.columns), read)


def _from_reader(X: Any) -> Source:
    return Source(tuple(X.schema.names), lambda columns, n_rows: iter(X))


def _from_iterator(X: Iterator[Any], argument: str) -> Source:
    first = next(X, None)
    if first is None:
        raise InputError(f"{argument} is an iterator without any batch: it was read before.")
    frame = as_frame(_as_table(first), argument)
    if frame is None:
        raise InputError(
            f"{argument} is an iterator ({type(X).__name__}) of {type(first).__name__}: it has to "
            "give Arrow record batches, Arrow tables or data frames."
        )
    return Source(tuple(frame.columns), lambda columns, n_rows: chain([first], X))


def _as_table(batch: Any) -> Any:
    """A record batch as a table, which narwhals knows."""
    if type(batch).__module__.startswith("pyarrow.") and type(batch).__name__ == "RecordBatch":
        return import_module("pyarrow").Table.from_batches([batch])
    return batch


def _give_back_memory() -> None:
    """Arrow keeps memory that it has used, for later."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


def pyarrow_module(name: str, what: str) -> Any:
    """A module of pyarrow, or an error that says what it is needed for."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(
            f"pyarrow is needed for {what}: pip install 'ocelot-boost[files]'."
        ) from error
