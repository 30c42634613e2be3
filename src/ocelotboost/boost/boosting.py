"""The outer algorithm: trees, one after the other, each along the gradient of the loss.

    M = start value
    repeat
        g = negative gradients of the loss at M          (boost/plain.py)
        choose rows and their sampling weights           (boost/sampling.py)
        grow the structure of a tree on g                (grow/oblivious.py)
        fill its leaves from all rows                    (leaves/estimate.py)
        M = M + learning rate * tree
    until enough trees, or an eval set stops improving   (boost/stopping.py)

M is the model, the sum of the trees so far.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.callback import History, IterationInfo, call
from ocelotboost.boost.evaluation import EvalSet, Evaluation, LossMetric
from ocelotboost.boost.plain import PlainModel, TrainingSet
from ocelotboost.boost.sampling import Sampling
from ocelotboost.boost.stopping import BestIteration, TimeLimit
from ocelotboost.boost.tree import GrownTree, rounded, without_idle_split
from ocelotboost.errors import ParameterError
from ocelotboost.grow.oblivious import draw_candidates, grow_oblivious
from ocelotboost.grow.partition import RowSorter, Split, assign_leaves
from ocelotboost.grow.random_score import noise_scale
from ocelotboost.grow.scorer import GradientPacker, PlainScorer, ScoreSettings
from ocelotboost.leaves.estimate import LeafSettings, estimate_leaves
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.loss.passes import pass_for
from ocelotboost.metric.base import MetricLike

#: Beyond it, gradients do not fit into single precision.
_LARGEST_LEAF = 1e38


@dataclass(frozen=True)
class BoostSettings:
    """What the loop needs to know; the estimator's parameters with every 'auto' resolved."""

    iterations: int
    learning_rate: float
    depth: int
    random_strength: float
    rsm: float
    sampling: Sampling
    score: ScoreSettings
    leaves: LeafSettings
    early_stopping_rounds: int | None
    time_limit: float | None
    n_threads: int


@dataclass(frozen=True)
class Boosted:
    """The trees, the metrics after each, and the best number of trees by the eval set (or None)."""

    trees: list[GrownTree]
    history: History
    best_iteration: int | None


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
    """Train from the raw predictions ``start`` (n_outputs, n). The last of ``metrics``, on the
    first eval set, decides about stopping; without metrics the loss does."""
    loss_pass = pass_for(loss, settings.n_threads)
    loss_metric = LossMetric(loss, loss_pass)
    evaluation = Evaluation(loss_metric, metrics, eval_sets)
    judge = metrics[-1] if metrics else loss_metric
    best = BestIteration(judge.higher_is_better, settings.early_stopping_rounds)
    clock = TimeLimit(settings.time_limit)
    model = PlainModel(training, loss, loss_pass, start, settings.n_threads)
    grower = _Grower(training, len(start), settings, seed)
    leaves = np.empty(training.block.n_rows, dtype=np.uint32)
    trees: list[GrownTree] = []

    def info() -> IterationInfo:
        return IterationInfo(len(trees), settings.iterations, evaluation.history, clock.elapsed)

    try:
        while len(trees) < settings.iterations and not clock.reached(len(trees)):
            if call(callbacks, "before_iteration", info()):
                break
            now = info()
            splits = grower.structure(model, n_trees=len(trees))
            assign_leaves(training.block, splits, leaves, settings.n_threads)
            values, weights = estimate_leaves(
                loss_pass,
                training.target,
                training.weight,
                model.raw,
                model.gradients,
                leaves,
                1 << len(splits),
                settings.leaves,
            )
            values = rounded(settings.learning_rate * values)
            model.add_tree(leaves, values)
            tree = without_idle_split(GrownTree(splits, values, weights))
            for eval_set in eval_sets:
                eval_set.add_tree(tree, settings.n_threads)
            evaluation.record(model.loss, training.target, training.weight, model.raw)
            trees.append(tree)
            grower.finished(tree)
            stop = bool(eval_sets) and best.update(
                len(trees) - 1, evaluation.history[eval_sets[0].name][judge.name][-1]
            )
            if call(callbacks, "after_iteration", now) or stop:
                break
    except KeyboardInterrupt:
        if not trees:
            raise
        warnings.warn(
            f"Training was interrupted; the model keeps its {len(trees)} trees.", stacklevel=2
        )
    return Boosted(trees, evaluation.history, best.iteration if eval_sets and trees else None)


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
        self._scorer = PlainScorer(training.block, n_outputs, settings.depth, settings.score)
        self._packer = GradientPacker(training.block.n_rows, n_outputs, settings.n_threads)
        self._sorter = RowSorter(training.block, settings.n_threads)
        self._all_rows = np.arange(training.block.n_rows, dtype=np.uint32)
        self._last_leaf_size: float | None = None
        # Streams of their own, so that one kind of randomness does not shift the others.
        self._sample_rng, self._noise_rng, self._column_rng = (
            np.random.default_rng(child) for child in seed.spawn(3)
        )

    def structure(self, model: PlainModel, n_trees: int) -> list[Split]:
        """The splits of the next tree."""
        training, settings = self._training, self._settings
        sampled = settings.sampling.weights(
            model.gradients, training.weight, self._last_leaf_size, self._sample_rng
        )
        rows, weight = self._chosen(sampled)
        return grow_oblivious(
            self._packer.pack(model.gradients, weight, training.whole_weights and sampled is None),
            rows,
            draw_candidates(training.block.n_columns, settings.rsm, self._column_rng),
            self._scorer,
            self._sorter,
            depth=settings.depth,
            noise=noise_scale(
                settings.random_strength,
                model.gradients,
                training.weight,
                training.n_rows,
                n_trees * settings.learning_rate,
            ),
            rng=self._noise_rng,
        )

    def finished(self, tree: GrownTree) -> None:
        self._last_leaf_size = float(np.abs(tree.leaf_values).mean())
        if not self._last_leaf_size <= _LARGEST_LEAF:
            raise ParameterError(
                f"Leaf values grew to {self._last_leaf_size:g}: training does not converge. Use a "
                f"learning_rate smaller than {self._settings.learning_rate:g}, or a larger "
                "l2_leaf_reg."
            )

    def _chosen(
        self, sampled: NDArray[np.float32] | None
    ) -> tuple[NDArray[np.uint32], NDArray[np.float32] | None]:
        """Rows with a sampling weight, and weight times sampling weight."""
        weight = self._training.weight
        if sampled is None:
            return self._all_rows, weight
        rows = np.flatnonzero(sampled).astype(np.uint32)
        return rows, sampled if weight is None else sampled * weight
