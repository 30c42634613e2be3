"""The stage as one call: which rows count, which of them train, and which are watched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.eval_sets import VALIDATION, GivenRows, watched_rows
from ocelotboost.estimator.target import Target, Weights
from ocelotboost.loss.base import Targets
from ocelotboost.order.ordering import check_time, rows_by_time
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import LabelledTable, WatchedRows

#: With fewer rows, none are held out unless the user says so.
FEWEST_TO_HOLD_OUT = 100

#: Weights count at most this many rows.
MOST_ROWS = 1 << 30


@dataclass(frozen=True)
class SplitSettings:
    """Which rows are held out.

    validation_fraction    share of the rows; None: no rows
    has_time               the latest rows are held out where rows have their time
    nan_mode               whether the eval sets may have missing values
    seed                   which rows are drawn where they have none
    early_stopping_rounds  as the user gave it, which needs rows to watch
    refit                  as the user gave it, which needs rows that were held out
    n_models               each of them holds rows out
    """

    validation_fraction: float | None
    has_time: bool | int | str
    nan_mode: str
    seed: np.random.SeedSequence
    early_stopping_rounds: int | None
    refit: str | None
    n_models: int


@dataclass(frozen=True)
class Rows:
    """The rows by what they are for, when one model is trained.

    everything  all rows that count, held-out ones included
    training    those to train on
    watched     held-out rows first, then the user's eval sets
    """

    everything: LabelledTable
    training: LabelledTable
    watched: list[WatchedRows]


@dataclass(frozen=True)
class Division:
    """Which rows each model holds out.

    everything  all rows that count
    held        bool (n_rows,) for each model; None: nothing is held out
    evals       the user's eval sets
    """

    everything: LabelledTable
    held: list[NDArray[np.bool_]] | None
    evals: list[WatchedRows]

    def rows(self, model: int) -> Rows:
        """Those of one model, held-out ones copied apart."""
        everything = self.everything
        if self.held is None:
            return Rows(everything, everything, self.evals)
        chosen = self.held[model % len(self.held)]
        validation = WatchedRows(VALIDATION, everything.take(np.flatnonzero(chosen)))
        training = everything.take(np.flatnonzero(~chosen))
        return Rows(everything, training, [validation, *self.evals])


def split(
    table: Table,
    target: Target,
    given: list[GivenRows],
    settings: SplitSettings,
    cache: CacheDirectory,
) -> Division:
    """Rows to train on, and rows to watch."""
    evals = watched_rows(given, table, target, settings.nan_mode, cache)
    check_time(table, settings.has_time)
    everything = counted(table, target.values, target.weight)
    if settings.validation_fraction is None:
        check_no_validation(settings, evals)
        return Division(everything, None, evals)
    check_validation(settings, evals)
    by_time = rows_by_time(everything.table, settings.has_time)
    held = held_out(everything.target, by_time, target.classes is not None, settings)
    return Division(everything, held, evals)


def counted(table: Table, target: Targets, weight: Weights) -> LabelledTable:
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


def check_validation(settings: SplitSettings, evals: list[WatchedRows]) -> None:
    """Refuse an eval set that has the name of held-out rows."""
    if VALIDATION in (rows.name for rows in evals):
        raise ParameterError(
            f"validation_fraction={settings.validation_fraction} holds rows out, which history_ "
            f"calls {VALIDATION!r}, and there is an eval set of that name; give one of them."
        )


def check_no_validation(settings: SplitSettings, evals: list[WatchedRows]) -> None:
    """Refuse parameters that would do nothing without held-out rows."""
    if settings.early_stopping_rounds is not None and not evals:
        raise ParameterError(
            f"early_stopping_rounds={settings.early_stopping_rounds} needs rows to watch; give an "
            "eval_set or a validation_fraction."
        )
    if settings.refit is not None:
        raise ParameterError(
            f"refit={settings.refit!r} uses held-out rows again, but none are held out; give a "
            "validation_fraction."
        )


def held_out(
    target: Targets, by_time: NDArray[np.intp] | None, of_classes: bool, settings: SplitSettings
) -> list[NDArray[np.bool_]]:
    """Which rows the models hold out: the latest where rows have their time, and then the same for
    all. Otherwise no row is held out again before all others have been."""
    share: Any = settings.validation_fraction
    if by_time is not None:
        found = [_last(by_time, share)]
    else:
        rng = np.random.default_rng(settings.seed)
        n_folds = max(int(1 / share), 1)
        found = []
        while len(found) < settings.n_models:
            folds = _stratified(target, share, of_classes, rng, n_folds)
            found += folds[: settings.n_models - len(found)]
    if any(chosen.all() or not chosen.any() for chosen in found):
        raise ParameterError(
            f"validation_fraction={share} of {len(target)} rows leaves no rows to train on or none "
            "to validate; use another share or more rows."
        )
    return found


def _last(by_time: NDArray[np.intp], share: float) -> NDArray[np.bool_]:
    """Which rows are held out where rows have their time: nothing that is learned is later."""
    chosen = np.zeros(len(by_time), dtype=bool)
    chosen[by_time[len(by_time) - round(len(by_time) * share) :]] = True
    return chosen


def _stratified(
    target: Targets, share: float, of_classes: bool, rng: np.random.Generator, n_folds: int
) -> list[NDArray[np.bool_]]:
    """Disjoint sets of rows, each with the same share of each class, or of each tenth of the
    numbers."""
    shuffled = rng.permutation(len(target))
    # Sorted by target, shuffled among equals; every 1/share-th row of that order is held out.
    order = shuffled[np.argsort(target[shuffled], kind="stable")]
    if not of_classes:
        strata = np.array_split(order, min(10, max(int(len(order) * share), 1)))
        order = np.concatenate([rng.permutation(stratum) for stratum in strata])
    places = np.arange(len(order) + 1) * share + rng.random()
    found = []
    for fold in range(n_folds):
        counts = np.floor(places + fold * share)
        chosen = np.zeros(len(target), dtype=bool)
        chosen[order[np.diff(counts) > 0]] = True
        found.append(chosen)
    return found
