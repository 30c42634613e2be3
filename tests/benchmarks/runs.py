"""Runs of libraries with made-up losses."""

from __future__ import annotations

from benchmarks.runs import Conditions, Run


def run(library, loss, *, seed=0, task="amazon", stored=False):
    return Run(Conditions(task, seed, 0.05), library, "1", loss, 2.0, 10, stored)
