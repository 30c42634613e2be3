"""Derived columns of a table: chosen when a model is trained, and made by formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ocelotboost.table.columns import (
    DensePart,
    DerivedPart,
    DerivedSource,
    NumberColumn,
    Part,
    Table,
    part_with,
)
from ocelotboost.table.crosses import CROSSES
from ocelotboost.table.date_texts import DATE_ORDERS
from ocelotboost.table.date_views import dates_of
from ocelotboost.table.formulas import KINDS, Formula
from ocelotboost.table.number_views import CategoryNumbers
from ocelotboost.table.values import FloatArray

#: Predicting them should take microseconds, so that all their crosses are computed at once.
_FEW_ROWS = 64

#: Rows that are looked at together: mostly the first of them tell that a column varies.
_STRETCH = 1 << 15


def derive(table: Table, formulas: Sequence[Formula]) -> Table:
    """The table with derived columns after the user's own. They are computed when asked for."""
    assert not table.formulas, "columns are derived once"
    n_others = len(formulas)
    if table.n_rows <= _FEW_ROWS:  # crosses come last
        n_others -= sum(formula.kind in CROSSES for formula in formulas)
    sources = _Sources(table)
    parts: list[Part] = [
        DerivedPart(table.n_columns + place, formula, sources.of(formula))
        for place, formula in enumerate(formulas[:n_others])
    ]
    if n_others < len(formulas):
        crossed = _crosses(table.dense(), tuple(formulas[n_others:]))
        parts.append(DensePart(table.n_columns + n_others, crossed))
    return _with(table, parts, formulas)


def _with(table: Table, parts: Sequence[Part], formulas: Sequence[Formula]) -> Table:
    return replace(
        table,
        n_columns=table.n_columns + len(formulas),
        parts=(*table.parts, *parts),
        formulas=tuple(formulas),
    )


def _crosses(numbers: FloatArray, formulas: tuple[Formula, ...]) -> FloatArray:
    """All crosses of a few rows at once: (n_rows, n_formulas) of numbers (n_rows, n_columns)."""
    crossed = np.empty((len(numbers), len(formulas)))
    for kind, (places, first, second) in _by_kind(formulas).items():
        crossed[:, places] = CROSSES[kind][1](numbers[:, first], numbers[:, second])
    return crossed


@lru_cache(maxsize=64)
def _by_kind(formulas: tuple[Formula, ...]) -> dict[str, tuple[list[int], list[int], list[int]]]:
    """Of each kind of cross: which formulas are of it, and their sources."""
    found: dict[str, tuple[list[int], list[int], list[int]]] = {}
    for place, (kind, (first, second)) in enumerate(formulas):
        for listed, number in zip(
            found.setdefault(kind, ([], [], [])), (place, first, second), strict=True
        ):
            listed.append(number)
    return found


def given_columns(table: Table) -> Table:
    """The table without its derived columns."""
    if not table.formulas:
        return table
    parts = tuple(part for part in table.parts if part.first < table.n_given)
    return replace(table, n_columns=table.n_given, parts=parts, formulas=())


def derive_more(table: Table, formulas: Sequence[Formula]) -> Table:
    """The table with further derived columns, after those that it has."""
    return derive(given_columns(table), (*table.formulas, *formulas)) if formulas else table


def derive_again(table: Table) -> Table:
    """The same formulas, for a table whose own columns were changed."""
    return derive(given_columns(table), table.formulas) if table.formulas else table


def formulas_for_dates(table: Table, parts: Iterable[str]) -> list[Formula]:
    """The parts of all columns of dates, in the order of the columns."""
    dates = [p for p, column in sorted(table.times.items()) if column.kind.what == "date"]
    wanted = set(parts)
    return [Formula(part, (date,)) for date in dates for part in KINDS if part in wanted]


def ranges(table: Table, formulas: Iterable[Formula]) -> list[tuple[float, float]]:
    """The least and the greatest value of columns to derive, (inf, -inf) where all are missing.
    Once they differ, the rest is not looked at."""
    sources = _Sources(table)
    return [_range(table.n_rows, formula, sources) for formula in formulas]


def varying(
    formulas: Iterable[Formula], found: Iterable[tuple[float, float]]
) -> tuple[Formula, ...]:
    """The formulas whose columns have more than one value."""
    return tuple(own for own, (low, high) in zip(formulas, found, strict=True) if low < high)


def _range(n_rows: int, formula: Formula, sources: _Sources) -> tuple[float, float]:
    whole = DerivedPart(0, formula, sources.of(formula))
    low, high = np.inf, -np.inf
    for begin in range(0, n_rows, _STRETCH):
        rows = np.arange(begin, min(begin + _STRETCH, n_rows))
        values = whole.take(rows).values()
        low = min(low, float(np.fmin.reduce(values, axis=None, initial=np.inf)))
        high = max(high, float(np.fmax.reduce(values, axis=None, initial=-np.inf)))
        if low < high:
            break
    return low, high


class _Sources:
    """What formulas are applied to. Formulas about the same column share it."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: dict[tuple[int, str], DerivedSource] = {}

    def of(self, formula: Formula) -> tuple[DerivedSource, ...]:
        taken = zip(formula.sources, KINDS[formula.kind].takes, strict=True)
        return tuple(self._source(position, wanted) for position, wanted in taken)

    def _source(self, position: int, wanted: str) -> DerivedSource:
        if (position, wanted) not in self._known:
            self._known[position, wanted] = _source(self._table, position, wanted)
        return self._known[position, wanted]


def _source(table: Table, position: int, wanted: str) -> DerivedSource:
    if wanted == "date":
        return table.times[position]
    if wanted == "category":
        return CategoryNumbers(table.categories[position])
    if wanted in DATE_ORDERS:
        return dates_of(table.categories[position], wanted, table.memory)
    part = part_with(table.parts, position)
    return NumberColumn(part, position - part.first)
