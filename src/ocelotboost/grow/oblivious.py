"""One oblivious tree, grown greedily: candidates, scores, best, assign; one question a level.

The candidates are the borders of all columns, those of the target statistics of all categorical
features, and those of combinations: every feature or combination that the tree uses already,
joined with every categorical feature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.level import LeafHistograms
from ocelotboost.grow.packing import PackedGradients
from ocelotboost.grow.partition import RowSorter
from ocelotboost.grow.scorer import Candidate, ColumnScorer
from ocelotboost.grow.statistic_scorer import StatisticScorer
from ocelotboost.order.feature import Split
from ocelotboost.order.offers import Combinations


@dataclass(frozen=True)
class Scorers:
    """Either is None where there is nothing for it to score."""

    columns: ColumnScorer | None
    statistics: StatisticScorer | None

    @property
    def capacity(self) -> int:
        """Leaves that all have histograms for."""
        return min(s.capacity for s in (self.columns, self.statistics) if s is not None)


def grow_oblivious(
    gradients: PackedGradients,
    rows: NDArray[np.uint32],
    eras: NDArray[np.uint32],
    ordering: int,
    candidates: NDArray[np.uint8],
    combinations: Combinations,
    scorers: Scorers,
    sorter: RowSorter,
    *,
    depth: int,
    noise: float,
    rng: np.random.Generator,
) -> list[Split]:
    """The splits of a tree, chosen by ``rows``; in Ordered mode those of era e, which are
    ``rows[eras[e] : eras[e + 1]]``, by what the eras before say of them. It ends before ``depth``
    when the best split divides no leaf; whether the last one does is seen later, by the leaves
    it makes."""
    columns, statistics = scorers.columns, scorers.statistics
    splits: list[Split] = []
    score = 0.0
    partition = sorter.root(rows, eras)
    histograms = LeafHistograms(scorers.capacity)
    level = histograms.root(partition)
    if columns is not None:
        columns.start(gradients, candidates)
    if statistics is not None:
        statistics.start(gradients, combinations.single, ordering)
    while True:
        found: list[Candidate | None] = []
        if columns is not None:
            found.append(columns.best(partition, level, noise, rng))
        if statistics is not None:
            found.append(statistics.best(partition, level, score, noise, rng))
        best = max((c for c in found if c is not None), key=lambda c: c.noisy, default=None)
        if best is None:
            return splits
        splits.append(best.split)
        score = best.score
        if len(splits) == depth:
            return splits
        divided = sorter.split(partition, best.split, ordering)
        if divided.n_filled == partition.n_filled:
            return splits[:-1]
        partition = divided
        level = histograms.after(partition)
        if statistics is not None:
            statistics.offer(combinations.after(splits))


def draw_candidates(
    n_columns: int, combinations: Combinations, share: float, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], Combinations]:
    """Random subspace: which columns and categorical features the next tree may use."""
    candidates = np.ones(n_columns, dtype=np.uint8)
    if share < 1:
        n_kept = max(round(share * n_columns), 1)
        candidates[:] = 0
        candidates[rng.choice(n_columns, size=n_kept, replace=False)] = 1
        combinations = combinations.among(np.flatnonzero(candidates).tolist())
    return candidates, combinations
