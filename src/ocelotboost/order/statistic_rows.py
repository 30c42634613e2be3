"""Statistics of some training rows: all of them, or those of one shard.

Rows have codes of categories and combinations, and pages of statistics. Which statistic is on
which page is decided elsewhere (order/statistic_store.py).

A row's history runs through the parcels before its own (order/parcels.py). A shard that does not
hold those parcels is told what they add up to: sums are whole numbers (``StatisticRule.units``), so
it does not matter who adds them (order/exchange.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import History
from ocelotboost.lazy import cached_property
from ocelotboost.order.combination import Combination
from ocelotboost.order.combination_codes import Codes, CombinationCodes
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.pages import PageBytes
from ocelotboost.order.parcels import Parcels, one_parcel
from ocelotboost.order.statistic import StatisticColumns, StatisticTargets
from ocelotboost.quantize.block import ColumnBlock
from ocelotboost.quantize.categorical_data import CategoricalData

#: Whole numbers, the count and the sum of each target: int64 (..., n_targets + 1).
Totals = NDArray[np.int64]


@dataclass(frozen=True)
class StatisticRule:
    """How statistics are made: the same for all rows.

    columns      of every statistic
    history      which rows the statistic of a row is made of
    window       rows of an ordered history; 0: all before
    units        float64 (n_targets + 1,) what 1 is worth in counts and in the sums of each target
    names        what a person calls the averages of the targets
    n_orderings  a single one serves for all
    hash_key     uint64 (2,) what categories are hashed under
    """

    columns: StatisticColumns
    history: History
    window: int
    units: NDArray[np.float64]
    names: tuple[str, ...]
    n_orderings: int
    hash_key: NDArray[np.uint64]


@dataclass(frozen=True)
class StatisticSource:
    """All that statistics are made from.

    targets    of all rows of ``data``
    weight     float32 (n,) of all rows, or None
    orderings  uint32 (s + 1, n); a single one serves for all
    window     rows of an ordered history; 0: all before
    units      float64 (n_targets + 1,) what 1 is worth in counts and in the sums of each target
    """

    data: CategoricalData
    targets: StatisticTargets
    weight: NDArray[np.float32] | None
    orderings: Orderings
    columns: StatisticColumns
    history: History
    window: int
    units: NDArray[np.float64]

    @property
    def rule(self) -> StatisticRule:
        return StatisticRule(
            self.columns,
            self.history,
            self.window,
            self.units,
            self.targets.names,
            len(self.orderings),
            self.data.hash_key,
        )

    def part(self, places: slice, n_threads: int) -> StatisticSource:
        """Some rows by themselves, in the same order of time."""
        inside = [
            order[(order >= places.start) & (order < places.stop)] for order in self.orderings
        ]
        return replace(
            self,
            data=self.data.part(places, n_threads),
            targets=replace(self.targets, values=self.targets.values[:, places].copy()),
            weight=None if self.weight is None else self.weight[places],
            orderings=np.stack(inside) - np.uint32(places.start),
        )


class Divided(NamedTuple):
    """How a combination divides the rows.

    n_values     how many values it has
    fingerprint  equal for combinations that divide the rows alike
    """

    n_values: int
    fingerprint: int


class ValueTotals(NamedTuple):
    """What is known of each value of a combination.

    keys    uint64 (n_values,) the values, ascending
    totals  (n_values, n_targets + 1)
    """

    keys: NDArray[np.uint64]
    totals: Totals


class ParcelTotals(NamedTuple):
    """The same of the rows of one parcel, for the values that occur in it.

    values  uint32 (n_present,) positions in ``ShardTotals.keys``
    totals  (n_present, n_targets + 1)
    """

    values: NDArray[np.uint32]
    totals: Totals


class ShardTotals(NamedTuple):
    """What the rows of a shard say of the values of a combination.

    keys  uint64 (n_values,) the values by their codes in the shard
    """

    keys: NDArray[np.uint64]
    parcels: list[ParcelTotals]


class PastTotals(NamedTuple):
    """What all other rows say of the values of a combination, in one facet.

    values   of each parcel, as in ``ParcelTotals``
    before   of each parcel (n_present, n_targets of the facet + 1): what its rows begin with
    counts   int64 (n_values,) of the shard's values, in all rows everywhere
    largest  of the counts of all values
    """

    values: list[NDArray[np.uint32]]
    before: list[Totals]
    counts: NDArray[np.int64]
    largest: int


class StatisticRows:
    """Codes and pages of some rows.

    source  what their statistics are made from
    """

    def __init__(
        self,
        source: StatisticSource,
        block: ColumnBlock,
        capacity: int,
        n_threads: int,
        parcels: Parcels | None = None,
    ) -> None:
        """``capacity``: the most pages. ``parcels`` are those of the rows."""
        self.source = source
        self.n_rows = block.n_rows
        self.pages = PageBytes(capacity, block.n_rows, source.columns.n_bytes)
        self._parcels = one_parcel(block.n_rows) if parcels is None else parcels
        self._codes = CombinationCodes(source.data, block, n_threads)
        self._n_threads = n_threads

    def part(self, block: ColumnBlock, parcels: Parcels, first_place: int) -> StatisticRows:
        """Some of the rows by themselves, with pages of their own."""
        places = slice(first_place, first_place + block.n_rows)
        source, n_threads = self.source.part(places, self._n_threads), self._n_threads
        return StatisticRows(source, block, self.pages.capacity, n_threads, parcels)

    # ---- where these are all rows --------------------------------------------------------

    def look(self, combinations: Sequence[Combination]) -> list[Divided]:
        """How combinations with the same base divide the rows; ``fill`` is about them."""
        joined = self._join(combinations)
        return [
            Divided(int(joined.value_counts[line]), int(joined.fingerprints[line]))
            for line in joined.lines.tolist()
        ]

    def fill(self, which: Sequence[int], facet: int, ordering: int, pages: Sequence[int]) -> None:
        """Pages of a facet, for some of the combinations that were looked at."""
        self._fill(which, facet, self.source.orderings[ordering], pages, None)

    def value_totals(self, combination: Combination) -> ValueTotals:
        """Of the rows that count for new ones."""
        joined = self._join([combination])
        own = self._totals(joined, 0, self._history_of_new_rows)
        keys, order = own.keys, np.empty(len(own.keys), dtype=np.uint32)
        native.order_keys(keys, order)
        order = order[own.totals[:, 0].take(order) > 0]
        return ValueTotals(keys.take(order), own.totals.take(order, axis=0))

    # ---- where they are those of a shard -------------------------------------------------

    def totals(self, combinations: Sequence[Combination]) -> list[ShardTotals]:
        """What each parcel says of combinations with the same base."""
        if self.n_rows == 0:
            nothing = np.empty(0, dtype=np.uint64)
            return [
                ShardTotals(nothing, [self._nothing for _ in self._parcels.slices])
                for _ in combinations
            ]
        joined = self._join(combinations)
        return [self._shard_totals(joined, i) for i in range(len(combinations))]

    def fill_after(
        self,
        combinations: Sequence[Combination],
        facet: int,
        ordering: int,
        pages: Sequence[int],
        past: Sequence[PastTotals],
    ) -> None:
        """Pages of a facet of combinations with the same base, by what all other rows say of it."""
        self.pages.make_room(pages)
        if self.n_rows == 0:
            return
        self._join(combinations)
        order = self.source.orderings[ordering]
        for p, places in enumerate(self._parcels.slices):
            inside = order[(order >= places.start) & (order < places.stop)]
            if len(inside):
                begun = [self._begun(p, own) for own in past]
                self._fill(range(len(combinations)), facet, inside, pages, begun)

    def _begun(self, parcel: int, past: PastTotals) -> _Begun:
        before = past.before[parcel]
        totals = np.zeros((len(past.counts), before.shape[1]), dtype=np.int64)
        totals[past.values[parcel]] = before
        return _Begun(totals, past.counts, past.largest)

    def _shard_totals(self, joined: Codes, which: int) -> ShardTotals:
        everything, parcels = self._totals(joined, which, None), []
        for places in self._parcels.slices:
            if len(self._parcels.slices) == 1:
                totals = everything.totals
            else:
                rows = np.arange(places.start, places.stop, dtype=np.uint32)
                totals = self._totals(joined, which, rows, with_keys=False).totals
            present = np.flatnonzero(totals[:, 0]).astype(np.uint32)
            parcels.append(ParcelTotals(present, totals.take(present, axis=0)))
        return ShardTotals(everything.keys, parcels)

    @property
    def _nothing(self) -> ParcelTotals:
        n_fields = len(self.source.units)
        return ParcelTotals(np.empty(0, dtype=np.uint32), np.empty((0, n_fields), dtype=np.int64))

    # ---- passes over the rows ------------------------------------------------------------

    def _join(self, combinations: Sequence[Combination]) -> Codes:
        self._answers = self._codes.base_answers(combinations[0].base)
        self._joined = self._codes.of(combinations, self._answers)
        self._combinations = list(combinations)
        return self._joined

    def _fill(
        self,
        which: Sequence[int],
        facet: int,
        order: NDArray[np.uint32],
        pages: Sequence[int],
        begun: Sequence[_Begun] | None,
    ) -> None:
        source, joined, columns = self.source, self._joined, self.source.columns
        own = columns.of_facet(facet)
        self.pages.make_room(pages)
        before = counts = largest = None
        if begun is not None:
            before = np.concatenate([past.totals for past in begun])
            counts = np.concatenate([past.counts for past in begun])
            largest = np.array([past.largest for past in begun], dtype=np.int64)
        native.target_statistics(
            joined.codes,
            joined.value_counts,
            joined.lines[list(which)],
            np.ascontiguousarray(order[np.newaxis]),
            int(source.history),
            source.window,
            source.targets.values[columns.targets_of(facet)],
            source.weight,
            source.units[columns.fields_of(facet)],
            before,
            counts,
            largest,
            columns.prior_weight,
            columns.priors[own],
            columns.lows[own],
            columns.highs[own],
            True,
            np.array(pages, dtype=np.uint32)[:, np.newaxis],
            self.pages.bytes,
            n_threads=self._n_threads,
        )

    def _totals(
        self,
        joined: Codes,
        which: int,
        rows: NDArray[np.uint32] | None,
        with_keys: bool = True,
    ) -> ValueTotals:
        """Of some rows, None: of all; the values by their codes."""
        source, line = self.source, int(joined.lines[which])
        n_values = int(joined.value_counts[line])
        totals = np.empty((n_values, len(source.units)), dtype=np.int64)
        row_of = np.empty(n_values, dtype=np.uint32)  # one of each value
        native.total_by_value(
            joined.codes[line],
            source.targets.values,
            source.weight,
            source.units,
            rows,
            totals,
            row_of,
        )
        keys = np.empty(n_values if with_keys else 0, dtype=np.uint64)
        if with_keys:
            self._fill_keys(self._combinations[which], row_of, keys)
        return ValueTotals(keys, totals)

    def _fill_keys(
        self, combination: Combination, rows: NDArray[np.uint32], out: NDArray[np.uint64]
    ) -> None:
        data = self.source.data
        hashes = data.member_hashes(combination.features, rows)
        if self._answers is not None:
            hashes = np.concatenate([hashes, self._answers[rows].astype(np.uint64)[np.newaxis]])
        native.combination_keys(
            np.ascontiguousarray(hashes), data.hash_key, out, n_threads=self._n_threads
        )

    @cached_property
    def _history_of_new_rows(self) -> NDArray[np.uint32] | None:
        """The rows that count for new ones; None: all."""
        source = self.source
        if source.history == History.APART:
            return np.arange(self.n_rows, source.data.n_rows, dtype=np.uint32)
        if source.window > 0:
            last: NDArray[np.uint32] = source.orderings[0][-source.window :]
            return np.ascontiguousarray(last)
        return None


class _Begun(NamedTuple):
    """What the rows of a parcel begin with, for each value of a combination by its code."""

    totals: Totals
    counts: NDArray[np.int64]
    largest: int
