"""Quantizer: learns the borders of every column, and turns tables into bins with them.

Columns are those of the table, where a categorical feature has a single bin, and after them one
of two bins for every indicator: is the category of a feature this one?
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import Missing
from ocelotboost.model.statistic_table import Indicators, no_indicators
from ocelotboost.quantize.block import ColumnBlock, SlottedColumns, fill_fields, layout_columns
from ocelotboost.quantize.borders import BORDER_RULES, choose_borders
from ocelotboost.quantize.bundles import Bundles, StoredBins
from ocelotboost.quantize.sparse_columns import stored_bins
from ocelotboost.table.columns import ZERO_KEY, SparsePart, Table


@dataclass(frozen=True)
class Quantizer:
    """The borders of every column, and the bin of its missing values.

    borders      one ascending float64 array a column; none for a categorical feature, 0.5 for an
                 indicator
    missing      uint8 (n_columns,) of ``Missing``
    indicators   the columns after those of the table
    categorical  bool (n_features,) columns of the table that hold categories
    hash_key     uint64 (2,) what categories are hashed under
    """

    borders: list[NDArray[np.float64]]
    missing: NDArray[np.uint8]
    indicators: Indicators
    categorical: NDArray[np.bool_]
    hash_key: NDArray[np.uint64] = field(default_factory=lambda: ZERO_KEY)

    @classmethod
    def fit(
        cls,
        table: Table,
        *,
        weight: NDArray[np.float32] | None = None,
        indicators: Indicators | None = None,
        border_count: int = 254,
        border_type: str = "GreedyLogSum",
        nan_mode: str = "Min",
        has_missing: NDArray[np.bool_] | None = None,
        rng: np.random.Generator,
        n_threads: int,
    ) -> Quantizer:
        """Borders from the table's rows. Missing values get a bin, and spend one border.
        ``has_missing`` (n_columns,) is given where the table is a sample of the rows."""
        if has_missing is None:
            has_missing = count_missing(table, n_threads) > 0
        if nan_mode == "Forbidden":
            _forbid(table, has_missing)
        shared, own = (
            (Missing.HIGH, Missing.OWN_HIGH)
            if nan_mode == "Max"
            else (Missing.LOW, Missing.OWN_LOW)
        )
        max_borders = (border_count - has_missing).astype(np.uint32)
        borders = choose_borders(
            table, weight, BORDER_RULES[border_type], max_borders, rng, n_threads
        )
        missing = np.where(has_missing, own, shared).astype(np.uint8)
        categorical = np.zeros(table.n_columns, dtype=np.bool_)
        categorical[list(table.categories)] = True
        chosen = no_indicators() if indicators is None else indicators
        n_chosen = len(chosen)
        return cls(
            [*borders, *([np.array([0.5])] * n_chosen)],
            np.append(missing, np.full(n_chosen, shared, dtype=np.uint8)),
            chosen,
            categorical,
            table.hash_key,
        )

    @property
    def n_features(self) -> int:
        return len(self.categorical)

    @property
    def n_columns(self) -> int:
        return len(self.borders)

    def blind_to(self, columns: slice) -> Quantizer:
        """Another in which these columns of numbers have one bin, so that no tree asks about
        them."""
        borders, missing = list(self.borders), self.missing.copy()
        borders[columns] = [np.empty(0)] * len(borders[columns])
        missing[columns] = Missing.LOW
        return replace(self, borders=borders, missing=missing)

    @property
    def missing_high(self) -> NDArray[np.bool_]:
        """bool (n_features,)"""
        return np.isin(self.missing[: self.n_features], [Missing.HIGH, Missing.OWN_HIGH])

    @property
    def bin_counts(self) -> NDArray[np.uint32]:
        own_bin = np.isin(self.missing, [Missing.OWN_LOW, Missing.OWN_HIGH]).astype(np.uint32)
        return np.array([len(b) + 1 for b in self.borders], dtype=np.uint32) + own_bin

    def borders_of(
        self, columns: NDArray[np.uint32], split_bins: NDArray[np.uint8]
    ) -> NDArray[np.float64]:
        """The numbers behind questions "bin > split_bin"; NaN parts missing from present."""
        borders, offsets = join_borders(self.borders)
        first, end = offsets[columns].astype(np.int64), offsets[columns + 1].astype(np.int64)
        places = first + split_bins - (self.missing[columns] == Missing.OWN_LOW)
        inside = (places >= first) & (places < end)
        found = np.full(len(columns), np.nan)
        found[inside] = borders[places[inside]]
        return found

    def slots(
        self, table: Table, n_threads: int, rows: NDArray[np.uint32] | None = None
    ) -> SlottedColumns:
        """Bins for the questions of trees, with the rows in this order; None: as they come."""
        stored = self._stored_bins(table)
        bundles = Bundles.of(stored, self.bin_counts, table.n_rows)
        layout = layout_columns(self.bin_counts, table.n_rows, bundles)
        slots = table.memory.zeros((layout.n_slots, table.n_rows), np.uint8)
        self._fill(table, layout.slots, layout.shifts, slots, n_threads)
        fill_fields(stored, layout, slots)
        if rows is not None:
            _put_in_order(slots, rows)
        return SlottedColumns(slots, layout)

    def block(
        self, table: Table, n_threads: int, rows: NDArray[np.uint32] | None = None
    ) -> ColumnBlock:
        """The same in the layout for training."""
        return ColumnBlock.of(self.slots(table, n_threads, rows), n_threads, table.memory)

    def _stored_bins(self, table: Table) -> StoredBins:
        parts = [part for part in table.parts if isinstance(part, SparsePart)]
        return stored_bins(parts, self.borders, self.missing)

    def _fill(
        self,
        table: Table,
        targets: NDArray[np.uint32],
        shifts: NDArray[np.uint32],
        bins: NDArray[np.uint8],
        n_threads: int,
    ) -> None:
        """Bins of dense columns and of indicators."""
        for part in table.parts:
            columns = slice(part.first, part.first + part.width)
            if isinstance(part, SparsePart):
                continue
            borders, offsets = join_borders(self.borders[columns])
            native.quantize(
                part.values(),
                np.arange(part.width, dtype=np.uint32),
                borders,
                offsets,
                self.missing[columns],
                targets[columns],
                shifts[columns],
                bins,
                n_threads=n_threads,
            )
        indicated = zip(
            self.indicators.columns.tolist(),
            self.indicators.hashes,
            targets[self.n_features :],
            shifts[self.n_features :],
            strict=True,
        )
        for feature, category, target, shift in indicated:
            is_this = table.categories[feature].row_hashes() == category
            bins[target] |= is_this.astype(np.uint8) << np.uint8(shift)


def _put_in_order(slots: NDArray[np.uint8], rows: NDArray[np.uint32]) -> None:
    """Reads on and writes to few places at a time, as the rows ascend in each parcel."""
    places = np.empty(len(rows), dtype=np.uint32)
    places[rows] = np.arange(len(rows), dtype=np.uint32)
    as_they_came = np.empty_like(slots[0])
    for slot in slots:
        np.copyto(as_they_came, slot)
        slot[places] = as_they_came


def join_borders(
    borders: list[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """All borders in one array, and where each column's begin (and the end)."""
    offsets = np.zeros(len(borders) + 1, dtype=np.uint32)
    np.cumsum([len(b) for b in borders], out=offsets[1:])
    return np.concatenate([*borders, np.empty(0)]), offsets


def refuse_missing(table: Table, n_threads: int) -> None:
    """Raise InputError when a number is missing: what nan_mode='Forbidden' asks for.

    A missing category is a category like others.
    """
    _forbid(table, count_missing(table, n_threads) > 0)


def count_missing(table: Table, n_threads: int) -> NDArray[np.uint64]:
    """Missing numbers of each column."""
    counts = np.zeros(table.n_columns, dtype=np.uint64)
    for part in table.parts:
        own = counts[part.first : part.first + part.width]
        if isinstance(part, SparsePart):
            own[:] = part.count_missing()
            continue
        native.count_missing(part.values(), own, n_threads=n_threads)
    return counts


def _forbid(table: Table, has_missing: NDArray[np.bool_]) -> None:
    """Of the columns that the user gave; what is derived from them is no fault of theirs."""
    found = np.flatnonzero(has_missing[: table.n_given]).tolist()
    if not found:
        return
    column = found[0]
    name = f"{table.names[column]!r} (position {column})" if table.names else f"{column}"
    raise InputError(
        f"Column {name} has missing values, and nan_mode='Forbidden' allows none. Fill them in, "
        "drop the rows, or use nan_mode='Min' or 'Max'."
    )
