"""The memory that a fit adds to its process, and what its plan says: run as a program by
test_plan.py, because the most memory that a process had is known only once.

Prints both as JSON.
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np

from ocelotboost import OcelotRegressor


def most_bytes() -> int:
    """So far. What getrusage says is at least what the parent of the process had."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def main() -> None:
    what, parameters = sys.argv[1], json.loads(sys.argv[2])
    # Nothing larger than the table is in memory before the fit.
    X = np.random.default_rng(0).standard_normal((300_000, 30), dtype=np.float32)
    y = X[:, 0] + X[:, 1]
    model = OcelotRegressor(**parameters)
    small = slice(0, 1_000)
    OcelotRegressor(iterations=2).fit(X[small], y[small])  # what every process needs once
    if what == "plan":
        plan = model.plan(X, y)
        print(json.dumps(plan.memory_bytes - plan.memory[0].n_bytes))
        return
    before = most_bytes()
    model.fit(X, y)
    print(json.dumps(most_bytes() - before))


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
