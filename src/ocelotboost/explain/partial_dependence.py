"""Partial dependence: the mean prediction of some rows, if all had the same value in a column.

The raw prediction is a sum of trees, and in a tree the value of a column decides the answers about
that column alone. So the rows are only counted by leaf, once; what a value of the column gives is
then a mean over leaves instead of rows:

    leaf 0 1 1     the column's own answers are replaced        0 1 1  ──►  1 1 1
    counts of rows in leaves are the weights of the mean

Where combinations with the column are asked about, or responses such as probabilities are to be
averaged, each value is tried on all rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.explain.changed_columns import numbers_of, one_column, with_column, with_values
from ocelotboost.explain.explainer import Explainer
from ocelotboost.explain.tables import background_weights
from ocelotboost.model.forest import Forest
from ocelotboost.model.importance import features_of
from ocelotboost.table.columns import Table
from ocelotboost.table.values import is_missing

Floats = NDArray[np.float64]
Link = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """Mean predictions for each value of a column, or each pair of values of two columns.

    names       of the one or two columns
    grid        their values: numbers or categories, one list per column
    average     float64 (n_values,) or (n_values, n_values of the second column); with several
                outputs these are the last axis
    individual  float64 (n_rows, *shape of average): of each row (ICE curves); None if not asked for
    """

    names: list[str]
    grid: list[list[Any]]
    average: Floats
    individual: Floats | None


def choose_grid(table: Table, column: int, values: Iterable[Any], n_points: int) -> list[Any]:
    """Values of a column that stand for all: quantiles of numbers and dates, or the most frequent
    categories.

    values  what the user gave, of which categories, dates and times are taken
    """
    if column in table.times:
        return _grid_of_times(table, column, list(values), n_points)
    if column not in table.categories:
        numbers = numbers_of(table, column)
        known = np.unique(numbers[np.isfinite(numbers)])
        if len(known) > n_points:
            places = np.linspace(0.0, 1.0, n_points)
            known = np.unique(np.quantile(numbers[np.isfinite(numbers)], places, method="nearest"))
        return known.tolist() or [float("nan")]
    counts = Counter(None if is_missing(value) else value for value in values)
    return [value for value, _ in counts.most_common(n_points)]


def _grid_of_times(table: Table, column: int, values: list[Any], n_points: int) -> list[Any]:
    known, rows = np.unique(numbers_of(table, column), return_index=True)
    rows = rows[np.isfinite(known)]
    if len(rows) > n_points:
        rows = rows[np.linspace(0, len(rows) - 1, n_points).round().astype(np.intp)]
    return [values[row] for row in rows.tolist()] or [None]


def partial_dependence(
    explainer: Explainer,
    table: Table,
    columns: Sequence[int],
    grid: Sequence[Sequence[Any]],
    *,
    link: Link | None,
    individual: bool,
    n_threads: int,
) -> PartialDependence:
    """Of one or two columns, over the rows of a table; ``link`` is None for raw predictions."""
    names = [explainer.wording.feature(column) for column in columns]
    shape = tuple(len(values) for values in grid)
    own = [one_column(table, c, values) for c, values in zip(columns, grid, strict=True)]
    curves = None
    if link is None and not individual and _is_separable(explainer.forest, columns):
        average = _by_leaves(explainer, table, columns, own, n_threads)
    else:
        curves = _by_rows(explainer, table, columns, own, link, n_threads)
        average = curves.mean(axis=0)
    n_outputs = average.shape[-1]
    ending = () if n_outputs == 1 else (n_outputs,)
    return PartialDependence(
        names=names,
        grid=[list(values) for values in grid],
        average=average.reshape(*shape, *ending),
        individual=curves.reshape(-1, *shape, *ending)
        if individual and curves is not None
        else None,
    )


def _is_separable(forest: Forest, columns: Sequence[int]) -> bool:
    """Is nothing asked about a column of these together with others?"""
    asked = [set(features_of(forest, c)) for c in np.unique(forest.split_columns).tolist()]
    return all(features <= set(columns) or not features & set(columns) for features in asked)


def _by_leaves(
    explainer: Explainer,
    table: Table,
    columns: Sequence[int],
    grid: list[Table],
    n_threads: int,
) -> Floats:
    """Means (n_points, n_outputs) from the numbers of rows in leaves."""
    forest, predictor = explainer.forest, explainer.predictor
    counts = background_weights(predictor, table, n_threads)
    points = table.take(np.zeros(int(np.prod([values.n_rows for values in grid])), dtype=np.intp))
    rows = np.array(list(product(*(range(values.n_rows) for values in grid))), dtype=np.intp)
    for place, (column, values) in enumerate(zip(columns, grid, strict=True)):
        points = with_column(points, column, values, rows[:, place])
    leaves = np.concatenate(list(predictor.leaves(points, len(rows), n_threads)), axis=1)
    is_own = np.array(
        [bool(set(features_of(forest, c)) & set(columns)) for c in forest.split_columns.tolist()],
        dtype=np.int64,
    )
    splits, offsets = forest.split_offsets().tolist(), forest.leaf_offsets().tolist()
    average = np.tile(forest.start_value, (len(rows), 1))
    for tree, (first, end) in enumerate(pairwise(offsets)):
        mask = 0
        for own in is_own[splits[tree] : splits[tree + 1]].tolist():
            mask = 2 * mask + own
        others = np.arange(end - first) & ~mask
        mixed = (leaves[tree][:, None].astype(np.int64) & mask) | others
        shares = counts[first:end] / table.n_rows
        average += (forest.leaf_values[first:end][mixed] * shares[:, None]).sum(axis=1)
    return average


def _by_rows(
    explainer: Explainer,
    table: Table,
    columns: Sequence[int],
    grid: list[Table],
    link: Link | None,
    n_threads: int,
) -> Floats:
    """Predictions (n_rows, n_points, n_outputs), each value tried on all rows."""
    curves = []
    for rows in product(*(range(values.n_rows) for values in grid)):
        changed = table
        for column, values, row in zip(columns, grid, rows, strict=True):
            changed = with_values(changed, column, values, row)
        raw = explainer.predictor.raw(changed, n_threads)
        curves.append((raw if link is None else link(raw)).T)
    return np.stack(curves, axis=1)
