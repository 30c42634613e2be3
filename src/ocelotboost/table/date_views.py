"""Date views: categories whose texts are dates, as dates besides.

They have the columns of a date: the elapsed time, and parts such as month and weekday. Like number
views, they are decided by the values of a column alone.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ocelotboost.table.cache_directory import Memory
from ocelotboost.table.categories import CategoryColumn, Rows, TextsNotKeptError
from ocelotboost.table.columns import Table
from ocelotboost.table.date_parts import DATE_PARTS
from ocelotboost.table.date_texts import count_dates, order_of, ticks_in
from ocelotboost.table.formulas import Formula, TimeKind, date_view
from ocelotboost.table.times import TimeColumn

#: Fewer dates have nothing between them; reading more texts would take seconds.
FEWEST_DATES, MOST_DATES = 3, 1 << 16

#: Rows that are looked at first, and the share of them that may be dates in a column of dates.
_LOOKED_AT, _LEAST_SHARE = 20, 0.5


def date_views(table: Table, parts: Iterable[str]) -> list[Formula]:
    """Views of all categorical columns that hold dates: the elapsed time, then these parts."""
    wanted = set(parts)
    views = []
    for position, column in sorted(table.categories.items()):
        order = date_order(column)
        if order is not None:
            of_parts = [date_view(order, part) for part in DATE_PARTS if part in wanted]
            views += [Formula(kind, (position,)) for kind in [date_view(order), *of_parts]]
    return views


def date_order(column: CategoryColumn) -> str | None:
    """How the texts of a column are dates; None where they are none, or too few or too many."""
    if not may_be_dates(column):
        return None
    _, rows = column.distinct()
    if not FEWEST_DATES <= len(rows) <= MOST_DATES:
        return None
    texts = _texts(column, rows)
    order = order_of(texts)
    if order is None or len(np.unique(ticks_in(texts, order))) < FEWEST_DATES:
        return None
    return order


def may_be_dates(column: CategoryColumn) -> bool:
    """What a few rows say, which is enough for most columns."""
    some = np.linspace(0, column.n_rows - 1, num=min(column.n_rows, _LOOKED_AT)).astype(np.intp)
    texts = _texts(column, some)
    return max(count_dates(texts)) >= max(_LEAST_SHARE * len(texts), 1)


def dates_of(column: CategoryColumn, order: str, memory: Memory) -> TimeColumn:
    """The dates that the texts of a column show."""
    codes, rows = column.distinct()
    ticks = ticks_in(column.texts(rows), order)[codes]
    return TimeColumn(TimeKind("date"), memory.keep(ticks))


def _texts(column: CategoryColumn, rows: Rows) -> list[str]:
    """Those that are not missing; none where they cannot be read."""
    try:
        return [text for text in column.texts(rows) if text is not None]
    except (UnicodeDecodeError, TextsNotKeptError):  # bytes that are not text at all are hashed
        return []
