"""Suspects of leakage: what makes a model look better than it will be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.report.data import Overlap
from ocelotboost.report.document import Block, Paragraph, Section, Table, code, section, strong
from ocelotboost.report.figures import percent
from ocelotboost.report.subject import (
    CategoricalColumn,
    Column,
    Floats,
    NumberColumn,
    Rows,
    Subject,
)

_MOST_ROWS = 50_000
_N_RANGES = 64
_N_FOLDS = 5
_PRIOR_WEIGHT = 1.0
_ALMOST_ALL = 0.9  # of what can be explained, by one column
_FAR_BETTER = 0.2  # explained by the greedy statistic, compared with the ordered one
_LIKE_AN_ID = 0.5  # distinct values per row
_LARGE = 0.1  # importance
_MANY_SEEN = 0.01


@dataclass(frozen=True)
class Strength:
    """What a column explains of the target by itself, as a share of its variance.

    alone    by the means of its values in other rows
    greedy   by means that a row's own target is part of; None for numbers
    ordered  by means of the rows before, in a random order; None for numbers
    """

    alone: float
    greedy: float | None
    ordered: float | None


@dataclass(frozen=True)
class Suspicion:
    """What was looked at, and what looks suspicious, in sentences.

    importances  float64 (n_columns,) shares
    explained    of the target's variance, by the whole model
    """

    rows: Rows
    strengths: list[Strength]
    importances: Floats
    equal: Overlap
    explained: float

    @property
    def suspects(self) -> list[str]:
        return [
            *_alone(self.rows, self.strengths, self.explained),
            *_greedy(self.rows, self.strengths),
            *_like_ids(self.rows, self.importances),
            *_seen(self.equal),
        ]


def suspect(subject: Subject, importances: Floats, equal: Overlap) -> Suspicion:
    """By the rows of training where they are given, else by those that the model is judged by."""
    rows = subject.rows if subject.training is None else subject.training
    strengths = column_strengths(rows, len(subject.labels))
    return Suspicion(rows, strengths, importances, equal, _explained_by(subject))


def _explained_by(subject: Subject) -> float:
    """The share of the target's variance that the model explains; of classes, of all together."""
    target = subject.rows.target
    if subject.task == "numbers":
        return explained_variance(target[None, :], subject.response[None, :])
    shown = [1] if subject.task == "binary" else list(range(len(subject.labels)))
    truth = np.stack([(target == own).astype(np.float64) for own in shown])
    return explained_variance(truth, subject.response.T[shown])


def leakage_section(suspicion: Suspicion) -> Section:
    return section("leakage", "Leakage", "Suspects of leakage", _blocks(suspicion))


def _blocks(suspicion: Suspicion) -> Iterator[Block]:
    rows, strengths, importances = suspicion.rows, suspicion.strengths, suspicion.importances
    equal, explained, suspects = suspicion.equal, suspicion.explained, suspicion.suspects
    if suspects:
        for text in suspects:
            yield Paragraph(text, "warning")
        yield Paragraph(
            "A suspect is a question, not a verdict: would the value be known at the time of the "
            "prediction, and would it be the same?"
        )
    else:
        yield Paragraph(
            "None found: no column predicts almost everything by itself, none looks like an "
            "identifier with large importance, and no column would leak the target by its means.",
            "good",
        )
    if equal.seen is None:
        yield Paragraph(
            "Whether rows were in training is not known, because the model does not remember them."
        )
    order = sorted(range(len(strengths)), key=lambda place: -strengths[place].alone)[:10]
    yield Table(
        ("column", "alone", "greedy mean", "ordered mean", "importance"),
        tuple(
            (
                code(rows.columns[place].name),
                percent(max(strengths[place].alone, 0.0)),
                _share(strengths[place].greedy),
                _share(strengths[place].ordered),
                percent(float(importances[place])),
            )
            for place in order
        ),
        "What columns explain by themselves, as shares of the target's variance; the whole model "
        f"explains {percent(max(explained, 0.0))}. A greedy mean has the row's own target in it, "
        "an ordered one has not.",
        collapsed="What single columns explain",
    )


def _share(value: float | None) -> str:
    return "–" if value is None else percent(max(value, 0.0))


# ---- suspects --------------------------------------------------------------------------------


def _alone(rows: Rows, strengths: list[Strength], explained: float) -> Iterator[str]:
    for column, strength in zip(rows.columns, strengths, strict=True):
        of_model = strength.alone / explained if explained > 0 else 0.0
        if strength.alone >= _ALMOST_ALL:
            yield (
                f"{code(column.name)} predicts almost everything by itself: its values explain "
                f"{strong(percent(strength.alone))} of the target's variance. Is it made from the "
                "target, or known only afterwards?"
            )
        elif len(rows.columns) > 2 and explained >= 0.5 and of_model >= _ALMOST_ALL:
            yield (
                f"{code(column.name)} by itself explains {strong(percent(of_model))} of what the "
                "whole model explains. Would it be known at the time of the prediction?"
            )


def _greedy(rows: Rows, strengths: list[Strength]) -> Iterator[str]:
    for column, strength in zip(rows.columns, strengths, strict=True):
        if strength.greedy is None or strength.ordered is None:
            continue
        if strength.greedy - max(strength.ordered, 0.0) > _FAR_BETTER:
            yield (
                f"The mean target per value of {code(column.name)} explains "
                f"{strong(percent(strength.greedy))} of the variance when a row's own target is in "
                f"it, but {strong(percent(max(strength.ordered, 0.0)))} when it is not. Encoding "
                "it by its mean target would leak; the ordered statistics of this model do not."
            )


def _like_ids(rows: Rows, importances: Floats) -> Iterator[str]:
    for column in rows.columns:
        large = importances[column.position] >= max(_LARGE, 2 / len(importances))
        if large and _is_like_an_id(column, rows.n_rows):
            yield (
                f"{code(column.name)} looks like an identifier ({column.n_distinct:,} values in "
                f"{rows.n_rows:,} rows) and has {strong(percent(importances[column.position]))} of "
                "the importance. What it has learned of single rows does not hold for new ones."
            )


def _is_like_an_id(column: Column, n_rows: int) -> bool:
    if n_rows < 100:
        return False
    if isinstance(column, CategoricalColumn):
        return column.n_distinct >= _LIKE_AN_ID * n_rows
    known = column.values[~column.missing]
    whole = len(known) > 0 and bool((known == np.rint(known)).all())
    if not whole or column.n_distinct < 0.95 * n_rows:
        return False
    steps = np.diff(known)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    return in_order or float(np.ptp(known)) <= 2 * n_rows


def _seen(equal: Overlap) -> Iterator[str]:
    if equal.seen is None or equal.seen < max(_MANY_SEEN, 2 * equal.duplicates):
        return
    about = "" if equal.exact else "About "
    yield (
        f"{about}{strong(percent(equal.seen))} of the given rows were in training, as far as equal "
        "values tell. The model has seen their targets, so the figures of this report are too good."
    )


# ---- what single columns explain -------------------------------------------------------------


def column_strengths(rows: Rows, n_classes: int) -> list[Strength]:
    """Of each column; of several classes, over all of them together."""
    rng = np.random.default_rng(0)
    order = rng.permutation(rows.n_rows)[:_MOST_ROWS]
    if n_classes == 0:
        targets = rows.target[order][None, :]
    else:
        shown = range(1, 2) if n_classes == 2 else range(n_classes)
        targets = np.stack([(rows.target[order] == own).astype(np.float64) for own in shown])
    return [_strength(column, order, targets) for column in rows.columns]


def explained_variance(truth: Floats, predicted: Floats) -> float:
    """1 − error / variance, of (n_targets, n) together; 0 where nothing varies."""
    spread = float(((truth - truth.mean(axis=1, keepdims=True)) ** 2).sum())
    return 1 - float(((truth - predicted) ** 2).sum()) / spread if spread > 0 else 0.0


def _strength(column: Column, order: NDArray[np.intp], targets: Floats) -> Strength:
    """Rows are in a random order already, so folds may be taken in turn."""
    if isinstance(column, NumberColumn):
        codes = _ranges(column.values[order])
        return Strength(_cross_fitted(codes, targets), None, None)
    codes = np.unique(column.codes[order], return_inverse=True)[1]
    n_values = int(codes.max()) + 1
    counts = np.bincount(codes, minlength=n_values)
    prior = targets.mean(axis=1, keepdims=True)
    sums = np.stack([np.bincount(codes, own, n_values) for own in targets])
    greedy = ((sums + _PRIOR_WEIGHT * prior) / (counts + _PRIOR_WEIGHT))[:, codes]
    before_counts, before_sums = _before(codes, targets)
    ordered = (before_sums + _PRIOR_WEIGHT * prior) / (before_counts + _PRIOR_WEIGHT)
    return Strength(
        _cross_fitted(codes, targets),
        explained_variance(targets, greedy),
        explained_variance(targets, ordered),
    )


def _ranges(values: Floats) -> NDArray[np.intp]:
    """Up to 64 ranges with about equally many rows, and missing."""
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return np.zeros(len(values), dtype=np.intp)
    edges = np.unique(np.quantile(known, np.arange(1, _N_RANGES) / _N_RANGES))
    codes = np.searchsorted(edges, values)
    codes[np.isnan(values)] = len(edges) + 1
    return codes


def _cross_fitted(codes: NDArray[np.intp], targets: Floats) -> float:
    """Each fifth of the rows predicted by means over the others."""
    fold = np.arange(len(codes)) % _N_FOLDS
    n_values = int(codes.max()) + 1
    predicted = np.empty_like(targets)
    for own in range(_N_FOLDS):
        held, others = fold == own, fold != own
        counts = np.bincount(codes[others], minlength=n_values)
        for line, target in enumerate(targets):
            mean = target[others].mean() if others.any() else 0.0
            sums = np.bincount(codes[others], target[others], n_values)
            means = (sums + _PRIOR_WEIGHT * mean) / (counts + _PRIOR_WEIGHT)
            predicted[line, held] = means[codes[held]]
    return explained_variance(targets, predicted)


def _before(codes: NDArray[np.intp], targets: Floats) -> tuple[Floats, Floats]:
    """Of each row, how many rows before it have its value, and the sums of their targets."""
    grouped = np.argsort(codes, kind="stable")
    sorted_codes = codes[grouped]
    first = np.flatnonzero(np.concatenate([[True], sorted_codes[1:] != sorted_codes[:-1]]))
    sizes = np.diff(np.append(first, len(codes)))
    counts, sums = np.empty(len(codes)), np.empty_like(targets)
    counts[grouped] = np.arange(len(codes)) - np.repeat(first, sizes)
    for line, target in enumerate(targets):
        running = np.cumsum(target[grouped]) - target[grouped]
        sums[line, grouped] = running - np.repeat(running[first], sizes)
    return counts, sums
