"""What the user decides about the loop, and what it becomes for the data at hand."""

from __future__ import annotations

from dataclasses import dataclass

from ocelotboost.boost.learning_rate import automatic_learning_rate
from ocelotboost.boost.sampling import choose_sampling
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.errors import ParameterError
from ocelotboost.grow.scorer import ScoreSettings
from ocelotboost.leaves.estimate import LeafSettings
from ocelotboost.loss.base import LeafRule, Loss
from ocelotboost.order.offers import Combinations
from ocelotboost.order.segments import Segments


@dataclass(frozen=True)
class BoostParameters:
    """The user's choices; None and 'auto' are left to ``resolve``."""

    iterations: int
    learning_rate: float | None
    depth: int
    random_strength: float
    rsm: float
    model_size_reg: float
    bootstrap_type: str
    subsample: float | None
    bagging_temperature: float | None
    score_function: str
    l2_leaf_reg: float
    min_data_in_leaf: float
    leaf_estimation_method: str | None
    leaf_estimation_iterations: int | None
    body_gradients: str
    supporting_rate: float
    early_stopping_rounds: int | None
    time_limit: float | None
    n_threads: int
    least_improvement: float = 0.0
    patience_grows: bool = False
    rate_grows: bool = False
    needs_trees: bool = True

    def resolve(
        self,
        training: TrainingSet,
        loss: Loss,
        combinations: Combinations,
        segments: Segments | None,
        has_eval_set: bool,
    ) -> BoostSettings:
        """Every None and 'auto' decided for this data."""
        n_threads = self.n_threads
        # Never quite zero: an empty side of a split would be 0 / 0.
        regularization = max(self.l2_leaf_reg, 1e-12)
        min_weight = self.min_data_in_leaf if self.min_data_in_leaf > 1 else 0.0
        rate = self.learning_rate
        if rate is None:
            rate = automatic_learning_rate(
                loss.name, training.total_weight, self.iterations, has_eval_set
            )
        return BoostSettings(
            iterations=self.iterations,
            learning_rate=rate,
            rate_grows=self.rate_grows,
            depth=self.depth,
            random_strength=self.random_strength,
            rsm=self.rsm,
            combinations=combinations,
            model_size_reg=self.model_size_reg,
            sampling=choose_sampling(
                self.bootstrap_type,
                self.subsample,
                self.bagging_temperature,
                loss.n_outputs,
                training.n_rows,
                n_threads,
            ),
            score=ScoreSettings(
                regularization, min_weight, self.score_function == "Cosine", n_threads
            ),
            leaves=LeafSettings(
                rule=self._leaf_rule(loss),
                regularization=regularization,
                alpha=getattr(loss, "alpha", 0.5),
                min_weight=min_weight,
                n_threads=n_threads,
            ),
            segments=segments,
            body_gradients=self.body_gradients,
            supporting_rate=self.supporting_rate,
            early_stopping_rounds=self.early_stopping_rounds,
            least_improvement=self.least_improvement,
            patience_grows=self.patience_grows,
            needs_trees=self.needs_trees,
            time_limit=self.time_limit,
            n_threads=n_threads,
        )

    def _leaf_rule(self, loss: Loss) -> LeafRule:
        """The user's choice where it fits the loss."""
        method = self.leaf_estimation_method or loss.leaf_rule.method
        has_quantile = loss.leaf_rule.method == "Exact"
        if method == "Exact" and not has_quantile:
            raise ParameterError(
                f"leaf_estimation_method='Exact' is for MAE and Quantile; {loss.name} has no exact "
                "leaf value. Use 'Newton' or 'Gradient'."
            )
        if method == "Newton" and has_quantile:
            raise ParameterError(
                f"leaf_estimation_method='Newton' needs a second derivative, which {loss.name} "
                "does not have. Use 'Exact' or 'Gradient'."
            )
        iterations = self.leaf_estimation_iterations
        if iterations is None:
            iterations = loss.leaf_rule.iterations if method == loss.leaf_rule.method else 1
        return LeafRule(method, iterations)
