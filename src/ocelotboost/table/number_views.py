"""Number views: categories whose texts are numbers, as numbers besides.

An hour that is a category has a statistic, and can be one-hot encoded, but a tree cannot ask
whether it is after 17. Its number view can be asked that. Which columns have one is decided by
their values alone, not by the target.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.categories import CategoryColumn
from ocelotboost.table.columns import Table
from ocelotboost.table.formulas import KINDS, NUMBER_VIEW, Formula

#: Fewer numbers have nothing between them. More values are ids, whose texts are not kept where
#: tables are read in batches.
FEWEST_NUMBERS, MOST_VALUES = 3, 255

#: The rest may be marks of missing values, such as "?".
_LEAST_SHARE = 0.95

#: Whole numbers that are further apart on average are taken for codes, such as postcodes.
_WIDEST_GAP = 10

#: Of fewer rows each text is read, without looking for equal ones.
_FEW_ROWS = 64

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True, eq=False)
class CategoryNumbers:
    """The numbers that the texts of a column say, as a source of derived columns."""

    column: CategoryColumn

    def values(self) -> NDArray[np.float64]:
        """(n_rows,); NaN where the text is none."""
        if self.column.n_rows <= _FEW_ROWS:
            return numbers_in(self.column.texts(np.arange(self.column.n_rows)))
        codes, first_rows = self.column.distinct()
        return numbers_in(self.column.texts(first_rows))[codes]

    def take(self, rows: NDArray[np.intp]) -> CategoryNumbers:
        return CategoryNumbers(self.column.take(rows))


def number_views(table: Table) -> list[Formula]:
    """Views of all categorical columns that hold numbers in some order."""
    return [
        Formula(NUMBER_VIEW, (position,))
        for position, column in sorted(table.categories.items())
        if has_view(column)
    ]


def viewed_columns(formulas: Sequence[Formula]) -> frozenset[int]:
    """The categorical columns that have a view, of numbers or of dates."""
    return frozenset(own.sources[0] for own in formulas if KINDS[own.kind].reads_texts)


def numbers_in(texts: Sequence[str | None]) -> NDArray[np.float64]:
    """What texts say; NaN where it is no number.

    >>> numbers_in(["7", " -1.5e3 ", "1_000", "seven", None]).tolist()
    [7.0, -1500.0, nan, nan, nan]
    """
    return np.array(
        [float(text) if text and _NUMBER.fullmatch(text) else np.nan for text in texts],
        dtype=np.float64,
    )


def has_view(column: CategoryColumn) -> bool:
    """Are its values numbers in some order, and not too many?"""
    if column.seems_to_exceed(MOST_VALUES):
        return False
    _, first_rows = column.distinct()
    if not FEWEST_NUMBERS <= len(first_rows) <= MOST_VALUES:
        return False
    try:
        texts = column.texts(first_rows)
    except UnicodeDecodeError:  # bytes that are not text at all are hashed, but not read
        return False
    return are_in_order([text for text in texts if text is not None])


def are_in_order(texts: Sequence[str]) -> bool:
    """Are most of these distinct texts numbers, and numbers that count something?

    >>> are_in_order(["0", "6", "12", "18", "?"]), are_in_order(["0.5", "100", "2500"])
    (False, True)
    >>> are_in_order([f"{hour:02}" for hour in range(24)]), are_in_order(["75001", "13002", "9003"])
    (True, False)
    """
    numbers = numbers_in(texts)
    known = np.isfinite(numbers)
    distinct = np.unique(numbers[known])
    if len(distinct) < FEWEST_NUMBERS or known.mean() < _LEAST_SHARE:
        return False
    whole = bool((distinct == np.rint(distinct)).all())
    return not whole or bool(distinct[-1] - distinct[0] < _WIDEST_GAP * len(distinct))
