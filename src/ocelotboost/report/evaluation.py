"""Metrics of a model on some rows, with intervals; two models on the same rows, with a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.report.figures import count, number, percent
from ocelotboost.report.scores import (
    Interval,
    Measure,
    Value,
    bootstrap,
    interval_of,
    measures_for,
    paired_losses,
)

Floats = NDArray[np.float64]

#: Below this chance, a difference is called clear.
_UNLIKELY = 0.05


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows with a target, and what a model says of them.

    target    float64 (n,) numbers, or codes of classes
    response  float64 (n, n_classes) probabilities, or (n,) predicted numbers
    weight    float64 (n,)
    task      "binary", "classes" or "numbers"
    loss      the name of the model's loss
    """

    target: Floats
    response: Floats
    weight: Floats
    task: str
    loss: str


@dataclass(frozen=True)
class Figure:
    """A metric with its 95 % interval, by bootstrap over the rows."""

    name: str
    value: float
    low: float
    high: float
    higher_is_better: bool
    percentage: bool

    def shown(self, value: float) -> str:
        return percent(value) if self.percentage else number(value)

    @property
    def range(self) -> str:
        return f"{self.shown(self.low)} to {self.shown(self.high)}"


@dataclass(frozen=True)
class Evaluation:
    """Metrics of a model; ``print`` shows them as a table, and ``evaluation["AUC"]`` is one."""

    n_rows: int
    figures: tuple[Figure, ...]

    def __getitem__(self, name: str) -> Figure:
        for figure in self.figures:
            if figure.name == name:
                return figure
        raise KeyError(f"{name!r}; there are {', '.join(f.name for f in self.figures)}")

    def __str__(self) -> str:
        width = max(len(figure.name) for figure in self.figures)
        lines = [
            f"{f.name:{width}}  {f.shown(f.value):>9}   95 % interval {f.range}"
            for f in self.figures
        ]
        return "\n".join([f"{count(self.n_rows, 'row')}", *lines])


def evaluate(
    judged: Judged, others: Sequence[tuple[str, bool, Callable[[NDArray[np.intp]], Value]]]
) -> Evaluation:
    """The metrics that fit the target, and others.

    others  name, whether higher is better, and a function: rows -> the metric of their weights
    """
    measures = measures_for(judged.task, judged.loss)
    known = {measure.name for measure in measures}
    more = [other for other in others if other[0] not in known]

    def prepare(rows: NDArray[np.intp]) -> list[Value]:
        own = [m.prepare(judged.target[rows], judged.response[rows]) for m in measures]
        return [*own, *(prepared(rows) for _, _, prepared in more)]

    whole, drawn = bootstrap(prepare, judged.weight)
    names = [(m.name, m.higher_is_better, m.percentage) for m in measures]
    names += [(name, higher, False) for name, higher, _ in more]
    figures = [
        _figure(own, interval_of(value, samples))
        for own, value, samples in zip(names, whole.tolist(), drawn, strict=True)
    ]
    return Evaluation(len(judged.target), tuple(figures))


def _figure(named: tuple[str, bool, bool], interval: Interval) -> Figure:
    name, higher_is_better, percentage = named
    return Figure(name, interval.value, interval.low, interval.high, higher_is_better, percentage)


# ---- two models ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """A metric of both models, and second minus first with its interval."""

    name: str
    first: float
    second: float
    low: float
    high: float
    higher_is_better: bool
    percentage: bool

    @property
    def change(self) -> float:
        return self.second - self.first

    def shown(self, value: float) -> str:
        return percent(value) if self.percentage else number(value)


@dataclass(frozen=True)
class Comparison:
    """Two models on the same rows.

    loss         what is compared row by row, such as "log loss"
    mean         of the differences per row, second minus first: below zero, the second is better
    low, high    its 95 % interval
    p_value      of a paired t-test: the chance of so large a difference, were there none
    wins         share of the rows on which the second model has the smaller loss
    differences  of metrics, with intervals by bootstrap over the same rows for both
    """

    n_rows: int
    names: tuple[str, str]
    loss: str
    mean: float
    low: float
    high: float
    p_value: float
    wins: float
    differences: tuple[Difference, ...]

    @property
    def better(self) -> str | None:
        """The name of the model that is clearly better; None: the rows do not tell."""
        if not self.p_value < _UNLIKELY:
            return None
        return self.names[1] if self.mean < 0 else self.names[0]

    def sentence(self) -> str:
        """The result in words."""
        if self.mean == 0:
            return f"Both have the same {self.loss} on these rows."
        winner = self.names[1] if self.mean < 0 else self.names[0]
        low, high = sorted([abs(self.low), abs(self.high)])
        size = number(abs(self.mean))
        chance = f"p = {self.p_value:.2g}" if self.p_value >= 1e-4 else "p < 0.0001"
        if self.better is None:
            return (
                f"No clear difference: the {self.loss} of {winner} is lower by {size} per row, "
                f"which chance alone could do ({chance})."
            )
        return (
            f"{winner} is better: its {self.loss} is lower by {size} per row (95 % interval "
            f"{number(low)} to {number(high)}, {chance})."
        )

    def __str__(self) -> str:
        width = max(len(own.name) for own in self.differences)
        lines = [
            f"{d.name:{width}}  {d.shown(d.first):>9}  {d.shown(d.second):>9}"
            for d in self.differences
        ]
        return "\n".join([self.sentence(), *lines])


def compare(first: Judged, second: Floats, names: tuple[str, str]) -> Comparison:
    """``second`` is what the other model says of the same rows."""
    loss, losses = paired_losses(first.task, first.loss)
    apart = losses(first.target, second) - losses(first.target, first.response)
    mean, low, high, p_value = paired_test(apart, first.weight)
    return Comparison(
        len(apart),
        names,
        loss,
        mean,
        low,
        high,
        p_value,
        float(np.average(apart < 0, weights=first.weight)),
        _differences(first, second, measures_for(first.task, first.loss)),
    )


def _differences(first: Judged, second: Floats, measures: list[Measure]) -> tuple[Difference, ...]:
    def prepare(rows: NDArray[np.intp]) -> list[Value]:
        return [
            m.prepare(first.target[rows], own[rows])
            for m in measures
            for own in (first.response, second)
        ]

    whole, drawn = bootstrap(prepare, first.weight)
    found = []
    for place, measure in enumerate(measures):
        one, two = whole[2 * place : 2 * place + 2].tolist()
        interval = interval_of(two - one, drawn[2 * place + 1] - drawn[2 * place])
        about = (measure.higher_is_better, measure.percentage)
        found.append(Difference(measure.name, one, two, interval.low, interval.high, *about))
    return tuple(found)


def paired_test(apart: Floats, weight: Floats) -> tuple[float, float, float, float]:
    """Mean of differences, its 95 % interval, and the chance of such a mean, were the true one 0.

    >>> import numpy as np
    >>> mean, low, high, p = paired_test(np.array([1.0, 2.0, 3.0, 2.0]), np.ones(4))
    >>> round(mean, 2), round(low, 2), round(high, 2), round(p, 3)
    (2.0, 0.7, 3.3, 0.016)
    """
    from scipy.stats import t as student

    total = float(weight.sum())
    share = weight / total
    mean = float((share * apart).sum())
    n = 1 / float(np.square(share).sum())  # rows of equal weight that would tell as much
    if n <= 1 + 1e-9:
        return mean, math.nan, math.nan, math.nan
    spread = float((share * np.square(apart - mean)).sum()) * n / (n - 1)
    error = math.sqrt(spread / n)
    if error == 0:
        return mean, mean, mean, 1.0 if mean == 0 else 0.0
    reach = float(student.ppf(0.975, n - 1)) * error
    p_value = 2 * float(student.sf(abs(mean) / error, n - 1))
    return mean, mean - reach, mean + reach, p_value
