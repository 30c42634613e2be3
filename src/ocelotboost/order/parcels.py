"""Parcels: the rows dealt out into fixed sets, so that no result depends on who holds which rows.

Sums of floating-point numbers depend on the order of adding. So they are made per parcel, and the
sums of the parcels are added in the order of the parcels. Whoever holds whole parcels, one process
or many, comes to the same bits.

A parcel is a random set of about ``PARCEL_ROWS`` rows. Random, because an ordering runs through one
parcel after the other (order/ordering.py), and rows often come sorted. Where rows have their time,
a parcel is a stretch of it. Fewer rows are a single parcel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: About as many rows are in a parcel. Fewer cost time: with 100,000 rows and 100 columns in two
#: parcels, fits with ten leaf steps took 1.18 times as long as in one, and 1.13 times in Ordered
#: mode (best of nine, alternating). More leave fewer shards to a table.
PARCEL_ROWS = 1 << 18

Array = TypeVar("Array", bound=NDArray[np.generic])


@dataclass(frozen=True)
class Parcels:
    """Rows in the order of their parcels: each has a place.

    edges  parcel p has the places edges[p] … edges[p + 1] - 1
    rows   uint32 (n,) the row at each place, ascending in each parcel; None: rows as they come
    """

    edges: tuple[int, ...]
    rows: NDArray[np.uint32] | None = None

    @property
    def n_parcels(self) -> int:
        return len(self.edges) - 1

    @property
    def n_rows(self) -> int:
        return self.edges[-1]

    @property
    def slices(self) -> list[slice]:
        """The places of each parcel."""
        return [slice(begin, end) for begin, end in pairwise(self.edges)]

    def deal(self, values: Array) -> Array:
        """What is known of each row (..., n), in the order of places."""
        if self.rows is None:
            return values
        dealt: Array = values.take(self.rows, axis=-1)  # type: ignore[assignment]
        return dealt

    def places(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where some rows are."""
        if self.rows is None:
            return rows
        place_of = np.empty(self.n_rows, dtype=np.intp)
        place_of[self.rows] = np.arange(self.n_rows)
        return place_of[rows]


def one_parcel(n_rows: int) -> Parcels:
    """Rows as they come."""
    return Parcels((0, n_rows))


def count_parcels(n_rows: int) -> int:
    """How many parcels rows are dealt into."""
    return max(-(-n_rows // PARCEL_ROWS), 1)


def deal(
    n_rows: int,
    by_time: NDArray[np.intp] | None,
    seed: np.random.SeedSequence,
    n_parcels: int | None = None,
) -> Parcels:
    """Rows in parcels; ``by_time`` are the rows in the order of time, where they have one.
    ``n_parcels`` is None for as many as the rows need."""
    if n_parcels is None:
        n_parcels = count_parcels(n_rows)
    if n_parcels == 1:
        return one_parcel(n_rows)
    number = np.empty(n_rows, dtype=np.uint16 if n_parcels < 1 << 16 else np.uint32)
    if by_time is None:
        number[:] = _deal_at_random(n_rows, n_parcels, seed)
    else:
        number[by_time] = np.arange(n_rows) * n_parcels // n_rows
    rows = np.argsort(number, kind="stable").astype(np.uint32)
    counts = np.bincount(number, minlength=n_parcels)
    return Parcels((0, *np.cumsum(counts).tolist()), rows)


def _deal_at_random(
    n_rows: int, n_parcels: int, seed: np.random.SeedSequence
) -> NDArray[np.uint64]:
    """The parcel of each row, by its number and the seed alone: a part of the rows can be dealt
    without the others."""
    key, mixed = seed.generate_state(1, np.uint64), np.arange(n_rows, dtype=np.uint64)
    mixed ^= key
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return ((mixed >> np.uint64(32)) * np.uint64(n_parcels)) >> np.uint64(32)


def sum_in_order(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The sum of what each parcel says, in their order."""
    total, *others = parts
    for part in others:
        total = total + part
    return total
