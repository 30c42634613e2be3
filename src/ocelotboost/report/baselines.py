"""What little effort would reach: a constant, and a linear model of the same columns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.report.document import code
from ocelotboost.report.figures import number
from ocelotboost.report.subject import CategoricalColumn, Floats, Rows, Subject

_MOST_TRAINING_ROWS = 20_000
_MOST_CATEGORIES = 30  # of a column, one-hot encoded for the linear model; the others are one
_N_FOLDS = 3


@dataclass(frozen=True, eq=False)
class Baseline:
    """Predictions to compare with, as ``Subject.response``.

    name  in a table
    says  how they were made
    """

    name: str
    says: str
    response: Floats


def constant(subject: Subject) -> Baseline:
    """The same prediction for each row: shares of the classes, or what the loss calls a mean."""
    rows, source = (
        (subject.rows, "the given rows")
        if subject.training is None
        else (subject.training, "the training rows")
    )
    if subject.task == "numbers":
        start, source = _constant_number(subject, rows, source)
        response = np.full(subject.n_rows, start)
        return Baseline("constant", f"is {number(start)}, from {source}", response)
    counts = np.bincount(rows.target.astype(np.intp), rows.weight, len(subject.labels))
    shares = counts / counts.sum()
    likeliest = code(subject.labels[int(shares.argmax())])
    says = f"are those of {source}; they always call {likeliest}"
    return Baseline("class shares", says, np.tile(shares, (subject.n_rows, 1)))


def _constant_number(subject: Subject, rows: Rows, source: str) -> tuple[float, str]:
    """Where training began, which is the best constant of its loss."""
    if subject.model.loss.startswith("custom:"):
        return float(np.average(rows.target, weights=rows.weight)), source
    start = subject.loss.link(subject.model.forest.start_value)
    return float(start[0]), "the training rows"


def linear(subject: Subject) -> Baseline | None:
    """Logistic or ridge regression: trained on the training rows where they are given, else on
    two thirds of the given rows to predict the other third. None where it cannot be trained."""
    classes = subject.task != "numbers"
    name = "logistic regression" if classes else "ridge regression"
    # One thread: such small products gain nothing by several, and on busy machines lose much.
    with warnings.catch_warnings(), import_module("threadpoolctl").threadpool_limits(1):
        warnings.simplefilter("ignore")
        try:
            if subject.training is not None:
                response = _fitted_to(subject.training, subject)(subject.rows, slice(None))
                return Baseline(name, "was trained on the training rows", response)
            response = _cross_validated(subject)
            return Baseline(
                name, f"was cross-validated on the given rows, in {_N_FOLDS} folds", response
            )
        except (ValueError, np.linalg.LinAlgError):
            return None


def _cross_validated(subject: Subject) -> Floats:
    rows = subject.rows
    fold = np.random.default_rng(0).permutation(rows.n_rows) % _N_FOLDS
    if subject.task != "numbers":  # each fold has its share of each class
        order = np.lexsort([np.random.default_rng(0).random(rows.n_rows), rows.target])
        fold[order] = np.arange(rows.n_rows) % _N_FOLDS
    response = np.empty_like(subject.response)
    for own in range(_N_FOLDS):
        predict = _fitted_to(rows, subject, np.flatnonzero(fold != own))
        held = np.flatnonzero(fold == own)
        response[held] = predict(rows, held)
    return response


def _fitted_to(rows: Rows, subject: Subject, chosen: NDArray[np.intp] | None = None) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge

    if chosen is None:
        chosen = np.arange(rows.n_rows)
    if len(chosen) > _MOST_TRAINING_ROWS:
        chosen = np.random.default_rng(1).choice(chosen, _MOST_TRAINING_ROWS, replace=False)
    encoding = _Encoding(rows, chosen)
    design, target = encoding.of(rows, chosen), rows.target[chosen]
    if subject.task == "numbers":
        ridge = Ridge(alpha=1.0).fit(design, target, rows.weight[chosen])
        low, high = float(target.min()), float(target.max())
        return lambda given, own: np.clip(ridge.predict(encoding.of(given, own)), low, high)
    logistic = LogisticRegression(max_iter=100, tol=1e-3)
    logistic.fit(design, target, rows.weight[chosen])

    def probabilities(given: Rows, own: Any) -> Floats:
        found = logistic.predict_proba(encoding.of(given, own))
        all_classes = np.zeros((len(found), len(subject.labels)))
        all_classes[:, logistic.classes_.astype(np.intp)] = found
        return all_classes

    return probabilities


class _Encoding:
    """Columns as a linear model takes them: standardised, missing numbers as the median and a
    column that says so, frequent categories one-hot."""

    def __init__(self, rows: Rows, chosen: NDArray[np.intp]) -> None:
        self._known: list[Any] = []
        for column in rows.columns:
            if isinstance(column, CategoricalColumn):
                counts = np.bincount(column.codes[chosen], minlength=len(column.hashes))
                frequent = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
                self._known.append(column.hashes[frequent[counts[frequent] > 0]])
                continue
            own = column.values[chosen]
            finite = own[np.isfinite(own)]
            middle = float(np.median(finite)) if len(finite) else 0.0
            spread = float(finite.std()) if len(finite) else 0.0
            self._known.append((middle, spread if spread > 0 else 1.0))

    def of(self, rows: Rows, chosen: Any) -> Floats:
        made: list[NDArray[Any]] = []
        for column, known in zip(rows.columns, self._known, strict=True):
            if isinstance(column, CategoricalColumn):
                own = column.hashes[column.codes[chosen]]
                made.append(own[:, None] == known[None, :])
                continue
            middle, spread = known
            values = column.values[chosen]
            missing = ~np.isfinite(values)
            scaled = (np.where(missing, middle, values) - middle) / spread
            made += [np.clip(scaled, -10, 10)[:, None], missing[:, None]]
        return np.concatenate([part.astype(np.float64) for part in made], axis=1)
