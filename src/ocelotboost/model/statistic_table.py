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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_STATISTIC_BINS = 16
FREQUENCY = -1

_COUNTING_DTYPES = (np.uint8, np.uint16, np.uint32)


def compact(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in the smallest of uint8, uint16, uint32 that holds them, else float64.

    >>> compact(np.array([0.0, 300.0])).dtype, compact(np.array([0.5])).dtype
    (dtype('uint16'), dtype('float64'))
    """
    if len(array) == 0:
        return np.empty(0, dtype=np.uint8)
    low, high = array.min(), array.max()
    whole = array.dtype.kind != "f" or bool((np.trunc(array) == array).all())  # not so for NaN
    for dtype in _COUNTING_DTYPES:
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

    prior_weight      float64 (n_tables,)     a of the formula
    member_offsets    uint32 (n_tables + 1,)  where each table's features begin in
    members           uint32                  categorical columns, ascending inside a table
    question_offsets  uint32 (n_tables + 1,)  where each table's base questions begin in
    question_columns  uint32                  numeric or indicator columns of the forest, and
    question_borders  float64                 their borders: the answers are one more member
    entry_offsets     uint64 (n_tables + 1,)  where each table's entries begin in
    keys              uint64 (n_entries,)     ascending inside a table
    counts            (n_entries,)            uint8, uint16, uint32, or float64 for weights that
                                              are not whole
    n_targets         uint32 (n_tables,)      how many sums each entry has
    sums              flat                    of table t, (n_entries of t, n_targets of t), one
                                              table after the other; dtypes as counts
    target_names      n_tables                of each sum, for words: ("mean target",)
    column_tables     uint32 (n_columns,)     the table of each statistic column
    column_targets    int32 (n_columns,)      which of its sums; -1: the frequency
    column_priors     float64 (n_columns,)    p of the formula
    column_lows       float64 (n_columns,)    the statistics between low and high
    column_highs      float64 (n_columns,)    are told apart by 16 bins
    """

    prior_weight: NDArray[np.float64]
    member_offsets: NDArray[np.uint32]
    members: NDArray[np.uint32]
    question_offsets: NDArray[np.uint32]
    question_columns: NDArray[np.uint32]
    question_borders: NDArray[np.float64]
    entry_offsets: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    counts: NDArray[Any]
    n_targets: NDArray[np.uint32]
    sums: NDArray[Any]
    target_names: tuple[tuple[str, ...], ...]
    column_tables: NDArray[np.uint32]
    column_targets: NDArray[np.int32]
    column_priors: NDArray[np.float64]
    column_lows: NDArray[np.float64]
    column_highs: NDArray[np.float64]

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
        members, member_offsets = _select(self.members, self.member_offsets, tables)
        borders, question_offsets = _select(self.question_borders, self.question_offsets, tables)
        keys, entry_offsets = _select(self.keys, self.entry_offsets, tables)
        return StatisticTables(
            prior_weight=self.prior_weight[tables],
            member_offsets=member_offsets,
            members=members,
            question_offsets=question_offsets,
            question_columns=_select(self.question_columns, self.question_offsets, tables)[0],
            question_borders=borders,
            entry_offsets=entry_offsets,
            keys=keys,
            counts=compact(_select(self.counts, self.entry_offsets, tables)[0]),
            n_targets=np.array([len(of_table) for of_table in names], dtype=np.uint32),
            sums=compact(np.concatenate(sums)),
            target_names=tuple(names),
            column_tables=places.astype(np.uint32),
            column_targets=targets,
            column_priors=self.column_priors[columns],
            column_lows=self.column_lows[columns],
            column_highs=self.column_highs[columns],
        )


def _select(
    values: NDArray[Any], offsets: NDArray[Any], tables: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The pieces of some tables, and where each of them begins now."""
    begins, ends = offsets[tables].tolist(), offsets[tables + 1].tolist()
    pieces = [values[begin:end] for begin, end in zip(begins, ends, strict=True)]
    sizes = [len(piece) for piece in pieces]
    return np.concatenate([values[:0], *pieces]), offsets_of(sizes, offsets.dtype.type)


def no_indicators() -> Indicators:
    """For a model without categories."""
    return Indicators(np.empty(0, np.uint32), np.empty(0, np.uint64), ())


def no_statistics() -> StatisticTables:
    """For a model without categories."""
    return StatisticTables(
        prior_weight=np.empty(0),
        member_offsets=np.zeros(1, np.uint32),
        members=np.empty(0, np.uint32),
        question_offsets=np.zeros(1, np.uint32),
        question_columns=np.empty(0, np.uint32),
        question_borders=np.empty(0),
        entry_offsets=np.zeros(1, np.uint64),
        keys=np.empty(0, np.uint64),
        counts=np.empty(0, np.uint8),
        n_targets=np.empty(0, np.uint32),
        sums=np.empty(0, np.uint8),
        target_names=(),
        column_tables=np.empty(0, np.uint32),
        column_targets=np.empty(0, np.int32),
        column_priors=np.empty(0),
        column_lows=np.empty(0),
        column_highs=np.empty(0),
    )


def join_indicators(first: Indicators, second: Indicators) -> Indicators:
    """Those of ``second`` after those of ``first``."""
    return Indicators(
        np.concatenate([first.columns, second.columns]),
        np.concatenate([first.hashes, second.hashes]),
        first.texts + second.texts,
    )


def join_statistics(*tables: StatisticTables) -> StatisticTables:
    """The tables and columns of all, one after the other; questions stay as they are."""

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(own, name) for own in tables])

    def joined_offsets(name: str) -> NDArray[Any]:
        own = [getattr(some, name) for some in tables]
        sizes = np.concatenate([np.diff(offsets) for offsets in own])
        return offsets_of(sizes, own[0].dtype.type)

    first_tables = np.cumsum([0, *(own.n_tables for own in tables)])
    return StatisticTables(
        prior_weight=joined("prior_weight"),
        member_offsets=joined_offsets("member_offsets"),
        members=joined("members"),
        question_offsets=joined_offsets("question_offsets"),
        question_columns=joined("question_columns"),
        question_borders=joined("question_borders"),
        entry_offsets=joined_offsets("entry_offsets"),
        keys=joined("keys"),
        counts=compact(joined("counts")),
        n_targets=joined("n_targets"),
        sums=compact(joined("sums")),
        target_names=tuple(names for own in tables for names in own.target_names),
        column_tables=np.concatenate(
            [own.column_tables + first_tables[i] for i, own in enumerate(tables)]
        ).astype(np.uint32),
        column_targets=joined("column_targets"),
        column_priors=joined("column_priors"),
        column_lows=joined("column_lows"),
        column_highs=joined("column_highs"),
    )
