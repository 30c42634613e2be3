"""Scores of the candidate splits of one level, for all leaves together.

For the two sides of a split in every leaf let G be the sum of gradients, W the sum of weights and
v = G / (W + λ) the leaf value. The paper's score is the cosine between leaf values and gradients,

    Σ v·G / √(Σ v²·W),          the other choice, L2, is its numerator.

The sums come from histograms. Of two sibling leaves only the smaller is summed over its rows; the
other is parent minus sibling, exactly, because sums are integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.partition import Partition
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import N_BINS, NO_HISTOGRAM, packed_layout
from ocelotboost.kernels.memory import aligned_empty
from ocelotboost.quantize.block import BlockLayout, ColumnBlock

#: Histograms of all leaves of a level are kept while they fit into this many bytes.
HISTOGRAM_BYTES = 1 << 30


@dataclass(frozen=True)
class ScoreSettings:
    """regularization is λ in units of weight; min_weight is what a side must weigh to count."""

    regularization: float
    min_weight: float
    cosine: bool
    n_threads: int


@dataclass(frozen=True)
class PackedGradients:
    """Gradients and weights of all rows as integers, two fields a word.

    words  int64 (n_chunks, n_rows, words)
    units  float64 (n_outputs + 1,) what the integer 1 is worth in each field
    """

    words: NDArray[np.int64]
    units: NDArray[np.float64]


class GradientPacker:
    """Packs gradients, in memory that is kept from tree to tree."""

    def __init__(self, n_rows: int, n_outputs: int, n_threads: int) -> None:
        n_chunks, words = packed_layout(n_outputs)
        self._words = aligned_empty((n_chunks, n_rows, words), np.int64)
        self._n_threads = n_threads

    def pack(
        self,
        gradients: NDArray[np.float32],
        weight: NDArray[np.float32] | None,
        whole_weights: bool,
    ) -> PackedGradients:
        """Pack gradients (n_outputs, n_rows), not yet multiplied by the weight (n_rows,)."""
        units = np.empty(len(gradients) + 1)
        native.pack_gradients(
            gradients, weight, whole_weights, self._words, units, n_threads=self._n_threads
        )
        return PackedGradients(self._words, units)


class PlainScorer:
    """Scores columns level after level of one tree; one scorer serves all trees.

    Memory for the histograms is kept from tree to tree. While all histograms of a level fit, each
    leaf has one; when they no longer do, a level is done a few columns at a time, from rows.
    """

    def __init__(
        self, block: ColumnBlock, n_outputs: int, depth: int, settings: ScoreSettings
    ) -> None:
        self._block = block
        self._settings = settings
        n_chunks, words = packed_layout(n_outputs)
        self._shape = (n_chunks, words)
        slot_bytes = n_chunks * words * N_BINS * 8
        wanted = max(min(1 << (depth - 1), block.n_rows), 1)
        affordable = max(HISTOGRAM_BYTES // (slot_bytes * block.layout.n_slots), 1)
        self._histograms = self._empty(min(wanted, affordable), block.layout.n_slots)
        self._of_leaf: list[int] | None = []  # histogram of each leaf of the last level
        self._n_used = 0

    def start(self, gradients: PackedGradients, candidates: NDArray[np.uint8]) -> None:
        """A new tree: its gradients, and which columns (uint8, 0 or 1) it may use."""
        self._gradients = gradients
        self._candidates = candidates
        self._of_leaf, self._n_used = [], 0

    def scores(self, partition: Partition) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Best score and bin of every column, (n_columns,) each; -inf where none is possible."""
        level = self._next_level(partition.sizes)
        if level is None:
            return self._scores_from_rows(partition)
        layout = self._block.layout
        self._accumulate(partition, level.leaves, level.small, layout, self._histograms)
        return self._score(level, layout, self._histograms, self._candidates)

    def _next_level(self, sizes: list[int]) -> Level | None:
        """Which leaves to sum into which histograms; None when memory does not suffice."""
        if len(sizes) == 1:
            self._of_leaf, self._n_used = [0], 1
            return Level.of([0], [0], [NO_HISTOGRAM], [0])
        siblings = list(zip(sizes[0::2], sizes[1::2], strict=True))
        n_new = sum(left > 0 and right > 0 for left, right in siblings)
        if self._of_leaf is None or self._n_used + n_new > self._histograms.shape[1]:
            self._of_leaf = None
            return None
        leaves, fresh, parents, of_leaf = [], [], [], []
        for pair, (parent, (left, right)) in enumerate(zip(self._of_leaf, siblings, strict=True)):
            if left > 0 and right > 0:
                # The larger child takes over its parent's histogram, the smaller gets a new one.
                own = self._n_used
                self._n_used += 1
                leaves.append(2 * pair + (right < left))
                fresh.append(own)
                parents.append(parent)
                of_leaf += [parent, own] if right < left else [own, parent]
            else:
                # One child has all the rows, or the parent had none; then nobody reads it.
                of_leaf += [parent, parent]
        self._of_leaf = of_leaf
        scored = [own for own, size in zip(of_leaf, sizes, strict=True) if size > 0]
        return Level.of(leaves, fresh, parents, scored)

    def _scores_from_rows(
        self, partition: Partition
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Every leaf summed from its rows, one group of columns at a time."""
        layout = self._block.layout
        leaves = np.flatnonzero(partition.sizes)
        targets = np.arange(len(leaves), dtype=np.uint32)
        no_siblings = np.full(len(leaves), NO_HISTOGRAM, dtype=np.uint32)
        level = Level(leaves, targets, no_siblings, targets)
        scores = np.full(self._block.n_columns, -np.inf)
        bins = np.zeros(self._block.n_columns, dtype=np.uint8)
        for group in range(len(layout.group_widths)):
            columns, part = _columns_of_group(layout, group)
            histograms = self._empty(len(leaves), int(part.group_widths[0]))
            self._accumulate(partition, leaves, targets, part, histograms)
            scores[columns], bins[columns] = self._score(
                level, part, histograms, self._candidates[columns]
            )
        return scores, bins

    def _accumulate(
        self,
        partition: Partition,
        leaves: NDArray[np.intp],
        targets: NDArray[np.uint32],
        layout: BlockLayout,
        histograms: NDArray[np.int64],
    ) -> None:
        native.accumulate_histograms(
            self._block.panels,
            layout.group_offsets,
            layout.group_strides,
            layout.group_widths,
            partition.rows,
            self._gradients.words,
            partition.offsets[leaves],
            partition.offsets[leaves + 1],
            targets[: len(leaves)],
            histograms,
            n_threads=self._settings.n_threads,
        )

    def _score(
        self,
        level: Level,
        layout: BlockLayout,
        histograms: NDArray[np.int64],
        candidates: NDArray[np.uint8],
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        scores = np.empty(len(layout.slots))
        bins = np.empty(len(layout.slots), dtype=np.uint8)
        native.score_columns(
            histograms,
            level.small,
            level.large,
            level.scored,
            layout.slots,
            layout.shifts,
            layout.bin_counts,
            candidates,
            self._gradients.units,
            self._settings.regularization,
            self._settings.min_weight,
            self._settings.cosine,
            scores,
            bins,
            n_threads=self._settings.n_threads,
        )
        return scores, bins

    def _empty(self, n_histograms: int, n_slots: int) -> NDArray[np.int64]:
        n_chunks, words = self._shape
        return aligned_empty((n_chunks, n_histograms, n_slots, N_BINS, words), np.int64)


@dataclass(frozen=True)
class Level:
    """What to sum and what to score in one level of a tree.

    leaves  intp (n_fresh,)      leaves to sum from their rows
    small   uint32 (n_fresh,)    the histograms they go to
    large   uint32 (n_fresh,)    their siblings' histograms, which still hold the parents
    scored  uint32 (n_filled,)   the histograms of all leaves with rows, in the order of the leaves:
                                 scores add up in an order that sizes of leaves do not change
    """

    leaves: NDArray[np.intp]
    small: NDArray[np.uint32]
    large: NDArray[np.uint32]
    scored: NDArray[np.uint32]

    @classmethod
    def of(cls, leaves: list[int], small: list[int], large: list[int], scored: list[int]) -> Level:
        return cls(
            np.array(leaves, dtype=np.intp),
            np.array(small, dtype=np.uint32),
            np.array(large, dtype=np.uint32),
            np.array(scored, dtype=np.uint32),
        )


def _columns_of_group(layout: BlockLayout, group: int) -> tuple[NDArray[np.intp], BlockLayout]:
    """The columns of one group, and their layout as if the group were alone."""
    first = int(layout.group_widths[:group].sum())
    width = int(layout.group_widths[group])
    columns = np.flatnonzero((layout.slots >= first) & (layout.slots < first + width))
    return columns, BlockLayout(
        slots=layout.slots[columns] - np.uint32(first),
        shifts=layout.shifts[columns],
        masks=layout.masks[columns],
        bin_counts=layout.bin_counts[columns],
        group_offsets=layout.group_offsets[group : group + 1],
        group_strides=layout.group_strides[group : group + 1],
        group_widths=layout.group_widths[group : group + 1],
    )
