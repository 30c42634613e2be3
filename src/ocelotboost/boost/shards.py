"""All shards, and how their answers add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np

from ocelotboost.boost.sampling import Sampling
from ocelotboost.boost.shard import Shard
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.leaves.estimate import RowsInLeaves
from ocelotboost.loss.base import Floats
from ocelotboost.loss.passes import LeafSums, Pass, add_up

Answer = TypeVar("Answer")


def cut(training: TrainingSet) -> list[int]:
    """The parcels at which shards begin, and the end. One process needs a single shard."""
    return [0, training.parcels.n_parcels]


class Shards:
    """The shards of one training, in the order of their parcels."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.shards = shards

    @classmethod
    def of(
        cls,
        training: TrainingSet,
        loss_pass: Pass,
        n_gradients: int,
        sampling: Sampling,
        samples: Sequence[np.random.Generator],
        n_threads: int,
    ) -> Shards:
        """``samples`` draw the rows of each parcel."""
        cuts, edges = cut(training), training.parcels.edges
        return cls(
            [
                Shard(
                    training.shard(first, end),
                    edges[first],
                    loss_pass,
                    n_gradients,
                    sampling,
                    samples[first:end],
                    n_threads,
                )
                for first, end in pairwise(cuts)
            ]
        )

    @property
    def n_parcels(self) -> int:
        return sum(shard.training.parcels.n_parcels for shard in self.shards)

    def tell(self, request: Callable[[Shard], None]) -> None:
        """A request that changes the shards' own state."""
        for shard in self.shards:
            request(shard)

    def ask(self, request: Callable[[Shard], Iterable[Answer]]) -> list[Answer]:
        """What every parcel answers, in the order of parcels."""
        return list(chain.from_iterable(map(request, self.shards)))


@dataclass(frozen=True)
class FilledRows:
    """All rows of a model as leaves take them (leaves/estimate.py): ``sums`` and ``parcels`` are
    requests."""

    shards: Shards
    n_outputs: int
    sums_of: Callable[[Shard, Floats, bool], list[LeafSums]]
    parcels_of: Callable[[Shard], list[RowsInLeaves]]

    @property
    def n_parcels(self) -> int:
        return self.shards.n_parcels

    def sums(self, steps: Floats, with_losses: bool) -> LeafSums:
        return add_up(self.shards.ask(lambda shard: self.sums_of(shard, steps, with_losses)))

    def parcels(self) -> list[RowsInLeaves]:
        return self.shards.ask(self.parcels_of)
