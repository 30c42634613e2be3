"""From gradients to the structure of the next tree: rows, columns and noise are drawn, then it
grows."""

from __future__ import annotations

from collections.abc import Sequence

from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.shard import GradientSums
from ocelotboost.boost.shards import Shards
from ocelotboost.boost.state import Generators
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.boost.tree import GrownTree, combinations_of, leaf_size
from ocelotboost.grow.cells import Cells
from ocelotboost.grow.oblivious import Scorers, draw_candidates, grow_oblivious
from ocelotboost.grow.packing import GradientUnits, Scale, choose_scale
from ocelotboost.grow.random_score import noise_scale
from ocelotboost.grow.rows import AllRows
from ocelotboost.grow.scorer import ColumnScorer
from ocelotboost.grow.statistic_scorer import StatisticScorer
from ocelotboost.order.feature import Split
from ocelotboost.order.parcels import sum_in_order


class Grower:
    """Draws what is random about a tree, and grows its structure."""

    def __init__(
        self,
        training: TrainingSet,
        shards: Shards,
        n_outputs: int,
        settings: BoostSettings,
        generators: Generators,
    ) -> None:
        self._training = training
        self._shards = shards
        self._n_outputs = n_outputs
        self._settings = settings
        self._generators = generators
        self._rows = AllRows([shard.growing for shard in shards.shards])
        self._scorers = _scorers(training, self._rows, n_gradients(n_outputs, settings), settings)
        self._n_eras = 1 if settings.segments is None else settings.segments.n_segments + 1

    def draw(self, orderings: list[int]) -> int:
        """One of them."""
        return orderings[int(self._generators.orderings.integers(len(orderings)))]

    def structure(self, ordering: int, trees: Sequence[GrownTree]) -> list[Split]:
        """The splits of the tree that comes after ``trees``, chosen by the gradients of an
        ordering's model."""
        training, settings, generators = self._training, self._settings, self._generators
        size = leaf_size(trees[-1]) if trees else self._mean_length(ordering)
        sums = self._shards.ask(lambda shard: shard.sample(ordering, size))
        scale = self._scale(sums)
        offsets = [shard.pack(scale, self._n_eras) for shard in self._shards.shards]
        return grow_oblivious(
            GradientUnits(scale.units, self._n_outputs),
            self._rows,
            Cells.of(offsets, self._n_eras),
            ordering,
            *draw_candidates(
                training.block.n_columns, settings.combinations, settings.rsm, generators.columns
            ),
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

    def _mean_length(self, ordering: int) -> float:
        """Of the rows' gradients."""
        lengths = self._shards.ask(lambda shard: shard.lengths(ordering))
        return sum(lengths) / self._training.block.n_rows

    def _scale(self, sums: Sequence[GradientSums]) -> Scale:
        """The one on which the gradients of all parcels become integers."""
        training, all_rows = self._training, self._settings.sampling.takes_all_rows
        return choose_scale(
            sum_in_order([own.fields for own in sums]),
            training.block.n_rows,
            has_weights=training.weight is not None or not all_rows,
            whole_weights=training.whole_weights and all_rows,
        )

    def finished(self, tree: GrownTree) -> None:
        """The tree belongs to the model, and so do its combinations."""
        if self._scorers.statistics is not None:
            self._scorers.statistics.used(combinations_of(tree))


def n_gradients(n_outputs: int, settings: BoostSettings) -> int:
    """How many a row has: one per output, or per output and segment."""
    segments = settings.segments
    if segments is not None and settings.body_gradients == "segment":
        return n_outputs * segments.n_segments
    return n_outputs


def _scorers(
    training: TrainingSet, rows: AllRows, n_gradients: int, settings: BoostSettings
) -> Scorers:
    n_leaves = max(min(1 << (settings.depth - 1), training.block.n_rows), 1)
    n_eras = 1 if settings.segments is None else settings.segments.n_segments + 1
    columns = statistics = None
    if training.statistics is None or (training.block.layout.bin_counts > 1).any():
        columns = ColumnScorer(
            rows, training.features, n_gradients, n_leaves * n_eras, settings.score
        )
    if training.statistics is not None:
        statistics = StatisticScorer(
            training.statistics,
            rows.only,
            settings.combinations.most(settings.depth),
            n_gradients,
            n_leaves * n_eras,
            settings.model_size_reg,
            settings.score,
        )
    return Scorers(columns, statistics)
