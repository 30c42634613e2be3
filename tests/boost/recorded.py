"""Trainings of the package with all that was random about them, for a reference to repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ocelotboost.boost.boosting import Boosted
from ocelotboost.boost.contrast import Contrast
from ocelotboost.boost.sampling import Sampling
from ocelotboost.boost.shard import Shard
from ocelotboost.order.combination import Combination, Facet
from ocelotboost.order.feature import Split, StatisticColumn
from ocelotboost.order.statistic import N_BINS
from tests import data
from tests.boost.reference_ordered import statistic_questions
from tests.boost.reference_trainer import Question
from tests.boost.stages import Stages

Choose = Callable[[int, int, list[Question], NDArray[np.float64]], Question]


class Drawn:
    """A sampling that notes what is random about each tree.

    orderings  r
    contrasts  the two classes that choose it, where there are more than two and statistics
    """

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self.orderings: list[int] = []
        self.contrasts: list[Contrast] = []
        self._rows: list[NDArray[np.uint32] | None] = []
        self._weights: list[NDArray[np.float32] | None] = []

    def sample(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``Shard.sample``, which gets r."""

        def noted(shard: Shard, ordering: int, leaf_size: float, tree: int) -> Any:
            sums = original(shard, ordering, leaf_size, tree)
            (evidence,) = shard.chosen
            self.orderings.append(ordering)
            self._rows.append(evidence.rows)
            return sums

        return noted

    def compare(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``Shard.compare``, which gets the contrast."""

        def noted(shard: Shard, contrast: Contrast) -> Any:
            self.contrasts.append(contrast)
            return original(shard, contrast)

        return noted

    def compared(self, tree: int, gradients: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradients that choose a tree."""
        if not self.contrasts:
            return gradients
        first, second = self.contrasts[tree]
        return gradients[[first]] - gradients[[second]]

    def facets(self, tree: int) -> Sequence[int]:
        """Those of statistics that a tree may ask about."""
        return self.contrasts[tree] if self.contrasts else (0,)

    @property
    def takes_all_rows(self) -> bool:
        return self._sampling.takes_all_rows

    def weights(self, *state: Any) -> NDArray[np.float32] | None:
        self._weights.append(self._sampling.weights(*state))
        return self._weights[-1]

    def sampling(self, n_rows: int) -> list[NDArray[np.float64] | None]:
        """Sampling weights (n,) of each tree, rows as they come."""
        found: list[NDArray[np.float64] | None] = []
        for rows, weights in zip(self._rows, self._weights, strict=True):
            by_row = np.empty(n_rows)
            by_row[slice(None) if rows is None else rows] = 1.0 if weights is None else weights
            found.append(by_row)
        return found


@dataclass(frozen=True)
class Training:
    """What the package started from, trained and drew."""

    stages: Stages
    boosted: Boosted
    drawn: Drawn

    @property
    def orderings(self) -> NDArray[np.uint32]:
        """Those of the segments; in Plain mode, those of the statistics."""
        training = self.stages.training
        if training.orderings is not None:
            return training.orderings
        statistics = self.stages.ordered.statistics
        assert statistics is not None
        return statistics.rows.source.orderings

    @property
    def structures(self) -> list[list[Split]]:
        return [tree.splits for tree in self.boosted.trees]

    @cached_property
    def questions(self) -> dict[Split, Question]:
        """Every one that was open to some tree."""
        quantizer = self.stages.quantizer
        columns = quantizer.slots(self.stages.table, n_threads=1)
        found: dict[Split, Question] = {}
        for column, n_bins in enumerate(quantizer.bin_counts.tolist()):
            for question in statistic_questions(column, columns.bins(column), n_bins):
                feature = self.stages.ordered.features[column]
                found[Split(feature, int(question.border))] = question
        first = columns.n_columns
        for combination, facet in product(self.offered, range(self._n_facets)):
            statistic = self._statistic(combination, facet)
            for column, by_ordering in enumerate(statistic):
                for question in statistic_questions(first + column, by_ordering, N_BINS):
                    feature = StatisticColumn(combination, column, facet)
                    found[Split(feature, int(question.border))] = question
            first += len(statistic)
        return found

    @property
    def offered(self) -> list[Combination]:
        """Combinations that some tree might have asked about."""
        every = [c for splits in self.structures for c in self.offered_after(splits[:-1])]
        return list(dict.fromkeys(every))

    def offered_after(self, splits: Sequence[Split]) -> list[Combination]:
        """Combinations that the next question of a tree may be about."""
        combinations = self.stages.ordered.combinations
        found = combinations.single
        for level in range(len(splits)):
            found = found + combinations.after(splits[: level + 1])
        return found

    @property
    def _n_facets(self) -> int:
        statistics = self.stages.training.statistics
        return 1 if statistics is None else statistics.columns.n_facets

    def _statistic(self, combination: Combination, facet: int) -> NDArray[np.uint8]:
        """Bins (n_columns, s + 1, n)."""
        statistics = self.stages.ordered.statistics
        assert statistics is not None
        rows, bins = statistics.rows, []
        for ordering in range(len(self.orderings)):
            rows.look([combination])
            rows.fill([0], facet, ordering if len(rows.source.orderings) > 1 else 0, [0])
            page = rows.pages.bytes[0]
            halves = np.stack([page & 15, page >> 4], axis=2)
            bins.append(halves.reshape(len(page), -1).T[: rows.source.columns.n_columns])
        return np.stack(bins, axis=1)


def follow(training: Training) -> Choose:
    """Choose as training did, provided that it was offered and scores as the best does to five
    digits. Statistics have few values: many questions about them divide the rows alike."""

    def choose(
        tree_number: int, level: int, questions: list[Question], scores: NDArray[np.float64]
    ) -> Question:
        splits = training.structures[tree_number]
        facets = {
            Facet(combination, number)
            for combination in training.offered_after(splits[:level])
            for number in training.drawn.facets(tree_number)
        }
        offered = np.array(
            [
                split.feature.statistic is None or split.feature.statistic in facets
                for split in training.questions
            ]
        )
        chosen = list(training.questions).index(splits[level])
        best = scores[offered].max()
        assert offered[chosen]
        assert scores[chosen] >= best - 1e-5 * abs(best)
        return questions[chosen]

    return choose


def mixed(loss: str) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Numbers, and categories that say most together; one of two values has no statistic."""
    n_rows = 200
    X, y = data.regression(n_rows, 2, seed=20)
    rng = np.random.default_rng(21)
    city, device, weekday = (rng.integers(0, n, size=n_rows) for n in (6, 3, 2))
    together = (city + device) % 3 == 0
    signal = 0.3 * y + 1.5 * (city % 2) + 4.0 * together + 2.0 * (city % 2 == weekday) - 3.0
    frame = pd.DataFrame(X, columns=["a", "b"])
    for name, values in (("city", city), ("device", device), ("weekday", weekday)):
        frame[name] = values.astype(str)
    target = {
        "RMSE": signal.astype(np.float32),
        "Logloss": (signal > 0).astype(np.int64),
        "MultiClass": np.searchsorted([-1.0, 1.0], signal),
        "Poisson": rng.poisson(np.exp(0.4 * signal)).astype(np.float32),
        "MAE": signal.astype(np.float32),
    }
    return frame, target[loss]
