"""Scores of target statistics: single features from the first level on, combinations as they come.

A statistic that is new in a tree is summed over all rows of the level; from then on only over the
smaller leaves, as any column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.cells import Cells
from ocelotboost.grow.level import Level
from ocelotboost.grow.packing import GradientUnits
from ocelotboost.grow.random_score import draw_noise
from ocelotboost.grow.rows import STATISTIC_BINS, AllRows, Summands
from ocelotboost.grow.scorer import HISTOGRAM_BYTES, Candidate, ScoreSettings
from ocelotboost.kernels import native
from ocelotboost.kernels.contract import packed_layout
from ocelotboost.kernels.memory import aligned_empty
from ocelotboost.order.combination import Combination, Facet
from ocelotboost.order.feature import Split, StatisticColumn
from ocelotboost.order.statistic_store import Statistic, StatisticStore


class StatisticScorer:
    """Scores combinations level after level of one tree; one scorer serves all trees.

    Each facet of a statistic has a shelf with a histogram for every cell; combinations that share
    a statistic share its shelves. When the histograms of all shelves would take too much memory, a
    level is done a few statistics at a time, from rows.
    """

    def __init__(
        self,
        store: StatisticStore,
        rows: AllRows,
        most_offered: int,
        n_gradients: int,
        n_cells: int,
        model_size_reg: float,
        settings: ScoreSettings,
    ) -> None:
        self._store = store
        self._rows = rows
        self._n_columns = store.rule.columns.n_columns
        self._model_size_reg = model_size_reg
        self._settings = settings
        n_chunks, n_words = packed_layout(n_gradients)
        self._histogram_shape = (n_chunks, store.rule.columns.n_bytes, STATISTIC_BINS, n_words)
        shelf_bytes = most_offered * 8 * int(np.prod(self._histogram_shape))
        #: Histograms per shelf, of as many cells as will be there or fit into memory.
        self.capacity = min(n_cells, max(HISTOGRAM_BYTES // shelf_bytes, 1))
        self._histograms = self._empty(most_offered, self.capacity)
        self._used: set[Combination] = set()  # by the model
        # Of each offered facet, in the order of offering:
        self._shelves = np.empty(most_offered, dtype=np.uint32)
        self._value_counts = np.empty(most_offered, dtype=np.uint32)
        self._in_model = np.empty(most_offered, dtype=np.uint8)
        # Of each shelf, as long as all of them have pages:
        self._pages = np.empty(most_offered, dtype=np.uint32)

    def start(
        self,
        gradients: GradientUnits,
        combinations: Sequence[Combination],
        facets: Sequence[int],
        ordering: int,
    ) -> None:
        """A new tree: the units of its gradients, the features and facets it may use, and its
        ordering."""
        self._gradients = gradients
        self._facets = facets
        self._ordering = ordering
        self._n_old = 0
        self._offered: dict[Facet, None] = {}
        self._shelf_of: dict[tuple[Statistic, int], int] = {}
        self.offer(combinations)

    def offer(self, combinations: Sequence[Combination]) -> None:
        """More combinations for the next levels of this tree."""
        store, used, shelf_of = self._store, self._used, self._shelf_of
        facets = (Facet(own, number) for own in combinations for number in self._facets)
        new = [facet for facet in facets if facet not in self._offered]
        for first in range(0, len(new), store.capacity):
            some = new[first : first + store.capacity]
            statistics, pages = store.fetch(some, self._ordering)
            shelves = [
                shelf_of.setdefault((statistic, facet.number), len(shelf_of))
                for statistic, facet in zip(statistics, some, strict=True)
            ]
            own = slice(len(self._offered), len(self._offered) + len(some))
            self._offered.update(dict.fromkeys(some))
            self._shelves[own] = shelves
            self._pages[shelves] = pages
            self._value_counts[own] = [statistic.n_values for statistic in statistics]
            self._in_model[own] = [facet.combination in used for facet in some]

    def used(self, combinations: Iterable[Combination]) -> None:
        """These are in the model now."""
        self._used.update(combinations)

    def best(
        self,
        cells: Cells,
        level: Level | None,
        before: float,
        noise: float,
        rng: np.random.Generator,
    ) -> Candidate | None:
        """The best split of all statistics; ``before`` is the score without a further split."""
        if not self._offered:
            return None
        n_shelves = len(self._shelf_of)
        scores = np.empty((n_shelves, self._n_columns))
        bins = np.empty((n_shelves, self._n_columns), dtype=np.uint8)
        if level is None:
            self._score_from_rows(cells, scores, bins)
        else:
            self._score_level(level, scores, bins)
        self._n_old = n_shelves
        n_offered = len(self._offered)
        shelves = self._shelves[:n_offered]
        which, column, gain = native.choose_statistic(
            scores,
            shelves,
            self._value_counts[:n_offered],
            self._in_model[:n_offered],
            draw_noise((n_offered, self._n_columns), noise, rng),
            before,
            self._model_size_reg,
        )
        shelf = int(shelves[which])
        facet = next(islice(self._offered, which, None))
        feature = StatisticColumn(facet.combination, column, facet.number)
        split = Split(feature, int(bins[shelf, column]))
        return Candidate(split, float(scores[shelf, column]), gain + before)

    def _score_level(
        self,
        level: Level,
        scores: NDArray[np.float64],
        bins: NDArray[np.uint8],
    ) -> None:
        """As many statistics at a time as can have pages."""
        n_shelves, capacity = len(self._shelf_of), self._store.capacity
        if n_shelves <= capacity:
            # None of them lost its page since it was offered: all others were asked for earlier.
            pages, n_old = self._pages[:n_shelves], self._n_old
            self._score(level, pages, 0, n_old, self._histograms, scores, bins)
            return
        shelves = list(self._shelf_of)
        for first in range(0, n_shelves, capacity):
            some = slice(first, first + capacity)
            pages = self._fetch_again(shelves[some])
            n_old = min(max(self._n_old - first, 0), len(pages))
            self._score(level, pages, first, n_old, self._histograms, scores[some], bins[some])

    def _score_from_rows(
        self,
        cells: Cells,
        scores: NDArray[np.float64],
        bins: NDArray[np.uint8],
    ) -> None:
        level = Level.from_rows(cells)
        histograms = self._empty(1, cells.n_cells)
        for i, shelf in enumerate(self._shelf_of):
            one = slice(i, i + 1)
            pages = self._fetch_again([shelf])
            self._score(level, pages, 0, 0, histograms, scores[one], bins[one])

    def _fetch_again(self, shelves: Sequence[tuple[Statistic, int]]) -> NDArray[np.uint32]:
        facets = [Facet(statistic.combination, number) for statistic, number in shelves]
        pages = self._store.pages_of(facets, self._ordering)
        return np.array(pages, dtype=np.uint32)

    def _score(
        self,
        level: Level,
        pages: NDArray[np.uint32],
        first_shelf: int,
        n_old: int,
        histograms: NDArray[np.int64],
        scores: NDArray[np.float64],
        bins: NDArray[np.uint8],
    ) -> None:
        """Sum and score pages in their shelves; the first ``n_old`` have been there before."""
        settings, only = self._settings, self._rows.only
        if only is None:
            shelves = histograms[first_shelf : first_shelf + len(pages)]
            self._rows.accumulate_statistics(pages, n_old, level, shelves)
            summands = self._no_summands(len(pages))
        else:  # the same call sums and scores: it scores histograms while the cache has them
            summands = only.summands(pages, level)
        native.score_statistics(
            summands.statistics,
            summands.pages,
            n_old,
            first_shelf,
            summands.rows,
            summands.words,
            summands.begin,
            summands.end,
            summands.histograms,
            summands.fresh,
            level.small,
            level.large,
            level.scored,
            self._gradients.n_outputs,
            self._gradients.units,
            settings.regularization,
            settings.min_weight,
            settings.cosine,
            summands.scratch,
            histograms,
            scores,
            bins,
            n_threads=settings.n_threads,
        )

    def _no_summands(self, n_pages: int) -> Summands:
        n_chunks, n_bytes, _, n_words = self._histogram_shape
        nothing, no_words = np.empty(0, dtype=np.uint32), np.empty((n_chunks, 0, n_words), np.int64)
        return Summands(
            statistics=np.empty((n_pages, 0, n_bytes), dtype=np.uint8),
            pages=np.arange(n_pages, dtype=np.uint32),
            rows=nothing,
            words=no_words,
            begin=nothing,
            end=nothing,
            histograms=nothing,
            fresh=np.empty(0, dtype=np.uint8),
            scratch=no_words,
        )

    def _empty(self, n_shelves: int, n_histograms: int) -> NDArray[np.int64]:
        return aligned_empty((n_shelves, n_histograms, *self._histogram_shape), np.int64)
