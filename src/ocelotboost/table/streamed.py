"""A source that is read in batches -> Table, whose columns are memory-mapped files.

Numbers are stored as the floats that the same column would be in memory, categories as hashes. So
whatever is made of the table has the same bits as if all rows had been in memory. The columns that
play another role, such as the target, come back as arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.cache_directory import CacheDirectory, map_file, no_room
from ocelotboost.table.cat_features import named_positions
from ocelotboost.table.categories import CategoryColumn, Rows, TextsNotKeptError
from ocelotboost.table.columns import DensePart, Table
from ocelotboost.table.date_views import MOST_DATES, may_be_dates
from ocelotboost.table.formulas import TimeKind
from ocelotboost.table.from_frame import table_from_frame
from ocelotboost.table.number_texts import warn_of_number_texts
from ocelotboost.table.shapes import empty
from ocelotboost.table.sources import Source
from ocelotboost.table.times import TimeColumn
from ocelotboost.table.values import Reading

#: Texts are kept of columns with at most this many values: one-hot encoding and number views ask
#: for them. Of what looks like dates, more are kept, for date views.
_MOST_TEXTS = 255

#: Values that are copied at a time when a file changes its type.
_COPIED_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class StreamedTable:
    """A table in files, and the columns with other roles.

    roles  by name: an array (n_rows,)
    """

    table: Table
    roles: dict[str, NDArray[Any]]


def table_from_source(
    source: Source,
    columns: Sequence[str],
    roles: Sequence[str],
    reading: Reading,
    cache: CacheDirectory,
    viewed: Collection[int] | None,
) -> StreamedTable:
    """Read the columns of the table and those that have other roles, once.

    viewed  the columns that have number views; None: they are found afterwards
    """
    reading.check_header(tuple(columns), len(columns))
    named = named_positions(reading.cat_features, tuple(columns), len(columns), reading.argument)
    files = _Files(cache, viewed or ())
    role_files = {name: _RoleFile(cache) for name in roles}
    everything = list(dict.fromkeys([*columns, *roles]))
    n_rows = 0
    for frame in source.batches(everything):
        start = f"{reading.argument}[{n_rows}:]" if n_rows else reading.argument
        own = reading._replace(argument=start, check=None)
        if n_rows:  # the first batch tells which columns are categorical, and which hold dates
            known = {position: times.kind for position, times in files.times.items()}
            own = own._replace(cat_features=sorted(files.categories), detect=False, times=known)
        batch = table_from_frame(frame.select(columns), own)
        if n_rows == 0 and reading.detect:
            warn_of_number_texts(batch, named, frame.to_native(), views=viewed is None)
        files.append(batch)
        for name, file in role_files.items():
            file.append(frame[name].to_numpy())
        n_rows += batch.n_rows
    if n_rows == 0:
        raise empty(0, len(columns), reading.argument)
    table = Table(
        n_rows,
        len(columns),
        tuple(columns),
        tuple(DensePart(p, f.values()[:, np.newaxis]) for p, f in sorted(files.numbers.items())),
        {position: file.column() for position, file in sorted(files.categories.items())},
        reading.hash_key,
        cache,
        {position: file.column() for position, file in sorted(files.times.items())},
    )
    return StreamedTable(table, {name: file.values() for name, file in role_files.items()})


class _Files:
    """The files of a table's columns, by position.

    viewed  columns whose texts are kept, however many there are
    """

    def __init__(self, cache: CacheDirectory, viewed: Collection[int]) -> None:
        self._cache = cache
        self._viewed = viewed
        self.numbers: dict[int, _NumberFile] = {}
        self.categories: dict[int, _CategoryFile] = {}
        self.times: dict[int, _TimeFile] = {}

    def append(self, batch: Table) -> None:
        for part in batch.parts:
            if part.first not in self.numbers:
                self.numbers[part.first] = _NumberFile(self._cache)
            self.numbers[part.first].append(part.values()[:, 0])
        for position, column in batch.categories.items():
            if position not in self.categories:
                most_texts = self._most_texts(position, column)
                self.categories[position] = _CategoryFile(self._cache, most_texts)
            self.categories[position].append(column)
        for position, times in batch.times.items():
            if position not in self.times:
                self.times[position] = _TimeFile(times.kind, self._cache)
            self.times[position].append(times)

    def _most_texts(self, position: int, first: CategoryColumn) -> int | None:
        """By the first batch of the column."""
        if position in self._viewed:
            return None
        return MOST_DATES if may_be_dates(first) else _MOST_TEXTS


class _NumberFile:
    """Numbers of one dtype, which becomes a wider one when a later batch needs it."""

    def __init__(self, cache: CacheDirectory) -> None:
        self._cache = cache
        self._path: Path | None = None
        self._dtype: np.dtype[Any] = np.dtype(np.bool_)

    def append(self, values: NDArray[Any]) -> None:
        if self._path is None:
            self._path, self._dtype = self._cache.new_file(), values.dtype
        dtype = np.result_type(self._dtype, values.dtype)
        if dtype != self._dtype:
            self._widen(dtype)
        self._write(values.astype(dtype, copy=False))

    def values(self) -> NDArray[Any]:
        assert self._path is not None  # a table has rows
        return map_file(self._path, self._dtype)

    def _write(self, values: NDArray[Any]) -> None:
        assert self._path is not None
        try:
            with self._path.open("ab") as file:
                file.write(np.ascontiguousarray(values).data)
        except OSError as error:
            raise no_room(error, self._cache.parent) from error

    def _widen(self, dtype: np.dtype[Any]) -> None:
        old, narrow = self._path, self.values()
        self._path, self._dtype = self._cache.new_file(), dtype
        for first in range(0, len(narrow), _COPIED_AT_ONCE):
            self._write(narrow[first : first + _COPIED_AT_ONCE].astype(dtype))
        assert old is not None
        old.unlink()


class _RoleFile:
    """A target or weights: numbers in a file, or objects (labels) of which equal ones are one."""

    def __init__(self, cache: CacheDirectory) -> None:
        self._file = _NumberFile(cache)
        self._pieces: list[NDArray[Any]] = []  # once they are no numbers
        self._known: dict[Any, Any] = {}
        self._empty = True

    def append(self, values: NDArray[Any]) -> None:
        if values.dtype.kind in "biuf" and not self._pieces:
            self._file.append(values)
        else:
            if not self._pieces and not self._empty:
                self._pieces.append(self._file.values().astype(object))
            self._pieces.append(self._shared(values))
        self._empty = False

    def _shared(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype.kind != "O":
            return values
        shared = np.empty(len(values), dtype=object)
        shared[:] = [
            self._known.setdefault(value, value) if isinstance(value, str) else value
            for value in values.tolist()
        ]
        return shared

    def values(self) -> NDArray[Any]:
        return np.concatenate(self._pieces) if self._pieces else self._file.values()


class _TimeFile:
    """Ticks of dates; of durations and times of day the numbers are all."""

    def __init__(self, kind: TimeKind, cache: CacheDirectory) -> None:
        self.kind = kind
        self._file = None if kind.what != "date" else _NumberFile(cache)

    def append(self, column: TimeColumn) -> None:
        if self._file is not None:
            self._file.append(column.values())

    def column(self) -> TimeColumn:
        return TimeColumn(self.kind, None if self._file is None else self._file.values())


class _CategoryFile:
    """Hashes of categories, and the texts of columns that have few.

    most_texts  of a column whose texts are kept; None: however many there are
    """

    def __init__(self, cache: CacheDirectory, most_texts: int | None) -> None:
        self._file = _NumberFile(cache)
        self._most_texts = most_texts
        self._texts: dict[int, str | None] | None = {}

    def append(self, column: CategoryColumn) -> None:
        hashes = column.row_hashes()
        self._file.append(hashes)
        if self._texts is None:
            return
        values, rows = np.unique(hashes, return_index=True)
        known = self._texts
        new = np.array([value not in known for value in values.tolist()])
        n_texts = len(known) + np.count_nonzero(new)
        if self._most_texts is not None and n_texts > self._most_texts:
            self._texts = None
            return
        known.update(zip(values[new].tolist(), column.texts(rows[new]), strict=True))

    def column(self) -> CategoryColumn:
        hashes, known = self._file.values(), self._texts

        def texts(rows: Rows) -> list[str | None]:
            if known is None:
                raise TextsNotKeptError
            return [known[value] for value in hashes[rows].tolist()]

        return CategoryColumn(hashes, None, texts)
