"""One oblivious tree, grown greedily: candidates, scores, best, assign; one question a level."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.grow.partition import RowSorter, Split
from ocelotboost.grow.random_score import add_noise
from ocelotboost.grow.scorer import PackedGradients, PlainScorer


def grow_oblivious(
    gradients: PackedGradients,
    rows: NDArray[np.uint32],
    candidates: NDArray[np.uint8],
    scorer: PlainScorer,
    sorter: RowSorter,
    *,
    depth: int,
    noise: float,
    rng: np.random.Generator,
) -> list[Split]:
    """The splits of a tree. It ends before ``depth`` when the best split divides no leaf; whether
    the last one does is seen later, by the leaves it makes."""
    splits: list[Split] = []
    partition = sorter.root(rows)
    scorer.start(gradients, candidates)
    while True:
        scores, bins = scorer.scores(partition)
        best = int(np.argmax(add_noise(scores, noise, rng)))
        if scores[best] == -np.inf:
            return splits
        splits.append(Split(best, int(bins[best])))
        if len(splits) == depth:
            return splits
        divided = sorter.split(partition, splits[-1])
        if divided.n_filled == partition.n_filled:
            return splits[:-1]
        partition = divided


def draw_candidates(n_columns: int, share: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Random subspace: which columns the next tree may use."""
    candidates = np.ones(n_columns, dtype=np.uint8)
    if share < 1:
        n_kept = max(round(share * n_columns), 1)
        candidates[:] = 0
        candidates[rng.choice(n_columns, size=n_kept, replace=False)] = 1
    return candidates
