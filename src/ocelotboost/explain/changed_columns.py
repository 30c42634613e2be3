"""Tables with one column changed, for questions of the kind "what if this column were ..."."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.columns import DensePart, Part, Table


def with_column(table: Table, column: int, other: Table, rows: NDArray[np.intp]) -> Table:
    """``table``, but with the values that some rows of ``other`` have in one column.

    rows  (n_rows of ``table``,): row of ``other`` for each row
    """
    if column in table.categories:
        changed = other.categories[column].take(rows)
        return replace(table, categories={**table.categories, column: changed})
    values = _values(other.parts, column)[rows]
    return replace(table, parts=tuple(_with_numbers(table.parts, DensePart(column, values))))


def repeated(table: Table, n_times: int) -> Table:
    """All rows, and again from the first."""
    return table.take(np.tile(np.arange(table.n_rows), n_times))


def _values(parts: Sequence[Part], column: int) -> NDArray[np.floating]:
    """One numeric column, (n_rows, 1)."""
    part = next(part for part in parts if part.first <= column < part.first + part.width)
    values: NDArray[np.floating] = part.values()[:, column - part.first : column - part.first + 1]
    return values


def _with_numbers(parts: Sequence[Part], changed: DensePart) -> Iterator[Part]:
    """The parts in order, the one with the changed column cut around it."""
    for part in parts:
        place = changed.first - part.first
        if not 0 <= place < part.width:
            yield part
            continue
        values = part.values()
        if place > 0:
            yield DensePart(part.first, values[:, :place])
        yield changed
        if place + 1 < part.width:
            yield DensePart(changed.first + 1, values[:, place + 1 :])
