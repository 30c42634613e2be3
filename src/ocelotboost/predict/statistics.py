"""Byte columns of target statistics: the tables of a model, prepared to look keys up in them.

Statistics of the training data do not change any more. So the bin of every entry in every statistic
column is found once, when the look-up is made, and so is the bin of a value that is not in the
table. What remains for a row is to find the slot of its key, and to copy bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import BUCKET_SIZE
from ocelotboost.kernels.memory import aligned_empty
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import (
    FREQUENCY,
    N_STATISTIC_BINS,
    StatisticTables,
    offsets_of,
)
from ocelotboost.predict.byte_columns import Bytes, Fill, Located, read_hashes, stretch_of
from ocelotboost.table.columns import Table

Hashes = NDArray[np.uint64]

# Five keys in a bucket of eight, on average: one key in forty lies in a bucket that is not its own.
_KEYS_A_BUCKET = 5


@dataclass(frozen=True, eq=False)
class StatisticLookup:
    """Where keys are, and the bins of each (``native.look_up`` tells the layout).

    hash_key        uint64 (2,)            keys of combinations are hashed under it
    features        the categorical columns that the tables are about, ascending
    member_offsets  uint32 (n_tables + 1,)
    members         uint32                 which of ``features``
    answer_rows     int32 (n_tables,)      which row of base answers; -1 for a table without a base
    bucket_offsets  uint64 (n_tables + 1,)
    slot_keys       uint64 (n_buckets, 8)
    vacant          uint64 (n_tables,)     what a slot without a key holds
    n_ascending     uint64 (n_tables,)     buckets filled in ascending order; 0: by hash
    column_offsets  uint32 (n_tables + 1,)
    columns         uint32 (n_columns,)    statistic columns, sorted by table
    bin_offsets     uint64 (n_tables + 1,)
    slot_bins       uint8                  of each table (n_slots, n_columns of the table)
    """

    hash_key: Hashes
    features: tuple[int, ...]
    member_offsets: NDArray[np.uint32]
    members: NDArray[np.uint32]
    answer_rows: NDArray[np.int32]
    bucket_offsets: NDArray[np.uint64]
    slot_keys: Hashes
    vacant: Hashes
    n_ascending: Hashes
    column_offsets: NDArray[np.uint32]
    columns: NDArray[np.uint32]
    bin_offsets: NDArray[np.uint64]
    slot_bins: NDArray[np.uint8]

    @staticmethod
    def of(tables: StatisticTables, hash_key: Hashes, n_threads: int) -> StatisticLookup:
        """Prepare all tables."""
        features = tuple(np.unique(tables.members).tolist())
        bucket_offsets = offsets_of(tables.n_entries() // _KEYS_A_BUCKET + 1, np.uint64)
        slot_keys = aligned_empty((int(bucket_offsets[-1]), BUCKET_SIZE), np.uint64)
        vacant = np.empty(tables.n_tables, dtype=np.uint64)
        n_ascending = np.empty(tables.n_tables, dtype=np.uint64)
        slot_entries = np.empty(slot_keys.shape, dtype=np.uint32)
        native.index_keys(
            tables.keys,
            tables.entry_offsets,
            bucket_offsets,
            slot_keys,
            vacant,
            n_ascending,
            slot_entries,
            n_threads=n_threads,
        )
        columns = np.argsort(tables.column_tables, kind="stable").astype(np.uint32)
        n_columns = np.bincount(tables.column_tables, minlength=tables.n_tables)
        n_slots = np.diff(bucket_offsets.astype(np.int64)) * BUCKET_SIZE
        bin_offsets = offsets_of(n_slots * n_columns, np.uint64)
        slot_bins = np.empty(int(bin_offsets[-1]), dtype=np.uint8)
        column_offsets = offsets_of(n_columns, np.uint32)
        for table in range(tables.n_tables):
            own = columns[column_offsets[table] : column_offsets[table + 1]]
            entries = slot_entries[int(bucket_offsets[table]) : int(bucket_offsets[table + 1])]
            out = slot_bins[int(bin_offsets[table]) : int(bin_offsets[table + 1])]
            bins = np.take(entry_bins(tables, table, own), entries.reshape(-1), axis=0)
            out[:] = bins.reshape(-1)
        based = np.diff(tables.question_offsets.astype(np.int64)) > 0
        return StatisticLookup(
            hash_key=hash_key,
            features=features,
            member_offsets=tables.member_offsets,
            members=np.searchsorted(features, tables.members).astype(np.uint32),
            answer_rows=np.where(based, np.cumsum(based) - 1, -1).astype(np.int32),
            bucket_offsets=bucket_offsets,
            slot_keys=slot_keys,
            vacant=vacant,
            n_ascending=n_ascending,
            column_offsets=column_offsets,
            columns=columns,
            bin_offsets=bin_offsets,
            slot_bins=slot_bins,
        )

    def fill(
        self,
        hashes: Hashes,
        answers: NDArray[np.uint32],
        out: Bytes,
        n_threads: int,
    ) -> None:
        """Write the bins of all statistic columns; hashes are (n_features, n).

        answers  uint32 (n_based, n): for each table with base questions, in order, the answers as
                 binary digits, the first question highest
        """
        native.look_up(
            hashes,
            self.hash_key,
            self.member_offsets,
            self.members,
            answers,
            self.answer_rows,
            self.bucket_offsets,
            self.slot_keys,
            self.vacant,
            self.n_ascending,
            self.column_offsets,
            self.bin_offsets,
            self.slot_bins,
            self.columns,
            out,
            n_threads=n_threads,
        )


@dataclass(frozen=True, eq=False)
class StatisticBytes:
    """One byte column per statistic column of some tables.

    lookup            the tables
    question_offsets  uint32 (n_based + 1,)  base questions of the tables that have some:
    question_columns  uint32                 byte columns of the kinds before
    question_bins     uint8                  the answer is yes for a greater bin
    """

    lookup: StatisticLookup
    question_offsets: NDArray[np.uint32]
    question_columns: NDArray[np.uint32]
    question_bins: NDArray[np.uint8]

    @classmethod
    def of(cls, forest: Forest, base: Located) -> StatisticBytes:
        """``base`` are the questions of all tables' bases, in their order."""
        return cls.of_tables(forest.statistics, forest.hash_key, base, n_threads=1)

    @classmethod
    def of_tables(
        cls, tables: StatisticTables, hash_key: Hashes, base: Located, n_threads: int
    ) -> StatisticBytes:
        sizes = np.diff(tables.question_offsets.astype(np.int64))
        return cls(
            lookup=StatisticLookup.of(tables, hash_key, n_threads),
            question_offsets=offsets_of(sizes[sizes > 0], np.uint32),
            question_columns=base.columns,
            question_bins=base.bins,
        )

    @property
    def n_columns(self) -> int:
        return len(self.lookup.columns)

    def reader(self, table: Table, n_threads: int) -> Fill:
        hashes = read_hashes(table, self.lookup.features, self.lookup.hash_key)

        def fill(begin: int, end: int, bins: Bytes, out: Bytes) -> None:
            self.fill(stretch_of(hashes, begin, end), bins, out, n_threads)

        return fill

    def fill(self, hashes: Hashes, bins: Bytes, out: Bytes, n_threads: int) -> None:
        """The byte columns ``out`` (n_columns, n) of rows with the hashes (n_features, n); ``bins``
        has the byte columns that base questions are about."""
        answers = np.empty((len(self.question_offsets) - 1, out.shape[1]), dtype=np.uint32)
        if len(answers):
            native.answer_questions(
                bins,
                self.question_offsets,
                self.question_columns,
                self.question_bins,
                answers,
                n_threads=n_threads,
            )
        self.lookup.fill(hashes, answers, out, n_threads)


def entry_bins(
    tables: StatisticTables, table: int, columns: NDArray[np.uint32]
) -> NDArray[np.uint8]:
    """Bins of a table's entries, and last of a value not among them: (n_entries + 1, n_columns)."""
    counts = np.append(tables.counts[tables.entries_of(table)].astype(np.float64), 0.0)
    sums = tables.sums_of(table)
    weight = float(tables.prior_weight[table])
    bins = np.empty((len(counts), len(columns)), dtype=np.uint8)
    for k, column in enumerate(columns.tolist()):
        prior, target = float(tables.column_priors[column]), int(tables.column_targets[column])
        if target == FREQUENCY:
            statistics = (counts + prior) / (counts.max() + 1.0)
        else:
            own = np.append(sums[:, target].astype(np.float64), 0.0)
            with np.errstate(over="ignore"):  # infinite is the highest or lowest bin
                statistics = (own + weight * prior) / (counts + weight)
        low, high = float(tables.column_lows[column]), float(tables.column_highs[column])
        bins[:, k] = bins_of_statistics(statistics, low, high)
    return bins


def bins_of_statistics(
    statistics: NDArray[np.float64], low: float, high: float
) -> NDArray[np.uint8]:
    """Which of 16 bins: [low, high] has 15 equal parts, and the last bin begins at high.

    >>> bins_of_statistics(np.array([-1.0, 0.0, 0.1, 0.5, 1.0, 9.0]), 0.0, 1.0)
    array([ 0,  0,  1,  7, 15, 15], dtype=uint8)
    """
    last = N_STATISTIC_BINS - 1
    scale = last / (high - low)
    return np.clip((statistics - low) * scale, 0, last).astype(np.uint8)
