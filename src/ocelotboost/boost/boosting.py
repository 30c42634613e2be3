"""The outer algorithm: trees, one after the other, each along the gradient of the loss.

    draw orderings σ₀, σ₁ … σ_s of the rows              (order/ordering.py)
    M₀, M₁ … M_s = start value
    repeat
        draw r from 1 … s
        g = negative gradients of the loss at M_r        (boost/plain.py)
            Ordered: each row's at the M_{r,j} that
            has not seen it                              (boost/ordered.py)
        choose rows and their sampling weights           (boost/sampling.py)
        grow the structure of a tree on g and σ_r        (grow/oblivious.py)
        for each M_r': fill the leaves by σ_r'           (leaves/estimate.py)
                       M_r' = M_r' + learning rate * tree
    until enough trees, or a curve stops improving       (boost/stopping.py)

M₀ is the model, the sum of the trees so far; the others support it. In Plain mode without
categories there are no orderings, and M₀ does all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ocelotboost.boost.callback import History, call
from ocelotboost.boost.evaluation import LEARN, EvalSet, Evaluation, LossMetric
from ocelotboost.boost.grower import Grower, n_gradients
from ocelotboost.boost.models import Models
from ocelotboost.boost.ordered import OrderedModels
from ocelotboost.boost.plain import PlainModels
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.shards import Shards, ask
from ocelotboost.boost.snapshot import NO_SNAPSHOTS, Snapshots
from ocelotboost.boost.state import Generators, Moves, TrainingState
from ocelotboost.boost.stopping import BestIteration, TimeLimit, diverges, warn_of_no_trees
from ocelotboost.boost.training_set import ShardSettings, TrainingSet
from ocelotboost.boost.tree import GrownTree, leaf_size, without_idle_split
from ocelotboost.errors import ParameterError
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.loss.passes import Pass, pass_for
from ocelotboost.metric.base import MetricLike

#: Beyond it, gradients do not fit into single precision.
_LARGEST_LEAF = 1e38


@dataclass(frozen=True)
class Boosted:
    """The result of the loop.

    history         the metrics after each tree
    best_iteration  where the curve that was watched is best; None without one, or when all of it
                    is nan
    watched         that curve: the names of a data set and of a metric in ``history``
    interruption    the Ctrl-C that ended training, or None
    """

    trees: list[GrownTree]
    history: History
    best_iteration: int | None
    watched: tuple[str, str] | None
    interruption: KeyboardInterrupt | None


def boost(
    training: TrainingSet,
    eval_sets: list[EvalSet],
    loss: Loss,
    metrics: list[MetricLike],
    settings: BoostSettings,
    callbacks: list[Any],
    seed: np.random.SeedSequence,
    snapshots: Snapshots = NO_SNAPSHOTS,
) -> Boosted:
    """Train from the raw predictions that the rows begin with. The first of ``metrics``, on the
    first eval set, decides about stopping; without metrics the loss does.

    Training goes on from the last of its ``snapshots``. Ctrl-C ends it after the last tree that was
    finished, its metrics included."""
    loss_pass = pass_for(loss, settings.n_threads)
    loss_metric = LossMetric(loss, loss_pass)
    samples, *others, contrasts = seed.spawn(5)
    generators, n_outputs = Generators.of(others), loss.n_outputs
    shards = training.holder.open(
        ShardSettings(
            loss,
            n_gradients(training, n_outputs, settings),
            settings.sampling,
            samples,
            settings.n_threads,
        )
    )
    models = _models(training, shards, loss, loss_pass, settings)
    with_unseen = models.unseen() is not None
    evaluation = Evaluation(loss_metric, metrics, eval_sets, with_unseen)
    judge = metrics[0] if metrics else loss_metric
    watched = (eval_sets[0].name, judge.name) if eval_sets else None
    state = TrainingState(
        generators=generators,
        n_outputs=n_outputs,
        raw=_raw_by_name(shards, eval_sets),
        history=evaluation.history,
        curve=evaluation.curve(watched),
        best=BestIteration(
            watched,
            judge.higher_is_better,
            settings.early_stopping_rounds,
            settings.least_improvement,
            settings.patience_grows,
        ),
        clock=TimeLimit(settings.time_limit),
    )
    grower = Grower(training, shards, n_outputs, settings, generators, contrasts)
    trees, iterations = state.trees, settings.iterations
    snapshots.resume(state)
    if trees:
        for again in state.moves:
            models.repeat_tree(again.splits, again.values)
        models.raw_restored()
        for tree in trees:
            grower.finished(tree)
    interruption = None
    try:
        while state.goes_on(iterations):
            state.stopped = call(callbacks, "before_iteration", state.info(len(trees), iterations))
            if state.stopped:
                break
            snapshots.before_tree(state)
            ordering = grower.draw(models.orderings)
            splits = grower.structure(ordering, trees)
            added = models.add_tree(splits, settings.rate_of(len(trees)))
            tree = without_idle_split(GrownTree(splits, added.values, added.weights))
            for eval_set in eval_sets:
                eval_set.add_tree(tree, settings.n_threads)
            evaluation.record(training.target, training.weight, models.main, models.unseen())
            grower.finished(tree)
            _check_convergence(tree, state.history[LEARN][loss_metric.name], settings)
            if not shards.lasting:
                state.moves.append(Moves(splits, added.moves))
            trees.append(tree)  # the one step that counts: what comes before it can be taken back
            info = state.info(len(trees) - 1, iterations)
            state.stopped = call(callbacks, "after_iteration", info)
            snapshots.after_tree(state)
    except KeyboardInterrupt as pressed:
        if not trees:
            raise
        interruption = pressed
    state.settle()
    snapshots.write(state)
    if settings.needs_trees and not trees and state.clock.reached(0):
        warn_of_no_trees(state.clock)
    return Boosted(trees, state.history, state.best.iteration, watched, interruption)


def _check_convergence(tree: GrownTree, losses: Sequence[float], settings: BoostSettings) -> None:
    rate = settings.learning_rate
    if not leaf_size(tree) <= _LARGEST_LEAF:
        raise ParameterError(
            f"Leaf values grew to {leaf_size(tree):g}: training does not converge. Use a "
            f"learning_rate smaller than {rate:g}, or a larger l2_leaf_reg."
        )
    if diverges(losses):
        raise ParameterError(
            f"Training diverges: the training loss rose from {losses[0]:g} to {losses[-1]:g} in "
            f"{len(losses)} trees. Use a learning_rate smaller than {rate:g} "
            "(between 0.01 and 0.3 is usual), or a larger l2_leaf_reg."
        )


def _raw_by_name(shards: Shards, eval_sets: Sequence[EvalSet]) -> dict[str, Floats]:
    """The raw predictions of all models and eval sets: the arrays that trees are added to. Those
    of shards elsewhere are made again by adding all trees again."""
    found = {}
    if shards.lasting:
        found = {
            f"{name}, parcel {p}": raw
            for p, of_models in enumerate(ask(shards, lambda shard: shard.raw()))
            for name, raw in of_models.items()
        }
    return {**found, **{f"eval set {i}": own.raw for i, own in enumerate(eval_sets)}}


def _models(
    training: TrainingSet,
    shards: Shards,
    loss: Loss,
    loss_pass: Pass,
    settings: BoostSettings,
) -> Models:
    leaves = settings.leaves
    if settings.segments is None:
        return PlainModels(
            shards,
            loss,
            loss_pass,
            training.total_weight,
            training.n_statistic_orderings,
            leaves,
            settings.supporting_rate,
        )
    return OrderedModels(
        shards,
        training,
        loss,
        loss_pass,
        leaves,
        settings.segments,
        settings.body_gradients,
    )
