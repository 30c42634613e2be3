"""From gradients to the structure of the next tree: rows, columns and noise are drawn, then it
grows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.plain import TrainingSet
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.state import Generators
from ocelotboost.boost.tree import GrownTree, combinations_of, leaf_size
from ocelotboost.grow.oblivious import Scorers, draw_candidates, grow_oblivious
from ocelotboost.grow.partition import RowSorter
from ocelotboost.grow.random_score import noise_scale
from ocelotboost.grow.scorer import ColumnScorer, GradientPacker
from ocelotboost.grow.statistic_scorer import StatisticScorer
from ocelotboost.order.feature import Split


class Grower:
    """Draws what is random about a tree, and grows its structure."""

    def __init__(
        self,
        training: TrainingSet,
        n_outputs: int,
        settings: BoostSettings,
        generators: Generators,
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
        self._sorter = RowSorter(training.binned, n_rows, settings.n_threads)
        self._generators = generators

    def draw(self, orderings: list[int]) -> int:
        """One of them."""
        return orderings[int(self._generators.orderings.integers(len(orderings)))]

    def structure(
        self, evidence: Evidence, ordering: int, trees: Sequence[GrownTree]
    ) -> list[Split]:
        """The splits of the tree that comes after ``trees``."""
        training, settings, generators = self._training, self._settings, self._generators
        last_leaf_size = leaf_size(trees[-1]) if trees else None
        sampled = settings.sampling.weights(
            evidence.own, evidence.weight, last_leaf_size, generators.samples
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
                training.block.n_columns, settings.combinations, settings.rsm, generators.columns
            ),
            self._scorers,
            self._sorter,
            depth=settings.depth,
            noise=noise_scale(
                settings.random_strength,
                evidence.own,
                evidence.weight,
                training.total_weight,
                len(trees) * settings.learning_rate,
            ),
            rng=generators.noise,
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
        """The tree belongs to the model, and so do its combinations."""
        if self._scorers.statistics is not None:
            self._scorers.statistics.used(combinations_of(tree))


def _scorers(training: TrainingSet, n_gradients: int, settings: BoostSettings) -> Scorers:
    n_leaves = max(min(1 << (settings.depth - 1), training.block.n_rows), 1)
    n_eras = 1 if settings.segments is None else settings.segments.n_segments + 1
    columns = statistics = None
    if training.statistics is None or (training.block.layout.bin_counts > 1).any():
        columns = ColumnScorer(
            training.block, training.features, n_gradients, n_leaves * n_eras, settings.score
        )
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
