"""What is asked of the partitions of a Dask collection, as functions that run as Dask tasks.

A task depends on a partition and on what the driver knows, nothing else. So Dask can run it again
elsewhere when its worker is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from ocelotboost.boost.start import Start
from ocelotboost.dask.server import HeldColumns, Span, held
from ocelotboost.kernels import native
from ocelotboost.loss.base import Floats
from ocelotboost.quantize.quantizer import Quantizer, count_missing
from ocelotboost.table.cat_features import named_positions
from ocelotboost.table.categories import CategoryColumn, Rows, TextsNotKeptError, encode_hashes
from ocelotboost.table.columns import DensePart, Table
from ocelotboost.table.derived import derive, given_columns, ranges
from ocelotboost.table.formulas import Derivation, Formula
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.number_texts import warn_of_number_texts
from ocelotboost.table.number_views import viewed_columns
from ocelotboost.table.times import TimeColumn, all_missing
from ocelotboost.table.values import FloatArray

#: Texts are kept of columns with at most this many values: one-hot encoding asks for them.
_MOST_TEXTS = 255

#: The place of a row that is not trained on.
NO_PLACE = 0xFFFFFFFF


@dataclass(frozen=True)
class Categories:
    """A categorical column.

    hashes  uint64 (n,)
    texts   by hash, of columns with few values; otherwise None
    """

    hashes: NDArray[np.uint64]
    texts: dict[int, str | None] | None


@dataclass(frozen=True)
class Columns:
    """A table that can be pickled.

    n_columns   that the user gave
    numbers     positions of first columns, and arrays (n, width)
    categories  by position
    times       by position
    formulas    of derived columns, which are made where they are used
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    numbers: list[tuple[int, FloatArray]]
    categories: dict[int, Categories]
    hash_key: NDArray[np.uint64]
    times: dict[int, TimeColumn]
    formulas: tuple[Formula, ...]

    @classmethod
    def of(cls, table: Table) -> Columns:
        return cls(
            table.n_rows,
            table.n_given,
            table.names,
            [(part.first, part.values()) for part in given_columns(table).parts],
            {
                p: _categories(column, p in viewed_columns(table.formulas))
                for p, column in table.categories.items()
            },
            table.hash_key,
            {p: own.gathered() for p, own in table.times.items()},
            table.formulas,
        )

    def table(self) -> Table:
        parts = tuple(DensePart(first, array) for first, array in self.numbers)
        categories = {p: _column(own) for p, own in self.categories.items()}
        given = Table(
            self.n_rows,
            self.n_columns,
            self.names,
            parts,
            categories,
            self.hash_key,
            times=self.times,
        )
        return derive(given, self.formulas)

    def take(self, rows: NDArray[np.intp]) -> Columns:
        """Some rows."""
        return replace(
            self,
            n_rows=len(rows),
            numbers=[(first, array[rows]) for first, array in self.numbers],
            categories={
                p: Categories(own.hashes[rows], own.texts) for p, own in self.categories.items()
            },
            times={p: own.take(rows).gathered() for p, own in self.times.items()},
        )

    def column(self, position: int) -> FloatArray:
        """The numbers (n,) of one column."""
        for first, array in self.numbers:
            if first <= position < first + array.shape[1]:
                return array[:, position - first]
        raise AssertionError("a column of numbers")


class Header(NamedTuple):
    """What the first partition with rows tells of all, and the columns that are derived.

    n_columns  that the user gave
    """

    n_columns: int
    names: tuple[str, ...] | None
    categorical: list[int]
    derivation: Derivation


def header_of(
    part: Any, named: Any, hash_key: NDArray[np.uint64], derivation: Derivation | None
) -> Header | None:
    """None: the partition has no rows. ``named`` are the columns that the user calls categorical;
    ``derivation`` is that of a model which is continued."""
    if len(part) == 0:
        return None
    table = table_from_input(part, cat_features=named, hash_key=hash_key, derivation=derivation)
    named_columns = named_positions(named, table.names, table.n_given, "X")
    warn_of_number_texts(table, named_columns, part, views=False)
    return Header(table.n_given, table.names, sorted(table.categories), table.derivation)


def read(
    part: Any, number: int, header: Header, hash_key: NDArray[np.uint64], name: str
) -> Columns:
    """One partition as columns; ``name`` is what errors call the collection."""
    if len(part) == 0:
        numeric = [p for p in range(header.n_columns) if p not in header.categorical]
        nothing = np.empty(0, dtype=np.uint64)
        return Columns(
            0,
            header.n_columns,
            header.names,
            [(p, np.empty((0, 1))) for p in numeric],
            {p: Categories(nothing, {}) for p in header.categorical},
            hash_key,
            no_times(header.derivation),
            header.derivation.formulas,
        )
    table = table_from_input(
        part,
        argument=f"partition {number} of {name}",
        cat_features=header.categorical,
        detect=False,
        hash_key=hash_key,
        derivation=header.derivation,
    )
    return Columns.of(table)


def no_times(derivation: Derivation) -> dict[int, TimeColumn]:
    """The columns of times of a table without rows."""
    return {p: all_missing(kind, 0).column for p, kind in derivation.times.items()}


def ranges_of(columns: Columns, formulas: Sequence[Formula]) -> list[tuple[float, float]]:
    """Of columns to derive."""
    return ranges(columns.table(), formulas)


def with_formulas(columns: Columns, formulas: tuple[Formula, ...]) -> Columns:
    """The same with derived columns."""
    return replace(columns, formulas=formulas)


def length(columns: Columns) -> int:
    return columns.n_rows


def times(columns: Columns, position: int) -> NDArray[np.float64]:
    """The numbers of one column."""
    found: NDArray[np.float64] = np.array(columns.column(position))
    return found


def taken(columns: Columns, rows: NDArray[np.intp]) -> Columns:
    """Some rows."""
    return columns.take(rows)


class Facts(NamedTuple):
    """What a partition tells of its rows that are trained on.

    missing     bool (n_columns,)
    sample      the rows that choose borders
    categories  of each categorical column the distinct hashes, ascending, and texts as in
                ``Categories``
    """

    missing: NDArray[np.bool_]
    sample: Columns
    categories: dict[int, Categories]


def facts(columns: Columns, kept: NDArray[np.intp] | None, sample: NDArray[np.intp]) -> Facts:
    """``kept`` are the rows that are trained on, None: all; ``sample`` is among those."""
    own = columns if kept is None else columns.take(kept)
    numbers = replace(own, categories={})
    return Facts(
        count_missing(numbers.table(), 1) > 0,
        numbers.take(sample),
        {p: Categories(np.unique(c.hashes), c.texts) for p, c in own.categories.items()},
    )


def totals(
    columns: Columns,
    kept: NDArray[np.intp] | None,
    features: Sequence[int],
    target: NDArray[np.float32],
    weight: NDArray[np.float32] | None,
    units: NDArray[np.float64],
) -> list[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
    """Of each feature the distinct hashes, ascending, with counts and sums of the target."""
    found = []
    for feature in features:
        of_rows = columns.categories[feature].hashes
        codes, hashes = encode_hashes(of_rows if kept is None else of_rows[kept], 1)
        own = np.empty((len(hashes), 2), dtype=np.int64)
        rows = np.empty(len(hashes), dtype=np.uint32)
        native.total_by_value(codes, target[np.newaxis], weight, units, None, own, rows)
        found.append((hashes, own))
    return found


class Piece(NamedTuple):
    """The rows of a partition that belong to one span of parcels.

    places  uint32 (n,) where they go among the rows of the span
    """

    places: NDArray[np.uint32]
    columns: HeldColumns


@dataclass(frozen=True)
class CutSettings:
    """How rows become what a worker holds.

    features  the categorical features that have statistics
    """

    quantizer: Quantizer
    features: tuple[int, ...]
    start: Start


def cut(
    columns: Columns,
    places: NDArray[np.uint32],
    spans: Sequence[tuple[int, int]],
    settings: CutSettings,
) -> list[Piece]:
    """The rows by span. ``places`` are those of the rows among all; a span begins at one place and
    ends before another."""
    table = columns.table()
    slots = settings.quantizer.slots(table, 1).slots
    hashes = np.empty((len(settings.features), table.n_rows), dtype=np.uint64)
    for own, feature in zip(hashes, settings.features, strict=True):
        own[:] = table.categories[feature].row_hashes()
    raw = None
    if settings.start.continued is not None and table.n_rows:
        raw = settings.start.raw(table, 1)
    pieces = []
    for begin, end in spans:
        rows = np.flatnonzero((places >= begin) & (places < end))
        own_raw = None if raw is None else raw[:, rows]
        own_columns = HeldColumns(slots[:, rows], hashes[:, rows], own_raw)
        pieces.append(Piece(places[rows] - np.uint32(begin), own_columns))
    return pieces


def assemble(training: str, span: Span, n_rows: int, n_outputs: int, *pieces: Piece) -> int:
    """Put the pieces of a span together, and keep them in this worker. Returns the rows."""
    first = pieces[0].columns
    slots = np.empty((len(first.slots), n_rows), dtype=np.uint8)
    hashes = np.empty((len(first.hashes), n_rows), dtype=np.uint64)
    start: Floats | None = None
    for places, own in pieces:
        slots[:, places] = own.slots
        hashes[:, places] = own.hashes
        if own.start is not None:
            start = np.empty((n_outputs, n_rows)) if start is None else start
            start[:, places] = own.start
    held(training, get_worker()).columns[span] = HeldColumns(slots, hashes, start)
    return n_rows


def _categories(column: CategoryColumn, viewed: bool) -> Categories:
    hashes = column.row_hashes()
    values, rows = np.unique(hashes, return_index=True)
    if len(values) > _MOST_TEXTS and not viewed:
        return Categories(hashes, None)
    return Categories(hashes, dict(zip(values.tolist(), column.texts(rows), strict=True)))


def _column(own: Categories) -> CategoryColumn:
    def texts(rows: Rows) -> list[str | None]:
        if own.texts is None:
            raise TextsNotKeptError
        return [own.texts[value] for value in own.hashes[rows].tolist()]

    return CategoryColumn(own.hashes, None, texts)
