"""Numbers stored as text: they would become categories, which lose the order of numbers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ocelotboost.table.categories import CategoryColumn
from ocelotboost.table.columns import Table
from ocelotboost.table.number_views import has_view

#: With fewer distinct values, categories lose little: each can be told from the others.
FEWEST_DISTINCT = 20
#: The rest may be marks of missing values, such as "?".
LEAST_SHARE = 0.95
MOST_LOOKED_AT = 1000
NAMES_SHOWN = 5

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_LEADING_ZERO = re.compile(r"\s*0\d")
_CONVERSIONS = {
    "pandas": "pandas.to_numeric({c}, errors='coerce')",
    "polars": "{c}.cast(polars.Float64, strict=False)",
    "pyarrow": "{c}.cast('float64')",
}


def warn_of_number_texts(table: Table, named: Collection[int], X: Any, views: bool) -> None:
    """Warn of text columns, not among the named ones, whose values are nearly all numbers; where
    there are ``views``, of those that have none."""
    found = [
        position
        for position, column in table.categories.items()
        if position not in named
        and column.codes is None
        and _is_number_column(column)
        and not (views and has_view(column))
    ]
    if not found:
        return
    columns: list[Any] = [table.names[p] if table.names else p for p in found]
    library = type(X).__module__.split(".")[0]
    code = f"X[{columns[0]!r}]" if table.names else f"X[:, {columns[0]}]"
    conversion = _CONVERSIONS.get(library, "{c}.astype(float)").format(c=code)
    shown = ", ".join(map(repr, columns[:NAMES_SHOWN])) + (", ..." if len(columns) > 5 else "")
    warnings.warn(
        f"Numbers are stored as text in {len(columns)} column{'s' * (len(columns) > 1)} ({shown}), "
        "which are treated as categories: their order is lost. If they are quantities, convert "
        f"them to numbers, for example {conversion}. If they are codes, list them, which ends this "
        f"warning: cat_features={columns[:NAMES_SHOWN]!r}.",
        UserWarning,
        stacklevel=5,
    )


def _is_number_column(column: CategoryColumn) -> bool:
    try:
        return _holds_numbers(column)
    except UnicodeDecodeError:  # bytes that are not text at all are hashed, but not read
        return False


def _holds_numbers(column: CategoryColumn) -> bool:
    """A few rows decide most columns; where they are numbers, distinct values are looked at."""
    n_rows = column.n_rows
    if n_rows < FEWEST_DISTINCT:
        return False
    few = np.linspace(0, n_rows - 1, num=min(n_rows, 50)).astype(np.intp)
    if not are_numbers(column.texts(few), least_share=0.5):
        return False
    first_rows = np.unique(column.hashes, return_index=True)[1]
    if len(first_rows) < FEWEST_DISTINCT:
        return False
    some = first_rows[:: -(-len(first_rows) // MOST_LOOKED_AT)]
    return are_numbers(column.texts(some), LEAST_SHARE)


def are_numbers(texts: Sequence[str | None], least_share: float) -> bool:
    """Are most of them numbers, and numbers that count something?

    Leading zeros, or whole numbers of the same length, say that they are codes: postcodes.

    >>> are_numbers(["1.5", "22", None, "-3e4"], 0.95), are_numbers(["0012", "0375"], 0.95)
    (True, False)
    >>> are_numbers(["75001", "13002"], 0.95), are_numbers(["7", "oak", "elm"], 0.95)
    (False, False)
    """
    present = [text for text in texts if text is not None]
    numbers = [text for text in present if _NUMBER.fullmatch(text)]
    if len(numbers) < max(least_share * len(present), 1):
        return False
    if any(_LEADING_ZERO.match(number) for number in numbers):
        return False
    whole = all(number.isdigit() for number in numbers)
    return not (whole and len(numbers) > 1 and len({len(number) for number in numbers}) == 1)
