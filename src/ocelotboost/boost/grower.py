"""From gradients to the structure of the next tree: rows, columns and noise are drawn, then it
grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evidence import Evidence
from ocelotboost.boost.plain import TrainingSet
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.state import Generators
from ocelotboost.boost.tree import GrownTree, combinations_of, leaf_size
from ocelotboost.grow.oblivious import Scorers, draw_candidates, grow_oblivious
from ocelotboost.grow.packing import PackedGradients, choose_scale
from ocelotboost.grow.partition import RowSorter
from ocelotboost.grow.random_score import noise_scale
from ocelotboost.grow.scorer import ColumnScorer
from ocelotboost.grow.statistic_scorer import StatisticScorer
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import packed_layout
from ocelotboost.kernels.memory import aligned_empty
from ocelotboost.order.feature import Split
from ocelotboost.order.parcels import sum_in_order


class Sample(NamedTuple):
    """The rows of a parcel that choose a tree.

    rows      uint32, places of the rows, era after era
    eras      uint32 (n_eras + 1,) rows [eras[e], eras[e + 1]) are of era e
    weight    float32, weight times sampling weight of every row of the parcel; None: all ones
    all_rows  every row counts as one
    """

    rows: NDArray[np.uint32]
    eras: NDArray[np.uint32]
    weight: NDArray[np.float32] | None
    all_rows: bool


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
        n_chunks, n_words = packed_layout(n_gradients)
        self._words = aligned_empty((n_chunks, n_rows, n_words), np.int64)
        self._sorter = RowSorter(training.binned, n_rows, settings.n_threads)
        self._generators = generators

    def draw(self, orderings: list[int]) -> int:
        """One of them."""
        return orderings[int(self._generators.orderings.integers(len(orderings)))]

    def structure(
        self, evidence: Sequence[Evidence], ordering: int, trees: Sequence[GrownTree]
    ) -> list[Split]:
        """The splits of the tree that comes after ``trees``."""
        training, settings, generators = self._training, self._settings, self._generators
        size = leaf_size(trees[-1]) if trees else _mean_length(evidence, training.block.n_rows)
        samples = [
            self._sample(own, size, rng)
            for own, rng in zip(evidence, generators.samples, strict=True)
        ]
        rows, eras = _by_era(samples)
        return grow_oblivious(
            self._pack(evidence, samples),
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
                _mean_square(evidence) if settings.random_strength else 0.0,
                training.total_weight,
                len(trees) * settings.learning_rate,
            ),
            rng=generators.noise,
        )

    def _sample(self, evidence: Evidence, size: float, rng: np.random.Generator) -> Sample:
        """The rows of a parcel that choose the tree."""
        own, weight = evidence.own, evidence.weight
        sampled = self._settings.sampling.weights(own, weight, size, rng)
        every = self._every_row[evidence.places] if evidence.rows is None else evidence.rows
        if sampled is None:
            return Sample(every, evidence.eras, weight, all_rows=True)
        taken = np.flatnonzero(sampled > 0)
        eras = np.searchsorted(taken, evidence.eras).astype(np.uint32)
        weight = sampled if weight is None else sampled * weight
        return Sample(every.take(taken), eras, weight, all_rows=False)

    def _pack(self, evidence: Sequence[Evidence], samples: Sequence[Sample]) -> PackedGradients:
        """Gradients as integers, on a scale that all parcels share."""
        training, n_threads = self._training, self._settings.n_threads
        sums = np.empty((len(evidence), len(evidence[0].gradients) + 1))
        for own, sample, out in zip(evidence, samples, sums, strict=True):
            native.absolute_sums(own.gradients, sample.weight, out, n_threads=n_threads)
        scale = choose_scale(
            sum_in_order(list(sums)),
            training.block.n_rows,
            has_weights=samples[0].weight is not None,
            whole_weights=training.whole_weights and samples[0].all_rows,
        )
        for own, sample in zip(evidence, samples, strict=True):
            native.pack_gradients(
                own.gradients, sample.weight, scale.exact, scale.units, scale.dithered,
                own.rows, own.places.start, self._words, n_threads=n_threads,
            )  # fmt: skip
        return PackedGradients(self._words, scale.units, len(evidence[0].own))

    def finished(self, tree: GrownTree) -> None:
        """The tree belongs to the model, and so do its combinations."""
        if self._scorers.statistics is not None:
            self._scorers.statistics.used(combinations_of(tree))


def _by_era(samples: Sequence[Sample]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The rows of all parcels, era after era, and where the eras begin."""
    if len(samples) == 1:
        return samples[0].rows, samples[0].eras
    n_eras = len(samples[0].eras) - 1
    rows = [
        sample.rows[sample.eras[e] : sample.eras[e + 1]]
        for e in range(n_eras)
        for sample in samples
    ]
    eras = np.stack([sample.eras for sample in samples]).sum(axis=0).astype(np.uint32)
    return np.concatenate(rows), eras


def _mean_length(evidence: Sequence[Evidence], n_rows: int) -> float:
    """Of the rows' gradients."""
    totals = [np.sqrt(_squares(own)).sum() for own in evidence]
    return float(sum(totals)) / n_rows


def _mean_square(evidence: Sequence[Evidence]) -> float:
    """Of the rows' gradients, by their weights."""
    totals = np.zeros(2)
    for own in evidence:
        squares = _squares(own)
        if own.weight is None:
            totals += squares.sum(), len(squares)
        else:
            totals += (squares * own.weight).sum(), own.weight.sum(dtype=np.float64)
    return float(totals[0] / totals[1])


def _squares(evidence: Evidence) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum(
        "kn,kn->n", evidence.own, evidence.own, dtype=np.float64
    )
    return squares


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
