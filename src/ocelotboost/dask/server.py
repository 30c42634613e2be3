"""What a worker does for a training: it holds rows, and answers the driver's requests about them.

A worker keeps the pieces of its rows as long as the driver is there. They were put there by Dask
tasks (dask/partitions.py); requests come over a connection of their own (dask/channel.py). When the
driver goes away without a word, everything is dropped after a while.
"""

from __future__ import annotations

import os
import pickle
import socket
import threading
import time
import traceback
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from distributed.comm.addressing import get_address_host
from numpy.typing import NDArray

from ocelotboost.boost.identity import held_digests
from ocelotboost.boost.shard import Shard
from ocelotboost.boost.training_set import Digests, HeldRows, ShardSettings
from ocelotboost.dask.channel import accept, to_bytes
from ocelotboost.loss.base import Floats, Targets
from ocelotboost.order.ordering import Orderings
from ocelotboost.order.parcels import Parcels
from ocelotboost.order.statistic_rows import StatisticRows, StatisticRule, StatisticSource
from ocelotboost.order.target import TargetDefinition
from ocelotboost.quantize.block import BlockLayout, ColumnBlock, SlottedColumns
from ocelotboost.quantize.categorical_data import CategoricalData

#: How long a worker keeps rows for a driver that does not connect (again).
_PATIENCE = 60.0

#: How long a worker looks for the next request before it sleeps (seconds).
_AWAKE = 3e-3

#: The first and the last parcel, exclusive, that a worker holds.
Span = tuple[int, int]


@dataclass(frozen=True)
class HeldColumns:
    """Columns of the rows of a span of parcels, in the order of places.

    slots   uint8 (n_slots, n)
    hashes  uint64 (n_features, n) categories of the features that have statistics
    start   float64 (n_outputs, n) predictions of the model that is continued; None: a constant
    """

    slots: NDArray[np.uint8]
    hashes: NDArray[np.uint64]
    start: Floats | None


@dataclass(frozen=True)
class StatisticSpan:
    """What the statistics of a span of parcels are made from, besides the categories.

    orderings  uint32 (s + 1, n) the rows of the span in the order of each ordering
    """

    rule: StatisticRule
    definition: TargetDefinition
    features: tuple[int, ...]
    orderings: Orderings
    capacity: int


@dataclass(frozen=True)
class RowsOfSpan:
    """What the driver knows of the rows of a span.

    edges        of its parcels; the first is 0
    first_place  of its rows among all
    start        (n_outputs,) the first predictions, where no model is continued
    """

    span: Span
    edges: tuple[int, ...]
    first_place: int
    layout: BlockLayout
    target: Targets
    weight: NDArray[np.float32] | None
    start: Floats
    statistics: StatisticSpan | None


class Request(NamedTuple):
    """A method of what a worker has, and its arguments. Not all requests have answers."""

    path: tuple[str, ...]
    arguments: tuple[Any, ...]
    answered: bool


class WorkerRows:
    """The rows that one worker holds for one training."""

    def __init__(self, n_threads: int) -> None:
        self.columns: dict[Span, HeldColumns] = {}
        self._n_threads = n_threads
        self._rows: HeldRows | None = None
        self._span: Span | None = None
        self._first_place = 0
        self._shard: Shard | None = None
        self.is_over = False

    def end(self) -> None:
        """The driver needs nothing any more."""
        self.columns.clear()
        self._shard = self._rows = None
        self.is_over = True

    def state(self) -> tuple[list[Span], Span | None]:
        """The spans whose columns are here, and the one whose rows are held."""
        return list(self.columns), self._span

    def hold(self, given: RowsOfSpan) -> None:
        """Rows, made of the columns that are here; others are dropped."""
        self._shard = self._rows = self._span = None
        columns = self.columns[given.span]
        self.columns = {given.span: columns}
        n_rows = columns.slots.shape[1]
        slotted = SlottedColumns(columns.slots, given.layout.for_rows(n_rows))
        block = ColumnBlock.of(slotted, self._n_threads)
        parcels = Parcels(given.edges)
        start = columns.start
        if start is None:
            start = np.repeat(given.start[:, np.newaxis], n_rows, axis=1)
        self._rows = HeldRows(
            block,
            given.target,
            given.weight,
            parcels,
            start,
            self._statistics(given, columns, block, parcels),
        )
        self._span, self._first_place = given.span, given.first_place

    def put(self, rows: HeldRows) -> None:
        """Rows that are in this process already, all of them."""
        self._rows, self._span, self._first_place = rows, (0, rows.parcels.n_parcels), 0

    def echo(self, n_bytes: int) -> bytes:
        """An answer of that size, to see how long it takes."""
        return bytes(n_bytes)

    def open(self, settings: ShardSettings) -> None:
        """A shard of these rows, at the beginning of a training."""
        assert self._rows is not None
        assert self._span is not None
        self._shard = None  # before the next one takes memory
        own = settings.with_threads(self._n_threads)
        self._shard = Shard(self._rows, self._span[0], self._first_place, own)

    @property
    def shard(self) -> Shard:
        assert self._shard is not None
        return self._shard

    def digests(self) -> list[Digests]:
        """Of each parcel."""
        assert self._rows is not None
        return held_digests(self._rows)[: self._rows.parcels.n_parcels]

    def _statistics(
        self, given: RowsOfSpan, columns: HeldColumns, block: ColumnBlock, parcels: Parcels
    ) -> StatisticRows | None:
        own = given.statistics
        if own is None:
            return None
        rule = own.rule
        source = StatisticSource(
            data=CategoricalData.from_hashes(
                own.features, list(columns.hashes), rule.hash_key, self._n_threads
            ),
            targets=own.definition.of(given.target),
            weight=given.weight,
            orderings=own.orderings,
            columns=rule.columns,
            history=rule.history,
            window=rule.window,
            units=rule.units,
        )
        return StatisticRows(source, block, own.capacity, self._n_threads, parcels)


class Holder(NamedTuple):
    """A worker, for one training. A process may be several workers."""

    training: str
    worker: str


#: What this process holds, and where the driver can ask for it.
_HELD: dict[Holder, WorkerRows] = {}
_LISTENING: dict[Holder, tuple[str, int]] = {}
_LOCK = threading.Lock()


def held(training: str, dask_worker: Any) -> WorkerRows:
    """The rows that a worker holds for a training."""
    with _LOCK:
        holder = Holder(training, dask_worker.address)
        if holder not in _HELD:
            _HELD[holder] = WorkerRows(dask_worker.state.nthreads)
        return _HELD[holder]


def listen(training: str, secret: bytes, timeout: float, dask_worker: Any) -> tuple[str, int]:
    """Start to answer requests in a thread of its own: where to connect to."""
    rows, holder = held(training, dask_worker), Holder(training, dask_worker.address)
    with _LOCK:
        if holder not in _LISTENING:
            host = get_address_host(dask_worker.contact_address or dask_worker.address)
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            listening = socket.create_server((host, 0), family=family)
            listening.settimeout(min(_PATIENCE, timeout))
            _LISTENING[holder] = (host, listening.getsockname()[1])
            threading.Thread(
                target=_serve,
                args=(holder, rows, listening, secret, timeout),
                name=f"ocelot-{training}",
                daemon=True,
            ).start()
        return _LISTENING[holder]


def forget(training: str, dask_worker: Any) -> None:
    """Drop what is held for a training."""
    _forget(Holder(training, dask_worker.address))


def _forget(holder: Holder) -> None:
    with _LOCK:
        _HELD.pop(holder, None)
        _LISTENING.pop(holder, None)


def _serve(
    holder: Holder, rows: WorkerRows, listening: socket.socket, secret: bytes, timeout: float
) -> None:
    """One driver after the other, which is the same one after it has lost its connection."""
    try:
        with listening:
            while holder in _LISTENING and not rows.is_over:
                try:
                    connection = accept(listening, secret, timeout)
                except TimeoutError:
                    return
                except (OSError, EOFError, AuthenticationError):
                    continue  # somebody who does not know the secret, or has gone again
                with connection:
                    _answer_all(rows, connection)
    finally:
        _forget(holder)


def _stay_awake(connection: Connection) -> None:
    """The next request usually comes soon. Two workers that sleep until then may be woken on the
    same processor, and work one after the other."""
    begun = time.perf_counter()
    while not connection.poll(0) and time.perf_counter() - begun < _AWAKE:
        os.sched_yield()


def _answer_all(rows: WorkerRows, connection: Connection) -> None:
    """Until the connection ends. A failure is told with the next answer."""
    failure: str | None = None
    while not rows.is_over:
        try:
            _stay_awake(connection)
            request: Request = pickle.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        found = None
        if failure is None:
            try:
                found = answer(rows, request)
            except BaseException:
                failure = traceback.format_exc()
        if request.answered:
            try:
                connection.send_bytes(to_bytes((failure, found)))
            except (EOFError, OSError):
                return


def answer(rows: WorkerRows, request: Request) -> Any:
    """What a worker with these rows says."""
    asked: Any = rows
    for name in request.path:
        asked = getattr(asked, name)
    return asked(*request.arguments)
