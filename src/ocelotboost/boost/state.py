"""What a running training consists of.

All else follows from it, the data and the seed: bins, orderings, statistics, gradients, which
combinations the model uses. So a training goes on with the same bits from a state that was stored
(boost/snapshot.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import default_rng

from ocelotboost.boost.callback import History, IterationInfo
from ocelotboost.boost.stopping import BestIteration, TimeLimit
from ocelotboost.boost.tree import GrownTree
from ocelotboost.loss.base import Floats
from ocelotboost.order.feature import Split


@dataclass(frozen=True)
class Generators:
    """One for each kind of randomness, so that one kind does not shift the others. What is sampled
    for a tree follows from a seed and the number of the tree (boost/shard.py)."""

    noise: np.random.Generator
    columns: np.random.Generator
    orderings: np.random.Generator

    @classmethod
    def of(cls, seeds: Sequence[np.random.SeedSequence]) -> Generators:
        return cls(*map(default_rng, seeds))

    @property
    def by_name(self) -> dict[str, np.random.Generator]:
        return {"noise": self.noise, "columns": self.columns, "orderings": self.orderings}


@dataclass(frozen=True)
class Moves:
    """What a tree has added to all models (``boost.models.Added.moves``), so that it can be added
    again where raw predictions were lost."""

    splits: Sequence[Split]
    values: list[Floats]


@dataclass(frozen=True)
class Moment:
    """What of a state changes between two trees and cannot be cut back to the earlier one.

    generators  the state of each, as NumPy gives it
    raw         raw predictions, by name
    seconds     of training so far
    """

    n_trees: int
    generators: dict[str, Any]
    raw: Mapping[str, Floats]
    seconds: float


@dataclass
class TrainingState:
    """A training between two trees, or inside one.

    generators  what comes next of each kind of randomness
    n_outputs   of the loss
    raw         raw predictions of all models and eval sets, by name: the arrays that they use
    history     the metrics after each tree
    curve       the one of its curves that decides about stopping, or an empty list
    best        where that is best
    clock       the time so far
    trees       those that are finished
    moves       what they have added, where raw predictions are elsewhere and may be lost
    stopped     a callback has ended training
    """

    generators: Generators
    n_outputs: int
    raw: Mapping[str, Floats]
    history: History
    curve: list[float]
    best: BestIteration
    clock: TimeLimit
    trees: list[GrownTree] = field(default_factory=list)
    moves: list[Moves] = field(default_factory=list)
    stopped: bool = False

    def goes_on(self, iterations: int) -> bool:
        """Whether there will be another tree."""
        stops = self.stopped or self.best.follow(self.curve)
        return (
            not stops and len(self.trees) < iterations and not self.clock.reached(len(self.trees))
        )

    def info(self, iteration: int, iterations: int) -> IterationInfo:
        return IterationInfo(iteration, iterations, self.history, self.clock.elapsed)

    def moment(self) -> Moment:
        """The present one. Its raw predictions are those that the next tree changes."""
        states = {
            name: generator.bit_generator.state
            for name, generator in self.generators.by_name.items()
        }
        return Moment(len(self.trees), states, self.raw, self.clock.elapsed)

    def settle(self) -> None:
        """Take back the metrics of a tree that was not finished, and look at all others."""
        for curve in self.curves.values():
            del curve[len(self.trees) :]
        self.best.follow(self.curve)

    @property
    def curves(self) -> dict[tuple[str, str], list[float]]:
        """The history by names of data set and metric."""
        return {
            (data, metric): curve
            for data, metrics in self.history.items()
            for metric, curve in metrics.items()
        }

    def restore(
        self,
        moment: Moment,
        trees: Sequence[GrownTree],
        curves: Mapping[tuple[str, str], Sequence[float]],
        stopped: bool,
        moves: Sequence[Moves] = (),
    ) -> None:
        """Become a state of the same training that was stored."""
        self.trees[:] = trees
        self.moves[:] = moves
        for names, curve in self.curves.items():
            curve[:] = curves[names]
        for name, array in self.raw.items():
            array[:] = moment.raw[name]
        for name, generator in self.generators.by_name.items():
            generator.bit_generator.state = moment.generators[name]
        self.clock.restore(moment.seconds)
        self.stopped = stopped
