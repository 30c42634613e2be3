"""Subgroups: the same metrics for the rows of each category and of each range of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.report.classes import wilson
from ocelotboost.report.document import (
    Block,
    Figure,
    Paragraph,
    Section,
    Table,
    code,
    listed,
    section,
    strong,
)
from ocelotboost.report.figures import count, number, percent, plain
from ocelotboost.report.scores import Interval, row_losses
from ocelotboost.report.subject import CategoricalColumn, Column, Floats, NumberColumn, Subject

_MOST_VALUES = 12  # of a categorical column; the others are one group
_N_RANGES = 5  # of a numeric column
_FEWEST_ROWS = 30
_MOST_COLUMNS = 40
_SHOWN = 15
_SMALLEST_GAP = 0.01  # between predictions and truth, worth a word

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class GroupMetric:
    """of  rows -> the metric with its interval"""

    name: str
    higher_is_better: bool
    percentage: bool
    of: Callable[[Rows], Interval]

    def is_worse(self, group: Interval, whole: Interval) -> bool:
        """Surely: the whole interval is on the wrong side."""
        if self.higher_is_better:
            return group.high < whole.value
        return group.low > whole.value

    def badness(self, group: Interval) -> float:
        """What is surely bad comes first: few rows prove little."""
        bound = -group.high if self.higher_is_better else group.low
        return -math.inf if math.isnan(bound) else bound


@dataclass(frozen=True)
class Group:
    """Some rows, and what they have in common."""

    column: str
    value: str
    rows: Rows
    metrics: tuple[Interval, ...]
    observed: float
    predicted: float


def subgroups_section(subject: Subject, columns: list[int]) -> Section:
    """columns: positions, the most important first."""
    metrics = _metrics(subject)
    groups = [
        _group(subject, metrics, column.name, value, rows)
        for column in (subject.rows.columns[place] for place in columns[:_MOST_COLUMNS])
        for value, rows in _parts(column)
        if len(rows) >= _FEWEST_ROWS
    ]
    whole = tuple(metric.of(np.arange(subject.n_rows)) for metric in metrics)
    groups.sort(key=lambda group: -metrics[0].badness(group.metrics[0]))
    return section(
        "subgroups",
        "Subgroups",
        "Where it is weak",
        _blocks(subject, metrics, groups, whole),
    )


def _blocks(
    subject: Subject,
    metrics: list[GroupMetric],
    groups: list[Group],
    whole: tuple[Interval, ...],
) -> Iterator[Block]:
    if not groups:
        yield Paragraph(f"No group has {_FEWEST_ROWS} rows or more, so none is judged by itself.")
        return
    yield Paragraph(_story(metrics[0], groups, whole[0]))
    off = _off(subject, groups)
    if off:
        yield Paragraph(off)
    yield Figure(
        "subgroups",
        "Groups, worst first",
        _data(metrics, groups, whole),
        f"{metrics[0].name} of each group with its 95 % interval.",
        True,
    )
    numbers = subject.task == "numbers"
    yield Table(
        ("group", "rows", metrics[0].name, "95 % interval", "predicted", "observed"),
        tuple(_row(group, metrics[0], numbers) for group in groups[:_SHOWN]),
        f"The {min(_SHOWN, len(groups))} groups with the worst {metrics[0].name}. "
        + ("Means" if numbers else f"Shares of {code(_of_interest(subject))}")
        + " as predicted and as they are.",
        collapsed=f"The {min(_SHOWN, len(groups))} worst groups as a table",
    )


def _story(metric: GroupMetric, groups: list[Group], whole: Interval) -> str:
    worse = [group for group in groups if metric.is_worse(group.metrics[0], whole)]
    text = f"{count(len(groups), 'group')} of at least {_FEWEST_ROWS} rows were judged. "
    if not worse:
        return f"{text}None is surely worse than all rows together, in {metric.name}."
    worst = worse[0]
    return (
        f"{text}{metric.name[0].upper()}{metric.name[1:]} is surely worse than that of all rows "
        f"({_shown(whole.value, metric)}) in {strong(f'{len(worse):,}')} of them; chance alone "
        f"would make about {max(1, round(0.025 * len(groups))):,} look so. The worst is "
        f"{_named(worst)} with {strong(_shown(worst.metrics[0].value, metric))}. Groups that are "
        "hard to predict by nature come first, too."
    )


def _off(subject: Subject, groups: list[Group]) -> str:
    """Groups whose predictions are too high or too low on average."""
    if subject.task == "classes":
        return ""
    spread = float(subject.rows.target.std()) if subject.task == "numbers" else 1.0
    found = []
    for group in groups:
        residual = _residuals(subject)[group.rows]
        error = float(residual.std() / math.sqrt(len(residual)))
        gap = group.predicted - group.observed
        if abs(gap) > max(3.5 * error, _SMALLEST_GAP * spread):
            found.append((abs(gap) / max(error, 1e-300), group))
    if not found:
        return "In no group are predictions clearly too high or too low on average."
    found.sort(key=lambda pair: -pair[0])
    numbers = subject.task == "numbers"
    texts = [
        f"{_named(group)} ({_amount(group.predicted, numbers)} predicted, "
        f"{_amount(group.observed, numbers)} observed)"
        for _, group in found
    ]
    return f"On average predictions are clearly off in {listed(texts, most=3)}."


def _residuals(subject: Subject) -> Floats:
    if subject.task == "numbers":
        return subject.rows.target - subject.response
    return subject.rows.target - subject.response[:, 1]


def _of_interest(subject: Subject) -> str:
    return "the class that is called" if subject.task == "classes" else subject.labels[1]


def _named(group: Group) -> str:
    return f"{code(group.column)} {group.value}"


def _amount(value: float, numbers: bool) -> str:
    return number(value) if numbers else percent(value)


def _shown(value: float, metric: GroupMetric) -> str:
    return percent(value) if metric.percentage else number(value)


def _row(group: Group, metric: GroupMetric, numbers: bool) -> tuple[str, ...]:
    own = group.metrics[0]
    return (
        _named(group),
        f"{len(group.rows):,}",
        _shown(own.value, metric),
        f"{_shown(own.low, metric)} to {_shown(own.high, metric)}",
        _amount(group.predicted, numbers),
        _amount(group.observed, numbers),
    )


def _data(
    metrics: list[GroupMetric], groups: list[Group], whole: tuple[Interval, ...]
) -> dict[str, Any]:
    return {
        "metrics": [
            {
                "name": metric.name,
                "higher": metric.higher_is_better,
                "percentage": metric.percentage,
                "whole": plain(whole[place].value),
            }
            for place, metric in enumerate(metrics)
        ],
        "groups": [
            {
                "column": group.column,
                "value": group.value,
                "rows": len(group.rows),
                "of": [[plain(x) for x in (m.value, m.low, m.high)] for m in group.metrics],
            }
            for group in groups
        ],
    }


# ---- groups ----------------------------------------------------------------------------------


def _group(
    subject: Subject, metrics: list[GroupMetric], column: str, value: str, rows: Rows
) -> Group:
    weight = subject.rows.weight[rows]
    weight = weight if weight.sum() > 0 else np.ones(len(rows))
    if subject.task == "classes":
        called = subject.response[rows].argmax(axis=1)
        observed = float(np.average(called == subject.rows.target[rows], weights=weight))
        predicted = float(np.average(subject.response[rows].max(axis=1), weights=weight))
    else:
        response = subject.response if subject.task == "numbers" else subject.response[:, 1]
        observed = float(np.average(subject.rows.target[rows], weights=weight))
        predicted = float(np.average(response[rows], weights=weight))
    return Group(column, value, rows, tuple(m.of(rows) for m in metrics), observed, predicted)


def _parts(column: Column) -> Iterator[tuple[str, Rows]]:
    yield from _categories(column) if isinstance(column, CategoricalColumn) else _ranges(column)


def _categories(column: CategoricalColumn) -> Iterator[tuple[str, Rows]]:
    frequent = np.argsort(-column.counts, kind="stable")[:_MOST_VALUES]
    for own, text in zip(frequent.tolist(), column.texts(frequent), strict=True):
        value = "is missing" if column.hashes[own] == 0 else f"is {text}"
        yield value, np.flatnonzero(column.codes == own)
    others = np.flatnonzero(~np.isin(column.codes, frequent))
    if len(others):
        yield f"is one of {len(column.hashes) - len(frequent):,} others", others


def _ranges(column: NumberColumn) -> Iterator[tuple[str, Rows]]:
    """About equally many rows each, borders between different values."""
    known = column.values[~column.missing]
    if column.missing.any():
        yield "is missing", np.flatnonzero(column.missing)
    if len(known) == 0:
        return
    values = np.unique(known)
    if len(values) <= _N_RANGES:
        for value in values.tolist():
            yield f"is {column.text(value)}", np.flatnonzero(column.values == value)
        return
    inner = np.unique(np.quantile(known, np.arange(1, _N_RANGES) / _N_RANGES, method="lower"))
    ends = [*inner[inner < values[-1]].tolist(), values[-1].item()]
    low = -math.inf
    for high in ends:
        rows = np.flatnonzero((column.values > low) & (column.values <= high))
        if math.isinf(low):
            text = f"≤ {column.text(high)}"
        elif high == ends[-1]:
            text = f"> {column.text(low)}"
        else:
            text = f"{column.text(low)} to {column.text(high)}"
        yield text, rows
        low = high


# ---- metrics ---------------------------------------------------------------------------------


def _metrics(subject: Subject) -> list[GroupMetric]:
    losses, weight = row_losses(subject), subject.rows.weight

    def mean(rows: Rows) -> Interval:
        return _mean(losses[rows], weight[rows])

    def root(rows: Rows) -> Interval:
        own = mean(rows)
        return Interval(*(math.sqrt(max(x, 0.0)) for x in (own.value, own.low, own.high)))

    if subject.task == "numbers":
        errors = np.abs(_residuals(subject))
        return [
            GroupMetric("RMSE", False, False, root),
            GroupMetric("MAE", False, False, lambda rows: _mean(errors[rows], weight[rows])),
        ]
    hits = subject.response.argmax(axis=1) == subject.rows.target

    def accuracy(rows: Rows) -> Interval:
        share = _mean(hits[rows].astype(np.float64), weight[rows]).value
        low, high = wilson(np.array([share]), np.array([len(rows)]))
        return Interval(share, float(low[0]), float(high[0]))

    metrics = [
        GroupMetric("log loss", False, False, mean),
        GroupMetric("accuracy", True, True, accuracy),
    ]
    if subject.task == "binary":
        positive, scores = subject.rows.target == 1, subject.response[:, 1]
        metrics.append(
            GroupMetric("AUC", True, True, lambda rows: _area(positive[rows], scores[rows]))
        )
    return metrics


def _mean(values: Floats, weight: Floats) -> Interval:
    """A weighted mean, and 1.96 of its standard errors to both sides."""
    total = weight.sum()
    if not total > 0:
        return Interval(math.nan, math.nan, math.nan)
    middle = float((weight * values).sum() / total)
    error = float(np.sqrt((weight**2 * (values - middle) ** 2).sum()) / total)
    return Interval(middle, middle - 1.96 * error, middle + 1.96 * error)


def _area(positive: NDArray[np.bool_], scores: Floats) -> Interval:
    """Area under the ROC curve; its interval by the placement values of DeLong."""
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    if min(n_positive, n_negative) < 5:
        return Interval(math.nan, math.nan, math.nan)
    ranks = _middle_ranks(scores)
    above = (ranks[positive] - _middle_ranks(scores[positive])) / n_negative
    below = 1 - (ranks[~positive] - _middle_ranks(scores[~positive])) / n_positive
    area = float(above.mean())
    error = math.sqrt(above.var(ddof=1) / n_positive + below.var(ddof=1) / n_negative)
    return Interval(area, max(area - 1.96 * error, 0.0), min(area + 1.96 * error, 1.0))


def _middle_ranks(scores: Floats) -> Floats:
    """Ranks from 1; equal scores share the middle of theirs."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    middle: Floats = (last - (counts - 1) / 2)[place]
    return middle
