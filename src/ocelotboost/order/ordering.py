"""Orderings: a time for the rows, so that each may learn from those before it alone.

The time is artificial, or what the user says it is. σ₁ … σ_s choose the structures of trees, each
tree by one of them at random; σ₀ fills the leaves.

An ordering runs through one parcel of rows after the other (order/parcels.py): the parcels are in a
random order, and so are the rows of each. Who holds a parcel draws the order of its rows alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.order.parcels import Parcels
from ocelotboost.table.columns import Table, part_with

Orderings = NDArray[np.uint32]

#: False, True, or the name or position of a column.
Time = bool | int | str


def draw_orderings(parcels: Parcels, count: int, seed: SeedSequence) -> Orderings:
    """σ₀ … σ_s, s = ``count``: the place of the row at each time, uint32 (count + 1, n_rows)."""
    of_parcels = default_rng(_child(seed, 0))
    sequences = [of_parcels.permutation(parcels.n_parcels) for _ in range(count + 1)]
    inside = [
        _orders_inside(part, count, seed if p == 0 else _child(seed, p))
        for p, part in enumerate(parcels.slices)
    ]
    return np.stack(
        [np.concatenate([inside[p][r] for p in sequence]) for r, sequence in enumerate(sequences)]
    )


def _orders_inside(part: slice, count: int, seed: SeedSequence) -> list[NDArray[np.uint32]]:
    """The places of one parcel, in the order of each ordering."""
    rng = default_rng(seed)
    return [
        (part.start + rng.permutation(part.stop - part.start)).astype(np.uint32)
        for _ in range(count + 1)
    ]


def _child(seed: SeedSequence, number: int) -> SeedSequence:
    return SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number))


def single_ordering(rows: NDArray[np.intp]) -> Orderings:
    """The rows in one order, which is σ₀ = σ₁."""
    return rows.astype(np.uint32)[np.newaxis]


def make_orderings(
    parcels: Parcels, by_time: NDArray[np.intp] | None, count: int, seed: SeedSequence
) -> Orderings:
    """σ₀ … σ_s, s = ``count``; one for all where rows have their time."""
    if by_time is None:
        return draw_orderings(parcels, count, seed)
    return single_ordering(parcels.places(by_time))


def rows_by_time(table: Table, has_time: Time) -> NDArray[np.intp] | None:
    """The rows, the earliest first, those of equal times as they come; None: they have no time."""
    if _is_flag(has_time):
        return np.arange(table.n_rows) if has_time else None
    return np.argsort(_numbers(table, _time_column(table, has_time)), kind="stable")


def check_time(table: Table, has_time: Time) -> None:
    """Refuse a ``has_time`` that names no column of numbers."""
    if not _is_flag(has_time):
        _time_column(table, has_time)


def halves(
    n_rows: int, by_time: NDArray[np.intp] | None, seed: SeedSequence
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows that train trees, and rows that are history only: half of them each. The earlier half is
    history where rows have their time."""
    if n_rows < 2:
        raise ParameterError("target_statistic='holdout' needs at least two rows.")
    order = default_rng(seed).permutation(n_rows) if by_time is None else by_time
    return np.sort(order[n_rows // 2 :]), np.sort(order[: n_rows // 2])


def _time_column(table: Table, has_time: Time) -> int:
    """The position of the column that ``has_time`` names."""
    names = table.names or ()
    position = names.index(has_time) if has_time in names else has_time
    if isinstance(position, str) or not 0 <= position < table.n_given:
        raise ParameterError(
            f"has_time={has_time!r} is not a column of X; give the name or the position of a "
            "column of dates or numbers, or True for the order of the rows."
        )
    if position in table.categories:
        raise ParameterError(
            f"has_time={has_time!r} is a categorical column; give a column of dates or numbers, or "
            "sort the rows by time and use has_time=True."
        )
    return int(position)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _numbers(table: Table, column: int) -> NDArray[Any]:
    part = part_with(table.parts, column)
    return part.values()[:, column - part.first]
