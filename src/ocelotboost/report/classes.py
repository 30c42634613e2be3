"""Classes: ranking, calibration, and what a threshold decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.report.document import (
    Block,
    Figure,
    Paragraph,
    Section,
    Table,
    code,
    section,
    strong,
)
from ocelotboost.report.figures import number, percent, plain, rounded
from ocelotboost.report.scores import area_under_curve
from ocelotboost.report.subject import Floats, Subject

_MOST_CLASSES = 12
_MOST_POINTS = 200  # of a curve
_N_GROUPS = 10  # of a calibration curve
_N_BARS = 25  # of a histogram
THRESHOLDS = np.arange(1, 200) / 200


def classes_section(subject: Subject) -> Section:
    return section("decisions", "Decisions", "Ranking, calibration, threshold", _blocks(subject))


def shown_classes(subject: Subject) -> list[int]:
    """The classes that get curves: the second of two, or the most frequent of several."""
    if subject.task == "binary":
        return [1]
    weights = np.bincount(
        subject.rows.target.astype(np.intp), subject.rows.weight, len(subject.labels)
    )
    return sorted(np.argsort(-weights, kind="stable")[:_MOST_CLASSES].tolist())


def _blocks(subject: Subject) -> Iterator[Block]:
    chosen = shown_classes(subject)
    labels = [subject.labels[own] for own in chosen]
    weight = subject.rows.weight
    facts = [
        _OneClass(subject.rows.target == own, subject.response[:, own], weight) for own in chosen
    ]
    yield Paragraph(_story(subject, facts[0], labels[0]))
    if subject.task == "classes":
        yield _confusion(subject)
    data: dict[str, Any] = {"labels": labels}
    yield Figure(
        "threshold",
        "What a threshold decides",
        {
            **data,
            "other": subject.labels[0] if subject.task == "binary" else "other",
            "classes": [own.threshold() for own in facts],
        },
        "A threshold on the probability, and its confusion matrix, precision, recall and cost.",
        True,
    )
    yield Figure(
        "roc",
        "Ranking (ROC)",
        {**data, "classes": [own.roc() for own in facts]},
        f"Area under the curve: {', '.join(percent(own.area()) for own in facts)}.",
    )
    yield Figure(
        "precision",
        "Precision and recall",
        {**data, "classes": [own.precision_recall() for own in facts]},
        "Precision at each recall.",
    )
    yield Figure(
        "calibration",
        "Calibration",
        {**data, "classes": [own.calibration() for own in facts]},
        "How often the class occurs among rows of similar predicted probability.",
    )
    yield Figure(
        "probabilities",
        "Predicted probabilities",
        {**data, "classes": [own.histogram() for own in facts]},
        "How many rows get which probability, by what they are.",
    )


def _story(subject: Subject, fact: _OneClass, label: str) -> str:
    points = fact.calibration()
    gaps = np.abs(np.array(points["predicted"]) - np.array(points["observed"]))
    gap = float(np.average(gaps, weights=points["weight"]))
    verdict = (
        "Probabilities can be taken at their word"
        if gap < 0.02
        else "Probabilities are roughly right"
        if gap < 0.05
        else "Probabilities should not be taken at their word"
    )
    return (
        f"{verdict}: for {code(label)} they are {strong(f'{100 * gap:.1f} percentage points')} "
        "away from what happened, on average. The threshold below turns probabilities into "
        "decisions; move it, or say what the two kinds of error cost."
    )


def _confusion(subject: Subject) -> Table:
    """Rows are what is, columns what was predicted; classes beyond the first twelve together."""
    shown = shown_classes(subject)
    place = np.full(len(subject.labels), len(shown))
    place[shown] = np.arange(len(shown))
    names = [subject.labels[own] for own in shown]
    names += ["others"] * (len(shown) < len(subject.labels))
    truth = place[subject.rows.target.astype(np.intp)]
    called = place[subject.response.argmax(axis=1)]
    table = np.zeros((len(names), len(names)))
    np.add.at(table, (truth, called), subject.rows.weight)
    totals = table.sum(axis=1)
    rows = []
    for own, counts in enumerate(table):
        recall = counts[own] / totals[own] if totals[own] > 0 else float("nan")
        rows.append((code(names[own]), *(number(value) for value in counts), percent(recall)))
    return Table(
        ("is \\ called", *(code(label) for label in names), "recall"),
        tuple(rows),
        "Each row of the table is a class, and each column what the model called it.",
    )


class _OneClass:
    """One class against the rest, by its probability."""

    def __init__(self, positive: NDArray[np.bool_], scores: Floats, weight: Floats) -> None:
        self._positive, self._scores, self._weight = positive, scores, weight
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        last = np.flatnonzero(np.concatenate([ranked[1:] != ranked[:-1], [True]]))
        self._hits = np.cumsum((weight * positive)[order])[last]
        self._false = np.cumsum((weight * ~positive)[order])[last]
        self._cuts = ranked[last]

    def area(self) -> float:
        return area_under_curve(self._positive, self._scores)(self._weight)

    def _chosen(self) -> NDArray[np.intp]:
        """Points of a curve that are apart from each other."""
        steps = self._hits / max(self._hits[-1], 1e-300)
        steps = steps + self._false / max(self._false[-1], 1e-300)
        wanted = np.linspace(0, steps[-1], _MOST_POINTS)
        return np.unique(np.searchsorted(steps, wanted).clip(0, len(steps) - 1))

    def roc(self) -> dict[str, Any]:
        chosen = self._chosen()
        return {
            "x": [0, *rounded(self._false[chosen] / max(self._false[-1], 1e-300))],
            "y": [0, *rounded(self._hits[chosen] / max(self._hits[-1], 1e-300))],
            "cut": [1, *rounded(self._cuts[chosen])],
            "area": plain(self.area()),
        }

    def precision_recall(self) -> dict[str, Any]:
        chosen = self._chosen()
        called = np.maximum(self._hits + self._false, 1e-300)
        precision, recall = self._hits / called, self._hits / max(self._hits[-1], 1e-300)
        average = float(np.sum(np.diff(recall, prepend=0.0) * precision))
        return {
            "x": rounded(recall[chosen]),
            "y": rounded(precision[chosen]),
            "cut": rounded(self._cuts[chosen]),
            "share": plain(float(self._hits[-1] / called[-1])),
            "average": plain(average),
        }

    def calibration(self) -> dict[str, Any]:
        """Groups of rows with similar probabilities, of about equal weight."""
        order = np.argsort(self._scores, kind="stable")
        mass = np.cumsum(self._weight[order])
        group = np.minimum((mass - 1e-9) / mass[-1] * _N_GROUPS, _N_GROUPS - 1).astype(int)
        counts = np.bincount(group, minlength=_N_GROUPS)
        weight = np.bincount(group, self._weight[order], _N_GROUPS)
        used = (counts > 0) & (weight > 0)
        predicted = np.bincount(group, (self._weight * self._scores)[order], _N_GROUPS)
        observed = np.bincount(group, (self._weight * self._positive)[order], _N_GROUPS)
        share = observed[used] / weight[used]
        low, high = wilson(share, counts[used])
        return {
            "predicted": rounded(predicted[used] / weight[used]),
            "observed": rounded(share),
            "low": rounded(low),
            "high": rounded(high),
            "weight": rounded(weight[used]),
        }

    def histogram(self) -> dict[str, Any]:
        edges = np.linspace(0, 1, _N_BARS + 1)
        counts = [
            np.histogram(self._scores, edges, weights=self._weight * own)[0]
            for own in (self._positive, ~self._positive)
        ]
        return {"positive": rounded(counts[0]), "negative": rounded(counts[1])}

    def threshold(self) -> dict[str, Any]:
        """Weights that are called positive at each threshold, by what they are."""
        called = np.searchsorted(-self._cuts, -THRESHOLDS, side="right")
        hits = np.concatenate([[0.0], self._hits])[called]
        false = np.concatenate([[0.0], self._false])[called]
        return {
            "hits": rounded(hits, 6),
            "false": rounded(false, 6),
            "positive": float(self._hits[-1]),
            "negative": float(self._false[-1]),
        }


def wilson(share: Floats, counts: NDArray[Any]) -> tuple[Floats, Floats]:
    """95 % intervals of shares of this many rows, after Wilson."""
    z = 1.96
    n = np.maximum(counts, 1)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
