"""The stage as one call: from rows in order to trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ocelotboost.boost.boosting import Boosted, boost
from ocelotboost.boost.parameters import BoostParameters
from ocelotboost.boost.replay import replay
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.start import Start, eval_set, training_set
from ocelotboost.estimator.centre import uncentred
from ocelotboost.estimator.metrics import metrics_from
from ocelotboost.estimator.progress import progress_for
from ocelotboost.estimator.rows import Rows
from ocelotboost.estimator.snapshots import SnapshotSettings, snapshots_of
from ocelotboost.estimator.target import Target
from ocelotboost.loss.base import Loss
from ocelotboost.model.trained import TrainedModel
from ocelotboost.order.rows_in_order import RowsInOrder, order_again
from ocelotboost.order.settings import OrderSettings
from ocelotboost.quantize.quantized import Quantized
from ocelotboost.quantize.quantizer import Quantizer


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
    """

    loop: BoostParameters
    order: OrderSettings
    eval_metric: Any
    keep_best: bool
    replay: bool
    verbose: bool | int
    seed: np.random.SeedSequence
    snapshot: SnapshotSettings | None


@dataclass(frozen=True)
class Trained:
    """Trees, and what their leaves were filled from.

    settings  of the loop, as they were resolved
    """

    boosted: Boosted
    ordered: RowsInOrder
    start: Start
    settings: BoostSettings


def train(
    rows: Rows,
    quantized: Quantized,
    ordered: RowsInOrder,
    target: Target,
    continued: TrainedModel | None,
    callbacks: list[Any],
    settings: TrainingSettings,
) -> Trained:
    """The trees that the model keeps, or that are added to the model which they continue."""
    n_threads, cache_bytes = settings.loop.n_threads, settings.order.statistics.cache_bytes
    loss, quantizer = target.loss, quantized.quantizer
    forest = None if continued is None else continued.forest
    start = Start.of(ordered.rows, loss, target.centre, forest)
    training = training_set(ordered)
    loop = settings.loop.resolve(
        training, loss, ordered.combinations, ordered.segments, bool(rows.watched)
    )
    eval_sets = [
        eval_set(watched, quantizer, ordered, start, cache_bytes, n_threads)
        for watched in rows.watched
    ]
    table = ordered.rows.table
    raw = table.memory.keep(ordered.parcels.deal(start.raw(table, n_threads)))
    snapshots = snapshots_of(
        settings.snapshot,
        training,
        eval_sets,
        quantizer,
        rows.everything.table.names,
        raw,
        target,
        loop.learning_rate,
    )
    metrics = uncentred(metrics_from(settings.eval_metric, loss), start.centre)
    with progress_for(settings.verbose, metrics[0].name if metrics else loss.name) as progress:
        boosted = boost(
            training,
            eval_sets,
            loss,
            metrics,
            raw,
            loop,
            [*callbacks, progress],
            settings.seed,
            snapshots,
        )
    if settings.keep_best and boosted.best_iteration is not None:
        boosted = replace(boosted, trees=boosted.trees[: boosted.best_iteration + 1])
    trained = Trained(boosted, ordered, start, loop)
    if settings.replay:
        return _replayed(trained, rows, quantizer, loss, settings.order)
    return trained


def _replayed(
    trained: Trained, rows: Rows, quantizer: Quantizer, loss: Loss, settings: OrderSettings
) -> Trained:
    """Leaves and statistics from all rows, the held-out ones included."""
    ordered = order_again(rows.everything, trained.ordered, quantizer, settings)
    trees = replay(
        trained.boosted.trees,
        training_set(ordered),
        loss,
        ordered.parcels.deal(trained.start.raw(ordered.rows.table, settings.n_threads)),
        trained.settings.learning_rate,
        trained.settings.leaves,
    )
    return replace(trained, boosted=replace(trained.boosted, trees=trees), ordered=ordered)
