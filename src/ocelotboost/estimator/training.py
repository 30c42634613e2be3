"""The stage as one call: from rows in order to trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ocelotboost.boost.boosting import Boosted, boost
from ocelotboost.boost.parameters import BoostParameters
from ocelotboost.boost.replay import replay
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.start import Start, eval_set, training_set
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.boost.tree import pack_forest
from ocelotboost.estimator.centre import uncentred
from ocelotboost.estimator.metrics import metrics_from
from ocelotboost.estimator.progress import progress_for
from ocelotboost.estimator.rows import Rows
from ocelotboost.estimator.snapshots import SnapshotSettings, snapshots_of
from ocelotboost.estimator.target import Target
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.model.trained import TrainedModel
from ocelotboost.order.offers import Combinations
from ocelotboost.order.rows_in_order import RowsInOrder, order_again
from ocelotboost.order.segments import Segments
from ocelotboost.order.settings import OrderSettings
from ocelotboost.order.whole_data import WholeData
from ocelotboost.predict.predictor import make_predictor
from ocelotboost.quantize.quantized import Quantized
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import WatchedRows


@dataclass(frozen=True)
class TrainingSettings:
    """How trees are made, watched and kept.

    loop         of the training loop
    order        of statistics, for the replay and for the memory of eval sets
    eval_metric  as the user gave it
    keep_best    keep the trees up to the best iteration
    replay       fill the leaves again from all rows, held-out ones included
    verbose      as the user gave it
    seed         for all that is random about trees
    snapshot     where training is stored; None: nowhere
    keeps_unseen  keep predictions of the held-out rows
    watched_choose  rows to watch choose the number of trees, which an automatic learning rate
                 depends on; False: they only judge
    """

    loop: BoostParameters
    order: OrderSettings
    eval_metric: Any
    keep_best: bool
    replay: bool
    verbose: bool | int
    seed: np.random.SeedSequence
    snapshot: SnapshotSettings | None
    keeps_unseen: bool = False
    watched_choose: bool = True


@dataclass(frozen=True)
class ToTrain:
    """What trees are made of.

    training      the rows to learn from
    watched       rows to watch
    whole_data    statistics of rows that are not trained on; None where there are none
    combinations  of categorical features that trees may ask about
    segments      of the orderings in Ordered mode; None is Plain
    names         of the columns
    """

    training: TrainingSet
    watched: list[WatchedRows]
    quantizer: Quantizer
    whole_data: WholeData | None
    combinations: Combinations
    segments: Segments | None
    names: tuple[str, ...] | None


@dataclass(frozen=True)
class Trained:
    """Trees, and what their leaves were filled from.

    settings       of the loop, as they were resolved
    shares_tables  the statistics are of all rows, as those of every other model of the same data
    unseen         raw predictions of the held-out rows (n_outputs, n_held) by trees that have not
                   seen them; None where nobody asks for them
    """

    boosted: Boosted
    whole_data: WholeData | None
    start: Start
    settings: BoostSettings
    shares_tables: bool
    unseen: Floats | None = None


def train(
    rows: Rows,
    quantized: Quantized,
    ordered: RowsInOrder,
    target: Target,
    continued: TrainedModel | None,
    callbacks: list[Any],
    settings: TrainingSettings,
    boosting: Callable[..., Boosted] = boost,
) -> Trained:
    """The trees that the model keeps, or that are added to the model which they continue.
    ``boosting`` is the loop, or something around it."""
    n_threads, quantizer = settings.loop.n_threads, quantized.quantizer
    forest = None if continued is None else continued.forest
    start = Start.of(ordered.rows, target.loss, target.centre, forest)
    trained = train_trees(
        ToTrain(
            training_set(ordered, start, n_threads),
            rows.watched,
            quantizer,
            None if ordered.statistics is None else ordered.statistics.whole_data,
            ordered.combinations,
            ordered.segments,
            rows.everything.table.names,
        ),
        start,
        target,
        callbacks,
        settings,
        boosting,
    )
    if settings.keeps_unseen:
        held = rows.watched[0].data.table
        trained = replace(trained, unseen=_predicted(trained, held, quantizer, n_threads))
    if settings.replay:
        return _replayed(trained, rows, ordered, quantizer, target.loss, settings.order)
    if rows.training is rows.everything:
        return replace(trained, shares_tables=_is_of_all_rows(settings.order))
    return trained


def train_trees(
    given: ToTrain,
    start: Start,
    target: Target,
    callbacks: list[Any],
    settings: TrainingSettings,
    boosting: Callable[..., Boosted] = boost,
) -> Trained:
    """The trees up to the best iteration. ``boosting`` is the loop, or something around it."""
    n_threads, cache_bytes = settings.loop.n_threads, settings.order.statistics.cache_bytes
    training, loss, quantizer = given.training, target.loss, given.quantizer
    choosing = settings.watched_choose and bool(given.watched)
    loop = settings.loop.resolve(training, loss, given.combinations, given.segments, choosing)
    features = given.combinations.features
    eval_sets = [
        eval_set(own, quantizer, features, given.whole_data, start, cache_bytes, n_threads)
        for own in given.watched
    ]
    snapshots = snapshots_of(
        settings.snapshot,
        training,
        eval_sets,
        quantizer,
        given.names,
        start,
        target,
        loop.learning_rate,
    )
    metrics = uncentred(metrics_from(settings.eval_metric, loss), start.centre)
    with progress_for(settings.verbose, metrics[0].name if metrics else loss.name) as progress:
        boosted = boosting(
            training,
            eval_sets,
            loss,
            metrics,
            loop,
            [*callbacks, progress],
            settings.seed,
            snapshots,
        )
    if settings.keep_best and boosted.best_iteration is not None:
        boosted = replace(boosted, trees=boosted.trees[: boosted.best_iteration + 1])
    return Trained(boosted, given.whole_data, start, loop, given.whole_data is None)


def _predicted(trained: Trained, table: Table, quantizer: Quantizer, n_threads: int) -> Floats:
    trees = trained.boosted.trees
    forest = pack_forest(trees, quantizer, trained.whole_data, trained.start.value)
    return make_predictor(forest).raw(table, n_threads)


def _replayed(
    trained: Trained,
    rows: Rows,
    before: RowsInOrder,
    quantizer: Quantizer,
    loss: Loss,
    settings: OrderSettings,
) -> Trained:
    """Leaves and statistics from all rows, the held-out ones included."""
    ordered = order_again(rows.everything, before, quantizer, settings)
    trees = replay(
        trained.boosted.trees,
        training_set(ordered, trained.start, settings.n_threads),
        loss,
        trained.settings,
    )
    statistics = ordered.statistics
    return replace(
        trained,
        boosted=replace(trained.boosted, trees=trees),
        whole_data=None if statistics is None else statistics.whole_data,
        shares_tables=_is_of_all_rows(settings),
    )


def _is_of_all_rows(settings: OrderSettings) -> bool:
    """Whether the statistics of a model are those of all rows that it was given."""
    return settings.statistics.window is None and settings.statistics.kind != "holdout"
