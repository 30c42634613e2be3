"""From gradients to the structure of the next tree: rows, columns and noise are drawn, then it
grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ocelotboost.boost.contrast import Contrast, draw_contrast
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.shard import GradientSums
from ocelotboost.boost.shards import Shards, ask
from ocelotboost.boost.state import Generators
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.boost.tree import GrownTree, combinations_of, leaf_size
from ocelotboost.grow.cells import Cells
from ocelotboost.grow.oblivious import Scorers, draw_candidates, grow_oblivious
from ocelotboost.grow.packing import GradientUnits, Scale, choose_scale
from ocelotboost.grow.random_score import noise_scale
from ocelotboost.grow.rows import AllRows, GrowingRows
from ocelotboost.grow.scorer import ColumnScorer
from ocelotboost.grow.statistic_scorer import StatisticScorer
from ocelotboost.order.binned_rows import PagedStatistics
from ocelotboost.order.feature import Split
from ocelotboost.order.parcels import sum_in_order

Answer = TypeVar("Answer")


class Grower:
    """Draws what is random about a tree, and grows its structure."""

    def __init__(
        self,
        training: TrainingSet,
        shards: Shards,
        n_outputs: int,
        settings: BoostSettings,
        generators: Generators,
        contrasts: np.random.SeedSequence,
    ) -> None:
        """``contrasts``: the seed of their draws."""
        self._training = training
        self._shards = shards
        self._n_outputs = n_outputs
        self._settings = settings
        self._generators = generators
        self._contrasts = contrasts
        self._rows = AllRows(GrowingShards(shards))
        self._facets: Sequence[int] = range(_n_facets(training))
        self._scorers = _scorers(training, shards, self._rows, n_outputs, settings)
        self._n_eras = 1 if settings.segments is None else settings.segments.n_segments + 1

    def draw(self, orderings: list[int]) -> int:
        """One of them."""
        return orderings[int(self._generators.orderings.integers(len(orderings)))]

    def structure(self, ordering: int, trees: Sequence[GrownTree]) -> list[Split]:
        """The splits of the tree that comes after ``trees``, chosen by the gradients of an
        ordering's model."""
        training, settings, generators = self._training, self._settings, self._generators
        size = leaf_size(trees[-1]) if trees else self._mean_length(ordering)
        sums = ask(self._shards, lambda shard: shard.sample(ordering, size, len(trees)))
        n_outputs, facets = self._n_outputs, self._facets
        if has_contrasts(training, n_outputs):
            contrast = self._contrast(sums, len(trees))
            sums = ask(self._shards, lambda shard: shard.compare(contrast))
            n_outputs, facets = 1, contrast
        scale = self._scale(sums)
        offsets = self._shards.each(lambda shard: shard.pack(scale, self._n_eras))
        return grow_oblivious(
            GradientUnits(scale.units, n_outputs),
            self._rows,
            Cells.of(offsets, self._n_eras),
            ordering,
            *draw_candidates(
                training.n_columns, settings.combinations, settings.rsm, generators.columns
            ),
            facets,
            self._scorers,
            depth=settings.depth,
            noise=noise_scale(
                settings.random_strength,
                sum(own.squares for own in sums) / sum(own.weight for own in sums),
                training.total_weight,
                len(trees) * settings.learning_rate,
            ),
            rng=generators.noise,
        )

    def _contrast(self, sums: Sequence[GradientSums], tree: int) -> Contrast:
        own = sum_in_order([own.fields[: self._n_outputs] for own in sums])
        return draw_contrast(own, self._contrasts, tree)

    def _mean_length(self, ordering: int) -> float:
        """Of the rows' gradients."""
        lengths = ask(self._shards, lambda shard: shard.lengths(ordering))
        return sum(lengths) / self._training.n_rows

    def _scale(self, sums: Sequence[GradientSums]) -> Scale:
        """The one on which the gradients of all parcels become integers."""
        training, all_rows = self._training, self._settings.sampling.takes_all_rows
        return choose_scale(
            sum_in_order([own.fields for own in sums]),
            training.n_rows,
            has_weights=training.weight is not None or not all_rows,
            whole_weights=training.whole_weights and all_rows,
        )

    def finished(self, tree: GrownTree) -> None:
        """The tree belongs to the model, and so do its combinations."""
        if self._scorers.statistics is not None:
            self._scorers.statistics.used(combinations_of(tree))


def has_contrasts(training: TrainingSet, n_outputs: int) -> bool:
    """Whether two classes choose each tree. Where no statistic has facets trees cost less, and
    all classes do."""
    return 2 < n_outputs == _n_facets(training)


def _n_facets(training: TrainingSet) -> int:
    """That a statistic has."""
    return 1 if training.statistics is None else training.statistics.columns.n_facets


def n_gradients(training: TrainingSet, n_outputs: int, settings: BoostSettings) -> int:
    """How many of a row choose a tree: one per output, or per output and segment."""
    own, segments = 1 if has_contrasts(training, n_outputs) else n_outputs, settings.segments
    if segments is not None and settings.body_gradients == "segment":
        return own * segments.n_segments
    return own


class GrowingShards:
    """The growing rows of all shards, asked together."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self.only = None if shards.only is None else shards.only.growing
        self.statistics: PagedStatistics | None = shards.statistics

    def each(self, request: Callable[[GrowingRows], Answer]) -> list[Answer]:
        return self._shards.each(lambda shard: request(shard.growing))


def _scorers(
    training: TrainingSet, shards: Shards, rows: AllRows, n_outputs: int, settings: BoostSettings
) -> Scorers:
    n_leaves = max(min(1 << (settings.depth - 1), training.n_rows), 1)
    n_eras = 1 if settings.segments is None else settings.segments.n_segments + 1
    gradients = n_gradients(training, n_outputs, settings)
    n_facets = 2 if has_contrasts(training, n_outputs) else _n_facets(training)
    columns = statistics = None
    if shards.statistics is None or (training.layout.bin_counts > 1).any():
        columns = ColumnScorer(
            rows, training.layout, training.features, gradients, n_leaves * n_eras, settings.score
        )
    if shards.statistics is not None:
        statistics = StatisticScorer(
            shards.statistics,
            rows,
            n_facets * settings.combinations.most(settings.depth),
            gradients,
            n_leaves * n_eras,
            settings.model_size_reg,
            settings.score,
        )
    return Scorers(columns, statistics)
