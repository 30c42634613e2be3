"""From checked input to what the training loop takes: rows, bins, eval sets, settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.boosting import Boosted, BoostSettings
from ocelotboost.boost.evaluation import EvalSet, EvalStatistics
from ocelotboost.boost.learning_rate import automatic_learning_rate
from ocelotboost.boost.plain import TrainingSet
from ocelotboost.boost.replay import replay
from ocelotboost.boost.sampling import MIN_ROWS_TO_SAMPLE, choose_sampling
from ocelotboost.boost.tree import rounded
from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.categories import (
    hold_history,
    make_combinations,
    make_orderings,
    make_statistics,
    size_in_bytes,
    statistic_orderings,
)
from ocelotboost.grow.scorer import ScoreSettings
from ocelotboost.leaves.estimate import LeafSettings
from ocelotboost.loss.base import Floats, LeafRule, Loss, Targets
from ocelotboost.model.statistic_table import Indicators
from ocelotboost.model.trained import TrainedModel
from ocelotboost.order.combination import Combinations
from ocelotboost.order.segments import divide
from ocelotboost.order.whole_data import WholeData
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.one_hot import choose_indicators
from ocelotboost.quantize.quantizer import Quantizer, refuse_missing
from ocelotboost.table.columns import Table
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.roles import match_columns, row_weights
from ocelotboost.table.values import Header

if TYPE_CHECKING:
    from ocelotboost.estimator.base import OcelotEstimator

#: boosting_type="auto" is Ordered for so many rows (docs/ordered.md). With fewer, all rows choose
#: every tree, and a weight of k gives the same model as k copies.
FEWEST_ORDERED_ROWS, MOST_ORDERED_ROWS = MIN_ROWS_TO_SAMPLE, 40_000

_DEFAULT_PATIENCE = 50
_MOST_COPIES = 1 << 30


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
    """Leave out rows of weight zero. Whole weights count copies of rows; of others only the ratios
    matter, so their mean becomes one. Equal weights of one are no weights."""
    data = LabelledTable(table, target, weight)
    if weight is not None and (weight == 0).any():
        data = data.take(np.flatnonzero(weight))
    if data.weight is not None and not _counts_copies(data.weight):
        exact = data.weight.astype(np.float64)
        data = replace(data, weight=(exact / exact.mean()).astype(np.float32))
    if data.weight is not None and (data.weight == 1).all():
        data = replace(data, weight=None)
    return data


def _counts_copies(weight: NDArray[np.float32]) -> bool:
    """Whole numbers, and not more copies than a table can have rows."""
    return bool((weight == np.rint(weight)).all()) and weight.sum(dtype=np.float64) < _MOST_COPIES


def eval_inputs(
    eval_set: Any,
    training: Table,
    encode_target: Callable[[Any, int, str], Targets],
    loss: Loss,
    nan_mode: str,
) -> list[EvalInput]:
    """eval_set as users write it: (X, y), (X, y, weight), or a list of them."""
    if eval_set is None:
        return []
    given = eval_set if isinstance(eval_set, list) else [eval_set]
    inputs = []
    for position, item in enumerate(given):
        name = f"eval_set[{position}]"
        if not isinstance(item, tuple | list) or len(item) not in (2, 3):
            raise InputError(
                f"{name} is {type(item).__name__}; give (X, y), (X, y, weight), or a list of such."
            )
        table = table_from_input(
            item[0],
            argument=f"{name} X",
            cat_features=list(training.categories),
            detect=False,
            check=partial(_match_training, name, training),
        )
        target = encode_target(item[1], table.n_rows, f"{name} y")
        with _naming(name):
            loss.check_target(target)
            if nan_mode == "Forbidden":
                refuse_missing(table, n_threads=1)
        weight = (
            row_weights(item[2], table.n_rows, argument=f"{name} weight")
            if len(item) == 3
            else None
        )
        inputs.append(EvalInput(f"eval_{position}", LabelledTable(table, target, weight)))
    return inputs


def _match_training(argument: str, training: Table, header: Header) -> None:
    with _naming(argument):
        match_columns(header, training.names, training.n_columns, "the model")


@contextmanager
def _naming(argument: str) -> Iterator[None]:
    """An error says which of the user's tables it is about."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"{argument}: {problem}") from None


def hold_out(
    estimator: OcelotEstimator, data: LabelledTable, evals: list[EvalInput]
) -> tuple[NDArray[np.intp] | None, list[EvalInput]]:
    """Rows to train on (None: all), and the eval sets with the held-out rows first."""
    if estimator.validation_fraction is None:
        _check_nothing_to_hold_out(estimator, evals)
        return None, evals
    rng = np.random.default_rng(_seeds(estimator)[0])
    held = _stratified(data.target, estimator.validation_fraction, estimator._kind, rng)
    if held.all() or not held.any():
        raise ParameterError(
            f"validation_fraction={estimator.validation_fraction} of {data.table.n_rows} rows "
            "leaves no rows to train on or none to validate; use another share or more rows."
        )
    validation = EvalInput("validation", data.take(np.flatnonzero(held)))
    return np.flatnonzero(~held), [validation, *evals]


def _check_nothing_to_hold_out(estimator: OcelotEstimator, evals: list[EvalInput]) -> None:
    """Refuse parameters that would do nothing without held-out rows."""
    watched = bool(evals) or estimator.early_stopping == "ordered"
    if estimator.early_stopping_rounds is not None and not watched:
        raise ParameterError(
            f"early_stopping_rounds={estimator.early_stopping_rounds} needs rows to watch; give an "
            "eval_set, a validation_fraction, or early_stopping='ordered'."
        )
    if estimator.refit is not None:
        raise ParameterError(
            f"refit={estimator.refit!r} gives held-out rows back, and none are held out; give a "
            "validation_fraction."
        )


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


def check_mode(estimator: OcelotEstimator) -> None:
    """Refuse parameters of Ordered mode that contradict each other."""
    if estimator.early_stopping != "ordered":
        return
    if estimator.boosting_type == "Plain":
        raise ParameterError(
            "early_stopping='ordered' needs models that have not seen every row, and Plain mode "
            "has none; use boosting_type='Ordered'."
        )
    if estimator.validation_fraction is not None:
        raise ParameterError(
            f"early_stopping='ordered' holds no rows out, validation_fraction="
            f"{estimator.validation_fraction} does; give one of them."
        )


def is_ordered(estimator: OcelotEstimator, n_rows: int) -> bool:
    """Whether training is in Ordered mode; 'auto' resolved."""
    if n_rows < 2:  # nobody comes before anybody
        return False
    if estimator.boosting_type == "auto":
        few = FEWEST_ORDERED_ROWS <= n_rows <= MOST_ORDERED_ROWS
        return few or estimator.early_stopping == "ordered"
    return estimator.boosting_type == "Ordered"


@dataclass(frozen=True)
class Prepared:
    """Everything the loop starts from.

    everything    all rows that count, held-out ones included
    whole_data    statistics for rows that are not trained on; None without categories
    start_value   (n_outputs,) of the new trees; zero when they continue a model
    start         raw predictions (n_outputs, n) of the training rows
    """

    everything: LabelledTable
    training: TrainingSet
    whole_data: WholeData | None
    combinations: Combinations
    eval_sets: list[EvalSet]
    quantizer: Quantizer
    continued: TrainedModel | None
    start_value: Floats
    start: Floats
    learning_rate: float
    seed: np.random.SeedSequence

    @classmethod
    def make(
        cls,
        estimator: OcelotEstimator,
        everything: LabelledTable,
        rows: NDArray[np.intp] | None,
        loss: Loss,
        continued: TrainedModel | None,
        evals: list[EvalInput],
        n_threads: int,
    ) -> Prepared:
        data = everything if rows is None else everything.take(rows)
        _, border_seed, boost_seed, order_seed = _seeds(estimator)
        categories, indicators = _categories(estimator, data.table, n_threads)
        quantizer = Quantizer.fit(
            data.table,
            weight=data.weight,
            indicators=indicators,
            border_count=int(estimator.border_count),
            border_type=estimator.border_type,
            nan_mode=estimator.nan_mode,
            rng=np.random.default_rng(border_seed),
            n_threads=n_threads,
        )
        combinations = make_combinations(estimator, categories, indicators, data.table.n_columns)
        training, data = _training_set(
            estimator,
            data,
            quantizer,
            combinations,
            estimator.permutation_count,
            is_ordered(estimator, data.table.n_rows),
            order_seed,
            n_threads,
        )
        whole_data = (
            None if training.statistics is None else WholeData(training.statistics, n_threads)
        )
        if continued is None:
            start_value = rounded(loss.start_value(data.target, data.weight))
        else:
            start_value = np.zeros(loss.n_outputs)
        eval_sets = [
            _eval_set(
                estimator,
                given,
                quantizer,
                whole_data,
                _start_raw(start_value, continued, given.data.table, n_threads),
                n_threads,
            )
            for given in evals
        ]
        rate = estimator.learning_rate
        if rate is None:
            rate = automatic_learning_rate(
                loss.name, training.n_rows, estimator.iterations, bool(evals)
            )
        return cls(
            everything=everything,
            training=training,
            whole_data=whole_data,
            combinations=combinations,
            eval_sets=eval_sets,
            quantizer=quantizer,
            continued=continued,
            start_value=start_value,
            start=_start_raw(start_value, continued, data.table, n_threads),
            learning_rate=float(rate),
            seed=boost_seed,
        )


def boost_settings(
    estimator: OcelotEstimator, prepared: Prepared, loss: Loss, n_threads: int
) -> BoostSettings:
    """The estimator's parameters with every None and 'auto' resolved for this data."""
    training = prepared.training
    mean_weight = training.total_weight / training.n_rows
    # Never quite zero: an empty side of a split would be 0 / 0.
    regularization = max(float(estimator.l2_leaf_reg), 1e-12) * mean_weight
    min_data = float(estimator.min_data_in_leaf)
    min_weight = min_data * mean_weight if min_data > 1 else 0.0
    patience = estimator.early_stopping_rounds
    ordered = training.orderings is not None  # not where a single row comes before nobody
    stop_on_unseen = ordered and estimator.early_stopping == "ordered"
    if patience is None and (stop_on_unseen or estimator.validation_fraction is not None):
        patience = _DEFAULT_PATIENCE
    segments = None
    if ordered:
        segments = divide(training.block.n_rows, float(estimator.segment_growth))
    return BoostSettings(
        iterations=int(estimator.iterations),
        learning_rate=prepared.learning_rate,
        depth=int(estimator.depth),
        random_strength=float(estimator.random_strength),
        rsm=float(estimator.rsm),
        combinations=prepared.combinations,
        model_size_reg=float(estimator.model_size_reg),
        sampling=choose_sampling(
            estimator.bootstrap_type,
            None if estimator.subsample is None else float(estimator.subsample),
            float(estimator.bagging_temperature),
            loss.n_outputs,
            training.n_rows,
            n_threads,
        ),
        score=ScoreSettings(
            regularization, min_weight, estimator.score_function == "Cosine", n_threads
        ),
        leaves=LeafSettings(
            rule=_leaf_rule(estimator, loss),
            regularization=regularization,
            alpha=getattr(loss, "alpha", 0.5),
            min_weight=min_weight,
            n_threads=n_threads,
        ),
        segments=segments,
        body_gradients=estimator.body_gradients,
        stop_on_unseen=stop_on_unseen,
        early_stopping_rounds=patience,
        time_limit=estimator.time_limit,
        n_threads=n_threads,
    )


def replay_on_all_rows(
    estimator: OcelotEstimator,
    prepared: Prepared,
    boosted: Boosted,
    loss: Loss,
    settings: BoostSettings,
) -> tuple[Boosted, WholeData | None]:
    """Fill the leaves again from all rows, the held-out ones included; so are the statistics."""
    n_threads = settings.n_threads
    training, data = _training_set(
        estimator,
        prepared.everything,
        prepared.quantizer,
        prepared.combinations,
        0,
        False,
        _seeds(estimator)[3],
        n_threads,
    )
    trees = replay(
        boosted.trees,
        training,
        loss,
        _start_raw(prepared.start_value, prepared.continued, data.table, n_threads),
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
    n_supporting: int,
    ordered: bool,
    seed: np.random.SeedSequence,
    n_threads: int,
) -> tuple[TrainingSet, LabelledTable]:
    """The rows that train trees, as the loop takes them, and as they are."""
    history_seed, order_seed, independent_seed = seed.spawn(3)
    statistics = None
    trained = data
    if combinations.features:
        rows, history = hold_history(estimator, data.table.n_rows, history_seed)
        if len(history):
            trained, data = data.take(rows), data.take(np.concatenate([rows, history]))
    block = quantizer.block(trained.table, n_threads)
    if combinations.features:
        categories = CategoricalData.of(data.table, combinations.features, n_threads)
        statistics = make_statistics(
            estimator,
            categories,
            estimator._statistic_targets(data.target, data.weight, categories),
            data.weight,
            block,
            statistic_orderings(estimator, data.table, n_supporting, order_seed),
            n_threads,
        )
    orderings = None
    if ordered:
        # σ_cat = σ_boost: the same seed draws the same orderings for statistics and segments.
        own_seed = independent_seed if estimator.independent_orderings else order_seed
        orderings = make_orderings(estimator, trained.table, n_supporting, own_seed)
    whole = trained.weight is None or _counts_copies(trained.weight)
    return (
        TrainingSet(block, trained.target, trained.weight, whole, statistics, orderings),
        trained,
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
    start_value: Floats, continued: TrainedModel | None, table: Table, n_threads: int
) -> Floats:
    if continued is not None:
        return make_predictor(continued.forest).raw(table, n_threads)
    return np.repeat(start_value[:, None], table.n_rows, axis=1)


def _leaf_rule(estimator: OcelotEstimator, loss: Loss) -> LeafRule:
    """The user's choice where it fits the loss."""
    method = estimator.leaf_estimation_method or loss.leaf_rule.method
    has_quantile = loss.leaf_rule.method == "Exact"
    if method == "Exact" and not has_quantile:
        raise ParameterError(
            f"leaf_estimation_method='Exact' is for MAE and Quantile; {loss.name} has no exact "
            "leaf value. Use 'Newton' or 'Gradient'."
        )
    if method == "Newton" and has_quantile:
        raise ParameterError(
            f"leaf_estimation_method='Newton' needs a second derivative, which {loss.name} does "
            "not have. Use 'Exact' or 'Gradient'."
        )
    iterations = estimator.leaf_estimation_iterations
    if iterations is None:
        iterations = loss.leaf_rule.iterations if method == loss.leaf_rule.method else 1
    return LeafRule(method, iterations)


def _seeds(estimator: OcelotEstimator) -> list[np.random.SeedSequence]:
    """Independent seeds for the hold-out, the borders, the trees and the orderings."""
    state = estimator.random_state
    if isinstance(state, np.random.RandomState):
        state = int(state.randint(1 << 31))
    elif isinstance(state, np.random.Generator):
        state = int(state.integers(1 << 31))
    return np.random.SeedSequence(state).spawn(4)
