"""What a model knows about categories: indicators, and tables of whole-data statistics.

A category is the 64-bit hash of its text. A combination of categorical features has a table with
an entry for each of its values in the training data: how many rows had it, and the sums of
their targets. Statistic columns are made of a table by looking a row's key up in it:

    table 0: (device × site)                       column 0: mean target, prior 0.5
      key of the value   count   sums                ts  = (sum + a·p) / (count + a)
      0x02ab…            17      5            ──►    bin = which of 16 equal parts of [low, high]
      0x5c0e…            3       0                 column 1: frequency, prior 0
      (not in the table) 0       0                   ts  = (count + p) / (largest count + 1)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.lazy import cached_property

N_STATISTIC_BINS = 16
FREQUENCY = -1

#: Axes of the arrays of ``StatisticTables``: one value per ...
TABLE, OFFSET, MEMBER, QUESTION, ENTRY, SUM, COLUMN = (
    "n_tables", "n_tables + 1", "n_members", "n_questions", "n_entries", "n_sums", "n_columns",
)  # fmt: skip
#: Which offsets cut the values of an axis into the pieces of tables.
OFFSETS_OF_AXIS = {
    MEMBER: "member_offsets",
    QUESTION: "question_offsets",
    ENTRY: "entry_offsets",
}
#: The first of them that holds all numbers exactly.
COUNTING = (np.uint8, np.uint16, np.uint32, np.float64)


@dataclass(frozen=True)
class StoredArray:
    """An array of one axis as it is declared; ``dtypes`` are several for counts and sums."""

    name: str
    dtypes: tuple[type[Any], ...]
    axis: str
    meaning: str

    @property
    def counting(self) -> bool:
        return self.dtypes == COUNTING


def stored(dtypes: type[Any] | tuple[type[Any], ...], axis: str, meaning: str) -> dict[str, Any]:
    """What is known about an array, for the dataclass field that declares it."""
    several = dtypes if isinstance(dtypes, tuple) else (dtypes,)
    return {"dtypes": several, "axis": axis, "meaning": meaning}


def compact(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in the smallest of uint8, uint16, uint32 that holds them, else float64.

    >>> compact(np.array([0.0, 300.0])).dtype, compact(np.array([0.5])).dtype
    (dtype('uint16'), dtype('float64'))
    """
    if len(array) == 0:
        return np.empty(0, dtype=np.uint8)
    low, high = array.min(), array.max()
    whole = array.dtype.kind != "f" or bool((np.trunc(array) == array).all())  # not so for NaN
    for dtype in COUNTING[:-1]:
        if whole and low >= 0 and high <= np.iinfo(dtype).max:
            return array.astype(dtype)
    return array.astype(np.float64)


def offsets_of(sizes: Sequence[int] | NDArray[Any], dtype: type[np.integer[Any]]) -> NDArray[Any]:
    """Where each of some pieces begins when they lie one after the other, and the end."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(dtype)


@dataclass(frozen=True, eq=False)
class Indicators:
    """Yes/no columns: "the category of this column is this one".

    columns  uint32 (n,)
    hashes   uint64 (n,)  of the category; 0 is missing
    texts    n            the category in words, None for missing
    """

    columns: NDArray[np.uint32]
    hashes: NDArray[np.uint64]
    texts: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def select(self, numbers: NDArray[Any]) -> Indicators:
        """Only these indicators, in this order."""
        texts = tuple(self.texts[number] for number in numbers.tolist())
        return Indicators(self.columns[numbers], self.hashes[numbers], texts)


@dataclass(frozen=True, eq=False)
class StatisticTables:
    """Tables of combinations, and the statistic columns that are made of them.

    Each array is declared once, with its dtype, its axis and its meaning. Empty tables, selecting,
    joining, checking and the arrays of a file follow from that.
    """

    prior_weight: NDArray[np.float64] = field(
        metadata=stored(np.float64, TABLE, "a of the formula")
    )
    member_offsets: NDArray[np.uint32] = field(
        metadata=stored(
            np.uint32, OFFSET, "members of table t are those from offset t up to offset t + 1"
        )
    )
    members: NDArray[np.uint32] = field(
        metadata=stored(np.uint32, MEMBER, "categorical columns, ascending inside a table")
    )
    question_offsets: NDArray[np.uint32] = field(
        metadata=stored(np.uint32, OFFSET, "base questions of table t, in the same way")
    )
    question_columns: NDArray[np.uint32] = field(
        metadata=stored(
            np.uint32, QUESTION, "numeric or indicator columns; the answers are one more member"
        )
    )
    question_borders: NDArray[np.float64] = field(
        metadata=stored(np.float64, QUESTION, "their borders")
    )
    entry_offsets: NDArray[np.uint64] = field(
        metadata=stored(np.uint64, OFFSET, "entries of table t, in the same way")
    )
    keys: NDArray[np.uint64] = field(metadata=stored(np.uint64, ENTRY, "ascending inside a table"))
    counts: NDArray[Any] = field(
        metadata=stored(COUNTING, ENTRY, "rows with the key, or the sum of their weights")
    )
    n_targets: NDArray[np.uint32] = field(
        metadata=stored(np.uint32, TABLE, "how many sums an entry has")
    )
    sums: NDArray[Any] = field(
        metadata=stored(
            COUNTING,
            SUM,
            "for each table, its entries one after the other, each with all of its sums",
        )
    )
    column_tables: NDArray[np.uint32] = field(
        metadata=stored(np.uint32, COLUMN, "table of a statistic column")
    )
    column_targets: NDArray[np.int32] = field(
        metadata=stored(np.int32, COLUMN, "which of the sums; −1 is the frequency")
    )
    column_priors: NDArray[np.float64] = field(
        metadata=stored(np.float64, COLUMN, "p of the formula")
    )
    column_lows: NDArray[np.float64] = field(
        metadata=stored(np.float64, COLUMN, "the statistics between low and high")
    )
    column_highs: NDArray[np.float64] = field(
        metadata=stored(np.float64, COLUMN, "are divided into 16 bins")
    )
    #: Of each table, what its sums are in words: ("mean target",).
    target_names: tuple[tuple[str, ...], ...]

    @property
    def n_tables(self) -> int:
        return len(self.prior_weight)

    @property
    def n_columns(self) -> int:
        return len(self.column_tables)

    def n_entries(self) -> NDArray[np.int64]:
        """Entries of each table: (n_tables,)."""
        offsets = self.entry_offsets.astype(np.int64)
        return offsets[1:] - offsets[:-1]

    @cached_property
    def sum_offsets(self) -> NDArray[np.int64]:
        """Where each table's sums begin, and the end: (n_tables + 1,)."""
        return offsets_of(self.n_entries() * self.n_targets, np.int64)

    def members_of(self, table: int) -> NDArray[np.uint32]:
        """The categorical columns of a table's combination."""
        return self.members[self.member_offsets[table] : self.member_offsets[table + 1]]

    def questions_of(self, table: int) -> slice:
        """Which questions are the base of a table's combination."""
        return slice(int(self.question_offsets[table]), int(self.question_offsets[table + 1]))

    def entries_of(self, table: int) -> slice:
        """Which keys and counts are a table's."""
        return slice(int(self.entry_offsets[table]), int(self.entry_offsets[table + 1]))

    def sums_of(self, table: int) -> NDArray[Any]:
        """A view of a table's sums: (n_entries of the table, n_targets of the table)."""
        entries = self.entries_of(table)
        n_entries, n_targets = entries.stop - entries.start, int(self.n_targets[table])
        first = int(self.sum_offsets[table])
        return self.sums[first : first + n_entries * n_targets].reshape(n_entries, n_targets)

    def select(self, columns: NDArray[Any]) -> StatisticTables:
        """Only these statistic columns, in this order, and the tables and sums they are made of."""
        tables, places = np.unique(self.column_tables[columns], return_inverse=True)
        targets = self.column_targets[columns]
        sums, names = [self.sums[:0]], []
        for place, table in enumerate(tables.tolist()):
            mine = (places == place) & (targets != FREQUENCY)
            kept, targets[mine] = np.unique(targets[mine], return_inverse=True)
            sums.append(self.sums_of(table)[:, kept].reshape(-1))
            names.append(tuple(self.target_names[table][target] for target in kept.tolist()))
        chosen = {array.name: self._selected(array, tables, columns) for array in STATISTIC_ARRAYS}
        return StatisticTables(
            **{
                **chosen,
                "n_targets": np.array([len(of_table) for of_table in names], dtype=np.uint32),
                "sums": compact(np.concatenate(sums)),
                "column_tables": places.astype(np.uint32),
                "column_targets": targets,
            },
            target_names=tuple(names),
        )

    def _selected(
        self, array: StoredArray, tables: NDArray[Any], columns: NDArray[Any]
    ) -> NDArray[Any]:
        """What is left of an array when only some tables and columns are."""
        values: NDArray[Any] = getattr(self, array.name)
        if array.axis == OFFSET:
            return offsets_of(np.diff(values)[tables], values.dtype.type)
        if array.axis in OFFSETS_OF_AXIS:
            values = _pieces(values, getattr(self, OFFSETS_OF_AXIS[array.axis]), tables)
            return compact(values) if array.counting else values
        return values[{TABLE: tables, COLUMN: columns}.get(array.axis, slice(0))]


def _pieces(values: NDArray[Any], offsets: NDArray[Any], tables: NDArray[Any]) -> NDArray[Any]:
    """The pieces of some tables, one after the other."""
    begins, ends = offsets[tables].tolist(), offsets[tables + 1].tolist()
    pieces = [values[begin:end] for begin, end in zip(begins, ends, strict=True)]
    return np.concatenate([values[:0], *pieces])


STATISTIC_ARRAYS = tuple(
    StoredArray(declared.name, **declared.metadata)
    for declared in dataclasses.fields(StatisticTables)
    if declared.metadata
)


def no_indicators() -> Indicators:
    """For a model without categories."""
    return Indicators(np.empty(0, np.uint32), np.empty(0, np.uint64), ())


def no_statistics() -> StatisticTables:
    """For a model without categories."""
    empty = {
        array.name: np.zeros(1 if array.axis == OFFSET else 0, dtype=array.dtypes[0])
        for array in STATISTIC_ARRAYS
    }
    return StatisticTables(**empty, target_names=())


def join_indicators(first: Indicators, second: Indicators) -> Indicators:
    """Those of ``second`` after those of ``first``."""
    return Indicators(
        np.concatenate([first.columns, second.columns]),
        np.concatenate([first.hashes, second.hashes]),
        first.texts + second.texts,
    )


def join_statistics(*tables: StatisticTables) -> StatisticTables:
    """The tables and columns of all, one after the other; questions stay as they are."""

    first_tables = np.cumsum([0, *(own.n_tables for own in tables)])

    def joined(array: StoredArray) -> NDArray[Any]:
        parts = [getattr(own, array.name) for own in tables]
        if array.axis == OFFSET:
            return offsets_of(np.concatenate([np.diff(part) for part in parts]), array.dtypes[0])
        if array.name == "column_tables":
            parts = [part + first for part, first in zip(parts, first_tables, strict=False)]
        values = np.concatenate(parts)
        return compact(values) if array.counting else values.astype(array.dtypes[0], copy=False)

    return StatisticTables(
        **{array.name: joined(array) for array in STATISTIC_ARRAYS},
        target_names=tuple(names for own in tables for names in own.target_names),
    )
