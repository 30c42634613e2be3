"""What the loop needs to know."""

from __future__ import annotations

from dataclasses import dataclass

from ocelotboost.boost.learning_rate import grown
from ocelotboost.boost.sampling import Sampling
from ocelotboost.grow.scorer import ScoreSettings
from ocelotboost.leaves.estimate import LeafSettings
from ocelotboost.order.offers import Combinations
from ocelotboost.order.segments import Segments


@dataclass(frozen=True)
class BoostSettings:
    """The estimator's parameters with every 'auto' resolved.

    rate_grows         the learning rate does, with the number of trees
    segments           of the orderings in Ordered mode; None is Plain
    least_improvement  share of the first loss that counts as an improvement
    patience_grows     with the number of trees, up to early_stopping_rounds
    needs_trees        warn where there was no time for any
    supporting_rate    share of the learning rate that supporting models of Plain mode take
    """

    iterations: int
    learning_rate: float
    rate_grows: bool
    depth: int
    random_strength: float
    rsm: float
    combinations: Combinations
    model_size_reg: float
    sampling: Sampling
    score: ScoreSettings
    leaves: LeafSettings
    segments: Segments | None
    body_gradients: str
    supporting_rate: float
    early_stopping_rounds: int | None
    least_improvement: float
    patience_grows: bool
    needs_trees: bool
    time_limit: float | None
    n_threads: int

    def rate_of(self, tree: int) -> float:
        """The learning rate of a tree, counted from 0."""
        return grown(self.learning_rate, tree) if self.rate_grows else self.learning_rate
