"""What all trials share: the rows, read and hashed once, and their bins.

A trial trains one model per fold, in the manner of ``quality="fast"``: the held-out rows say how
many trees are enough, and the best value of their curve is the score. Whatever is random is drawn
from the same seed in every trial, so that trials differ by their parameters alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ocelotboost.boost.identity import digest
from ocelotboost.boost.sampling import resolve_sampling
from ocelotboost.cross_validation.folds import Fold, RowsToSplit
from ocelotboost.errors import InputError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.choosing import Facts, choose, facts_of, recipes_to_race
from ocelotboost.estimator.eval_sets import VALIDATION
from ocelotboost.estimator.memory_plan import within_memory
from ocelotboost.estimator.metrics import metrics_from
from ocelotboost.estimator.reading import Given, read
from ocelotboost.estimator.rows import Rows, counted
from ocelotboost.estimator.settings import Recipe, Settings, settings_from
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import train
from ocelotboost.order.mode import MOST_ORDERED_CLASSES, MOST_ORDERED_ROWS
from ocelotboost.order.ordering import check_time, rows_by_time
from ocelotboost.order.rows_in_order import order
from ocelotboost.quantize.binned_once import BinnedOnce
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.quantized import Quantized, QuantizeSettings, quantize
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.table.labelled import LabelledTable, WatchedRows
from ocelotboost.table.sources import is_source

#: For the clock of pruning (pruning.py), where all trials have the same unknown rate.
_USUAL_RATE = 0.1

Direction = Literal["minimize", "maximize"]


@dataclass(frozen=True)
class Judge:
    """The metric that scores trials."""

    name: str
    higher_is_better: bool

    @property
    def direction(self) -> Direction:
        """As Optuna calls it."""
        return "maximize" if self.higher_is_better else "minimize"

    def best(self, curve: Sequence[float]) -> float:
        """Its best value; not a number where it has none."""
        known = [value for value in curve if value == value]
        if not known:
            return float("nan")
        return max(known) if self.higher_is_better else min(known)

    def cost(self, value: float) -> float:
        """Smaller is better."""
        return -value if self.higher_is_better else value


@dataclass(frozen=True)
class Outcome:
    """One training of a trial.

    score  of the trees that the model keeps, on the held-out rows
    trees  how many those are
    """

    score: float
    trees: int


@dataclass(frozen=True)
class Resolved:
    """What the parameters of a trial mean for these rows.

    keeps_best     held-out rows say how many trees there are
    learning_rate  as it is given or chosen; the usual one where the loop resolves it
    """

    settings: Settings
    keeps_best: bool

    @property
    def learning_rate(self) -> float:
        return self.settings.training.loop.learning_rate or _USUAL_RATE


class Workbench:
    """Rows to train on and to judge by, and a model of them for any parameters.

    target  what was learned of the target
    judge   the metric of the trials
    folds   rows to train on and to judge by; set before training
    """

    def __init__(
        self, estimator: OcelotEstimator, given: Given, cat_features: Any, cache: CacheDirectory
    ) -> None:
        """``estimator`` holds the parameters that trials have in common."""
        self._estimator = estimator
        self._cat_features = cat_features
        self._settings = settings = settings_from(estimator, cat_features, None)
        table, y, weight = read(given, settings.read, cache)
        self.target: Target = settings.target.learn(y, weight, table.n_rows, table.memory)
        check_time(table, estimator.has_time)
        self._by_time = rows_by_time(table, estimator.has_time)
        self._counts = self.target.weight
        self._rows: LabelledTable = counted(table, self.target.values, self.target.weight)
        # Without value views, which would tell folds of the target of the rows that judge them.
        self._facts: Facts = facts_of(table, self.target, [self], None, settings=None)
        self._quantizers: dict[tuple[int, int], Quantizer] = {}
        self._rows_by_fold: dict[int, tuple[Rows, CategoricalData]] = {}
        self.folds: Sequence[Fold] = ()
        metrics = metrics_from(estimator.eval_metric, self.target.loss)
        self.judge = (
            Judge(metrics[0].name, bool(metrics[0].higher_is_better))
            if metrics
            else Judge(self.target.loss.name, False)
        )

    # ---- what is known of the rows -------------------------------------------------------

    def rows_to_split(self, X: Any, groups: Any, time: Any) -> RowsToSplit:
        """What folds may depend on; rows of weight zero are among them."""
        values, classes = self.target.values, self.target.classes
        if time is None and self._by_time is not None:
            time = np.empty(len(values), dtype=np.intp)
            time[self._by_time] = np.arange(len(values))
        if is_source(X):
            X = np.empty((len(values), 0))
        rows = RowsToSplit(X, values, weight=self._counts, groups=groups, time=time)
        if classes is None:
            return rows
        codes = values.astype(np.uint32)
        return replace(rows, y=classes[codes], classes=classes, codes=codes)

    @property
    def has(self) -> set[str]:
        """What parameters may need (``Range.needs``)."""
        facts, given = self._facts, self._estimator
        few = facts.n_rows <= MOST_ORDERED_ROWS and facts.n_classes <= MOST_ORDERED_CLASSES
        sampling = resolve_sampling(
            given.bootstrap_type,
            given.subsample,
            given.bagging_temperature,
            self.target.loss.n_outputs,
            facts.n_rows,
        )
        found = {
            "categories": facts.n_categorical > 0,
            "iterations": given.iterations is not None,
            "ordered": few,
            "share": sampling in ("MVS", "Bernoulli"),
            "temperature": sampling == "Bayesian",
        }
        return {what for what, holds in found.items() if holds}

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """Those that a default fit lets race."""
        return recipes_to_race(self._facts)

    def fingerprint(self) -> str:
        """Of all values of the table, the target and the weights."""
        rows = self._rows
        numbers = [np.ascontiguousarray(part.values()) for part in rows.table.parts]
        categories = [rows.table.categories[c].row_hashes() for c in sorted(rows.table.categories)]
        classes = self.target.classes
        return digest(
            repr(rows.table.names),
            repr(None if classes is None else classes.tolist()),
            *numbers,
            *categories,
            rows.target,
            rows.weight,
        )

    # ---- training ------------------------------------------------------------------------

    def resolve(self, parameters: Mapping[str, Any]) -> Resolved:
        """Raises ParameterError where they contradict each other."""
        estimator = clone(self._estimator).set_params(**parameters)
        settings, _ = choose(settings_from(estimator, self._cat_features, None), self._facts)
        loop = settings.training.loop
        keeps_best = loop.early_stopping_rounds is not None and bool(estimator.use_best_model)
        return Resolved(settings, keeps_best)

    def train(self, resolved: Resolved, fold: int, callbacks: Sequence[Any] = ()) -> Outcome:
        """One model, judged by the held-out rows of the fold. Ctrl-C is passed on."""
        rows, categories = self._rows_of(fold)
        settings = within_memory(resolved.settings, rows, self.target)
        quantized = Quantized(self._quantizer(settings.quantize), categories)
        ordered = order(rows.training, quantized, self.target, settings.order)
        trained = train(
            rows, quantized, ordered, self.target, None, list(callbacks), settings.training
        )
        boosted = trained.boosted
        if boosted.interruption is not None:
            raise boosted.interruption
        curve = boosted.history[VALIDATION][self.judge.name]
        if resolved.keeps_best:
            return Outcome(self.judge.best(curve), (boosted.best_iteration or 0) + 1)
        return Outcome(curve[-1] if curve else float("nan"), len(curve))

    def _rows_of(self, fold: int) -> tuple[Rows, CategoricalData]:
        """Those of one fold, taken once."""
        if fold not in self._rows_by_fold:
            given, n_threads = self.folds[fold], self._settings.quantize.n_threads
            training, held = self._counted(given.train), self._counted(given.test)
            if not len(training) or not len(held):
                raise InputError(
                    f"Fold {fold + 1} has {len(training)} rows to train on and {len(held)} to "
                    "judge by, weights of zero left out: use fewer folds, or other weights."
                )
            learned = self._rows.take(training)
            rows = Rows(learned, learned, [WatchedRows(VALIDATION, self._rows.take(held))])
            features = tuple(sorted(learned.table.categories))
            codes = CategoricalData.of(learned.table, features, n_threads)
            self._rows_by_fold[fold] = rows, codes
        return self._rows_by_fold[fold]

    def _counted(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Their places among the rows that count."""
        if self._counts is None or self._counts.all():
            return rows
        counts = self._counts > 0
        places = np.cumsum(counts) - 1
        return places[rows[counts[rows]]]

    def _quantizer(self, settings: QuantizeSettings) -> Quantizer:
        """Borders and bins of all rows, which know nothing of the target: trials and folds share
        them."""
        key = settings.border_count, settings.one_hot_max_size
        if key not in self._quantizers:
            borders = quantize(self._rows, settings).quantizer
            whole = BinnedOnce.of(borders, self._rows.table, settings.n_threads)
            self._quantizers[key] = whole
        return self._quantizers[key]
