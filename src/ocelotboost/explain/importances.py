"""How much columns matter, in one number per column, and pairs of columns in one per pair.

    prediction_change  how much predictions vary with the answers about a column: from the trees
    splits             how many questions of the trees are about it: from the trees
    shap               mean of the absolute SHAP values, over some rows
    loss_change        how much larger the loss is without its SHAP values, over some rows
    permutation        how much larger the loss is when its values are shuffled, over some rows

Numbers that are means over rows have standard errors: another draw of the rows would change them
by about this much. What a combination has is divided equally among its columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.explain.changed_columns import with_column
from ocelotboost.explain.explainer import Explainer
from ocelotboost.loss.base import CustomLoss, Loss
from ocelotboost.model.forest import Forest
from ocelotboost.model.importance import features_of
from ocelotboost.table.columns import Table

ImportanceKind = Literal["prediction_change", "loss_change", "shap", "splits", "permutation"]
KINDS: tuple[str, ...] = get_args(ImportanceKind)
#: What needs rows, and what needs their target too.
NEEDS_ROWS, NEEDS_TARGET = ("shap", "loss_change", "permutation"), ("loss_change", "permutation")

Floats = NDArray[np.float64]

_ROWS_OF_PAIRS = 1920


@dataclass(frozen=True, eq=False)
class Importances:
    """One number per column.

    kind    which of the kinds above
    names   of the columns
    values  float64 (n_columns,)
    errors  float64 (n_columns,) standard errors; None where the numbers are no estimates
    """

    kind: str
    names: list[str]
    values: Floats
    errors: Floats | None

    def ranked(self) -> list[tuple[str, float]]:
        """Columns and their numbers, the most important first."""
        order = np.argsort(-self.values, kind="stable").tolist()
        return [(self.names[place], float(self.values[place])) for place in order]


@dataclass(frozen=True, eq=False)
class Interactions:
    """How much pairs of columns do together.

    values  float64 (n_columns, n_columns), symmetric: the mean of what a pair adds to a prediction
            or takes from it beyond what its columns do alone; on the diagonal what they do alone
    errors  standard errors of the same shape
    """

    names: list[str]
    values: Floats
    errors: Floats

    def ranked(self) -> list[tuple[str, str, float]]:
        """Pairs of different columns and their numbers, the strongest first."""
        first, second = np.triu_indices(len(self.names), 1)
        strength = self.values[first, second]
        return [
            (self.names[first[pair]], self.names[second[pair]], float(strength[pair]))
            for pair in np.argsort(-strength, kind="stable").tolist()
        ]


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows with a target, and the loss that judges predictions of them.

    target  float32 (n,) as the loss takes it, relative to ``centre``
    weight  float32 (n,) or None
    centre  what was subtracted from the user's target: targets far from 0 keep their digits
    """

    table: Table
    target: NDArray[np.float32]
    weight: NDArray[np.float32] | None
    loss: Loss
    centre: float = 0.0

    def losses(self, raw: Floats) -> Floats:
        """The loss of each row by its raw prediction (n_outputs, n)."""
        if isinstance(self.loss, CustomLoss) and not self.loss.has_value:
            raise ParameterError(
                f"Your loss {self.loss.name} has no method value(target, raw), which says how "
                "large the loss of each row is; add it, or ask for another kind of importances."
            )
        judged = raw[0] - self.centre if self.loss.n_outputs == 1 else raw
        return self.loss.value(self.target, judged)


def splits(forest: Forest) -> Floats:
    """How many questions are about each column, (n_given,)."""
    counts = np.zeros(forest.n_given)
    asked, n_questions = np.unique(forest.split_columns, return_counts=True)
    for column, count in zip(asked.tolist(), n_questions.tolist(), strict=True):
        features = features_of(forest, column)
        counts[features] += count / len(features)
    return counts


def mean_absolute(
    explainer: Explainer, table: Table, weight: NDArray[np.float32] | None, n_threads: int
) -> tuple[Floats, Floats]:
    """Means of absolute SHAP values, of several outputs their sum, and standard errors."""
    values = _values(explainer, table, n_threads)
    return mean_and_error(np.abs(values).sum(axis=2), weight)


def loss_change(explainer: Explainer, rows: JudgedRows, n_threads: int) -> tuple[Floats, Floats]:
    """What the loss of predictions without a column's SHAP values is above that with them."""
    raw = explainer.predictor.raw(rows.table, n_threads)
    values = _values(explainer, rows.table, n_threads)
    with_all = rows.losses(raw)
    changes = [
        rows.losses(raw - values[:, column].T) - with_all for column in range(values.shape[1])
    ]
    return mean_and_error(np.stack(changes, axis=1), rows.weight)


def permutation(
    explainer: Explainer,
    rows: JudgedRows,
    n_repeats: int,
    rng: np.random.Generator,
    n_threads: int,
) -> tuple[Floats, Floats]:
    """What the loss is above its true value when the values of a column are shuffled."""
    table, predictor = rows.table, explainer.predictor
    with_all = rows.losses(predictor.raw(table, n_threads))
    asked = np.flatnonzero(splits(predictor.forest))
    changes = np.zeros((table.n_rows, table.n_given))
    for _ in range(n_repeats):
        order = rng.permutation(table.n_rows)
        for column in asked.tolist():
            shuffled = with_column(table, column, table, order)
            changes[:, column] += rows.losses(predictor.raw(shuffled, n_threads)) - with_all
    return mean_and_error(changes / n_repeats, rows.weight)


def interactions(explainer: Explainer, table: Table, n_threads: int) -> Interactions:
    """Strengths of all pairs of columns, from the SHAP interactions of some rows."""
    names = [explainer.wording.feature(place) for place in range(table.n_given)]
    sums, squares = np.zeros((2, len(names), len(names)))
    for begin in range(0, table.n_rows, _ROWS_OF_PAIRS):
        own = table.take(np.arange(begin, min(begin + _ROWS_OF_PAIRS, table.n_rows)))
        strengths = np.abs(_values(explainer, own, n_threads, interactions=True)).sum(axis=3)
        strengths *= 2.0 - np.eye(len(names))  # a pair has two cells
        sums += strengths.sum(axis=0)
        squares += (strengths**2).sum(axis=0)
    means = sums / table.n_rows
    variances = np.maximum(squares / table.n_rows - means**2, 0.0)
    return Interactions(names, means, np.sqrt(variances / table.n_rows))


def mean_and_error(changes: Floats, weight: NDArray[np.float32] | None) -> tuple[Floats, Floats]:
    """Weighted means over rows of (n, n_columns), and their standard errors."""
    w = np.ones(len(changes)) if weight is None else weight.astype(np.float64)
    share = (w / w.sum())[:, None]
    means = (share * changes).sum(axis=0)
    return means, np.sqrt((share**2 * (changes - means) ** 2).sum(axis=0))


def _values(
    explainer: Explainer, table: Table, n_threads: int, *, interactions: bool = False
) -> Floats:
    """SHAP values with outputs last, also where there is one."""
    explanation = explainer.explain(
        table, None, by="columns", interactions=interactions, background=None, n_threads=n_threads
    )
    values = explanation.values
    return values if explanation.output_names else values[..., None]
