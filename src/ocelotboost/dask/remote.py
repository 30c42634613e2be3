"""Shards in other processes. A request is a function of a shard; here it is given somebody who
writes down what is called, and what was written down is sent.

What changes a shard's state is sent and not waited for; what has answers is sent to all shards
before the first answer is read. So the workers work at the same time.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar, cast

from ocelotboost.boost.shard import Shard
from ocelotboost.boost.shards import StatisticsOfShards
from ocelotboost.dask.channel import to_bytes
from ocelotboost.dask.errors import ClusterChanged, ClusterError
from ocelotboost.dask.server import Request
from ocelotboost.order.statistic_store import StatisticStore

Answer = TypeVar("Answer")


class Recorder:
    """Writes down the one method that is called, with its arguments."""

    def __init__(self, path: tuple[str, ...] = (), calls: list[Request] | None = None) -> None:
        self._path = path
        self._calls: list[Request] = [] if calls is None else calls

    def __getattr__(self, name: str) -> Recorder:
        return Recorder((*self._path, name), self._calls)

    def __call__(self, *arguments: Any) -> Any:
        self._calls.append(Request(self._path, arguments, False))


def recorded(request: Callable[[Any], Any], path: tuple[str, ...] = ()) -> Request:
    """What a request calls; it must call one method, with arguments by position."""
    calls: list[Request] = []
    request(Recorder(path, calls))
    (call,) = calls
    return call


class RemoteWorker:
    """A worker and the connection to it."""

    def __init__(
        self,
        address: str,
        connection: Connection,
        timeout: float,
        was_lost: Callable[[str, bool], None],
    ) -> None:
        """``was_lost`` is told the address of a worker that is gone, or does not answer: then it
        gets True besides."""
        self.address = address
        self._was_lost = was_lost
        self._connection = connection
        self._timeout = timeout
        self.bytes_sent = 0
        self.bytes_received = 0

    def send(self, message: bytes) -> None:
        try:
            self._connection.send_bytes(message)
        except (OSError, EOFError) as problem:
            raise self._lost(problem) from problem
        self.bytes_sent += len(message)

    def receive(self) -> Any:
        try:
            if not self._connection.poll(self._timeout):
                raise self._lost(f"no answer for {self._timeout:g} seconds", silent=True)
            message = self._connection.recv_bytes()
        except (OSError, EOFError) as problem:
            raise self._lost(problem) from problem
        self.bytes_received += len(message)
        failure, answer = pickle.loads(message)
        if failure is not None:
            raise ClusterError(f"The worker {self.address} failed:\n{failure}")
        return answer

    def tell(self, request: Callable[[Any], None]) -> None:
        self.send(to_bytes(recorded(request)))

    def request(self, request: Callable[[Any], Any]) -> None:
        """Ask, and leave the answer to ``receive``."""
        self.send(to_bytes(recorded(request)._replace(answered=True)))

    def ask(self, request: Callable[[Any], Answer]) -> Answer:
        self.request(request)
        return cast(Answer, self.receive())

    def close(self) -> None:
        self._connection.close()

    def _lost(self, why: object, silent: bool = False) -> ClusterChanged:
        self._was_lost(self.address, silent)
        return ClusterChanged(f"The worker {self.address} was lost: {why}")


class RemoteShards:
    """One shard per worker (``boost.shards.Shards``)."""

    lasting = False
    only: Shard | None = None

    def __init__(self, workers: Sequence[RemoteWorker], cuts: list[int]) -> None:
        self.workers = workers
        self.cuts = cuts
        self.statistics: StatisticStore | None = None

    def tell_each(self, request: Callable[[Shard, Any], None], values: Sequence[Any]) -> None:
        messages = _Messages()
        for worker, value in zip(self.workers, values, strict=True):
            call = recorded(partial(_with, request, value), ("shard",))
            worker.send(messages.of(call))

    def each(self, request: Callable[[Shard], Answer]) -> list[Answer]:
        message = to_bytes(recorded(request, ("shard",))._replace(answered=True))
        for worker in self.workers:
            worker.send(message)
        return [worker.receive() for worker in self.workers]

    @property
    def statistics_of_shards(self) -> StatisticsOfShards:
        return StatisticsOfShards(self)


def _with(request: Callable[[Any, Any], None], value: Any, shard: Any) -> None:
    request(shard, value)


class _Messages:
    """Pickles requests; one that is sent to all workers is pickled once."""

    def __init__(self) -> None:
        self._last: tuple[Request, bytes] | None = None

    def of(self, request: Request) -> bytes:
        if self._last is not None and _is_same(self._last[0], request):
            return self._last[1]
        message = to_bytes(request)
        self._last = (request, message)
        return message


def _is_same(a: Request, b: Request) -> bool:
    """Whether the arguments are the same objects."""
    return a.path == b.path and list(map(id, a.arguments)) == list(map(id, b.arguments))
