"""The verdict: how good the model is, how sure that is, and what little effort would reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ocelotboost.report.baselines import Baseline, constant, linear
from ocelotboost.report.document import (
    Block,
    Cell,
    Paragraph,
    Section,
    Table,
    code,
    section,
    strong,
)
from ocelotboost.report.figures import count, number, percent
from ocelotboost.report.scores import Interval, Measure, bootstrap, interval_of, measures_of
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
        return "bad" if any(gain.high <= 0 for gain in gains) else "warning"


def judge(subject: Subject) -> Verdict:
    """Metrics of model and baselines over the same bootstrap samples."""
    baselines = tuple(filter(None, [constant(subject), linear(subject)]))
    measures = measures_of(subject)
    responses = [subject.response, *(baseline.response for baseline in baselines)]
    target, weight = subject.rows.target, subject.rows.weight
    values = [m.prepare(target, response) for m in measures for response in responses]
    whole = np.array([value(weight) for value in values]).reshape(len(measures), -1)
    drawn = bootstrap(values, weight).reshape(len(measures), len(responses), -1)
    return Verdict(
        tuple(
            _judged(measure, whole[place], drawn[place]) for place, measure in enumerate(measures)
        ),
        baselines,
    )


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


def verdict_section(subject: Subject, verdict: Verdict) -> Section:
    return section("verdict", "Verdict", "The verdict", _blocks(subject, verdict))


def _blocks(subject: Subject, verdict: Verdict) -> Iterator[Block]:
    yield Paragraph(f"{strong(_headline(verdict))} {_meaning(subject, verdict)}", verdict.tone)
    yield Paragraph(_comparison(verdict))
    header = ("metric", "this model", "95 % interval", *(b.name for b in verdict.baselines))
    yield Table(
        header,
        tuple(_row(judged) for judged in verdict.judged),
        "Intervals are by bootstrap over the rows: how much the figures would vary with other rows "
        "of the same kind. " + " ".join(_explained(b) for b in verdict.baselines),
    )
    if subject.n_rows < 200:
        yield Paragraph(
            f"{count(subject.n_rows, 'row')} are few: the intervals are wide, and figures per "
            "group mean little.",
            "warning",
        )


def _row(judged: Judged) -> tuple[str | Cell, ...]:
    measure = judged.measure
    direction = "higher is better" if measure.higher_is_better else "lower is better"
    cells: list[str | Cell] = [
        f"{measure.name} ({direction})",
        Cell(strong(shown(judged.model.value, measure))),
        shown_range(judged.model, measure),
    ]
    return (*cells, *(shown(baseline.value, measure) for baseline in judged.baselines))


def _explained(baseline: Baseline) -> str:
    return f"The {baseline.name} {baseline.says}." if baseline.name[0] != "l" else (
        f"The {baseline.name} has the same columns and is {baseline.says}."
    )


def _headline(verdict: Verdict) -> str:
    names = " and ".join(baseline.name for baseline in verdict.baselines)
    return {
        "good": f"Better than {names}.",
        "warning": f"Not clearly better than {names}.",
        "bad": f"Worse than {names}." if len(verdict.baselines) == 1 else "Worse than a baseline.",
    }[verdict.tone]


def _meaning(subject: Subject, verdict: Verdict) -> str:
    """The headline figure as a sentence about this model."""
    first = verdict.judged[0]
    value = strong(shown(first.model.value, first.measure))
    around = f"95 % interval {shown_range(first.model, first.measure)}"
    if subject.task == "binary":
        positive, negative = code(subject.labels[1]), code(subject.labels[0])
        return (
            f"The model ranks {value} of pairs correctly ({around}): of one row that is {positive} "
            f"and one that is {negative}, drawn at random, it gives the first the higher "
            "probability."
        )
    if subject.task == "classes":
        return f"The likeliest of {len(subject.labels)} classes is right in {value} of rows \
({around})."
    by_name = {judged.measure.name: judged for judged in verdict.judged}
    typical = by_name["MAE"].model.value
    share = by_name["R²"].model.value
    return (
        f"{first.measure.name} is {value} ({around}). A prediction is {strong(number(typical))} "
        f"away from the truth on average, and the model explains {percent(max(share, 0.0))} of "
        "the target's variance."
    )


def _comparison(verdict: Verdict) -> str:
    first = verdict.judged[0]
    sentences = []
    for baseline, reached, gain in zip(
        verdict.baselines, first.baselines, first.gains, strict=True
    ):
        amount = (
            f"{100 * abs(gain.value):.1f} percentage points"
            if first.measure.percentage
            else number(abs(gain.value))
        )
        better = "better" if gain.value > 0 else "worse"
        sure = (
            ""
            if gain.low > 0 or gain.high < 0
            else ", a difference that other rows could turn around"
        )
        sentences.append(
            f"A {baseline.name} reaches {shown(reached.value, first.measure)}: the model is "
            f"{strong(f'{amount} {better}')}{sure}."
        )
    hits = next((j for j in verdict.judged[1:] if j.measure.name == "accuracy"), None)
    if hits is not None and hits.baselines:
        sentences.append(
            f"Calling the likelier class, it is right in {strong(percent(hits.model.value))} of "
            f"rows; always calling the most frequent one is right in "
            f"{percent(hits.baselines[0].value)}."
        )
    return " ".join(sentences)
