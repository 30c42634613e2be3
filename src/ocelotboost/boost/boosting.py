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
from numpy.typing import NDArray

from ocelotboost.boost.callback import History, IterationInfo, call
from ocelotboost.boost.evaluation import EvalSet, Evaluation, LossMetric
from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.ordered import OrderedModels
from ocelotboost.boost.plain import PlainModels, TrainingSet
from ocelotboost.boost.sampling import Sampling
from ocelotboost.boost.stopping import BestIteration, TimeLimit, diverges, warn_of_no_trees
from ocelotboost.boost.tree import GrownTree, combinations_of, without_idle_split
from ocelotboost.errors import ParameterError
from ocelotboost.grow.answers import Split
from ocelotboost.grow.oblivious import Scorers, draw_candidates, grow_oblivious
from ocelotboost.grow.partition import RowSorter
from ocelotboost.grow.random_score import noise_scale
from ocelotboost.grow.scorer import ColumnScorer, GradientPacker, ScoreSettings
from ocelotboost.grow.statistic_scorer import StatisticScorer
from ocelotboost.leaves.estimate import LeafSettings
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.loss.passes import Pass, pass_for
from ocelotboost.metric.base import MetricLike
from ocelotboost.order.combination import Combinations
from ocelotboost.order.segments import Segments

#: Beyond it, gradients do not fit into single precision.
_LARGEST_LEAF = 1e38


@dataclass(frozen=True)
class BoostSettings:
    """What the loop needs to know; the estimator's parameters with every 'auto' resolved.

    segments         of the orderings in Ordered mode; None is Plain
    supporting_rate  share of the learning rate that supporting models of Plain mode take
    """

    iterations: int
    learning_rate: float
    depth: int
    random_strength: float
    rsm: float
    combinations: Combinations
    model_size_reg: float
    sampling: Sampling
    score: ScoreSettings
    leaves: LeafSettings
    segments: Segments | None
    body_gradients: str
    supporting_rate: float
    early_stopping_rounds: int | None
    time_limit: float | None
    n_threads: int


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
    start: Floats,
    settings: BoostSettings,
    callbacks: list[Any],
    seed: np.random.SeedSequence,
) -> Boosted:
    """Train from the raw predictions ``start`` (n_outputs, n). The first of ``metrics``, on the
    first eval set, decides about stopping; without metrics the loss does.

    Ctrl-C ends training after the last tree that was finished, its metrics included."""
    loss_pass = pass_for(loss, settings.n_threads)
    loss_metric = LossMetric(loss, loss_pass)
    models = _models(training, loss, loss_pass, start, settings)
    ordered = isinstance(models, OrderedModels)
    evaluation = Evaluation(loss_metric, metrics, eval_sets, with_unseen=ordered)
    judge = metrics[0] if metrics else loss_metric
    watched = (eval_sets[0].name, judge.name) if eval_sets else None
    curve = evaluation.curve(watched)
    best = BestIteration(watched, judge.higher_is_better, settings.early_stopping_rounds)
    clock = TimeLimit(settings.time_limit)
    grower = _Grower(training, len(start), settings, seed)
    trees: list[GrownTree] = []
    interruption = None

    def info(iteration: int) -> IterationInfo:
        return IterationInfo(iteration, settings.iterations, evaluation.history, clock.elapsed)

    try:
        while len(trees) < settings.iterations and not clock.reached(len(trees)):
            if call(callbacks, "before_iteration", info(len(trees))):
                break
            ordering = grower.draw(models.orderings)
            splits = grower.structure(models.evidence(ordering), ordering, n_trees=len(trees))
            values, weights = models.add_tree(splits)
            tree = without_idle_split(GrownTree(splits, values, weights))
            for eval_set in eval_sets:
                eval_set.add_tree(tree, settings.n_threads)
            evaluation.record(models.main.loss, training.target, training.weight, models.main.raw)
            if isinstance(models, OrderedModels):
                evaluation.record_unseen(models.unseen_loss, models.unseen())
            grower.finished(tree)
            _check_convergence(evaluation.history["learn"][loss_metric.name], settings)
            trees.append(tree)  # the one step that counts: what comes before it can be taken back
            stop = best.follow(curve)
            if call(callbacks, "after_iteration", info(len(trees) - 1)) or stop:
                break
    except KeyboardInterrupt as pressed:
        if not trees:
            raise
        interruption = pressed
    evaluation.keep(len(trees))
    best.follow(curve)
    if not trees and clock.reached(0):
        warn_of_no_trees(clock)
    return Boosted(trees, evaluation.history, best.iteration, watched, interruption)


def _check_convergence(losses: Sequence[float], settings: BoostSettings) -> None:
    if diverges(losses):
        raise ParameterError(
            f"Training diverges: the training loss rose from {losses[0]:g} to {losses[-1]:g} in "
            f"{len(losses)} trees. Use a learning_rate smaller than {settings.learning_rate:g} "
            "(between 0.01 and 0.3 is usual), or a larger l2_leaf_reg."
        )


def _models(
    training: TrainingSet,
    loss: Loss,
    loss_pass: Pass,
    start: Floats,
    settings: BoostSettings,
) -> PlainModels | OrderedModels:
    rate, leaves = settings.learning_rate, settings.leaves
    if settings.segments is None:
        return PlainModels(training, loss, loss_pass, start, rate, leaves, settings.supporting_rate)
    return OrderedModels(
        training,
        loss,
        loss_pass,
        start,
        rate,
        leaves,
        settings.segments,
        settings.body_gradients,
    )


class _Grower:
    """Draws what is random about a tree, and grows its structure."""

    def __init__(
        self,
        training: TrainingSet,
        n_outputs: int,
        settings: BoostSettings,
        seed: np.random.SeedSequence,
    ) -> None:
        self._training = training
        self._settings = settings
        n_rows = training.block.n_rows
        self._every_row = np.arange(n_rows, dtype=np.uint32)
        segments, n_gradients = settings.segments, n_outputs
        if segments is not None and settings.body_gradients == "segment":
            n_gradients *= segments.n_segments
        self._scorers = _scorers(training, n_gradients, settings)
        self._packer = GradientPacker(n_rows, n_gradients, settings.n_threads)
        self._sorter = RowSorter(training.answers(), n_rows, settings.n_threads)
        self._last_leaf_size: float | None = None
        # Streams of their own, so that one kind of randomness does not shift the others.
        self._sample_rng, self._noise_rng, self._column_rng, self._ordering_rng = (
            np.random.default_rng(child) for child in seed.spawn(4)
        )

    def draw(self, orderings: list[int]) -> int:
        """One of them."""
        return orderings[int(self._ordering_rng.integers(len(orderings)))]

    def structure(self, evidence: Evidence, ordering: int, n_trees: int) -> list[Split]:
        """The splits of the next tree."""
        training, settings = self._training, self._settings
        sampled = settings.sampling.weights(
            evidence.own, evidence.weight, self._last_leaf_size, self._sample_rng
        )
        rows, eras, weight = self._chosen(evidence, sampled)
        whole_weights = training.whole_weights and sampled is None
        return grow_oblivious(
            self._packer.pack(
                evidence.gradients, weight, whole_weights, evidence.rows, len(evidence.own)
            ),
            rows,
            eras,
            ordering,
            *draw_candidates(
                training.block.n_columns, settings.combinations, settings.rsm, self._column_rng
            ),
            self._scorers,
            self._sorter,
            depth=settings.depth,
            noise=noise_scale(
                settings.random_strength,
                evidence.own,
                evidence.weight,
                training.total_weight,
                n_trees * settings.learning_rate,
            ),
            rng=self._noise_rng,
        )

    def _chosen(
        self, evidence: Evidence, sampled: NDArray[np.float32] | None
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32] | None]:
        """Rows with a sampling weight, where their eras begin, and weight times sampling weight."""
        every = self._every_row if evidence.rows is None else evidence.rows
        if sampled is None:
            return every, evidence.eras, evidence.weight
        taken = np.flatnonzero(sampled > 0)
        eras = np.searchsorted(taken, evidence.eras).astype(np.uint32)
        weight = sampled if evidence.weight is None else sampled * evidence.weight
        return every.take(taken), eras, weight

    def finished(self, tree: GrownTree) -> None:
        if self._scorers.statistics is not None:
            self._scorers.statistics.used(combinations_of(tree))
        self._last_leaf_size = float(np.abs(tree.leaf_values).mean())
        if not self._last_leaf_size <= _LARGEST_LEAF:
            raise ParameterError(
                f"Leaf values grew to {self._last_leaf_size:g}: training does not converge. Use a "
                f"learning_rate smaller than {self._settings.learning_rate:g}, or a larger "
                "l2_leaf_reg."
            )


def _scorers(training: TrainingSet, n_gradients: int, settings: BoostSettings) -> Scorers:
    n_leaves = max(min(1 << (settings.depth - 1), training.block.n_rows), 1)
    n_eras = 1 if settings.segments is None else settings.segments.n_segments + 1
    columns = statistics = None
    if training.statistics is None or (training.block.layout.bin_counts > 1).any():
        columns = ColumnScorer(training.block, n_gradients, n_leaves * n_eras, settings.score)
    if training.statistics is not None:
        statistics = StatisticScorer(
            training.statistics,
            settings.combinations.most(settings.depth),
            n_gradients,
            n_leaves * n_eras,
            settings.model_size_reg,
            settings.score,
        )
    return Scorers(columns, statistics)
