"""Which rows train and which are watched: weights, eval sets, held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.categories import rows_by_time
from ocelotboost.loss.base import Targets
from ocelotboost.table.columns import Table

if TYPE_CHECKING:
    from ocelotboost.estimator.base import OcelotEstimator

#: Weights count at most this many rows.
MOST_ROWS = 1 << 30

#: In the history: rows that were held out of the training data, or given as X_val and y_val.
VALIDATION = "validation"


@dataclass(frozen=True)
class LabelledTable:
    """Columns, target and weight of the same rows."""

    table: Table
    target: Targets
    weight: NDArray[np.float32] | None

    def take(self, rows: NDArray[np.intp]) -> LabelledTable:
        weight = None if self.weight is None else self.weight[rows]
        return LabelledTable(self.table.take(rows), self.target[rows], weight)


@dataclass(frozen=True)
class EvalInput:
    """Rows to watch, under the name they have in the history."""

    name: str
    data: LabelledTable


def prepare(table: Table, target: Targets, weight: NDArray[np.float32] | None) -> LabelledTable:
    """Leave out rows of weight zero. Equal weights of one are no weights."""
    if weight is None:
        return LabelledTable(table, target, None)
    weight = in_rows(weight)
    data = LabelledTable(table, target, None if (weight[weight > 0] == 1).all() else weight)
    return data if weight.all() else data.take(np.flatnonzero(weight))


def in_rows(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """The weights such that a weight of 1 counts like one row.

    Weights count rows as they are, unless they are so small that together they would count less
    than what they tell: W²/Σw², the number of equal weights that would give as exact a mean. Then
    they are multiplied until they count that much. It is a continuous rule, under which whole
    weights stay as they are and the unit of small ones does not matter.
    """
    exact = weight.astype(np.float64)
    total = float(exact.sum())
    rows = min(max(total, total**2 / float((exact**2).sum())), MOST_ROWS)
    return weight if rows == total else (exact * (rows / total)).astype(np.float32)


def whole_weights(weight: NDArray[np.float32] | None) -> bool:
    """Whether each counts copies of its row."""
    return weight is None or bool((weight == np.rint(weight)).all())


def hold_out(
    estimator: OcelotEstimator,
    data: LabelledTable,
    evals: list[EvalInput],
    seed: np.random.SeedSequence,
) -> tuple[NDArray[np.intp] | None, list[EvalInput]]:
    """Rows to train on (None: all), and the eval sets with the held-out rows first."""
    if estimator.validation_fraction is None:
        _check_nothing_to_hold_out(estimator, evals)
        return None, evals
    if VALIDATION in (given.name for given in evals):
        raise ParameterError(
            f"validation_fraction={estimator.validation_fraction} holds rows out, which history_ "
            f"calls {VALIDATION!r}, and there is an eval set of that name; give one of them."
        )
    share, by_time = estimator.validation_fraction, rows_by_time(estimator, data.table)
    if by_time is None:
        rng = np.random.default_rng(seed)
        held = _stratified(data.target, share, estimator._kind, rng)
    else:
        held = _last(by_time, share)
    if held.all() or not held.any():
        raise ParameterError(
            f"validation_fraction={estimator.validation_fraction} of {data.table.n_rows} rows "
            "leaves no rows to train on or none to validate; use another share or more rows."
        )
    validation = EvalInput(VALIDATION, data.take(np.flatnonzero(held)))
    return np.flatnonzero(~held), [validation, *evals]


def _check_nothing_to_hold_out(estimator: OcelotEstimator, evals: list[EvalInput]) -> None:
    """Refuse parameters that would do nothing without held-out rows."""
    if estimator.early_stopping_rounds is not None and not evals:
        raise ParameterError(
            f"early_stopping_rounds={estimator.early_stopping_rounds} needs rows to watch; give an "
            "eval_set or a validation_fraction."
        )
    if estimator.refit is not None:
        raise ParameterError(
            f"refit={estimator.refit!r} gives held-out rows back, and none are held out; give a "
            "validation_fraction."
        )


def _last(by_time: NDArray[np.intp], share: float) -> NDArray[np.bool_]:
    """Which rows are held out where rows have their time: nothing that is learned is later."""
    held = np.zeros(len(by_time), dtype=bool)
    held[by_time[len(by_time) - round(len(by_time) * share) :]] = True
    return held


def _stratified(
    target: Targets, share: float, kind: str, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Which rows are held out: the same share of each class, or of each tenth of the numbers."""
    shuffled = rng.permutation(len(target))
    # Sorted by target, shuffled among equals; every 1/share-th row of that order is held out.
    order = shuffled[np.argsort(target[shuffled], kind="stable")]
    if kind != "classifier":
        strata = np.array_split(order, min(10, max(int(len(order) * share), 1)))
        order = np.concatenate([rng.permutation(stratum) for stratum in strata])
    counts = np.floor(np.arange(len(order) + 1) * share + rng.random())
    held = np.zeros(len(target), dtype=bool)
    held[order[np.diff(counts) > 0]] = True
    return held
