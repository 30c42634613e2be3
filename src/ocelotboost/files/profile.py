"""What the columns of a table are: role, type, values, and what looks odd about them.

Nothing is changed by it. A table with many rows is judged by some of them, evenly spaced; missing
values are counted in all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ocelotboost.errors import InputError
from ocelotboost.files.oddities import oddities
from ocelotboost.table.sources import no_column, pyarrow_module

#: Rows that distinct values are counted in.
MOST_ROWS = 100_000
_LONGEST_EXAMPLE = 24


@dataclass(frozen=True)
class Roles:
    """Columns by what they are for; all others are features.

    cat, num  features that are categories, or numbers, whatever they look like
    """

    target: str
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    ignore: tuple[str, ...] = ()
    cat: tuple[str, ...] = ()
    num: tuple[str, ...] = ()

    def check(self, names: Iterable[str]) -> None:
        """Raise InputError for a column that is not there, or that plays two roles."""
        known = list(names)
        for option, columns in self.by_option().items():
            for column in columns:
                if column not in known:
                    raise no_column(column, known, "the table", f"{option} {column}")
        taken = {self.target: "the target"}
        others: dict[str, tuple[str | None, ...]] = {
            "the weight": (self.weight,),
            "the group": (self.group,),
            "ignored": self.ignore,
        }
        for role, named in others.items():
            for own in named:
                if own in taken:
                    raise InputError(f"Column {own!r} cannot be {taken[own]} and {role}.")
                if own is not None:
                    taken[own] = role
        both = set(self.cat) & set(self.num)
        if both:
            raise InputError(f"Column {min(both)!r} is named by --cat and by --num: choose one.")

    def by_option(self) -> dict[str, tuple[str, ...]]:
        """As the command line names them."""
        alone = {
            "--target": self.target,
            "--weight": self.weight,
            "--group": self.group,
            "--time": self.time,
        }
        one = {option: (column,) for option, column in alone.items() if column is not None}
        return {**one, "--ignore": self.ignore, "--cat": self.cat, "--num": self.num}

    def features(self, names: Iterable[str]) -> list[str]:
        """All columns that the model may use, in their order. The time is one of them."""
        others = {self.target, self.weight, self.group, *self.ignore}
        return [name for name in names if name not in others]

    def role_of(self, name: str) -> str:
        if name in self.ignore:
            return "ignored"
        alone = {self.target: "target", self.weight: "weight", self.group: "group"}
        return alone.get(name, "time" if name == self.time else "feature")


@dataclass(frozen=True)
class ColumnProfile:
    """One line of the table that is shown before training.

    type       "number", "whole number", "category", "date", "time", "date and time" or another
    n_distinct values other than missing, in the rows that were looked at
    n_missing  in all rows
    example    the first value, short
    odd        what looks odd, each with a remedy
    """

    name: str
    role: str
    type: str
    n_distinct: int
    n_missing: int
    example: str
    odd: tuple[str, ...]


@dataclass(frozen=True)
class TableProfile:
    """n_rows       of the table
    n_looked_at  rows that distinct values were counted in
    columns      in the order of the table
    """

    n_rows: int
    n_looked_at: int
    columns: tuple[ColumnProfile, ...]


def profile_columns(table: Any, roles: Roles) -> TableProfile:
    """What the columns of a ``pyarrow.Table`` are.

    >>> import pyarrow
    >>> table = pyarrow.table({"id": range(200), "y": [0.5, 2.5] * 100})
    >>> [(c.name, c.role, c.type) for c in profile_columns(table, Roles("y")).columns]
    [('id', 'feature', 'whole number'), ('y', 'target', 'number')]
    """
    n_rows = len(table)
    some = table
    if n_rows > MOST_ROWS:
        some = table.take(np.linspace(0, n_rows - 1, MOST_ROWS).astype(np.int64))
    columns = tuple(_profile(table, some, name, roles) for name in table.column_names)
    return TableProfile(n_rows, len(some), columns)


def _profile(table: Any, some: Any, name: str, roles: Roles) -> ColumnProfile:
    compute = pyarrow_module("pyarrow.compute", "files")
    role, column = roles.role_of(name), some[name]
    missing = compute.is_null(table[name], nan_is_null=is_float(column.type))
    n_distinct = _n_distinct(column)
    kind = "category" if name in roles.cat else "number" if name in roles.num else type_of(column)
    present = column.drop_null()
    odd: tuple[str, ...] = ()
    if role in ("feature", "time"):
        target = None if name == roles.target else some[roles.target]
        odd = tuple(oddities(name, column, kind, n_distinct, target, roles))
    return ColumnProfile(
        name,
        role,
        kind,
        n_distinct,
        compute.sum(missing).as_py() or 0,
        _example(present[0].as_py()) if len(present) else "",
        odd,
    )


def _n_distinct(column: Any) -> int:
    compute = pyarrow_module("pyarrow.compute", "files")
    try:
        return int(compute.count_distinct(column, mode="only_valid").as_py())
    except pyarrow_module("pyarrow", "files").ArrowNotImplementedError:  # lists, structures
        return len({str(value) for value in column.to_pylist() if value is not None})


def is_float(kind: Any) -> bool:
    return bool(pyarrow_module("pyarrow.types", "files").is_floating(kind))


def type_of(column: Any) -> str:
    """What a column is, in words."""
    types = pyarrow_module("pyarrow.types", "files")
    kind = column.type
    if types.is_dictionary(kind) or types.is_boolean(kind) or _is_text(kind):
        return "category"
    if types.is_integer(kind):
        return "whole number"
    if types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_date(kind):
        return "date"
    if types.is_timestamp(kind):
        return "date and time"
    if types.is_time(kind):
        return "time"
    return "nothing" if types.is_null(kind) else str(kind)


def _is_text(kind: Any) -> bool:
    types = pyarrow_module("pyarrow.types", "files")
    text = types.is_string(kind) or types.is_large_string(kind)
    return bool(text or getattr(types, "is_string_view", lambda _: False)(kind))


def _example(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST_EXAMPLE else text[: _LONGEST_EXAMPLE - 1] + "…"


# ---- the target ------------------------------------------------------------------------------

#: Whole numbers with at most this many distinct values are taken for classes.
MOST_CLASSES = 20


def guess_task(target: Any) -> tuple[str, str]:
    """ "classification" or "regression", and why: texts and few distinct whole numbers are classes.

    >>> import pyarrow
    >>> guess_task(pyarrow.chunked_array([[0, 1, 1, 0]]))
    ('classification', '2 distinct whole numbers')
    >>> guess_task(pyarrow.chunked_array([[0.5, 1.0, 7.25]]))
    ('regression', 'numbers with fractions')
    """
    compute = pyarrow_module("pyarrow.compute", "files")
    kind, n_distinct = type_of(target), _n_distinct(target)
    if kind == "category":
        return "classification", f"{n_distinct:,} distinct text{'s' if n_distinct != 1 else ''}"
    if kind == "number":
        known = target.drop_null().cast("float64")
        known = known.filter(compute.is_finite(known))
        if not compute.all(compute.equal(known, compute.round(known)), min_count=0).as_py():
            return "regression", "numbers with fractions"
    few = n_distinct <= MOST_CLASSES
    return "classification" if few else "regression", f"{n_distinct:,} distinct whole numbers"
