"""Small categorical data for the tests of statistics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import History
from ocelotboost.order.combination import Combination, Facet
from ocelotboost.order.ordering import draw_orderings
from ocelotboost.order.parcels import one_parcel
from ocelotboost.order.statistic import StatisticTargets, statistic_columns, statistic_units
from ocelotboost.order.statistic_rows import StatisticRows, StatisticSource
from ocelotboost.order.statistic_store import StatisticStore, page_capacity
from ocelotboost.quantize.block import ColumnBlock, ColumnSplit, SlottedColumns, layout_columns
from ocelotboost.quantize.categorical_data import CategoricalData

FEATURES = (1, 4, 6)  # positions in a table whose other columns are numbers
NUMBERS = (0, 2, 3, 5)
COMBINATIONS = (
    Combination((1,)),
    Combination((4,)),
    Combination((1, 6)),
    Combination((1, 4, 6)),
    Combination((4,), (ColumnSplit(0, 3),)),
    Combination((6,), (ColumnSplit(0, 3),)),
    Combination((1, 6), (ColumnSplit(0, 3), ColumnSplit(5, 8), ColumnSplit(2, 1))),
)


def make_data(n_rows: int, seed: int) -> CategoricalData:
    """Features of few, some and many values."""
    rng = np.random.default_rng(seed)
    codes = np.empty((len(FEATURES), n_rows), dtype=np.uint32)
    hashes = []
    for line, most in enumerate([2, 5, max(n_rows, 2)]):
        values, codes[line] = np.unique(rng.integers(0, most, size=n_rows), return_inverse=True)
        hashes.append(np.sort(rng.integers(0, 2**63, size=len(values)).astype(np.uint64)))
    counts = np.array([*map(len, hashes)], dtype=np.uint32)
    return CategoricalData(FEATURES, codes, counts, tuple(hashes))


def make_block(n_rows: int, seed: int) -> ColumnBlock:
    """Numbers of 16 bins; categorical columns have a single one."""
    rng = np.random.default_rng(seed + 1)
    counts = np.where(np.isin(np.arange(7), NUMBERS), 16, 1).astype(np.uint32)
    layout = layout_columns(counts, n_rows)
    slots = np.zeros((layout.n_slots, n_rows), dtype=np.uint8)
    for column in NUMBERS:
        bins = rng.integers(0, 16, size=n_rows).astype(np.uint8)
        slots[layout.slots[column]] |= bins << np.uint8(layout.shifts[column])
    return ColumnBlock.of(SlottedColumns(slots, layout), 1)


def column_bins(block: ColumnBlock, column: int) -> NDArray[np.uint8]:
    return block.bins(column)


def make_source(
    n_rows: int,
    seed: int,
    *,
    history: History = History.BEFORE,
    window: int = 0,
    weight: NDArray[np.float32] | None = None,
    target: NDArray[np.float32] | None = None,
    n_supporting: int = 2,
    priors: tuple[float, ...] = (0.0, 0.5, 1.0),
    prior_weight: float = 1.0,
    n_facets: int = 1,
) -> StatisticSource:
    """Two targets: zeros and ones, and numbers. ``target`` (n,) takes the place of the numbers.
    They share one facet, or have two."""
    rng = np.random.default_rng(seed + 2)
    numbers = rng.normal(size=n_rows).astype(np.float32)
    classes = rng.integers(0, 2, size=n_rows).astype(np.float32)
    targets = StatisticTargets(
        values=np.stack([classes, numbers if target is None else target]),
        lows=np.array([0.0, -1.0]),
        highs=np.array([1.0, 1.5]),
        centers=np.array([0.5, 0.1]),
        names=("a class", "a number"),
        n_facets=n_facets,
    )
    in_order = history == History.BEFORE
    return StatisticSource(
        data=make_data(n_rows, seed),
        targets=targets,
        weight=weight,
        orderings=draw_orderings(
            one_parcel(n_rows), n_supporting if in_order else 0, np.random.SeedSequence(seed)
        ),
        columns=statistic_columns(targets, priors, prior_weight),
        history=history,
        window=window,
        units=statistic_units(targets.values, weight),
    )


def bins_of(
    store: RowsAndStore, combination: Combination, ordering: int = 0, facet: int = 0
) -> NDArray[np.uint8]:
    """The bins of all columns of a statistic's facet: (n_columns, n)."""
    return unpacked(store, store.pages_of([Facet(combination, facet)], ordering)[0])


def unpacked(store: RowsAndStore, page: int) -> NDArray[np.uint8]:
    own = store.pages[page]
    halves = np.stack([own & 15, own >> 4], axis=2).reshape(len(own), -1)
    return halves.T[: store.rule.columns.n_columns].copy()


def values_of(
    source: StatisticSource, block: ColumnBlock, combination: Combination
) -> list[tuple[int, ...]]:
    """The value of a combination in every row, as the categories and answers it is made of."""
    members = [source.data.codes[FEATURES.index(f)] for f in combination.features]
    answers = [column_bins(block, split.column) > split.bin for split in combination.base]
    return list(zip(*(column.tolist() for column in [*members, *answers]), strict=True))


class RowsAndStore(StatisticStore):
    """A store, and the rows that have its pages."""

    def __init__(self, rows: StatisticRows, capacity: int, n_threads: int) -> None:
        super().__init__(rows.source.rule, rows, capacity, rows.n_rows, n_threads)
        self.rows = rows

    @property
    def pages(self) -> NDArray[np.uint8]:
        return self.rows.pages.bytes


def make_store(
    source: StatisticSource, block: ColumnBlock, cache_bytes: int = 1 << 22, n_threads: int = 1
) -> RowsAndStore:
    capacity = page_capacity(cache_bytes, block.n_rows, source.columns.n_bytes)
    return RowsAndStore(StatisticRows(source, block, capacity, n_threads), capacity, n_threads)


def page_bytes(source: StatisticSource, block: ColumnBlock) -> int:
    return block.n_rows * source.columns.n_bytes
