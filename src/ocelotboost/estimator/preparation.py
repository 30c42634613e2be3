"""From rows to what the training loop starts from: bins, statistics, eval sets, start values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.boosting import Boosted
from ocelotboost.boost.evaluation import EvalSet, EvalStatistics
from ocelotboost.boost.learning_rate import automatic_learning_rate
from ocelotboost.boost.plain import TrainingSet
from ocelotboost.boost.replay import replay
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.tree import rounded
from ocelotboost.estimator.categories import (
    hold_history,
    make_combinations,
    make_orderings,
    make_statistics,
    size_in_bytes,
    statistic_orderings,
)
from ocelotboost.estimator.mode import is_ordered
from ocelotboost.estimator.rows import EvalInput, LabelledTable, whole_weights
from ocelotboost.estimator.seeds import Seeds
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.model.statistic_table import Indicators
from ocelotboost.model.trained import TrainedModel
from ocelotboost.order.combination import Combinations
from ocelotboost.order.target import TargetDefinition
from ocelotboost.order.whole_data import WholeData
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.one_hot import choose_indicators
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.columns import Table

if TYPE_CHECKING:
    from ocelotboost.estimator.base import OcelotEstimator


@dataclass(frozen=True)
class Prepared:
    """Everything the loop starts from.

    everything    all rows that count, held-out ones included
    whole_data    statistics for rows that are not trained on; None without categories
    definition    what statistics average; None without categories
    start_value   (n_outputs,) of the new trees; zero when they continue a model
    centre        what was subtracted from the target, and from these predictions
    start         raw predictions (n_outputs, n) of the training rows
    """

    everything: LabelledTable
    training: TrainingSet
    whole_data: WholeData | None
    combinations: Combinations
    definition: TargetDefinition | None
    eval_sets: list[EvalSet]
    quantizer: Quantizer
    continued: TrainedModel | None
    start_value: Floats
    centre: float
    start: Floats
    learning_rate: float
    seeds: Seeds

    @classmethod
    def make(
        cls,
        estimator: OcelotEstimator,
        everything: LabelledTable,
        rows: NDArray[np.intp] | None,
        loss: Loss,
        continued: TrainedModel | None,
        evals: list[EvalInput],
        seeds: Seeds,
        n_threads: int,
    ) -> Prepared:
        data = everything if rows is None else everything.take(rows)
        categories, indicators = _categories(estimator, data.table, n_threads)
        quantizer = Quantizer.fit(
            data.table,
            weight=data.weight,
            indicators=indicators,
            border_count=int(estimator.border_count),
            border_type=estimator.border_type,
            nan_mode=estimator.nan_mode,
            rng=np.random.default_rng(seeds.borders),
            n_threads=n_threads,
        )
        combinations = make_combinations(estimator, categories, indicators, data.table.n_columns)
        training, data, definition = _training_set(
            estimator,
            data,
            quantizer,
            combinations,
            None,
            # A model to continue may know every row's target; no segment could start without it.
            estimator.boosting_type if continued is None else "Plain",
            estimator.permutation_count,
            seeds,
            n_threads,
        )
        whole_data = (
            None if training.statistics is None else WholeData(training.statistics, n_threads)
        )
        if continued is None:
            start_value = rounded(loss.start_value(data.target, data.weight))
        else:
            start_value = np.zeros(loss.n_outputs)
        centre = estimator._target_centre()
        eval_sets = [
            _eval_set(
                estimator,
                given,
                quantizer,
                whole_data,
                _start_raw(start_value, centre, continued, given.data.table, n_threads),
                n_threads,
            )
            for given in evals
        ]
        rate = estimator.learning_rate
        if rate is None:
            rate = automatic_learning_rate(
                loss.name, training.total_weight, estimator.iterations, bool(evals)
            )
        return cls(
            everything=everything,
            training=training,
            whole_data=whole_data,
            combinations=combinations,
            definition=definition,
            eval_sets=eval_sets,
            quantizer=quantizer,
            continued=continued,
            start_value=start_value,
            centre=centre,
            start=_start_raw(start_value, centre, continued, data.table, n_threads),
            learning_rate=float(rate),
            seeds=seeds,
        )


def replay_on_all_rows(
    estimator: OcelotEstimator,
    prepared: Prepared,
    boosted: Boosted,
    loss: Loss,
    settings: BoostSettings,
) -> tuple[Boosted, WholeData | None]:
    """Fill the leaves again from all rows, the held-out ones included; so are the statistics. What
    they average and how it is cut into bins stays, as the questions of the trees do."""
    n_threads = settings.n_threads
    training, data, _ = _training_set(
        estimator,
        prepared.everything,
        prepared.quantizer,
        prepared.combinations,
        prepared.definition,
        "Plain",
        0,
        prepared.seeds,
        n_threads,
    )
    trees = replay(
        boosted.trees,
        training,
        loss,
        _start_raw(
            prepared.start_value, prepared.centre, prepared.continued, data.table, n_threads
        ),
        settings.learning_rate,
        settings.leaves,
    )
    statistics = training.statistics
    whole_data = None if statistics is None else WholeData(statistics, n_threads)
    return replace(boosted, trees=trees), whole_data


def _categories(
    estimator: OcelotEstimator, table: Table, n_threads: int
) -> tuple[CategoricalData, Indicators]:
    data = CategoricalData.of(table, tuple(sorted(table.categories)), n_threads)
    return data, choose_indicators(table, data, int(estimator.one_hot_max_size))


def _training_set(
    estimator: OcelotEstimator,
    data: LabelledTable,
    quantizer: Quantizer,
    combinations: Combinations,
    definition: TargetDefinition | None,
    boosting_type: str,
    n_supporting: int,
    seeds: Seeds,
    n_threads: int,
) -> tuple[TrainingSet, LabelledTable, TargetDefinition | None]:
    """The rows that train trees, as the loop takes them, and as they are; and what statistics
    average. These rows define it where there is no ``definition``."""
    statistics = None
    trained = data
    if combinations.features:
        rows, history = hold_history(estimator, data.table, seeds.history)
        if len(history):
            trained, data = data.take(rows), data.take(np.concatenate([rows, history]))
    block = quantizer.block(trained.table, n_threads)
    if combinations.features:
        categories = CategoricalData.of(data.table, combinations.features, n_threads)
        if definition is None:
            definition = estimator._define_statistics(data.target, data.weight, categories)
        statistics = make_statistics(
            estimator,
            categories,
            definition.of(data.target),
            data.weight,
            block,
            statistic_orderings(estimator, data.table, n_supporting, seeds.orderings),
            n_threads,
        )
    orderings = None
    classes = estimator._target_classes()
    if is_ordered(boosting_type, trained.table.n_rows, 1 if classes is None else len(classes)):
        # σ_cat = σ_boost: the same seed draws the same orderings for statistics and segments.
        own_seed = seeds.independent if estimator.independent_orderings else seeds.orderings
        orderings = make_orderings(estimator, trained.table, n_supporting, own_seed)
    whole = whole_weights(trained.weight)
    return (
        TrainingSet(block, trained.target, trained.weight, whole, statistics, orderings),
        trained,
        definition,
    )


def _eval_set(
    estimator: OcelotEstimator,
    given: EvalInput,
    quantizer: Quantizer,
    whole_data: WholeData | None,
    raw: Floats,
    n_threads: int,
) -> EvalSet:
    table = given.data.table
    bins = quantizer.columns(table, n_threads)
    statistics = None
    if whole_data is not None:
        hashes = {f: table.categories[f].row_hashes() for f in whole_data.source.data.features}
        budget = size_in_bytes(estimator.cache_memory)
        statistics = EvalStatistics(hashes, bins, whole_data, budget, n_threads)
    return EvalSet(given.name, bins, statistics, given.data.target, given.data.weight, raw)


def _start_raw(
    start_value: Floats,
    centre: float,
    continued: TrainedModel | None,
    table: Table,
    n_threads: int,
) -> Floats:
    if continued is not None:
        return make_predictor(continued.forest).raw(table, n_threads) - centre
    return np.repeat(start_value[:, None], table.n_rows, axis=1)
