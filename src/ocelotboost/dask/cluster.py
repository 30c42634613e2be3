"""The workers of a cluster, and the tasks that one training gives them.

Nothing waits forever: every wait looks at the cluster, and ends with an error when nobody is left
who could do what is waited for.
"""

from __future__ import annotations

import secrets
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures import TimeoutError as WaitedTooLong
from contextlib import suppress
from types import TracebackType
from typing import Any

import numpy as np
from distributed import Client, Future, wait

from ocelotboost.dask.channel import connect
from ocelotboost.dask.errors import ClusterChanged, ClusterError
from ocelotboost.dask.remote import RemoteWorker
from ocelotboost.dask.server import forget, listen
from ocelotboost.errors import OcelotError

#: How long one wait lasts before the cluster is looked at again (seconds).
_GLANCE = 0.5


#: After this many seconds a worker that was lost may be there again, at the same address.
_FORGIVEN = 10.0

#: Data that is lost for this long is not being made again (seconds).
_MOST_LOST = 20.0


_NO_LONGER = (
    "data that was on a worker can no longer be computed: the worker is gone, and Dask does not "
    "know how to make the data again. Give a collection that is read from files or computed, in "
    "place of one that was scattered to workers."
)


class Cluster:
    """The workers, for as long as one training lasts.

    training  a name for it
    timeout   seconds after which a worker that does not answer is lost, and an empty cluster an
              error
    """

    def __init__(self, client: Client, timeout: float) -> None:
        self.client = client
        self.training = uuid.uuid4().hex
        self.timeout = timeout
        self._secret = secrets.token_bytes(32)
        self._silent: set[str] = set()  # they are there for Dask, but do not answer
        self._lost: dict[str, float] = {}  # when they were lost; Dask may not know it yet
        self._futures: list[Future] = []

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
        self._run(forget, self.workers(), self.training)
        if isinstance(error, CancelledError):
            raise ClusterError(_NO_LONGER) from error

    # ---- workers -------------------------------------------------------------------------

    def workers(self) -> dict[str, int]:
        """Their addresses and threads, in the order of their addresses."""
        known = self.client.scheduler_info(n_workers=-1)["workers"]
        return {
            address: int(known[address]["nthreads"])
            for address in sorted(known)
            if address not in self._silent
            and time.monotonic() - self._lost.get(address, -np.inf) > _FORGIVEN
        }

    def wait_for_workers(self) -> dict[str, int]:
        """At least one, or an error."""
        begun = time.monotonic()
        while not (found := self.workers()):
            if time.monotonic() - begun > self.timeout:
                raise ClusterError(
                    f"No worker of the cluster has been there for {self.timeout:g} seconds. Start "
                    "workers, or give a larger timeout."
                )
            time.sleep(_GLANCE)
        return found

    def connect(self, addresses: Sequence[str]) -> list[RemoteWorker]:
        """To all of these workers, which keep what they hold for this training."""
        places = self._run(listen, addresses, self.training, self._secret, self.timeout)
        workers: list[RemoteWorker] = []
        try:
            for address in addresses:
                place = places.get(address)
                if isinstance(place, BaseException) or place is None:
                    raise ClusterChanged(f"The worker {address} was lost: {place}")
                workers.append(self._connect(address, *place))
        except BaseException:
            for worker in workers:
                worker.close()
            raise
        return workers

    def _connect(self, address: str, host: str, port: int) -> RemoteWorker:
        try:
            connection = connect(host, port, self._secret, self.timeout)
        except (OSError, EOFError) as problem:
            if address in self.workers():
                raise ClusterError(
                    f"The worker {address} cannot be reached at {host}:{port} from here "
                    f"({problem}). The driver and the workers have to be in one network."
                ) from problem
            raise ClusterChanged(f"The worker {address} was lost: {problem}") from problem
        return RemoteWorker(address, connection, self.timeout, self._was_lost)

    def ask(self, function: Callable[[], Any], addresses: Iterable[str]) -> list[Any]:
        """The result of a function in the process of each worker that answers."""
        found = self._run(function, addresses).values()
        return [own for own in found if not isinstance(own, BaseException)]

    def _run(
        self, function: Callable[..., Any], addresses: Iterable[str], *args: Any
    ) -> dict[str, Any]:
        """In the process of each worker, whatever tasks it has: its result, or its error. Who does
        not answer is lost."""
        found: dict[str, Any] = {}

        def ask(address: str) -> None:
            answers = self.client.run(function, *args, workers=[address], on_error="return")
            found[address] = answers.get(address)

        asking = {address: threading.Thread(target=ask, args=(address,)) for address in addresses}
        for thread in asking.values():
            thread.daemon = True
            thread.start()
        begun = time.monotonic()
        for address, thread in asking.items():
            thread.join(max(begun + self.timeout - time.monotonic(), 0.1))
            if thread.is_alive():
                self._drop(address)
        return found

    def _was_lost(self, address: str, silent: bool) -> None:
        """Told by whoever talks to a worker."""
        if silent:
            self._drop(address)
        self._lost[address] = time.monotonic()

    def _drop(self, address: str) -> None:
        """A worker that does not answer is done without, and its tasks are given to others."""
        self._silent.add(address)
        self.client.run_on_scheduler(_remove_worker, address)

    # ---- tasks ---------------------------------------------------------------------------

    def compute(self, delayed: Sequence[Any]) -> list[Future]:
        """Tasks that depend on collections."""
        futures: list[Future] = self.client.compute(list(delayed))
        self._futures += futures
        return futures

    def submit(self, function: Callable[..., Any], *args: Any, worker: str | None = None) -> Future:
        """One task; ``worker`` is the only one who may run it."""
        where = {} if worker is None else {"workers": [worker], "allow_other_workers": False}
        future = self.client.submit(function, *args, pure=False, **where)
        self._futures.append(future)
        return future

    def results(
        self, futures: Sequence[Future], what: str, needed: Iterable[str] = ()
    ) -> list[Any]:
        """Of tasks, ``what`` they are about being a name for errors. ``needed`` are workers without
        whom they cannot end."""
        needed, seen, moved, n_finished = set(needed), time.monotonic(), time.monotonic(), 0
        while True:
            for number, future in enumerate(futures):
                self._check(future, what.format(number), time.monotonic() - seen)
            if all(future.status == "finished" for future in futures):
                break
            if not any(future.status == "lost" for future in futures):
                seen = time.monotonic()
            count = sum(future.status == "finished" for future in futures)
            if count > n_finished:
                n_finished, moved = count, time.monotonic()
            if time.monotonic() - moved > self.timeout:
                self._run(_nothing, self.workers())
                moved = time.monotonic()
            if needed - set(self.wait_for_workers()):
                raise ClusterChanged(f"Workers were lost: {needed - set(self.workers())}")
            with suppress(TimeoutError, CancelledError), self.client.as_current():
                wait(futures, timeout=_GLANCE)
        return self._gathered(futures)

    def _gathered(self, futures: Sequence[Future]) -> list[Any]:
        """What is lost on the way is made again, as long as somebody is there."""
        with ThreadPoolExecutor(1) as one:
            gathering = one.submit(self.client.gather, list(futures))
            while True:
                with suppress(WaitedTooLong):
                    found: list[Any] = gathering.result(timeout=_GLANCE)
                    return found
                try:
                    self.wait_for_workers()
                except ClusterError:
                    self.release()  # ends the gathering
                    raise

    def release(self) -> None:
        """Cancel what is still running, and let go of what is finished."""
        futures, self._futures = self._futures, []
        if futures and self.client.status == "running":
            self.client.cancel(futures, force=True)

    def _check(self, future: Future, what: str, seconds_lost: float) -> None:
        if future.status == "error":
            problem = future.exception()
            if isinstance(problem, OcelotError):
                raise problem
            raise ClusterError(
                f"{what} cannot be computed: {type(problem).__name__}: {problem}"
            ) from problem
        # What was lost is usually made again.
        lost_for_good = future.status == "lost" and seconds_lost > min(self.timeout, _MOST_LOST)
        if future.status == "cancelled" or lost_for_good:
            raise ClusterError(f"{what}: {_NO_LONGER}")


def _nothing() -> None:
    """Asked of workers to see whether they answer."""


async def _remove_worker(address: str, dask_scheduler: Any) -> None:
    if address in dask_scheduler.workers:
        await dask_scheduler.remove_worker(address, stimulus_id="ocelot: no answer", close=False)
