"""One oblivious tree, grown greedily: candidates, scores, best, assign; one question a level.

The candidates are the borders of all columns, those of the target statistics of all categorical
features, and those of combinations: every feature or combination that the tree uses already,
joined with every categorical feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.cells import Cells
from ocelotboost.grow.level import LeafHistograms
from ocelotboost.grow.packing import GradientUnits
from ocelotboost.grow.rows import AllRows
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
    gradients: GradientUnits,
    rows: AllRows,
    root: Cells,
    ordering: int,
    candidates: NDArray[np.uint8],
    combinations: Combinations,
    facets: Sequence[int],
    scorers: Scorers,
    *,
    depth: int,
    noise: float,
    rng: np.random.Generator,
) -> list[Split]:
    """The splits of a tree, chosen by the rows in ``root`` and these facets of statistics; in
    Ordered mode those of each era by what the eras before say of them. It ends before ``depth``
    when the best split divides no leaf; whether the last one does is seen later, by the leaves it
    makes."""
    columns, statistics = scorers.columns, scorers.statistics
    splits: list[Split] = []
    score = 0.0
    cells = root
    histograms = LeafHistograms(scorers.capacity)
    level = histograms.root(cells)
    if columns is not None:
        columns.start(gradients, candidates)
    if statistics is not None:
        statistics.start(gradients, combinations.single, facets, ordering)
    while True:
        found: list[Candidate | None] = []
        if columns is not None:
            found.append(columns.best(cells, level, noise, rng))
        if statistics is not None:
            found.append(statistics.best(cells, level, score, noise, rng))
        best = max((c for c in found if c is not None), key=lambda c: c.noisy, default=None)
        if best is None:
            return splits
        splits.append(best.split)
        score = best.score
        if len(splits) == depth:
            return splits
        divided = rows.split(cells, best.split, ordering)
        if divided.n_filled == cells.n_filled:
            return splits[:-1]
        cells = divided
        level = histograms.after(cells)
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
