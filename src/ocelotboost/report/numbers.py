"""Predicted numbers: how far they are off, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ocelotboost.loss.base import weighted_quantile
from ocelotboost.loss.names import parse_name
from ocelotboost.report.document import Block, Figure, Paragraph, Section, section, strong
from ocelotboost.report.figures import number, percent, rounded
from ocelotboost.report.subject import Subject

_MOST_POINTS = 1500
_N_GROUPS = 10
_N_BARS = 40


def numbers_section(subject: Subject) -> Section:
    return section("errors", "Errors", "How far predictions are off", _blocks(subject))


def _blocks(subject: Subject) -> Iterator[Block]:
    errors = subject.rows.target - subject.response
    yield Paragraph(_story(subject))
    yield Figure(
        "scatter",
        "Predicted and true",
        _scatter(subject),
        "Each point is a row; on the diagonal the prediction is right.",
    )
    yield Figure(
        "groups",
        "Mean truth by prediction",
        _groups(subject),
        "Rows in ten groups by their prediction: the mean truth of each, with its 95 % interval.",
    )
    yield Figure(
        "errors",
        "Errors",
        _histogram(errors, subject),
        "How many rows have which error, which is the truth minus the prediction.",
        True,
    )


def _story(subject: Subject) -> str:
    truth, weight = subject.rows.target, subject.rows.weight
    errors = truth - subject.response
    sizes, counted = np.abs(errors), weight.astype(np.float32)
    half, most = (weighted_quantile(sizes, share, counted) for share in (0.5, 0.9))
    text = (
        f"Half of the predictions are within {strong(number(half))} of the truth, and nine in ten "
        f"within {strong(number(most))}."
    )
    name, given = parse_name(subject.model.loss.replace("custom:", "RMSE"))
    below = float(np.average(truth <= subject.response, weights=weight))
    if name == "Quantile":
        return (
            f"{text} The model predicts the {percent(given['alpha'])} quantile: "
            f"{strong(percent(below))} of the truths are at or below the prediction."
        )
    bias = float(np.average(errors, weights=weight))
    error_of_bias = float(np.sqrt(np.average((errors - bias) ** 2, weights=weight) / len(errors)))
    if abs(bias) <= 2 * error_of_bias:
        return f"{text} On the whole predictions are neither too high nor too low."
    side = "low" if bias > 0 else "high"
    return f"{text} On average predictions are too {side}, by {strong(number(abs(bias)))}."


def _scatter(subject: Subject) -> dict[str, Any]:
    rows = np.arange(subject.n_rows)
    if len(rows) > _MOST_POINTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_POINTS, replace=False))
    return {
        "x": rounded(subject.response[rows]),
        "y": rounded(subject.rows.target[rows]),
        "row": rows.tolist(),
        "all": subject.n_rows,
    }


def _groups(subject: Subject) -> dict[str, Any]:
    order = np.argsort(subject.response, kind="stable")
    groups = [own for own in np.array_split(order, _N_GROUPS) if len(own)]
    truth, weight = subject.rows.target, subject.rows.weight
    predicted, observed, half = [], [], []
    for own in groups:
        if weight[own].sum() == 0:
            continue
        predicted.append(np.average(subject.response[own], weights=weight[own]))
        observed.append(np.average(truth[own], weights=weight[own]))
        half.append(1.96 * truth[own].std() / np.sqrt(len(own)))
    middle = np.array(observed)
    return {
        "predicted": rounded(np.array(predicted)),
        "observed": rounded(middle),
        "low": rounded(middle - half),
        "high": rounded(middle + half),
    }


def _histogram(errors: Any, subject: Subject) -> dict[str, Any]:
    """The middle 99 % of the errors; those beyond are counted in the outermost bars."""
    low, high = np.quantile(errors, [0.005, 0.995]).tolist()
    if not low < high:
        low, high = low - 1, high + 1
    edges = np.linspace(low, high, _N_BARS + 1)
    counts = np.histogram(np.clip(errors, low, high), edges, weights=subject.rows.weight)[0]
    return {"edges": rounded(edges), "counts": rounded(counts)}
