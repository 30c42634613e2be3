"""The stage as one call: from trees to the model that is kept."""

from __future__ import annotations

from typing import Any

from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.tree import pack_forest
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import Trained
from ocelotboost.loss.base import CustomLoss
from ocelotboost.model.forest import Forest, join_forests
from ocelotboost.model.plain_values import plain_parameters
from ocelotboost.model.trained import Resolved, TrainedModel
from ocelotboost.model.training_summary import TrainingSummary
from ocelotboost.quantize.quantizer import Quantizer


def pack(
    trained: Trained,
    quantizer: Quantizer,
    target: Target,
    feature_names: tuple[str, ...] | None,
    parameters: dict[str, Any],
    training: TrainingSummary | None = None,
) -> TrainedModel:
    """The forest, with that which it continues, and what its numbers mean."""
    boosted, continued, loss = trained.boosted, trained.start.continued, target.loss
    n_before = 0 if continued is None else continued.n_trees
    best = boosted.best_iteration
    kept, dropped = plain_parameters(parameters)
    return TrainedModel(
        forest=_forest(trained, quantizer),
        kind=target.kind,
        loss=f"custom:{loss.name}" if isinstance(loss, CustomLoss) else loss.name,
        feature_names=feature_names,
        classes=target.classes,
        parameters=kept,
        resolved=_resolved(trained.settings),
        history=boosted.history,
        best_iteration=None if best is None else n_before + best,
        watched=boosted.watched,
        n_init_trees=n_before,
        dropped_parameters=tuple(sorted(dropped)),
        training=training,
    )


def _forest(trained: Trained, quantizer: Quantizer) -> Forest:
    start, whole_data, trees = trained.start, trained.whole_data, trained.boosted.trees
    if start.continued is None:
        return pack_forest(trees, quantizer, whole_data, start.value + start.centre)
    return join_forests(start.continued, pack_forest(trees, quantizer, whole_data, start.value))


def _resolved(settings: BoostSettings) -> Resolved:
    """The choices of this fit that the model remembers."""
    return Resolved(
        learning_rate=settings.learning_rate,
        boosting_type="Plain" if settings.segments is None else "Ordered",
        bootstrap_type=settings.sampling.bootstrap_type,
        leaf_estimation_method=settings.leaves.rule.method,
        leaf_estimation_iterations=int(settings.leaves.rule.iterations),
    )
