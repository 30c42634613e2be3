"""The estimator's parameters as the training loop takes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ocelotboost.boost.sampling import choose_sampling
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.preparation import Prepared
from ocelotboost.grow.scorer import ScoreSettings
from ocelotboost.leaves.estimate import LeafSettings
from ocelotboost.loss.base import LeafRule, Loss
from ocelotboost.model.trained import Resolved
from ocelotboost.order.segments import divide

if TYPE_CHECKING:
    from ocelotboost.estimator.base import OcelotEstimator

_DEFAULT_PATIENCE = 50


def boost_settings(
    estimator: OcelotEstimator, prepared: Prepared, loss: Loss, n_threads: int
) -> BoostSettings:
    """The estimator's parameters with every None and 'auto' resolved for this data."""
    training = prepared.training
    # Never quite zero: an empty side of a split would be 0 / 0.
    regularization = max(float(estimator.l2_leaf_reg), 1e-12)
    min_data = float(estimator.min_data_in_leaf)
    min_weight = min_data if min_data > 1 else 0.0
    patience = estimator.early_stopping_rounds
    ordered = training.orderings is not None  # not where a single row comes before nobody
    if patience is None and estimator.validation_fraction is not None:
        patience = _DEFAULT_PATIENCE
    segments = None
    if ordered:
        n_rows = training.block.n_rows
        segments = divide(n_rows, float(estimator.segment_growth), _first_body(estimator, n_rows))
    return BoostSettings(
        iterations=int(estimator.iterations),
        learning_rate=prepared.learning_rate,
        depth=int(estimator.depth),
        random_strength=float(estimator.random_strength),
        rsm=float(estimator.rsm),
        combinations=prepared.combinations,
        model_size_reg=float(estimator.model_size_reg),
        sampling=choose_sampling(
            estimator.bootstrap_type,
            estimator.subsample,
            estimator.bagging_temperature,
            loss.n_outputs,
            training.block.n_rows,
            n_threads,
        ),
        score=ScoreSettings(
            regularization, min_weight, estimator.score_function == "Cosine", n_threads
        ),
        leaves=LeafSettings(
            rule=_leaf_rule(estimator, loss),
            regularization=regularization,
            alpha=getattr(loss, "alpha", 0.5),
            min_weight=min_weight,
            n_threads=n_threads,
        ),
        segments=segments,
        body_gradients=estimator.body_gradients,
        supporting_rate=float(estimator.supporting_rate),
        early_stopping_rounds=patience,
        time_limit=estimator.time_limit,
        n_threads=n_threads,
    )


def _first_body(estimator: OcelotEstimator, n_rows: int) -> int | None:
    """The user's choice in rows; None: ours."""
    chosen = estimator.first_body
    if chosen is None:
        return None
    rows = math.ceil(chosen * n_rows) if chosen < 1 else int(chosen)
    if rows >= n_rows:
        raise ParameterError(
            f"first_body={chosen} leaves no rows to come after it; give fewer than {n_rows} rows, "
            "or a share of them."
        )
    return rows


def resolved(settings: BoostSettings) -> Resolved:
    """The choices of this fit that the model remembers."""
    return Resolved(
        learning_rate=settings.learning_rate,
        boosting_type="Plain" if settings.segments is None else "Ordered",
        bootstrap_type=settings.sampling.bootstrap_type,
        leaf_estimation_method=settings.leaves.rule.method,
        leaf_estimation_iterations=int(settings.leaves.rule.iterations),
    )


def _leaf_rule(estimator: OcelotEstimator, loss: Loss) -> LeafRule:
    """The user's choice where it fits the loss."""
    method = estimator.leaf_estimation_method or loss.leaf_rule.method
    has_quantile = loss.leaf_rule.method == "Exact"
    if method == "Exact" and not has_quantile:
        raise ParameterError(
            f"leaf_estimation_method='Exact' is for MAE and Quantile; {loss.name} has no exact "
            "leaf value. Use 'Newton' or 'Gradient'."
        )
    if method == "Newton" and has_quantile:
        raise ParameterError(
            f"leaf_estimation_method='Newton' needs a second derivative, which {loss.name} does "
            "not have. Use 'Exact' or 'Gradient'."
        )
    iterations = estimator.leaf_estimation_iterations
    if iterations is None:
        iterations = loss.leaf_rule.iterations if method == loss.leaf_rule.method else 1
    return LeafRule(method, iterations)
