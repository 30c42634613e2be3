"""Statistics of rows that several shards hold: one exchange of totals per combination.

Each shard says what each of its parcels adds up to, value by value. A row's history is made of the
parcels before its own in the ordering, and of earlier rows of its own parcel. So the totals of the
parcels are added up in their order, and each shard is told what its parcels begin with. All of it
is whole numbers: the statistics have the same bits as if one shard had all rows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.contract import History
from ocelotboost.order.combination import Combination
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.parcels import Parcels
from ocelotboost.order.statistic_rows import (
    Divided,
    PastTotals,
    ShardTotals,
    StatisticRows,
    StatisticRule,
    Totals,
    ValueTotals,
)
from ocelotboost.table.categories import encode_hashes

Answer = TypeVar("Answer")

#: What shards say of combinations is kept in about this many bytes.
KEPT_BYTES = 1 << 29


class StatisticShards(Protocol):
    """The statistics of all shards, asked together."""

    def each(self, request: Callable[[StatisticRows], Answer]) -> list[Answer]:
        """What every shard answers."""
        ...

    def tell_each(
        self, request: Callable[[StatisticRows, Any], None], values: Sequence[Any]
    ) -> None:
        """A request to each shard with a value of its own."""
        ...


class Exchange:
    """Makes the statistics of all shards. What the shards say of a combination serves for all
    orderings, and is kept while there is room."""

    def __init__(
        self,
        shards: StatisticShards,
        rule: StatisticRule,
        sequences: Sequence[Sequence[int]],
        n_threads: int,
    ) -> None:
        """``sequences``: the parcels of all shards in the order of each ordering."""
        self._shards = shards
        self._n_threads = n_threads
        self._rule = rule
        self._sequences = sequences
        self._looked_at: list[Combination] = []
        self._known: OrderedDict[Combination, AllTotals] = OrderedDict()  # the last used at the end
        self._numbers: dict[Combination, int] = {}

    def look(self, combinations: Sequence[Combination]) -> list[Divided]:
        """How combinations with the same base divide the rows; ``fill`` is about them."""
        self._ask([combination for combination in combinations if combination not in self._known])
        self._looked_at = list(combinations)
        # Which combinations divide the rows alike is not known, and would only save time.
        numbers = self._numbers
        return [
            Divided(
                len(self._known[combination].keys), numbers.setdefault(combination, len(numbers))
            )
            for combination in combinations
        ]

    def fill(self, which: Sequence[int], facet: int, ordering: int, pages: Sequence[int]) -> None:
        """Pages of a facet, for some of the combinations that were looked at."""
        if not which:
            return
        sequence = self._sequences[ordering] if self._rule.history == History.BEFORE else None
        chosen = [self._looked_at[i] for i in which]
        fields = self._rule.columns.fields_of(facet)
        past = [self._known[combination].past(sequence, fields) for combination in chosen]
        self._shards.tell_each(
            lambda rows, own: rows.fill_after(chosen, facet, ordering, pages, own),
            list(zip(*past, strict=True)),
        )
        self._forget_some()

    def value_totals(self, combination: Combination) -> ValueTotals:
        """Of all rows, for new ones."""
        if combination not in self._known:
            self._ask([combination])
        found = self._known[combination]
        return ValueTotals(found.keys, found.totals)

    def _ask(self, combinations: Sequence[Combination]) -> None:
        if not combinations:
            return
        answers = self._shards.each(lambda rows: rows.totals(combinations))
        for combination, own in zip(combinations, zip(*answers, strict=True), strict=True):
            self._known[combination] = AllTotals(own, len(self._rule.units), self._n_threads)

    def _forget_some(self) -> None:
        """What was unused for longest goes first."""
        for combination in self._looked_at:
            self._known.move_to_end(combination)
        n_bytes = sum(own.n_bytes for own in self._known.values())
        while n_bytes > KEPT_BYTES and len(self._known) > len(self._looked_at):
            n_bytes -= self._known.popitem(last=False)[1].n_bytes


class AllTotals:
    """What all shards say of the values of one combination.

    keys    uint64 (n_values,) the values, ascending
    totals  (n_values, n_targets + 1)
    """

    def __init__(self, shards: Sequence[ShardTotals], n_fields: int, n_threads: int) -> None:
        keys = [own.keys for own in shards]
        places, self.keys = encode_hashes(np.concatenate(keys), n_threads)
        edges = np.cumsum([0, *map(len, keys)])
        self._shards = shards
        self._places: list[NDArray[np.intp]] = [
            places[begin:end].astype(np.intp) for begin, end in pairwise(edges.tolist())
        ]
        self._of_parcels = [
            (where[values], totals)
            for own, where in zip(shards, self._places, strict=True)
            for values, totals in own.parcels
        ]
        self.totals: Totals = np.zeros((len(self.keys), n_fields), dtype=np.int64)
        for where, totals in self._of_parcels:
            _put(self.totals, where, self.totals.take(where, axis=0) + totals)

    @property
    def n_bytes(self) -> int:
        """About as much memory as it takes."""
        of_parcels = sum(where.nbytes + totals.nbytes for where, totals in self._of_parcels)
        return int(of_parcels + self.totals.nbytes + 20 * len(self.keys))

    def past(self, sequence: Sequence[int] | None, fields: NDArray[np.intp]) -> list[PastTotals]:
        """What each shard is told: of the parcels before each parcel in a sequence; None: of all
        other parcels. ``fields`` of the totals are wanted."""
        if sequence is None:
            before = [self.totals.take(w, axis=0) - totals for w, totals in self._of_parcels]
        else:
            before = self._before(sequence)
        largest, answers, first = int(self.totals[:, 0].max(initial=0)), [], 0
        for own, where in zip(self._shards, self._places, strict=True):
            end = first + len(own.parcels)
            values = [present for present, _ in own.parcels]
            counts = self.totals[:, 0].take(where)
            wanted = [totals.take(fields, axis=1) for totals in before[first:end]]
            answers.append(PastTotals(values, wanted, counts, largest))
            first = end
        return answers

    def _before(self, sequence: Sequence[int]) -> list[Totals]:
        """What the parcels before each parcel add up to. Parcels without rows are in no
        sequence."""
        running = np.zeros_like(self.totals)
        before = [totals[:0] for _, totals in self._of_parcels]
        for p in sequence:
            where, totals = self._of_parcels[p]
            before[p] = running.take(where, axis=0)
            _put(running, where, before[p] + totals)
        return before


def _put(totals: Totals, where: NDArray[np.intp], values: Totals) -> None:
    """totals[where] = values, a whole line at a time, which NumPy does four times as fast."""
    line = np.dtype((np.void, totals.itemsize * totals.shape[1]))
    totals.view(line)[:, 0][where] = values.view(line)[:, 0]


def parcel_sequences(parcels: Parcels, orderings: Orderings) -> list[list[int]]:
    """The parcels in the order of each ordering, which runs through one after the other."""
    edges = np.array(parcels.edges)
    sizes = np.diff(edges)
    found = []
    for order in orderings:
        sequence: list[int] = []
        place = 0
        while place < parcels.n_rows:
            parcel = int(np.searchsorted(edges, order[place], side="right")) - 1
            sequence.append(parcel)
            place += int(sizes[parcel])
        found.append(sequence)
    return found


def orders_of_span(
    parcels: Parcels,
    orderings: Orderings,
    sequences: Sequence[Sequence[int]],
    span: tuple[int, int],
) -> Orderings:
    """The rows of some consecutive parcels in the order of each ordering; their first row has place
    0. The parcels ``span[0]`` … ``span[1] - 1`` are meant."""
    first, end = span
    sizes = np.diff(parcels.edges)
    found = []
    for order, sequence in zip(orderings, sequences, strict=True):
        ends = np.cumsum(sizes[sequence])
        pieces = [
            order[stop - sizes[parcel] : stop]
            for parcel, stop in zip(sequence, ends.tolist(), strict=True)
            if first <= parcel < end
        ]
        found.append(np.concatenate([np.empty(0, dtype=np.uint32), *pieces]))
    return np.stack(found) - np.uint32(parcels.edges[first])
