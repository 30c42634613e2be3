"""How many threads to use."""

from __future__ import annotations

import math
import os
from pathlib import Path

from ocelotboost.errors import ParameterError

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

    A negative number counts back from the cores, as in joblib: -1 is all of them.
    """
    if n_jobs is None:
        for variable in ("OCELOT_NUM_THREADS", "OMP_NUM_THREADS"):
            text = os.environ.get(variable, "").split(",")[0].strip()
            if text.isdigit() and int(text) > 0:
                return int(text)
        return available_cores()
    if n_jobs == 0:
        raise ParameterError("n_jobs=0 means no thread at all; use None for all cores, or 1.")
    if n_jobs < 0:
        return max(available_cores() + 1 + n_jobs, 1)
    return n_jobs
