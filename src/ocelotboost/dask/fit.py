"""The journey of the data on a cluster, one line per stage, as ``estimator/base.py::fit`` is on one
machine.

The driver knows one number per row and role: target, weight, place, time. Columns stay with the
workers. What the driver decides (borders, values of features, parcels, orderings) it decides by the
same functions as on one machine, from the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ocelotboost.dask.cluster import Cluster
from ocelotboost.dask.collections import Collection
from ocelotboost.dask.plan import announce, make_cluster_plan
from ocelotboost.dask.quantizing import quantize
from ocelotboost.dask.reading import Partitions
from ocelotboost.dask.some_rows import WatchedCollection, split
from ocelotboost.dask.training import OrderOnCluster
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.choosing import choose, facts_of
from ocelotboost.estimator.continuing import check_continued
from ocelotboost.estimator.fitted import Fitted
from ocelotboost.estimator.packing import pack
from ocelotboost.estimator.plan import Beginning, Plan, tell_choices
from ocelotboost.estimator.settings import Settings
from ocelotboost.estimator.target import Target
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.table.labelled import WatchedRows


@dataclass(frozen=True)
class Fit:
    """A fit on a cluster.

    interruption     the Ctrl-C that ended it, or None
    bytes_exchanged  between the driver and all workers, while trees were made
    """

    fitted: Fitted
    interruption: KeyboardInterrupt | None
    bytes_exchanged: int


@dataclass(frozen=True)
class GivenCollections:
    """What the user gave: y and weight are of all rows, and here; X stays where it is."""

    X: Collection
    y: Any
    weight: Any
    watched: Sequence[WatchedCollection]


def fit_on_cluster(
    cluster: Cluster,
    given: GivenCollections,
    continued: TrainedModel | None,
    callbacks: list[Any],
    settings: Settings,
    begun: Beginning,
) -> Fit:
    """A whole training."""
    _check_settings(settings)
    parts = Partitions.for_training(cluster, given.X, settings.read)
    target = settings.target.learn(given.y, given.weight, parts.n_rows)
    check_continued(continued, parts.like_a_table(), target, settings.quantize.nan_mode)
    evals = [own.rows(cluster, parts, target) for own in given.watched]
    settings, choices = _choose(settings, parts, target, evals, continued)
    rows = split(parts, target, evals, settings.split)
    quantizer, values = quantize(parts, rows.training, settings.quantize)
    tell_choices(choices, settings)
    announce(begun, cluster, parts, rows, quantizer, target, continued, settings)
    stage = OrderOnCluster(cluster, parts, quantizer, values, target, continued, settings)
    trained = stage.train(rows, callbacks)
    names, derivation = parts.header.names, parts.header.derivation
    model = pack([trained], quantizer, target, names, derivation, settings.parameters, choices)
    stage.end()
    fitted = Fitted.of(model, target.loss)
    return Fit(fitted, trained.boosted.interruption, stage.bytes_exchanged)


def plan_on_cluster(
    cluster: Cluster, given: GivenCollections, settings: Settings, begun: Beginning
) -> Plan:
    """The plan of a training: the same as far as to the bins."""
    _check_settings(settings)
    parts = Partitions.for_training(cluster, given.X, settings.read)
    target = settings.target.learn(given.y, given.weight, parts.n_rows)
    evals = [own.rows(cluster, parts, target) for own in given.watched]
    settings, _ = _choose(settings, parts, target, evals, None)
    rows = split(parts, target, evals, settings.split)
    quantizer, _ = quantize(parts, rows.training, settings.quantize)
    return make_cluster_plan(begun, cluster, parts, rows, quantizer, target, None, settings)


def _choose(
    settings: Settings,
    parts: Partitions,
    target: Target,
    evals: Sequence[WatchedRows],
    continued: TrainedModel | None,
) -> tuple[Settings, dict[str, Choice]]:
    """As on one machine, for a single model: with ``n_models=1``, ``crosses=0``,
    ``number_views=False`` and ``value_views=False`` there, it has the same bits."""
    left_open = settings.left_open
    if left_open.n_models not in (None, 1):
        raise ParameterError(
            f"n_models={left_open.n_models} is not possible on a cluster, which trains one model: "
            "leave it out."
        )
    if left_open.crosses not in ("auto", 0):
        raise ParameterError(
            f"crosses={left_open.crosses} is not possible on a cluster, which looks for none: "
            "leave it out, or add the columns to the table."
        )
    if left_open.number_views is True:
        raise ParameterError(
            "number_views=True is not possible on a cluster: leave it out, or add the columns to "
            "the table."
        )
    if left_open.value_views is True:
        raise ParameterError(
            "value_views=True is not possible on a cluster: leave it out, or make "
            "one_hot_max_size larger."
        )
    facts = facts_of(parts.like_a_table(), target, evals, continued, settings=None)
    alone = replace(settings, left_open=replace(left_open, n_models=1, crosses=0))
    return choose(alone, replace(facts, n_rows=parts.n_rows))


def _check_settings(settings: Settings) -> None:
    """Refuse what needs all rows in one process."""
    statistics = settings.order.statistics
    if statistics.kind == "holdout":
        raise ParameterError("target_statistic='holdout' is not possible on a cluster.")
    if statistics.window is not None:
        raise ParameterError(
            f"statistic_window={statistics.window} is not possible on a cluster: a window reaches "
            "over rows of other workers. Leave it out, or train on one machine."
        )
    if settings.read.memory_limit is not None:
        raise ParameterError(
            "memory_limit is about one process; on a cluster, Dask limits the memory of workers."
        )
