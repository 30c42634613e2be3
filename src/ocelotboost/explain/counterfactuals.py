"""The smallest changes of a row that move its prediction across a threshold.

A prediction is constant between two borders of the model, so a column of numbers has only as many
values to try as the model has intervals there, and each is represented by its value nearest to the
row's own:

    age, row has 31     ... (25.5, 28.5]   (28.5, 35.5]   (35.5, 41.5]   (41.5, ...
    values to try              28             (own)            36             42

Categories to try are those of some typical rows. One column, and every pair of columns, is searched
completely, so what is found is the smallest change there is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.explain.changed_columns import numbers_of, one_column, with_column
from ocelotboost.explain.explainer import Explainer
from ocelotboost.explain.partial_dependence import choose_grid
from ocelotboost.model.forest import Forest
from ocelotboost.model.importance import features_of
from ocelotboost.table.columns import Table
from ocelotboost.table.values import is_missing

Floats = NDArray[np.float64]
#: Predictions (n,) of the rows of a table, as the threshold is given.
Predict = Callable[[Table], Floats]

_MOST_TRIES = 5_000_000
_ROWS = 1 << 16
_MOST_CATEGORIES = 1000


@dataclass(frozen=True)
class Change:
    """One way across the threshold.

    columns     names of the one or two columns that change
    before      their values
    after       what they have to become
    prediction  after the change
    size        of the change: for a number the share of the typical rows that lie between, for a
                category the share of them that have another one; of two columns the sum
    """

    columns: tuple[str, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    prediction: float
    size: float

    def __str__(self) -> str:
        parts = [
            f"{name}: {_text(old)} -> {_text(new)}"
            for name, old, new in zip(self.columns, self.before, self.after, strict=True)
        ]
        return ", ".join(parts)


@dataclass(frozen=True)
class Counterfactuals:
    """All ways that were found, the smallest change first.

    prediction  of the row as it is
    threshold   what the predictions of the changes are on the other side of
    """

    prediction: float
    threshold: float
    changes: list[Change]

    def __len__(self) -> int:
        return len(self.changes)

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per change, for example for ``pandas.DataFrame``."""
        return [
            {"change": str(change), "prediction": change.prediction, "size": change.size}
            for change in self.changes
        ]

    def __str__(self) -> str:
        if not self.changes:
            return (
                f"prediction {self.prediction:.4g}: no change of these columns moves it across "
                f"{self.threshold:.4g}"
            )
        width = max(len(str(change)) for change in self.changes)
        lines = [f"{'prediction ' + format(self.prediction, '.4g'):<{width}}  prediction  size"]
        lines += [
            f"{change!s:<{width}}  {change.prediction:>10.4g}  {change.size:.2g}"
            for change in self.changes
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Values to try in a column, the nearest first.

    values  as the user would write them
    table   the same, to be taken from
    sizes   float64 (n,) of the changes
    """

    column: int
    values: list[Any]
    table: Table
    sizes: Floats


def counterfactuals(
    explainer: Explainer,
    row: Table,
    given: Sequence[Any],
    typical: Table,
    typical_values: NDArray[Any],
    columns: Sequence[int],
    predict: Predict,
    threshold: float,
    most_columns: int,
) -> Counterfactuals:
    """For a table of one row, whose values are ``given``, and some typical rows."""
    own = float(predict(row)[0])
    is_above = own > threshold
    possible = [
        _candidates(explainer.forest, row, given[column], typical, typical_values, column)
        for column in columns
    ]
    tried = [found for found in possible if found is not None and found.values]
    _check_effort(tried, most_columns)
    wanted: list[Change] = []
    alone: dict[int, float] = {}
    for size in range(1, most_columns + 1):
        for group in combinations(tried, size):
            # A second column is worth its while when the change is smaller than with one alone.
            limit = min((alone.get(found.column, math.inf) for found in group), default=math.inf)
            best = _smallest(row, group, predict, threshold, is_above, limit)
            if best is None:
                continue
            places, prediction, total = best
            if size == 1:
                alone[group[0].column] = total
            wanted.append(
                Change(
                    columns=tuple(explainer.wording.feature(found.column) for found in group),
                    before=tuple(given[found.column] for found in group),
                    after=tuple(
                        found.values[place] for found, place in zip(group, places, strict=True)
                    ),
                    prediction=prediction,
                    size=total,
                )
            )
    return Counterfactuals(own, threshold, sorted(wanted, key=lambda change: change.size))


def _smallest(
    row: Table,
    group: tuple[Candidates, ...],
    predict: Predict,
    threshold: float,
    is_above: bool,
    limit: float,
) -> tuple[list[int], float, float] | None:
    """Places of the values that cross at the smallest size below ``limit``, the prediction there,
    and the size."""
    shape = tuple(len(found.values) for found in group)
    sizes = group[0].sizes
    for found in group[1:]:
        sizes = np.add.outer(sizes, found.sizes)
    order = np.argsort(sizes, axis=None, kind="stable")
    order = order[sizes.reshape(-1)[order] < limit]
    n_rows = 64  # small changes are tried first, and more at a time the longer it takes
    begin = 0
    while begin < len(order):
        chosen = order[begin : begin + n_rows]
        places = np.unravel_index(chosen, shape)
        changed = row.take(np.zeros(len(chosen), dtype=np.intp))
        for found, own in zip(group, places, strict=True):
            changed = with_column(changed, found.column, found.table, own)
        predictions = predict(changed)
        crossed = np.flatnonzero((predictions > threshold) != is_above)
        if len(crossed):
            first = int(crossed[0])
            where = [int(own[first]) for own in places]
            return where, float(predictions[first]), float(sizes.reshape(-1)[chosen[first]])
        begin, n_rows = begin + n_rows, min(8 * n_rows, _ROWS)
    return None


def _candidates(
    forest: Forest,
    row: Table,
    own: Any,
    typical: Table,
    typical_values: NDArray[Any],
    column: int,
) -> Candidates | None:
    if column in row.categories:
        known = choose_grid(typical, column, typical_values[:, column], _MOST_CATEGORIES)
        hashes = typical.categories[column].row_hashes()
        values = [value for value in known if value != own and not is_missing(value)]
        table = one_column(row, column, values) if values else row
        shares = [float((hashes == h).mean()) for h in _hashes(table, column, len(values))]
        return Candidates(column, values, table, 1.0 - np.array(shares))
    if column in row.times:
        return _candidate_times(forest, row, typical, typical_values, column)
    borders = _borders(forest, column)
    if len(borders) == 0:
        return None
    current = float(numbers_of(row, column)[0])
    known_numbers = np.sort(numbers_of(typical, column))
    known_numbers = known_numbers[np.isfinite(known_numbers)]
    values = nearest_values(borders, current, known_numbers)
    sizes = _sizes(np.array(values, dtype=np.float64), current, known_numbers)
    return Candidates(column, values, one_column(row, column, values), sizes)


def _candidate_times(
    forest: Forest, row: Table, typical: Table, typical_values: NDArray[Any], column: int
) -> Candidates | None:
    """Dates and times to try are those of typical rows: all parts of a date change with it."""
    asked = np.unique(np.concatenate([forest.split_columns, forest.statistics.question_columns]))
    if not any(column in features_of(forest, own) for own in asked.tolist()):
        return None
    values = choose_grid(typical, column, typical_values[:, column], _MOST_CATEGORIES)
    values = [value for value in values if not is_missing(value)]
    if not values:
        return None
    table = one_column(row, column, values)
    known = np.sort(numbers_of(typical, column))
    current = float(numbers_of(row, column)[0])
    sizes = _sizes(numbers_of(table, column), current, known[np.isfinite(known)])
    return Candidates(column, values, table, sizes)


def _sizes(values: Floats, current: float, known: Floats) -> Floats:
    """Shares of the known numbers, which ascend, that lie between the current value and others."""
    start = np.median(known) if math.isnan(current) and len(known) else current
    ends = np.searchsorted(known, values, side="left")
    sizes: Floats = np.abs(ends - np.searchsorted(known, start, side="left")) / max(len(known), 1)
    return sizes


def _hashes(table: Table, column: int, n_values: int) -> NDArray[np.uint64]:
    return table.categories[column].row_hashes()[:n_values] if n_values else np.empty(0, np.uint64)


def _borders(forest: Forest, column: int) -> Floats:
    """The borders of a column of numbers, in trees and in bases of combinations."""
    tables = forest.statistics
    borders = np.concatenate(
        [
            forest.split_borders[forest.split_columns == column],
            tables.question_borders[tables.question_columns == column],
        ]
    )
    return np.unique(borders[~np.isnan(borders)])


def nearest_values(borders: Floats, current: float, known: Floats) -> list[float]:
    """A value in each interval between borders but the row's own, near the end that is nearer to
    the row; nearest first. Values that are known, which ascend, come before others.

    >>> nearest_values(np.array([25.5, 28.5, 35.5]), 31.0, np.array([20.0, 30.0, 36.0]))
    [28.5, 36.0, 20.0]
    """
    inner = 0.0 if math.isnan(current) else current
    values = []
    for k in range(len(borders) + 1):
        low = float(borders[k - 1]) if k > 0 else -math.inf
        high = float(borders[k]) if k < len(borders) else math.inf
        if low < current <= high:
            continue
        begin, end = np.searchsorted(known, [low, high], side="right").tolist()
        if high < inner or k == 0:  # below the row
            values.append(float(known[end - 1]) if begin < end else high)
        else:
            values.append(float(known[begin]) if begin < end else _few_digits(low, high))
    return sorted(values, key=lambda value: abs(value - inner))


def _few_digits(low: float, high: float) -> float:
    """A number just above ``low``: with few digits, if one is near enough."""
    room = 0.1 * (high - low) if math.isfinite(high) else 0.1 * max(abs(low), 1.0)
    for digits in range(1, 16):
        exponent = math.floor(math.log10(max(abs(low), room, 1e-300))) - digits + 1
        unit = 10.0**exponent
        value = float(f"{(math.floor(low / unit) + 1) * unit:.{max(digits, 1) + 2}g}")
        if low < value <= min(low + room, high):
            return value
    return math.nextafter(low, math.inf)


def _check_effort(tried: Sequence[Candidates], most_columns: int) -> None:
    sizes = [len(found.values) for found in tried]
    n_tries = sum(sizes)
    if most_columns > 1:
        n_tries += sum(a * b for a, b in combinations(sizes, 2))
    if n_tries > _MOST_TRIES:
        raise ParameterError(
            f"{len(tried)} columns have {n_tries:,} changes of one or two of them to try; choose "
            "fewer by columns=, or give most_columns=1."
        )


def _text(value: Any) -> str:
    if is_missing(value):
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
