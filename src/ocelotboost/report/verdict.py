"""The verdict: how good the model is, how sure that is, and what little effort would reach."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.report.baselines import Baseline, constant, linear
from ocelotboost.report.document import (
    Block,
    Cell,
    Figure,
    Paragraph,
    Section,
    Table,
    code,
    section,
    strong,
)
from ocelotboost.report.figures import count, number, percent, rounded
from ocelotboost.report.scores import (
    Interval,
    Measure,
    Value,
    bootstrap,
    interval_of,
    measures_of,
)
from ocelotboost.report.subject import Floats, Subject


@dataclass(frozen=True)
class Judged:
    """One metric of the model and of the baselines.

    gains  by how much the model is better than each baseline
    """

    measure: Measure
    model: Interval
    baselines: tuple[Interval, ...]
    gains: tuple[Interval, ...]


@dataclass(frozen=True)
class Verdict:
    """All metrics; the first is the headline."""

    judged: tuple[Judged, ...]
    baselines: tuple[Baseline, ...]

    @property
    def tone(self) -> str:
        """Better than all baselines, not surely so, or worse than one."""
        gains = self.judged[0].gains
        if all(gain.low > 0 for gain in gains):
            return "good"
        return "bad" if any(gain.high < 0 for gain in gains) else "warning"


def judge(subject: Subject) -> Verdict:
    """Metrics of model and baselines over the same bootstrap samples."""
    baselines = tuple(filter(None, [constant(subject), linear(subject)]))
    measures = measures_of(subject)
    responses = [subject.response, *(baseline.response for baseline in baselines)]
    target, weight = subject.rows.target, subject.rows.weight

    def prepare(rows: NDArray[np.intp]) -> list[Value]:
        return [m.prepare(target[rows], own[rows]) for m in measures for own in responses]

    whole, drawn = bootstrap(prepare, weight)
    whole = whole.reshape(len(measures), -1)
    drawn = drawn.reshape(len(measures), len(responses), -1)
    judged = [_judged(m, whole[place], drawn[place]) for place, m in enumerate(measures)]
    judged.sort(key=lambda own: math.isnan(own.model.value))  # such as AUC of one class
    return Verdict(tuple(judged), baselines)


def _judged(measure: Measure, whole: Floats, drawn: Floats) -> Judged:
    intervals = [interval_of(v, d) for v, d in zip(whole.tolist(), drawn, strict=True)]
    sign = 1.0 if measure.higher_is_better else -1.0
    gains = [
        interval_of(sign * (whole[0] - whole[other]), sign * (drawn[0] - drawn[other]))
        for other in range(1, len(intervals))
    ]
    return Judged(measure, intervals[0], tuple(intervals[1:]), tuple(gains))


def shown(value: float, measure: Measure) -> str:
    return percent(value) if measure.percentage else number(value)


def shown_range(interval: Interval, measure: Measure) -> str:
    return f"{shown(interval.low, measure)} to {shown(interval.high, measure)}"


def verdict_section(subject: Subject, verdict: Verdict, n_suspects: int) -> Section:
    """n_suspects: of leakage, because of which the figures may be too good."""
    return section("verdict", "Verdict", "The verdict", _blocks(subject, verdict, n_suspects))


def _blocks(subject: Subject, verdict: Verdict, n_suspects: int) -> Iterator[Block]:
    yield Paragraph(f"{strong(_headline(verdict))} {_meaning(subject, verdict)}", verdict.tone)
    if n_suspects:
        yield Paragraph(
            f"{count(n_suspects, 'suspect')} of leakage, below: these figures may be too good.",
            "warning",
        )
    yield Paragraph(_comparison(subject, verdict))
    yield _figure(verdict)
    header = ("metric", "this model", "95 % interval", *(b.name for b in verdict.baselines))
    yield Table(
        header,
        tuple(_row(judged) for judged in verdict.judged),
        "Intervals are by bootstrap over the rows: how much the figures would vary with other rows "
        "of the same kind. " + " ".join(f"The {b.name} {b.says}." for b in verdict.baselines),
    )
    if subject.n_rows < 200:
        yield Paragraph(
            f"{count(subject.n_rows, 'row')} are few: the intervals are wide, and figures per "
            "group mean little.",
            "warning",
        )


def _figure(verdict: Verdict) -> Figure:
    """The headline metric of the model and of the baselines, with intervals."""
    first = verdict.judged[0]
    names = ["this model", *(baseline.name for baseline in verdict.baselines)]
    return Figure(
        "verdict",
        f"{first.measure.name[0].upper()}{first.measure.name[1:]}, {_direction(first.measure)}",
        {
            "percentage": first.measure.percentage,
            "bars": [
                {"name": name, "of": rounded(np.array([own.value, own.low, own.high]), 6)}
                for name, own in zip(names, [first.model, *first.baselines], strict=True)
            ],
        },
        "The headline metric of the model and of the baselines, with 95 % intervals.",
        True,
    )


def _direction(measure: Measure) -> str:
    return "higher is better" if measure.higher_is_better else "lower is better"


def _row(judged: Judged) -> tuple[str | Cell, ...]:
    measure = judged.measure
    cells: list[str | Cell] = [
        f"{measure.name} ({_direction(measure)})",
        Cell(strong(shown(judged.model.value, measure))),
        shown_range(judged.model, measure),
    ]
    return (*cells, *(shown(baseline.value, measure) for baseline in judged.baselines))


def _headline(verdict: Verdict) -> str:
    """Compared with the better of the baselines."""
    strongest = min(
        zip(verdict.judged[0].gains, verdict.baselines, strict=True),
        key=lambda pair: pair[0].value,
    )[1]
    name = f"a {strongest.name}" if strongest.name.endswith("regression") else "a constant"
    return {
        "good": f"Better than {name}.",
        "warning": f"Not surely better than {name}.",
        "bad": f"Worse than {name}.",
    }[verdict.tone]


def _meaning(subject: Subject, verdict: Verdict) -> str:
    """The headline figure as a sentence about this model."""
    first = verdict.judged[0]
    value = strong(shown(first.model.value, first.measure))
    around = f"95 % interval {shown_range(first.model, first.measure)}"
    if subject.task == "binary" and first.measure.name != "AUC":
        return (
            "All rows are of the same class, so ranking cannot be judged. "
            f"{first.measure.name[0].upper()}{first.measure.name[1:]} is {value} ({around})."
        )
    if subject.task == "binary":
        positive, negative = code(subject.labels[1]), code(subject.labels[0])
        return (
            f"The model ranks {value} of pairs correctly ({around}): of one row that is {positive} "
            f"and one that is {negative}, drawn at random, it gives the first the higher "
            "probability."
        )
    if subject.task == "classes":
        return (
            f"Of {len(subject.labels)} classes, the one that the model calls likeliest is right in "
            f"{value} of rows ({around})."
        )
    by_name = {judged.measure.name: judged for judged in verdict.judged}
    typical = by_name["MAE"].model.value
    share = by_name["R²"].model.value
    what = first.measure.name
    what += "" if what in ("RMSE", "MAE") else " loss"
    return (
        f"{what} is {value} ({around}). A prediction is {strong(number(typical))} "
        f"away from the truth on average, and the model explains {percent(max(share, 0.0))} of "
        "the target's variance."
    )


def _comparison(subject: Subject, verdict: Verdict) -> str:
    first = verdict.judged[0]
    reached = [shown(own.value, first.measure) for own in first.baselines]
    sentences = [f"{_constant_words(subject)} reaches {reached[0]}."]
    if len(reached) > 1:
        sentences.append(_linear_words(verdict, reached[1]))
    hits = next((j for j in verdict.judged[1:] if j.measure.name == "accuracy"), None)
    if hits is not None:
        sentences.append(
            f"Calling the likeliest class is right in {strong(percent(hits.model.value))} of rows; "
            f"always calling the most frequent one would be right in "
            f"{percent(hits.baselines[0].value)}."
        )
    return " ".join(sentences)


def _constant_words(subject: Subject) -> str:
    return {
        "binary": "Guessing",
        "classes": "Always calling the most frequent class",
        "numbers": "Predicting the same number for each row",
    }[subject.task]


def _linear_words(verdict: Verdict, reached: str) -> str:
    gain, baseline, measure = (
        verdict.judged[0].gains[1],
        verdict.baselines[1],
        verdict.judged[0].measure,
    )

    def amount(value: float) -> str:
        return f"{100 * value:.1f}" if measure.percentage else number(value)

    if amount(abs(gain.value)).strip("0.") == "":
        return f"A {baseline.name} of the same columns reaches {reached}, too."
    better = gain.value > 0
    low, high = sorted([abs(gain.low), abs(gain.high)])
    size = amount(abs(gain.value)) + (" percentage points" if measure.percentage else "")
    text = f"A {baseline.name} of the same columns reaches {reached}: the model is "
    text += strong(f"{size} {'better' if better else 'worse'}")
    if gain.low > 0 or gain.high < 0:
        return f"{text} ({amount(low)} to {amount(high)})."
    return f"{text}, a difference that other rows could turn around."
