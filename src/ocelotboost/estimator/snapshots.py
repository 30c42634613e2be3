"""The snapshots of a fit, which belong to its data and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ocelotboost.boost.evaluation import EvalSet
from ocelotboost.boost.identity import identify
from ocelotboost.boost.snapshot import NO_SNAPSHOTS, SnapshotFile, Snapshots
from ocelotboost.boost.start import Start
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.estimator.target import Target
from ocelotboost.model.plain_values import plain_parameters
from ocelotboost.quantize.quantizer import Quantizer


@dataclass(frozen=True)
class SnapshotSettings:
    """Where snapshots are, and which parameters they belong to.

    parameters  of the model, as the user gave them
    entropy     what the seeds are drawn from
    """

    file: SnapshotFile
    parameters: Mapping[str, Any]
    entropy: int

    def of_training(self, number: int) -> SnapshotSettings:
        """Of one of several trainings."""
        return replace(self, file=self.file.of_training(number))


def snapshots_of(
    settings: SnapshotSettings | None,
    training: TrainingSet,
    eval_sets: Sequence[EvalSet],
    quantizer: Quantizer,
    names: Sequence[str] | None,
    start: Start,
    target: Target,
    learning_rate: float,
) -> Snapshots:
    """Where the file holds another training, an error that says what differs. ``names`` are those
    of the columns; ``start`` is what training begins with."""
    if settings is None:
        return NO_SNAPSHOTS
    labels = None if target.classes is None else target.classes.tolist()
    identity = identify(
        training,
        eval_sets,
        quantizer,
        names,
        start.identity(),
        (labels, target.centre),
        {
            "estimator": target.kind,
            **_plain(settings.parameters, settings.entropy),
            "learning_rate": learning_rate,
        },
    )
    return Snapshots(settings.file, identity, settings.entropy)


def _plain(parameters: Mapping[str, Any], entropy: int) -> dict[str, Any]:
    """As JSON holds them. Of an object no more is known than its class; of a random generator,
    what was drawn from it."""
    kept, dropped = plain_parameters(parameters)
    objects = {name: f"an object of class {type(parameters[name]).__name__}" for name in dropped}
    any_seed = parameters["random_state"] is None
    return {**kept, **objects, "random_state": None if any_seed else entropy}
