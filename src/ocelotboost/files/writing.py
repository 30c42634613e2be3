"""Batches of rows -> a file or stdout, a batch at a time."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from ocelotboost.errors import InputError
from ocelotboost.files.formats import STREAM, Format, checked_kind, format_of
from ocelotboost.files.opened import arrow, check_writable
from ocelotboost.table.sources import pyarrow_module


class TableWriter:
    """Writes Arrow tables, one after the other, in the format that the name of the file says.

    A file is there when it is complete, or not at all. The path "-" is stdout.

    >>> import pyarrow, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "out.csv")
    >>> with TableWriter(str(path)) as writer:
    ...     writer.write(pyarrow.table({"prediction": [1.5, 2.0]}))
    >>> print(path.read_text().strip())
    "prediction"
    1.5
    2
    """

    def __init__(self, path: str, kind: str | None = None, delimiter: str | None = None) -> None:
        check_writable(path)
        self._path = path
        self._format = (
            Format(checked_kind(kind) or "csv") if path == STREAM else format_of(path, kind)
        )
        if self._format.kind == "libsvm":
            raise InputError("libsvm files hold features and a target: write another format.")
        self._delimiter = delimiter or ("\t" if self._format.kind == "tsv" else ",")
        self._part = Path(path).with_name(f".{Path(path).name}.{os.getpid()}.part")
        self._sink: Any = None
        self._writer: Any = None
        self.n_rows = 0

    def __enter__(self) -> TableWriter:
        return self

    def write(self, table: Any) -> None:
        if self._writer is None:
            self._sink = self._open_sink()
            self._writer = self._open_writer(table.schema)
        self._writer.write_table(table)
        self.n_rows += len(table)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None and self._writer is not None:
                self._writer.close()
                self._sink.close()
                if self._path != STREAM:
                    os.replace(self._part, self._path)
        finally:
            if self._path != STREAM:
                self._part.unlink(missing_ok=True)

    def _open_sink(self) -> Any:
        pa = arrow()
        if self._path == STREAM:
            sys.stdout.flush()
            return pa.PythonFile(_StandardOutput(), mode="w")
        raw = pa.OSFile(str(self._part), "wb")
        compression = self._format.compression
        return pa.CompressedOutputStream(raw, compression) if compression else raw

    def _open_writer(self, schema: Any) -> Any:
        kind = self._format.kind
        if kind in ("csv", "tsv"):
            csv = pyarrow_module("pyarrow.csv", "CSV files")
            options = csv.WriteOptions(delimiter=self._delimiter)
            return csv.CSVWriter(self._sink, schema, write_options=options)
        if kind == "json":
            return _JsonLines(self._sink)
        if kind == "parquet":
            return pyarrow_module("pyarrow.parquet", "Parquet files").ParquetWriter(
                self._sink, schema
            )
        ipc = pyarrow_module("pyarrow.ipc", "Arrow files")
        opened = ipc.new_stream if self._path == STREAM else ipc.new_file
        return opened(self._sink, schema)


class _JsonLines:
    """One object per line; pyarrow reads them, but does not write them."""

    def __init__(self, sink: Any) -> None:
        self._sink = sink

    def write_table(self, table: Any) -> None:
        lines = [json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist()]
        self._sink.write(("\n".join(lines) + "\n").encode() if lines else b"")

    def close(self) -> None:
        pass


class _StandardOutput:
    """stdout, written at once, so that a pipe that was closed is noticed here."""

    closed = False

    def write(self, data: Any) -> int:
        view = memoryview(data)
        sys.stdout.buffer.write(view)
        sys.stdout.buffer.flush()
        return len(view)

    def flush(self) -> None:
        sys.stdout.buffer.flush()

    def tell(self) -> int:
        raise OSError("stdout has no position")

    def close(self) -> None:
        self.closed = True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False
