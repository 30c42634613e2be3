"""The training rows on a cluster: who holds which parcels (``boost.training_set.RowHolder``).

Every worker holds a span of parcels. When the workers change, the spans are dealt out again, and
rows that are not where they should be are read and cut again: the bits stay the same.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import getitem
from typing import Any, TypeVar

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from ocelotboost.boost.boosting import Boosted, boost
from ocelotboost.boost.callback import IterationInfo
from ocelotboost.boost.evaluation import EvalSet
from ocelotboost.boost.identity import digest
from ocelotboost.boost.sampling import AllRows
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.snapshot import Snapshots
from ocelotboost.boost.training_set import Digests, ShardSettings, TrainingSet
from ocelotboost.dask.cluster import Cluster
from ocelotboost.dask.errors import ClusterChanged, ClusterError
from ocelotboost.dask.moments import KeptMoments
from ocelotboost.dask.partitions import CutSettings, assemble, cut
from ocelotboost.dask.remote import RemoteShards, RemoteWorker
from ocelotboost.dask.server import RowsOfSpan, Span, StatisticSpan
from ocelotboost.estimator.seeds import fresh
from ocelotboost.loss.base import Loss, Targets
from ocelotboost.metric.base import MetricLike
from ocelotboost.order.combination import Combination
from ocelotboost.order.exchange import Exchange, orders_of_span, parcel_sequences
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.parcels import Parcels
from ocelotboost.order.statistic_rows import StatisticRule, ValueTotals
from ocelotboost.order.statistic_store import StatisticStore, page_capacity
from ocelotboost.order.target import TargetDefinition
from ocelotboost.quantize.block import BlockLayout

Result = TypeVar("Result")

_log = logging.getLogger(__name__)

#: How often workers that have joined are looked for (seconds).
LOOK_SECONDS = 10.0

#: A training that loses workers this often without finishing a tree is given up.
_MOST_CHANGES = 20


@dataclass(frozen=True)
class ClusterStatistics:
    """How the statistics of the rows are made.

    features   categorical features that have statistics
    orderings  uint32 (s + 1, n) of all rows
    """

    rule: StatisticRule
    definition: TargetDefinition
    features: tuple[int, ...]
    orderings: Orderings
    cache_bytes: int


@dataclass(frozen=True)
class RowsOnCluster:
    """What the driver knows of the rows.

    columns     reads the partitions: tasks whose results are ``partitions.Columns``
    places      of the rows of each partition, uint32; ``NO_PLACE`` where they are not trained on
    cut         how rows become what a worker holds
    parcels     of the rows that are trained on; target and weight are in the order of places
    """

    columns: Callable[[], list[Future]]
    places: list[NDArray[np.uint32]]
    cut: CutSettings
    layout: BlockLayout
    parcels: Parcels
    target: Targets
    weight: NDArray[np.float32] | None
    loss: Loss
    statistics: ClusterStatistics | None


class ClusterRows:
    """The rows, and the workers who hold them.

    bytes_exchanged  over connections that have ended
    """

    def __init__(self, cluster: Cluster, rows: RowsOnCluster, n_threads: int) -> None:
        self._cluster = cluster
        self._rows = rows
        self._n_threads = n_threads
        self._workers: list[RemoteWorker] = []
        self._cuts: list[int] = []
        self._exchange: Exchange | None = None
        self._in_loop = False
        self.bytes_exchanged = 0
        statistics = rows.statistics
        self._sequences = (
            [] if statistics is None else parcel_sequences(rows.parcels, statistics.orderings)
        )

    # ---- what a training asks ------------------------------------------------------------

    def open(self, settings: ShardSettings) -> RemoteShards:
        workers, cuts = self._connected()
        for worker in workers:
            worker.tell(lambda rows: rows.open(settings))
        shards = RemoteShards(workers, cuts)
        given = self._rows.statistics
        if given is not None:
            largest = self._largest_span(cuts)
            self._exchange = Exchange(
                shards.statistics_of_shards, given.rule, self._sequences, self._n_threads
            )
            shards.statistics = StatisticStore(
                given.rule,
                self._exchange,
                page_capacity(given.cache_bytes, largest, given.rule.columns.n_bytes),
                largest,
                self._n_threads,
            )
        return shards

    def digests(self) -> list[Digests]:
        def ask() -> list[Digests]:
            workers, _ = self._connected()
            return [d for worker in workers for d in worker.ask(lambda rows: rows.digests())]

        given = self._rows.statistics
        times = {} if given is None else {"times": digest(*given.orderings)}
        return [*self.persistently(ask), times]

    def value_totals(self, combination: Combination) -> ValueTotals:
        """Of all rows, for new ones."""

        def ask() -> ValueTotals:
            if self._exchange is None:
                seed = np.random.SeedSequence(0)
                loss = self._rows.loss
                self.open(ShardSettings(loss, loss.n_outputs, AllRows(), seed, self._n_threads))
            assert self._exchange is not None
            return self._exchange.value_totals(combination)

        return ask() if self._in_loop else self.persistently(ask)

    def boosting(
        self,
        training: TrainingSet,
        eval_sets: list[EvalSet],
        loss: Loss,
        metrics: list[MetricLike],
        settings: BoostSettings,
        callbacks: list[Any],
        seed: np.random.SeedSequence,
        snapshots: Snapshots,
    ) -> Boosted:
        """``boost``, which goes on when workers were lost or have joined."""
        moments, n_changes, n_safe = KeptMoments(snapshots), 0, 0
        self._in_loop = True
        try:
            while True:
                try:
                    observers = [*callbacks, _LookForWorkers(self.may_use_more)]
                    return boost(
                        training, eval_sets, loss, metrics, settings, observers,
                        fresh(seed), moments,
                    )  # fmt: skip
                except ClusterChanged as change:
                    _log.warning("%s. Training goes on after %d trees.", change, moments.n_trees)
                    self.disconnect()
                    n_changes = 1 if moments.n_trees > n_safe else n_changes + 1
                    n_safe = moments.n_trees
                    _check_changes(n_changes, change)
        finally:
            self._in_loop = False
            self.disconnect()  # an interrupt may have left answers on the way

    def may_use_more(self) -> bool:
        """Whether there are workers who hold nothing, and parcels for them."""
        return len(self._cuts) - 1 < min(len(self._cluster.workers()), self._rows.parcels.n_parcels)

    def disconnect(self) -> None:
        """Workers keep their rows for a while."""
        for worker in self._workers:
            self.bytes_exchanged += worker.bytes_sent + worker.bytes_received
            worker.close()
        self._workers, self._exchange = [], None

    def end(self) -> None:
        """The rows are not needed any more."""
        for worker in self._workers:
            with contextlib.suppress(ClusterChanged):
                worker.tell(lambda rows: rows.end())
        self.disconnect()

    def persistently(self, ask: Callable[[], Result]) -> Result:
        """The same again after a change of the workers."""
        return persistently(ask, self.disconnect)

    # ---- who holds what ------------------------------------------------------------------

    def _connected(self) -> tuple[list[RemoteWorker], list[int]]:
        """The workers, all of whom hold their rows."""
        self.disconnect()
        available = self._cluster.wait_for_workers()
        n_parcels = self._rows.parcels.n_parcels
        chosen = dict(list(available.items())[:n_parcels])
        self._cuts = cut_parcels(n_parcels, list(chosen.values()))
        self._workers = self._cluster.connect(list(chosen))
        spans = list(pairwise(self._cuts))
        states = [worker.ask(lambda rows: rows.state()) for worker in self._workers]
        self._build(
            [
                (worker.address, span)
                for worker, span, (spans_there, _) in zip(self._workers, spans, states, strict=True)
                if span not in spans_there
            ]
        )
        for worker, span, (_, span_held) in zip(self._workers, spans, states, strict=True):
            if span_held != span:
                own = self._rows_of(span)
                worker.tell(lambda rows, own=own: rows.hold(own))  # type: ignore[misc]
        return self._workers, self._cuts

    def _build(self, missing: Sequence[tuple[str, Span]]) -> None:
        """Bring columns to the workers that do not have them: as Dask tasks."""
        if not missing:
            return
        cluster, rows, edges = self._cluster, self._rows, self._rows.parcels.edges
        places = [(edges[first], edges[end]) for _, (first, end) in missing]
        pieces = [
            cluster.submit(cut, columns, own, places, rows.cut)
            for columns, own in zip(rows.columns(), rows.places, strict=True)
        ]
        held = []
        for number, (address, span) in enumerate(missing):
            own_pieces = [cluster.submit(getitem, piece, number) for piece in pieces]
            begin, end = places[number]
            held.append(
                cluster.submit(
                    assemble,
                    cluster.training,
                    span,
                    end - begin,
                    rows.loss.n_outputs,
                    *own_pieces,
                    worker=address,
                )
            )
        cluster.results(held, "Part {} of X", [address for address, _ in missing])
        cluster.release()

    def _rows_of(self, span: Span) -> RowsOfSpan:
        rows, (first, end) = self._rows, span
        edges = rows.parcels.edges[first : end + 1]
        places = slice(edges[0], edges[-1])
        return RowsOfSpan(
            span=span,
            edges=tuple(edge - edges[0] for edge in edges),
            first_place=edges[0],
            layout=rows.layout,
            target=rows.target[places],
            weight=None if rows.weight is None else rows.weight[places],
            start=rows.cut.start.value,
            statistics=self._statistics_of(span),
        )

    def _statistics_of(self, span: Span) -> StatisticSpan | None:
        given = self._rows.statistics
        if given is None:
            return None
        largest, n_bytes = self._largest_span(self._cuts), given.rule.columns.n_bytes
        return StatisticSpan(
            given.rule,
            given.definition,
            given.features,
            orders_of_span(self._rows.parcels, given.orderings, self._sequences, span),
            page_capacity(given.cache_bytes, largest, n_bytes),
        )

    def _largest_span(self, cuts: Sequence[int]) -> int:
        """In rows."""
        edges = self._rows.parcels.edges
        return max(edges[end] - edges[first] for first, end in pairwise(cuts))


def cut_parcels(n_parcels: int, n_threads: Sequence[int]) -> list[int]:
    """Where the spans of workers begin, and the end: as long as their workers have threads, and at
    least one parcel each. There are no more workers than parcels.

    >>> cut_parcels(10, [1, 1]), cut_parcels(4, [8, 1, 1]), cut_parcels(3, [2, 1, 1])
    ([0, 5, 10], [0, 2, 3, 4], [0, 1, 2, 3])
    """
    ends = np.rint(np.cumsum(n_threads) / sum(n_threads) * n_parcels).astype(int).tolist()
    cuts = [0]
    for number, end in enumerate(ends):
        left = len(ends) - 1 - number
        cuts.append(min(max(end, cuts[-1] + 1), n_parcels - left))
    return cuts


def persistently(ask: Callable[[], Result], disconnect: Callable[[], None]) -> Result:
    """The same again after a change of the workers."""
    n_changes = 0
    while True:
        try:
            return ask()
        except ClusterChanged as change:
            disconnect()
            n_changes += 1
            _check_changes(n_changes, change)


class _LookForWorkers:
    """Ends the loop, which then goes on with more workers."""

    def __init__(self, may_use_more: Callable[[], bool]) -> None:
        self._may_use_more = may_use_more
        self._looked = time.monotonic()

    def before_iteration(self, info: IterationInfo) -> None:
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        if self._may_use_more():
            raise ClusterChanged("Workers have joined")


def _check_changes(n_changes: int, change: ClusterChanged) -> None:
    if n_changes >= _MOST_CHANGES:
        raise ClusterError(
            f"Workers were lost {n_changes} times without a tree between; the last time: {change}"
        ) from change
