"""One worker of a cluster in the driver's own process, asked by the same messages as others.

So a short training in the driver shows what a worker and the driver would tell each other: how
many bytes and how often. Packing and unpacking the messages takes its time here, too.
"""

from __future__ import annotations

import pickle
from collections import deque
from dataclasses import replace
from typing import Any, NamedTuple

from ocelotboost.boost.boosting import Boosted, boost
from ocelotboost.boost.identity import held_digests
from ocelotboost.boost.shards import LocalRows
from ocelotboost.boost.training_set import Digests, HeldRows, ShardSettings, TrainingSet
from ocelotboost.dask.channel import to_bytes
from ocelotboost.dask.remote import RemoteShards, RemoteWorker
from ocelotboost.dask.server import Request, WorkerRows, answer
from ocelotboost.order.exchange import Exchange, parcel_sequences
from ocelotboost.order.statistic_store import StatisticStore

#: Requests whose answers are numbers of each row.
_ABOUT_ROWS = ("in_leaves", "bodies_in_leaves", "raw_of", "unseen")


class Exchanged(NamedTuple):
    """What was sent and received.

    n_answers  how many there were
    of_sums    bytes of sums over rows, which do not depend on the number of rows
    of_values  bytes about the values of categories and combinations
    of_rows    bytes about each row
    """

    n_answers: float = 0
    of_sums: float = 0
    of_values: float = 0
    of_rows: float = 0


class Loopback:
    """A connection whose other end is in this process (``multiprocessing.Connection``).

    exchanged  so far
    """

    def __init__(self, rows: WorkerRows) -> None:
        self.exchanged = Exchanged()
        self._rows = rows
        self._answers: deque[bytes] = deque()

    def send_bytes(self, message: bytes) -> None:
        request: Request = pickle.loads(message)
        found, n_bytes = answer(self._rows, request), len(message)
        if request.answered:
            self._answers.append(to_bytes((None, found)))
            n_bytes += len(self._answers[-1])
        self._count(request, n_bytes)

    def _count(self, request: Request, n_bytes: int) -> None:
        before = self.exchanged
        kind = "of_sums"
        if "statistics" in request.path:
            kind = "of_values"
        elif request.path[-1] in _ABOUT_ROWS:
            kind = "of_rows"
        more = {kind: getattr(before, kind) + n_bytes}
        self.exchanged = before._replace(n_answers=before.n_answers + request.answered, **more)

    def poll(self, timeout: float) -> bool:
        return True

    def recv_bytes(self) -> bytes:
        return self._answers.popleft()

    def close(self) -> None:
        pass


class LoopbackRows:
    """Holds all rows of a training as a single worker would (``boost.training_set.RowHolder``)."""

    def __init__(self, n_threads: int) -> None:
        self._n_threads = n_threads
        self._rows = WorkerRows(n_threads)
        self._connection = Loopback(self._rows)
        connection: Any = self._connection
        self._worker = RemoteWorker("this process", connection, 1.0, lambda address, silent: None)
        self._held: HeldRows | None = None

    def exchanged(self) -> Exchanged:
        """So far."""
        return self._connection.exchanged

    def boosting(self, training: TrainingSet, *others: Any) -> Boosted:
        """``boost`` of rows that are in this process."""
        assert isinstance(training.holder, LocalRows)
        held = training.holder.rows
        self._held = held.shard(0, held.parcels.n_parcels)
        self._rows.put(self._held)
        return boost(replace(training, holder=self), *others)

    def open(self, settings: ShardSettings) -> RemoteShards:
        held = self._held
        assert held is not None
        self._worker.tell(lambda rows: rows.open(settings))
        shards = RemoteShards([self._worker], [0, held.parcels.n_parcels])
        if held.statistics is not None:
            source, capacity = held.statistics.source, held.statistics.pages.capacity
            sequences = parcel_sequences(held.parcels, source.orderings)
            exchange = Exchange(
                shards.statistics_of_shards, source.rule, sequences, self._n_threads
            )
            shards.statistics = StatisticStore(
                source.rule, exchange, capacity, held.n_rows, self._n_threads
            )
        return shards

    def digests(self) -> list[Digests]:
        assert self._held is not None
        return held_digests(self._held)
