"""Models that are trained at the same time, each in a thread of its own.

Threads inside a kernel wait for each other many times per tree, models hardly ever. So on two cores
two models side by side take little more than half of the time of one after the other. No bit of any
model depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from ocelotboost.estimator.settings import Settings
from ocelotboost.kernels.turns import taking_turns
from ocelotboost.loss.base import CustomLoss, Loss
from ocelotboost.table.columns import Table

Result = TypeVar("Result")

#: More models at a time would wait for each other's Python.
_MOST_LANES = 2

#: Trees of fewer rows are mostly Python, of which there is one at a time; of more rows, threads
#: inside kernels do as well and need less memory.
_FEWEST_ROWS, _MOST_ROWS = 2_000, 200_000

#: Seconds after which Ctrl-C is looked for: the system may tell another thread of it, and then
#: nobody wakes the one that waits.
_NAP = 0.2


class Lanes:
    """Runs jobs: ``n_lanes`` at a time, which begin in the order in which they were given. With one
    lane, a job is done where it is given.

    stop  asks the running jobs to end: with the Ctrl-C that came, or None after an error
    """

    def __init__(self, n_lanes: int, stop: Callable[[KeyboardInterrupt | None], None]) -> None:
        self._n_lanes = n_lanes
        self._stop = stop

    def run(self, jobs: Sequence[Callable[[], Result]]) -> list[Result]:
        """The results of all jobs. Those that were asked to end still have one. An error of a job
        is raised when all have ended."""
        if self._n_lanes == 1:
            return [job() for job in jobs]
        with ThreadPoolExecutor(self._n_lanes, thread_name_prefix="ocelot") as executor:
            running = [executor.submit(self._do, job) for job in jobs]
            self._wait(running)
        return [job.result() for job in running]

    def _do(self, job: Callable[[], Result]) -> Result:
        try:
            with taking_turns():
                return job()
        except BaseException:
            self._stop(None)
            raise

    def _wait(self, jobs: Sequence[Future[Any]]) -> None:
        left: Any = jobs
        while left:
            try:
                left = wait(left, _NAP).not_done
            except KeyboardInterrupt as pressed:
                self._stop(pressed)


def count_lanes(settings: Settings, table: Table, loss: Loss, n_observers: int) -> int:
    """How many models train at a time. Whatever hears of trees while they grow is told of one model
    after the other: callbacks, functions of the user, snapshots and clocks."""
    training = settings.training
    heard = (
        n_observers > 0
        or training.snapshot is not None
        or training.loop.time_limit is not None
        or settings.read.memory_limit is not None
        or calls_python(settings, loss)
    )
    if heard or not _FEWEST_ROWS <= table.n_rows <= _MOST_ROWS:
        return 1
    return min(settings.ensemble.n_models, training.loop.n_threads, _MOST_LANES)


def calls_python(settings: Settings, loss: Loss) -> bool:
    """Whether training calls functions of the user, which never run at the same time."""
    given = settings.training.eval_metric
    listed = given if isinstance(given, list | tuple) else [given]
    own_metric = any(not (own is None or isinstance(own, str)) for own in listed)
    return own_metric or isinstance(loss, CustomLoss)
