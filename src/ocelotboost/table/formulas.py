"""Derived columns: numbers that are computed from the user's columns, by a formula.

A formula has a kind and the positions of its source columns. Derived columns stand after the user's
own, and all stages after this one take them for columns of numbers. A model stores the formulas, so
that new rows come with the raw columns alone.

A new kind is one entry of ``KINDS``, and somebody who chooses its formulas when a model is trained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.crosses import CROSSES
from ocelotboost.table.date_parts import DATE_PARTS, date_part, elapsed_days
from ocelotboost.table.date_texts import DATE_ORDERS


class TimeKind(NamedTuple):
    """What a column of times holds.

    what  "date": dates, with or without a time of day; "time": times of day; "duration"
    zone  the time zone of dates; None: they have none
    """

    what: str
    zone: str | None = None


class Formula(NamedTuple):
    """How a derived column is made.

    kind     a name in ``KINDS``
    sources  positions of the user's columns
    """

    kind: str
    sources: tuple[int, ...]


@dataclass(frozen=True)
class Kind:
    """A kind of derived column.

    takes   what each source must be: a "date", whose values are ticks of local time, int64 (n,); a
            "number", whose values are float32 or float64 (n,); or a column of categories, either as
            a "category", whose values are the numbers that its texts say, float64 (n,), or as one
            of ``DATE_ORDERS``, whose values are the dates that its texts say, ticks, int64 (n,)
    name    of the column, with those of its sources as {0}, {1}
    values  the values of the sources -> float64 (n,), NaN is missing
    """

    takes: tuple[str, ...]
    name: str
    values: Callable[..., NDArray[np.float64]]

    @property
    def reads_texts(self) -> bool:
        """Its source is a column of categories."""
        return reads_texts(self.takes[0])


def reads_texts(taken: str) -> bool:
    """Is this, in ``takes``, a column of categories?"""
    return taken == "category" or taken in DATE_ORDERS


def date_view(order: str, part: str | None = None) -> str:
    """The kind of a date view: of the elapsed time, or of a part (table/date_views.py).

    >>> date_view("ymd"), date_view("dmy", "month")
    ('ymd', 'dmy.month')
    """
    return order if part is None else f"{order}.{part}"


#: The kind of number views (table/number_views.py).
NUMBER_VIEW = "as_number"

_PARTS = {part: (f"{{0}}.{part}", partial(date_part, part)) for part in DATE_PARTS}

KINDS: dict[str, Kind] = {
    **{part: Kind(("date",), *own) for part, own in _PARTS.items()},
    **{kind: Kind(("number", "number"), name, own) for kind, (name, own) in CROSSES.items()},
    NUMBER_VIEW: Kind(("category",), "{0} as a number", lambda numbers: numbers),
    **{date_view(o): Kind((o,), "{0} as a date", elapsed_days) for o in DATE_ORDERS},
    **{date_view(o, p): Kind((o,), *own) for o in DATE_ORDERS for p, own in _PARTS.items()},
}


@dataclass(frozen=True)
class Derivation:
    """What a model has to know of its columns before it can take them for numbers.

    times    the columns that hold dates, times of day or durations, by position
    formulas  of the derived columns, in their order
    """

    times: Mapping[int, TimeKind] = field(default_factory=dict)
    formulas: tuple[Formula, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.times) or bool(self.formulas)


NOTHING_DERIVED = Derivation()


def formula_name(formula: Formula, name_of: Callable[[int], Any]) -> str:
    """What a derived column is called.

    >>> formula_name(Formula("month", (2,)), {2: "bought"}.__getitem__)
    'bought.month'
    """
    return KINDS[formula.kind].name.format(*map(name_of, formula.sources))
