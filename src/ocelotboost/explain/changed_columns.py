"""Tables with one column changed, for questions of the kind "what if this column were ..."."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.columns import DensePart, Part, Table, part_with
from ocelotboost.table.derived import derive_again
from ocelotboost.table.formulas import Derivation
from ocelotboost.table.from_input import table_from_input


def with_column(table: Table, column: int, other: Table, rows: NDArray[np.intp]) -> Table:
    """``table``, but with the values that some rows of ``other`` have in one column.

    rows  (n_rows of ``table``,): row of ``other`` for each row
    """
    if column in table.categories:
        changed = other.categories[column].take(rows)
        categories = {**table.categories, column: changed}
        return derive_again(replace(table, categories=categories, taken=None))
    values = _values(other.parts, column)[rows]
    times = dict(table.times)
    if column in times:
        times[column] = other.times[column].take(rows)
    parts = tuple(_with_numbers(table.parts, DensePart(column, values)))
    return derive_again(replace(table, parts=parts, times=times, taken=None))


def one_column(like: Table, column: int, values: Sequence[object]) -> Table:
    """A table whose rows have these values in one column, and whose other columns are not there:
    to be taken from by ``with_column``."""
    given = np.empty((len(values), 1), dtype=object)
    given[:, 0] = values
    categorical = [0] if column in like.categories else []
    read = table_from_input(
        given,
        argument="grid",
        cat_features=categorical,
        detect=False,
        hash_key=like.hash_key,
        derivation=Derivation({0: like.times[column].kind} if column in like.times else {}),
    )
    parts = tuple(DensePart(column, part.values()) for part in read.parts)
    return replace(
        read,
        n_columns=like.n_given,
        parts=parts,
        categories={column: read.categories[0]} if read.categories else {},
        times={column: read.times[0]} if read.times else {},
    )


def with_values(table: Table, column: int, values: Table, row: int) -> Table:
    """``table``, but all rows have the value that one row of ``values`` has in a column."""
    return with_column(table, column, values, np.full(table.n_rows, row))


def numbers_of(table: Table, column: int) -> NDArray[np.float64]:
    """One numeric column, (n_rows,)."""
    return _values(table.parts, column)[:, 0].astype(np.float64)


def _values(parts: Sequence[Part], column: int) -> NDArray[np.floating]:
    """One numeric column, (n_rows, 1)."""
    part = part_with(parts, column)
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
