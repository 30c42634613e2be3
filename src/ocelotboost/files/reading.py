"""Files -> one Arrow table, or batches of rows that are read one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ocelotboost.errors import InputError
from ocelotboost.files.delimited import csv_options, delimiter_of, explained
from ocelotboost.files.formats import STREAM, Format, format_of
from ocelotboost.files.opened import Forward, Opened, Watch, all_bytes, arrow, expand, open_file
from ocelotboost.table.sources import as_source, dataset_of, pyarrow_module

_BEGINNING = 1 << 20


@dataclass(frozen=True)
class FileOptions:
    """How files are read, where their names do not say it.

    kind       "csv", "tsv", "parquet", "arrow", "json" or "libsvm"; None: by the ending
    delimiter  of CSV; None: the one that the first line has most of
    header     whether the first line of a CSV file has the names of the columns
    names      of the columns, in place of those in the file
    encoding   of CSV
    text       columns that stay as they are written: "007" is not 7
    missing    texts that mean a missing value in CSV, in addition to the usual ones
    """

    kind: str | None = None
    delimiter: str | None = None
    header: bool = True
    names: tuple[str, ...] | None = None
    encoding: str = "utf8"
    text: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()


def read_table(
    paths: str | Sequence[str],
    options: FileOptions = FileOptions(),  # noqa: B008  frozen
    watch: Watch | None = None,
) -> Any:
    """All rows of some files as a ``pyarrow.Table``.

    paths  a path, a pattern such as "sales-*.csv.gz", a list of them; "-" is stdin
    watch  told of everything that is opened, for a progress bar
    """
    found = expand([paths] if isinstance(paths, str) else paths)
    if _are_datasets(found, options):
        return _whole_dataset(found, watch)
    tables = [_one_table(path, options, watch) for path in found]
    table = tables[0] if len(tables) == 1 else _joined(tables, found)
    _check_names(table.column_names, found[0])
    return table


def formats_of(paths: Sequence[str], options: FileOptions) -> set[str]:
    """The kinds of some files; of stdin only where the user named it."""
    named = [path for path in expand(paths) if path != STREAM]
    kinds = {format_of(path, options.kind).kind for path in named if not _is_folder(path)}
    return {*kinds, *([options.kind] if options.kind else [])}


# ---- all rows at once ------------------------------------------------------------------------


def _one_table(path: str, options: FileOptions, watch: Watch | None) -> Any:
    opened = open_file(path, options.kind, watch)
    if opened.format.kind == "libsvm":
        raise InputError(f"{path!r} is a libsvm file, whose rows are sparse: it stands alone.")
    try:
        if opened.format.kind == "json":
            return pyarrow_module("pyarrow.json", "JSON lines").read_json(opened.stream)
        if opened.format.kind in ("csv", "tsv"):
            return _read_csv(opened, path, options, watch)
        return _from_bytes(opened)
    except (arrow().ArrowInvalid, arrow().ArrowKeyError, UnicodeDecodeError) as error:
        raise explained(error, opened.name) from error


def _read_csv(opened: Opened, path: str, options: FileOptions, watch: Watch | None) -> Any:
    """Quotes that go over several lines are rare, and looking for them takes time: files are read
    again for them, in the order of the lines, so that an error can tell where it is."""
    csv = pyarrow_module("pyarrow.csv", "CSV files")
    if path == STREAM:
        beginning, whole = _split_stream(opened)
        keywords = _keywords(opened, options, beginning, newlines=True)
        table = csv.read_csv(whole, **keywords)
    else:
        beginning = _beginning_of(path, options)
        try:
            keywords = _keywords(opened, options, beginning, newlines=False)
            table = csv.read_csv(opened.stream, **keywords)
        except arrow().ArrowInvalid:
            again = open_file(path, options.kind, watch)
            keywords = _keywords(again, options, beginning, newlines=True)
            table = csv.read_csv(again.stream, **keywords)
    for field in table.schema:
        if str(field.type) in ("binary", "large_binary"):
            raise InputError(
                f"{opened.name}: column {field.name!r} is not UTF-8: give the --encoding of the "
                "file, such as latin-1."
            )
    return table


def _keywords(
    opened: Opened, options: FileOptions, beginning: bytes, *, newlines: bool, **more: Any
) -> dict[str, Any]:
    return csv_options(
        delimiter_of(opened, options.delimiter, beginning),
        names=options.names,
        header=options.header,
        encoding=options.encoding,
        missing=options.missing,
        newlines=newlines,
        **{"types": dict.fromkeys(options.text, "text"), **more},
    )


def _from_bytes(opened: Opened) -> Any:
    """Parquet and Arrow need to go back and forth, which stdin cannot."""
    pa = arrow()
    data = pa.BufferReader(all_bytes(opened.stream))
    if opened.format.kind == "parquet":
        return pyarrow_module("pyarrow.parquet", "Parquet files").read_table(data)
    ipc = pyarrow_module("pyarrow.ipc", "Arrow files")
    try:
        return ipc.open_file(data).read_all()
    except pa.ArrowInvalid:
        data.seek(0)
        return ipc.open_stream(data).read_all()


def _joined(tables: list[Any], paths: Sequence[str]) -> Any:
    try:
        return arrow().concat_tables(tables, promote_options="permissive")
    except (arrow().ArrowTypeError, arrow().ArrowInvalid) as error:
        first = tables[0].schema
        for table, path in zip(tables[1:], paths[1:], strict=True):
            for field in table.schema:
                place = first.get_field_index(field.name)
                if place >= 0 and first.field(place).type != field.type:
                    raise InputError(
                        f"Column {field.name!r} is {first.field(place).type} in {paths[0]!r} and "
                        f"{field.type} in {path!r}: name it by --cat to read it as text."
                    ) from error
        raise InputError(f"The files do not fit together: {error}") from error


def _are_datasets(paths: Sequence[str], options: FileOptions) -> bool:
    """Parquet or Arrow files, which pyarrow reads together, and columns by column."""
    if STREAM in paths:
        return False
    kinds = {
        "parquet" if _is_folder(path) else format_of(path, options.kind).kind for path in paths
    }
    return kinds <= {"parquet"} or kinds <= {"arrow"}


def _is_folder(path: str) -> bool:
    from pathlib import Path

    return Path(path).is_dir()


def _whole_dataset(paths: Sequence[str], watch: Watch | None) -> Any:
    pa = arrow()
    dataset = dataset_of(paths, _named(paths))
    try:
        if watch is None:
            return dataset.to_table()
        rows = [0]
        watch(lambda: rows[0], dataset.count_rows())
        batches = []
        for batch in dataset.to_batches():
            batches.append(batch)
            rows[0] += len(batch)
        return pa.Table.from_batches(batches, dataset.schema)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{_named(paths)} cannot be read: {error}") from error


def _named(paths: Sequence[str]) -> str:
    return repr(paths[0]) if len(paths) == 1 else f"{paths[0]!r} and others"


def _check_names(names: Sequence[str], path: str) -> None:
    for name in names:
        if list(names).count(name) > 1:
            raise InputError(f"{path!r} has two columns that are called {name!r}: rename one.")


# ---- batches of rows -------------------------------------------------------------------------


@dataclass(frozen=True)
class Batches:
    """A table that is read once, from the first row to the last.

    names  of all columns
    read   (columns to read, types of some of them) -> Arrow tables. CSV needs the types, which are
           names in ``delimited.TYPES``; others are what the first rows look like
    """

    names: tuple[str, ...]
    read: Callable[[Sequence[str], Mapping[str, str]], Iterator[Any]]


def open_batches(
    paths: str | Sequence[str],
    options: FileOptions = FileOptions(),  # noqa: B008  frozen
    watch: Watch | None = None,
) -> Batches:
    """Rows of some files, a few thousand at a time."""
    found = expand([paths] if isinstance(paths, str) else paths)
    if _are_datasets(found, options):
        source = as_source(found, _named(found))
        total = dataset_of(found).count_rows() if watch is not None else None

        def read(columns: Sequence[str], types: Mapping[str, str]) -> Iterator[Any]:
            rows = [0]
            if watch is not None:
                watch(lambda: rows[0], total)
            for frame in source.batches(columns):
                rows[0] += len(frame)
                yield frame.to_native()

        return Batches(source.names, read)
    return _Streams(found, options, watch).batches()


class _Streams:
    """Files that are read from the first byte to the last, one after the other."""

    def __init__(self, paths: list[str], options: FileOptions, watch: Watch | None) -> None:
        self._paths, self._options, self._watch = paths, options, watch
        self._first = self._open(paths[0])

    def batches(self) -> Batches:
        return Batches(self._first[3], self._read)

    def _open(self, path: str) -> tuple[Opened, Any, bytes, tuple[str, ...]]:
        """The file, its stream from the first byte, its beginning, and its columns."""
        opened = open_file(path, self._options.kind, self._watch)
        if not opened.format.streams:
            table = _from_bytes(opened)
            return opened, table, b"", tuple(table.column_names)
        if path == STREAM:
            beginning, stream = _split_stream(opened)
        else:
            beginning, stream = _beginning_of(path, self._options), opened.stream
        names = self._names(opened, beginning)
        _check_names(names, opened.name)
        return opened, stream, beginning, names

    def _names(self, opened: Opened, beginning: bytes) -> tuple[str, ...]:
        head = arrow().BufferReader(_whole_lines(beginning))
        try:
            if opened.format.kind == "json":
                json = pyarrow_module("pyarrow.json", "JSON lines")
                return tuple(json.read_json(head).column_names)
            csv = pyarrow_module("pyarrow.csv", "CSV files")
            keywords = _keywords(opened, self._options, beginning, newlines=True)
            return tuple(csv.open_csv(head, **keywords).schema.names)
        except arrow().ArrowInvalid as error:
            raise explained(error, opened.name) from error

    def _read(self, columns: Sequence[str], types: Mapping[str, str]) -> Iterator[Any]:
        pa = arrow()
        for path in self._paths:
            opened, stream, beginning, names = (
                self._first if path is self._paths[0] else self._open(path)
            )
            missing = next((name for name in columns if name not in names), None)
            if missing is not None:
                raise InputError(f"{opened.name} has no column {missing!r}.")
            if not opened.format.streams:
                yield from map(_as_table, stream.select(list(columns)).to_batches())
                continue
            try:
                if opened.format.kind == "json":
                    batches = _json_batches(stream, columns, types)
                else:
                    keywords = _keywords(
                        opened,
                        self._options,
                        beginning,
                        newlines=True,
                        columns=columns,
                        types=types,
                    )
                    csv = pyarrow_module("pyarrow.csv", "CSV files")
                    batches = csv.open_csv(stream, **keywords)
                for batch in batches:
                    yield _as_table(batch)
            except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
                raise explained(error, opened.name) from error


def _as_table(batch: Any) -> Any:
    return arrow().Table.from_batches([batch])


def _json_batches(stream: Any, columns: Sequence[str], types: Mapping[str, str]) -> Iterator[Any]:
    """Fields that are numbers somewhere are numbers; others are what the first lines say."""
    pa, json = arrow(), pyarrow_module("pyarrow.json", "JSON lines")
    schema = pa.schema([(name, pa.float64()) for name in columns if types.get(name) == "number"])
    options = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer")
    if not hasattr(json, "open_json"):  # pyarrow before 20: the file has to fit into memory
        yield from json.read_json(stream, parse_options=options).select(columns).to_batches()
        return
    for batch in json.open_json(stream, parse_options=options):
        yield batch.select(list(columns))


# ---- beginnings ------------------------------------------------------------------------------


def _beginning_of(path: str, options: FileOptions) -> bytes:
    found: bytes = open_file(path, options.kind).stream.read(_BEGINNING)
    return found


def _split_stream(opened: Opened) -> tuple[bytes, Any]:
    """The first bytes of a stream, and a stream that has them again."""
    beginning: bytes = opened.stream.read(_BEGINNING)
    if len(beginning) < _BEGINNING:
        return beginning, arrow().BufferReader(beginning)
    return beginning, arrow().PythonFile(Forward(opened.stream, beginning), mode="r")


def _whole_lines(beginning: bytes) -> bytes:
    """Without the last line, unless it is the only one or the end of the file."""
    if len(beginning) < _BEGINNING:
        return beginning
    end = beginning.rfind(b"\n")
    return beginning[: end + 1] if end > 0 else beginning


__all__ = ["Batches", "FileOptions", "Format", "formats_of", "open_batches", "read_table"]
