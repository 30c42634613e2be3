"""The stages of ``fit`` up to the training loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.start import Start, training_set
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.choosing import choose, facts_of
from ocelotboost.estimator.reading import Given, read
from ocelotboost.estimator.rows import split
from ocelotboost.estimator.settings import settings_from
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.order.rows_in_order import RowsInOrder, order
from ocelotboost.order.target import TargetDefinition
from ocelotboost.quantize.quantized import quantize
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.table.columns import Table


@dataclass(frozen=True)
class Stages:
    """What the loop starts from; ``table`` has the training rows."""

    table: Table
    loss: Loss
    quantizer: Quantizer
    ordered: RowsInOrder
    training: TrainingSet
    start_value: Floats
    settings: BoostSettings
    seed: np.random.SeedSequence


@dataclass(frozen=True)
class Defined:
    """A target whose statistics average what somebody else defined."""

    n_classes: int
    definition: TargetDefinition

    def define_statistics(self, *rows: Any) -> TargetDefinition:
        return self.definition


def stages_of(
    estimator: OcelotEstimator,
    X: Any,
    y: Any,
    weight: NDArray[np.float32] | None = None,
    definition: TargetDefinition | None = None,
) -> Stages:
    """As ``fit`` goes through them, with one thread and without eval sets."""
    settings = settings_from(estimator.set_params(n_jobs=1), None, None)
    with CacheDirectory(None) as cache:
        table, y, weight = read(Given(X, y, weight), settings.read, cache)
        target = settings.target.learn(y, weight, table.n_rows)
        settings, _ = choose(settings, facts_of(table, target, [], None, settings))
        data = split(table, target, [], settings.split, cache).rows(0).training
    quantized = quantize(data, settings.quantize)
    defining = target if definition is None else Defined(target.n_classes, definition)
    ordered = order(data, quantized, defining, settings.order)
    start = Start.of(ordered.rows, target.loss, target.centre, None)
    training = training_set(ordered, start, 1)
    return Stages(
        table=data.table,
        loss=target.loss,
        quantizer=quantized.quantizer,
        ordered=ordered,
        training=training,
        start_value=start.value,
        settings=settings.training.loop.resolve(
            training, target.loss, ordered.combinations, ordered.segments, has_eval_set=False
        ),
        seed=settings.training.seed,
    )
