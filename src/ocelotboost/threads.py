"""How many threads to use."""

from __future__ import annotations

import math
import os
from pathlib import Path

from ocelotboost.errors import ParameterError

MOST_THREADS = 1024  # whatever the environment says
_CGROUP_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def available_cores() -> int:
    """Cores this process may use: its affinity, and a container's quota."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    try:
        quota, period = _CGROUP_LIMIT.read_text().split()
        if quota != "max":
            cores = min(cores, math.ceil(int(quota) / int(period)))
    except (OSError, ValueError):
        pass
    return max(cores, 1)


def thread_count(n_jobs: int | None) -> int:
    """Threads for ``n_jobs``: None reads OCELOT_NUM_THREADS, then OMP_NUM_THREADS, then the cores.

    A negative number counts back from the cores, as in joblib: -1 is all of them. More threads than
    cores only get in each other's way, so the cores are the most that is used. Who wants more says
    so by OCELOT_NUM_THREADS.
    """
    cores, own = available_cores(), _environment("OCELOT_NUM_THREADS")
    if n_jobs is None:
        return own or min(_environment("OMP_NUM_THREADS") or cores, cores)
    if n_jobs == 0:
        raise ParameterError("n_jobs=0 means no thread at all; use None for all cores, or 1.")
    if n_jobs < 0:
        return max(cores + 1 + int(n_jobs), 1)
    return min(int(n_jobs), max(cores, own or 0))


def _environment(variable: str) -> int | None:
    """A number of threads from the environment, or None where there is none."""
    text = os.environ.get(variable, "").split(",")[0].strip()
    if text.isdecimal() and int(text) > 0:
        return min(int(text), MOST_THREADS)
    return None
