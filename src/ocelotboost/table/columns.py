"""A table is numbers and categories. Numbers are parts: columns that lie together in memory.

    a NumPy matrix        [ a b c d e f ]            one part: its rows share cache lines
    a data frame          [a] [b] [c] [d] [e] [f]    one part per column, where the frame has it
    a sparse matrix       [a ... p] [q ... t]        up to 16 columns per part, dense on demand
    with b, e categories  [a]   [ c d ]   [f]        parts leave them out
    with f a date         [a b c d e] [f] [f.month]  its number, and parts that are derived from it

Whoever passes over a table asks one part after the other for its values, so at most one part of a
sparse table is dense at any time. The same holds for derived columns, which are not kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.cache_directory import PROCESS_MEMORY, Memory
from ocelotboost.table.categories import CategoryColumn
from ocelotboost.table.formulas import KINDS, Derivation, Formula
from ocelotboost.table.times import TimeColumn
from ocelotboost.table.values import FloatArray, HashKey

SPARSE_PART_WIDTH = 16

#: Of tables that no model is about.
ZERO_KEY: HashKey = np.zeros(2, dtype=np.uint64)


class Part(Protocol):
    """Some consecutive columns of the table."""

    @property
    def first(self) -> int:
        """Position of the first column in the table."""
        ...

    @property
    def width(self) -> int:
        """How many columns."""
        ...

    def values(self) -> FloatArray:
        """The numbers, (n_rows, width), with any strides; NaN is missing."""
        ...


@dataclass(frozen=True, eq=False)
class DensePart:
    """Columns that are an array already, never copied.

    array  float32 or float64 (n_rows, width), any strides, native byte order, aligned
    """

    first: int
    array: FloatArray

    @property
    def width(self) -> int:
        return int(self.array.shape[1])

    def values(self) -> FloatArray:
        return self.array


@dataclass(frozen=True, eq=False)
class SparsePart:
    """A few columns of a sparse matrix by columns; what is not stored is 0.0, not missing.

    All parts of a table share the three arrays of the whole matrix:

    starts   integers (n_columns + 1,)  column j is stored at starts[j] up to starts[j + 1]
    rows     integers (n_stored,)       no row twice in a column
    numbers  float32 or float64 (n_stored,)
    """

    first: int
    width: int
    n_rows: int
    starts: NDArray[Any]
    rows: NDArray[Any]
    numbers: FloatArray

    def stored(self, column: int) -> tuple[NDArray[Any], FloatArray]:
        """Rows and numbers that one of the part's columns stores."""
        start, end = self.starts[self.first + column], self.starts[self.first + column + 1]
        return self.rows[start:end], self.numbers[start:end]

    def values(self) -> FloatArray:
        dense = np.zeros((self.n_rows, self.width), dtype=self.numbers.dtype, order="F")
        for column in range(self.width):
            rows, numbers = self.stored(column)
            dense[rows, column] = numbers
        return dense

    def count_missing(self) -> NDArray[np.uint64]:
        """Missing numbers of each column."""
        own = slice(self.starts[self.first], self.starts[self.first + self.width])
        before = np.concatenate([[0], np.cumsum(np.isnan(self.numbers[own]))])
        ends = self.starts[self.first : self.first + self.width + 1] - own.start
        counts: NDArray[np.uint64] = np.diff(before[ends]).astype(np.uint64)
        return counts


@dataclass(frozen=True, eq=False)
class RowsPart:
    """Some rows of another part, gathered each time they are asked for.

    rows  integers (n_chosen,), in any order
    """

    part: Part
    rows: NDArray[np.intp]

    @property
    def first(self) -> int:
        return self.part.first

    @property
    def width(self) -> int:
        return self.part.width

    def values(self) -> FloatArray:
        return self.part.values()[self.rows]


@dataclass(frozen=True, eq=False)
class Taken:
    """Which rows of which table: integers (n_rows,)."""

    whole: Table
    rows: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """One column of a part, as a source of derived columns."""

    part: Part
    place: int

    def values(self) -> FloatArray:
        return self.part.values()[:, self.place]

    def take(self, rows: NDArray[np.intp]) -> NumberColumn:
        return NumberColumn(_take(self.part, rows), self.place)


class DerivedSource(Protocol):
    """What formulas are applied to: a column of some kind."""

    def values(self) -> NDArray[Any]:
        """(n_rows,), as the kind of formula takes them."""
        ...

    def take(self, rows: NDArray[np.intp]) -> DerivedSource:
        """The same for a choice of rows."""
        ...


@dataclass(frozen=True, eq=False)
class DerivedPart:
    """A derived column, computed each time it is asked for.

    sources  what the formula is applied to
    """

    first: int
    formula: Formula
    sources: tuple[DerivedSource, ...]

    width = 1

    def values(self) -> FloatArray:
        own = KINDS[self.formula.kind].values(*(source.values() for source in self.sources))
        return own[:, np.newaxis]

    def take(self, rows: NDArray[np.intp]) -> DerivedPart:
        return replace(self, sources=tuple(source.take(rows) for source in self.sources))


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, each of them numeric or categorical.

    n_columns   the columns that the user gave, and after them the derived ones
    names       of the columns that the user gave, None when the input had none
    parts       the numeric columns, ascending; gaps where categorical columns stand
    categories  the categorical columns by position
    hash_key    what all categories are hashed under
    memory      where what is made of the columns should be: in files where the columns are
    times       what is known of columns of dates, times of day and durations besides their numbers,
                by position
    formulas     of the derived columns
    taken       the table whose rows these are; None: it is no part of another
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    parts: tuple[Part, ...]
    categories: Mapping[int, CategoryColumn] = field(default_factory=dict)
    hash_key: HashKey = field(default_factory=lambda: ZERO_KEY)
    memory: Memory = PROCESS_MEMORY
    times: Mapping[int, TimeColumn] = field(default_factory=dict)
    formulas: tuple[Formula, ...] = ()
    taken: Taken | None = None

    @property
    def n_given(self) -> int:
        """Columns that the user gave."""
        return self.n_columns - len(self.formulas)

    @property
    def derivation(self) -> Derivation:
        """How further rows become a table like this one."""
        kinds = {position: column.kind for position, column in self.times.items()}
        return Derivation(kinds, self.formulas)

    def column_name(self, position: int) -> str:
        """What people call one of the user's columns."""
        return f"feature {position}" if self.names is None else self.names[position]

    def take(self, rows: NDArray[Any]) -> Table:
        """The same columns for a choice of rows (an integer array); copies no numbers yet."""
        chosen = np.asarray(rows, dtype=np.intp)
        parts = _take_parts(self.parts, chosen)
        categories = {position: c.take(chosen) for position, c in self.categories.items()}
        times = {position: column.take(chosen) for position, column in self.times.items()}
        taken = Taken(self, chosen)
        if self.taken is not None:
            taken = Taken(self.taken.whole, self.taken.rows[chosen])
        return replace(
            self,
            n_rows=len(chosen),
            parts=parts,
            categories=categories,
            times=times,
            taken=taken,
        )

    def dense(self) -> FloatArray:
        """All numbers as one array (n_rows, n_columns), categorical columns NaN: for small tables
        and tests."""
        parts = [(part.first, part.values()) for part in self.parts]
        dtype = np.result_type(np.float32, *(values.dtype for _, values in parts))
        dense: FloatArray = np.full((self.n_rows, self.n_columns), np.nan, dtype=dtype)
        for first, values in parts:
            dense[:, first : first + values.shape[1]] = values
        return dense


def part_with(parts: Sequence[Part], column: int) -> Part:
    """The part that has a column of numbers."""
    return next(part for part in parts if part.first <= column < part.first + part.width)


def _take_parts(parts: tuple[Part, ...], rows: NDArray[np.intp]) -> tuple[Part, ...]:
    sparse = next((part for part in parts if isinstance(part, SparsePart)), None)
    if sparse is None or len(np.unique(rows)) < len(rows):
        return tuple(_take(part, rows) for part in parts)
    arrays = _stored_in_rows(sparse, rows)
    return tuple(
        SparsePart(part.first, part.width, len(rows), *arrays)
        if isinstance(part, SparsePart)
        else _take(part, rows)
        for part in parts
    )


def _stored_in_rows(
    part: SparsePart, rows: NDArray[np.intp]
) -> tuple[NDArray[Any], NDArray[Any], FloatArray]:
    """The three arrays of a sparse matrix for a choice of its rows, none of them twice."""
    places = np.full(part.n_rows, -1, dtype=np.intp)
    places[rows] = np.arange(len(rows))
    found = places[part.rows]
    kept = found >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    return before[part.starts], found[kept], part.numbers[kept]


def _take(part: Part, rows: NDArray[np.intp]) -> Part:
    if isinstance(part, DerivedPart):
        return part.take(rows)
    if isinstance(part, RowsPart):
        return RowsPart(part.part, part.rows[rows])
    return RowsPart(part, rows)
