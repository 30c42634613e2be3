"""One fold: the journey of ``fit`` from a table that was read once.

What folds share knows nothing of targets: the table, hashes of categories, and unless the user
says otherwise borders, one-hot columns and all that is chosen by the number of rows. What is
learned of targets (labels, class weights, start values, target statistics) each fold learns from
its own rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.boosting import Boosted
from ocelotboost.cross_validation.folds import Fold, Rows
from ocelotboost.estimator.choosing import (
    FIXED_TREES,
    Choices,
    choose,
    facts_of,
    with_value_views,
)
from ocelotboost.estimator.crossing import cross
from ocelotboost.estimator.ensemble import Ensemble, quantize_for_all, train_models
from ocelotboost.estimator.memory_plan import within_memory
from ocelotboost.estimator.metrics import metrics_from
from ocelotboost.estimator.packing import pack
from ocelotboost.estimator.rows import Division, counted, split
from ocelotboost.estimator.rows import Rows as RowsOfModel
from ocelotboost.estimator.settings import Settings
from ocelotboost.estimator.side_by_side import calls_python
from ocelotboost.estimator.target import Target
from ocelotboost.loss.base import Loss
from ocelotboost.metric.base import MetricLike
from ocelotboost.model.trained import TrainedModel
from ocelotboost.model.training_summary import TrainingSummary, remember
from ocelotboost.quantize.binned_once import BinnedOnce
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.quantized import Quantized, quantize
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.table.columns import Table
from ocelotboost.table.derived import given_columns
from ocelotboost.table.labelled import LabelledTable, WatchedRows

#: In the history: the rows that judge.
TEST = "test"


@dataclass(frozen=True)
class Data:
    """All rows, as they were read.

    y       (n,) labels, or numbers in the precision they have
    weight  float32 (n,), or None when all weigh 1
    """

    table: Table
    y: NDArray[Any]
    weight: NDArray[np.float32] | None

    def learn(self, settings: Settings, rows: Rows | None = None) -> tuple[Table, Target]:
        """The columns and the target of some rows, or of all."""
        table = self.table if rows is None else self.table.take(rows)
        y = self.y if rows is None else self.y[rows]
        weight = self.weight_of(rows)
        return table, settings.target.learn(y, weight, table.n_rows, table.memory)

    def weight_of(self, rows: Rows | None) -> NDArray[np.float32] | None:
        if self.weight is None or rows is None:
            return self.weight
        return self.weight[rows]


@dataclass(frozen=True)
class Common:
    """What all folds have in common.

    settings   with all that was left open, where it is chosen for all folds at once
    choices    what was chosen; None: each fold chooses by its own rows
    quantizer  borders and bins of all rows; None: each fold has those of its own rows
    loss       of the target of all rows
    by_tree    each fold trains one model while the rows that judge it are watched; else what
               ``fit`` trains, which is judged at the end
    keeps      the models will be used for more than predicting the rows that judge
    """

    data: Data
    settings: Settings
    choices: Choices | None
    quantizer: Quantizer | None
    loss: Loss
    by_tree: bool
    keeps: bool
    cache: CacheDirectory

    @classmethod
    def of(
        cls,
        data: Data,
        settings: Settings,
        by_tree: bool,
        share: bool,
        keeps: bool,
        cache: CacheDirectory,
    ) -> Common:
        table, target = data.learn(settings)
        if not share:
            return cls(data, settings, None, None, target.loss, by_tree, keeps, cache)
        chosen, choices = choose(settings, facts_of(table, target, [], None, None))
        # Without class weights, which are made of targets.
        everything = counted(table, target.values, data.weight)
        borders = quantize(everything, settings.quantize).quantizer
        quantizer = BinnedOnce.of(borders, table, settings.quantize.n_threads)
        return cls(data, chosen, choices, quantizer, target.loss, by_tree, keeps, cache)

    @property
    def metrics(self) -> list[MetricLike]:
        """Besides the loss."""
        return metrics_from(self.settings.training.eval_metric, self.loss)

    @property
    def metric(self) -> tuple[str, bool]:
        """The name of the metric that decides, and whether higher is better."""
        metrics = self.metrics
        if not metrics:
            return self.loss.name, False
        return metrics[0].name, metrics[0].higher_is_better

    @property
    def iterations(self) -> int:
        """The most trees of a model."""
        return self.settings.left_open.iterations or FIXED_TREES

    @property
    def n_threads(self) -> int:
        return self.settings.training.loop.n_threads

    @property
    def calls_python(self) -> bool:
        """Whether training calls functions of the user."""
        return calls_python(self.settings, self.loss)


def rows_that_judge(data: Data, target: Target, rows: Rows) -> LabelledTable:
    """Their columns, and their target as the loss of a fold takes it."""
    values = target.encode(data.y[rows], len(rows), "y")
    return LabelledTable(data.table.take(rows), values, data.weight_of(rows))


@dataclass(frozen=True)
class FittedRows:
    """What was trained on some rows, before it is packed."""

    target: Target
    settings: Settings
    choices: Choices
    quantized: Quantized
    first: RowsOfModel
    ensemble: Ensemble

    @property
    def boosted(self) -> Boosted:
        """Of the only model."""
        return self.ensemble.models[0].boosted

    def first_trees(self, n_trees: int) -> FittedRows:
        """The only model, up to the tree that all folds together found best."""
        (trained,) = self.ensemble.models
        boosted = replace(
            trained.boosted, trees=trained.boosted.trees[:n_trees], best_iteration=n_trees - 1
        )
        models = [replace(trained, boosted=boosted)]
        return replace(self, ensemble=replace(self.ensemble, models=models))

    def model(self, *, remembers: bool = True) -> TrainedModel:
        """``remembers``: with a summary of the training rows, for explanations."""
        table = self.first.everything.table
        return pack(
            self.ensemble.models,
            self.quantized.quantizer,
            self.target,
            table.names,
            table.derivation,
            self.settings.parameters,
            {**self.choices, **self.ensemble.choices},
            self._summary() if remembers else None,
        )

    def _summary(self) -> TrainingSummary | None:
        table = given_columns(self.first.everything.table)
        return remember(table, self.quantized.categories.by_feature())


def fit_fold(common: Common, fold: Fold, n_threads: int, callbacks: list[Any]) -> FittedRows:
    """Train on the rows of a fold; one model watches those that judge it."""
    table, target = common.data.learn(common.settings, fold.train)
    settings, choices = common.settings, common.choices
    facts = facts_of(table, target, [], None, settings)
    if choices is None:
        settings, choices = choose(settings, facts)
    else:
        choices = dict(choices)  # it gets what this fold alone has
        settings = with_value_views(settings, facts, choices)
    quantizer = None if settings.quantize.value_views else common.quantizer
    settings = settings.with_threads(n_threads)
    settings = replace(settings, training=replace(settings.training, verbose=False))
    if common.by_tree:
        settings = _watching(settings)
        watched = WatchedRows(TEST, rows_that_judge(common.data, target, fold.test))
        everything = counted(table, target.values, target.weight)
        division = Division(everything, None, [watched])
    else:
        division = split(table, target, [], settings.split, common.cache)
    return _fit(division, target, settings, choices, quantizer, callbacks)


def fit_all(common: Common, settings: Settings) -> FittedRows:
    """What ``fit`` would train on all rows with these settings: the same bits."""
    table, target = common.data.learn(settings)
    settings, choices = choose(settings, facts_of(table, target, [], None, settings))
    division = split(table, target, [], settings.split, common.cache)
    return _fit(division, target, settings, choices, None, [])


def _fit(
    division: Division,
    target: Target,
    settings: Settings,
    choices: Choices,
    quantizer: Quantizer | None,
    callbacks: list[Any],
) -> FittedRows:
    crossed = cross(division, target, settings)
    division, choices = crossed.division, {**choices, **crossed.choices}
    first = division.rows(0)
    settings = within_memory(settings, first, target)
    if quantizer is None or settings.crosses:  # each fold has crosses of its own
        quantized = quantize_for_all(division, first, settings)
    else:
        several = settings.ensemble.n_models > 1
        table = (division.everything if several else first.training).table
        codes = CategoricalData.of(
            table, tuple(sorted(table.categories)), settings.quantize.n_threads
        )
        quantized = Quantized(quantizer, codes)
    ensemble = train_models(division, first, quantized, target, None, callbacks, settings)
    return FittedRows(target, settings, choices, quantized, first, ensemble)


def _watching(settings: Settings) -> Settings:
    """All folds together decide how many trees are best, so that none stops or keeps by itself."""
    loop = replace(settings.training.loop, early_stopping_rounds=None, time_limit=None)
    stops = settings.training.loop.early_stopping_rounds is not None
    training = replace(settings.training, loop=loop, keep_best=False, watched_choose=stops)
    return replace(settings, training=training)
