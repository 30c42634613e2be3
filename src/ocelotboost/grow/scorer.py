"""Scores of the candidate splits of one level, for all leaves together.

For the two sides of a split in every leaf let G be the sum of gradients, W the sum of weights and
v = G / (W + λ) the leaf value. The paper's score is the cosine between leaf values and gradients,

    Σ v·G / √(Σ v²·W),          the other choice, L2, is its numerator.

In Ordered mode the sums go over the segments of the ordering too: v = G / (W + λ) is made of the
body's rows, and the other G and W are those of the tail (order/segments.py).

The sums come from histograms (grow/level.py). Columns of the table are scored here, target
statistics in grow/statistic_scorer.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.cells import Cells
from ocelotboost.grow.level import Level
from ocelotboost.grow.packing import GradientUnits
from ocelotboost.grow.random_score import draw_noise
from ocelotboost.grow.rows import AllRows
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import N_BINS, packed_layout
from ocelotboost.kernels.memory import aligned_empty
from ocelotboost.lazy import cached_property
from ocelotboost.order.feature import Feature, Split
from ocelotboost.quantize.block import BlockLayout

#: Histograms of all leaves of a level are kept while they fit into this many bytes.
HISTOGRAM_BYTES = 1 << 30

#: When they do not, columns are summed and scored a batch at a time, in about this many bytes. More
#: would leave the processor's cache between the two steps, fewer would leave threads idle.
_BATCH_BYTES = 1 << 24


@dataclass(frozen=True)
class ScoreSettings:
    """regularization is λ in units of weight; min_weight is what a side must weigh to count."""

    regularization: float
    min_weight: float
    cosine: bool
    n_threads: int


@dataclass(frozen=True)
class Candidate:
    """The best split of some, its score, and the score with noise that it was chosen by."""

    split: Split
    score: float
    noisy: float


class ColumnScorer:
    """Scores the columns of a table level after level of one tree; one scorer serves all trees.

    Memory for the histograms is kept from tree to tree. While all histograms of a level fit, each
    leaf has one; when they no longer do, a level is done a few columns at a time, from rows.
    """

    def __init__(
        self,
        rows: AllRows,
        layout: BlockLayout,
        features: Sequence[Feature],
        n_gradients: int,
        n_cells: int,
        settings: ScoreSettings,
    ) -> None:
        """``features`` are the columns of the rows' blocks, ``layout`` is where they are."""
        self._rows = rows
        self._layout = layout
        self._features = features
        self._settings = settings
        n_chunks, n_words = packed_layout(n_gradients)
        self._shape = (n_chunks, n_words)
        self._n_cells = n_cells
        slot_bytes = n_chunks * n_words * N_BINS * 8
        affordable = max(HISTOGRAM_BYTES // (slot_bytes * layout.n_slots), 1)
        #: Histograms, of as many cells as will be there or fit into memory.
        self.capacity = min(n_cells, affordable)
        self._histograms = self._empty(self.capacity, layout.n_slots)

    def start(self, gradients: GradientUnits, candidates: NDArray[np.uint8]) -> None:
        """A new tree: the units of its gradients, and which columns (uint8, 0 or 1) it may use."""
        self._gradients = gradients
        self._candidates = candidates

    def best(
        self, cells: Cells, level: Level | None, noise: float, rng: np.random.Generator
    ) -> Candidate | None:
        """The best split of all columns; None where no column can be split."""
        scores, bins = (
            self._scores_from_rows(cells)
            if level is None
            else self._scores(level, self._all_columns, self._histograms, self._candidates)
        )
        drawn = draw_noise(scores.shape, noise, rng)
        noisy = scores if drawn is None else scores + drawn
        best = int(noisy.argmax())
        if scores[best] == -np.inf:
            return None
        split = Split(self._features[best], int(bins[best]))
        return Candidate(split, float(scores[best]), float(noisy[best]))

    def _scores_from_rows(self, cells: Cells) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Every leaf summed from its rows, one batch of columns at a time."""
        level = Level.from_rows(cells)
        scores = np.full(len(self._layout.slots), -np.inf)
        bins = np.zeros(len(self._layout.slots), dtype=np.uint8)
        most_slots = max(batch.layout.n_slots for batch in self._batches)
        memory = self._empty(cells.n_cells, most_slots).ravel()
        for batch in self._batches:
            columns = batch.columns
            shape = self._histogram_shape(cells.n_cells, batch.layout.n_slots)
            histograms = memory[: math.prod(shape)].reshape(shape)
            scores[columns], bins[columns] = self._scores(
                level, batch, histograms, self._candidates[columns]
            )
        return scores, bins

    @cached_property
    def _all_columns(self) -> Batch:
        layout = self._layout
        return Batch(np.arange(len(layout.slots)), slice(None), layout)

    @cached_property
    def _batches(self) -> list[Batch]:
        layout = self._layout
        widest = int(layout.group_widths.max())
        group_bytes = 8 * math.prod(self._histogram_shape(self._n_cells, widest))
        return cut_into_batches(layout, max(_BATCH_BYTES // group_bytes, 1))

    def _scores(
        self,
        level: Level,
        batch: Batch,
        histograms: NDArray[np.int64],
        candidates: NDArray[np.uint8],
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Best score and bin of every column, (n_columns,) each; -inf where none is possible."""
        settings, layout = self._settings, batch.layout
        fresh = level.cells[level.fresh.view(np.bool_)]
        self._rows.accumulate(batch.groups, fresh, level.small, histograms)
        scores = np.empty(len(layout.slots))
        bins = np.empty(len(layout.slots), dtype=np.uint8)
        native.score_columns(
            histograms,
            level.small,
            level.large,
            level.scored,
            layout.slots,
            layout.shifts,
            layout.firsts,
            layout.defaults,
            layout.bin_counts,
            candidates,
            self._gradients.n_outputs,
            self._gradients.units,
            settings.regularization,
            settings.min_weight,
            settings.cosine,
            scores,
            bins,
            n_threads=settings.n_threads,
        )
        return scores, bins

    def _empty(self, n_histograms: int, n_slots: int) -> NDArray[np.int64]:
        return aligned_empty(self._histogram_shape(n_histograms, n_slots), np.int64)

    def _histogram_shape(self, n_histograms: int, n_slots: int) -> tuple[int, ...]:
        n_chunks, n_words = self._shape
        return n_chunks, n_histograms, n_slots, N_BINS, n_words


class Batch(NamedTuple):
    """Some columns, the groups of slots that hold them, and their layout as if they were alone."""

    columns: NDArray[np.intp]
    groups: slice
    layout: BlockLayout


def cut_into_batches(layout: BlockLayout, n_groups: int) -> list[Batch]:
    """All columns, those of ``n_groups`` groups of slots at a time."""
    first_slots = np.append(0, np.cumsum(layout.group_widths))
    by_slot = np.argsort(layout.slots, kind="stable")
    begins = np.searchsorted(layout.slots[by_slot], first_slots)  # of each group
    batches = []
    for first in range(0, len(layout.group_widths), n_groups):
        groups = slice(first, min(first + n_groups, len(layout.group_widths)))
        begin = first_slots[groups.start]
        columns = np.sort(by_slot[begins[groups.start] : begins[groups.stop]])
        own = BlockLayout(
            slots=layout.slots[columns] - np.uint32(begin),
            shifts=layout.shifts[columns],
            masks=layout.masks[columns],
            firsts=layout.firsts[columns],
            defaults=layout.defaults[columns],
            bin_counts=layout.bin_counts[columns],
            group_offsets=layout.group_offsets[groups],
            group_strides=layout.group_strides[groups],
            group_widths=layout.group_widths[groups],
        )
        batches.append(Batch(columns, groups, own))
    return batches
