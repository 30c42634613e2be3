"""The stage as one call: from trees to the model that is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.tree import pack_forest
from ocelotboost.estimator.averaging import averaged, scaled
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import Trained
from ocelotboost.loss.base import CustomLoss
from ocelotboost.model.forest import Forest, join_forests
from ocelotboost.model.plain_values import plain_parameters
from ocelotboost.model.trained import Choice, Resolved, TrainedModel
from ocelotboost.model.training_summary import TrainingSummary
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.formulas import Derivation


def pack(
    models: Sequence[Trained],
    quantizer: Quantizer,
    target: Target,
    feature_names: tuple[str, ...] | None,
    derivation: Derivation,
    parameters: dict[str, Any],
    choices: Mapping[str, Choice],
    training: TrainingSummary | None = None,
    shares: Sequence[float] | None = None,
) -> TrainedModel:
    """The average of all models, with the forest that they continue, and what its numbers mean.
    The first of them is the best.

    shares  how much each of them counts; None: all the same
    """
    shares = [1 / len(models)] * len(models) if shares is None else shares
    trained, loss = averaged(models, shares), target.loss
    boosted, continued = trained.boosted, trained.start.continued
    n_before = 0 if continued is None else continued.n_trees
    best = boosted.best_iteration
    kept, dropped = plain_parameters(parameters)
    forest = replace(_forest(models, shares, trained, quantizer), derivation=derivation)
    return TrainedModel(
        forest=forest.with_used_crosses(),
        kind=target.kind,
        loss=f"custom:{loss.name}" if isinstance(loss, CustomLoss) else loss.name,
        feature_names=feature_names,
        classes=target.classes,
        parameters=kept,
        resolved=_resolved(trained.settings, len(models)),
        history=boosted.history,
        best_iteration=None if best is None else n_before + best,
        watched=boosted.watched,
        n_init_trees=n_before,
        dropped_parameters=tuple(sorted(dropped)),
        choices=dict(choices),
        training=training,
    )


def _forest(
    models: Sequence[Trained], shares: Sequence[float], average: Trained, quantizer: Quantizer
) -> Forest:
    if average.shares_tables:
        return _with_continued(average, quantizer)
    # The statistics of each model are of other rows, so that each has tables of its own.
    parts = [scaled(own, share) for own, share in zip(models, shares, strict=True)]
    return reduce(join_forests, [_with_continued(own, quantizer) for own in parts])


def _with_continued(trained: Trained, quantizer: Quantizer) -> Forest:
    start, whole_data, trees = trained.start, trained.whole_data, trained.boosted.trees
    if start.continued is None:
        return pack_forest(trees, quantizer, whole_data, start.value + start.centre)
    return join_forests(start.continued, pack_forest(trees, quantizer, whole_data, start.value))


def _resolved(settings: BoostSettings, n_models: int) -> Resolved:
    """The choices of this fit that the model remembers."""
    return Resolved(
        learning_rate=settings.learning_rate,
        boosting_type="Plain" if settings.segments is None else "Ordered",
        bootstrap_type=settings.sampling.bootstrap_type,
        leaf_estimation_method=settings.leaves.rule.method,
        leaf_estimation_iterations=int(settings.leaves.rule.iterations),
        depth=settings.depth,
        n_models=n_models,
    )
