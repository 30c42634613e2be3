"""Single fits and their test losses, kept in a file so that slow peers need not run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.store import keep, read


@dataclass(frozen=True)
class Conditions:
    """What a run must have in common with another one to be compared with it."""

    task: str
    seed: int
    learning_rate: float = 0.05
    depth: int = 6
    trees: int = 1000  # at most
    rounds: int = 50  # of early stopping
    threads: int = 2
    scale: float = 1.0  # fraction of the training rows


@dataclass(frozen=True)
class Run:
    """One fit of one library."""

    conditions: Conditions
    library: str
    version: str
    loss: float  # on the test rows
    seconds: float  # of the fit
    trees: int  # kept after stopping
    stored: bool = False  # read from a file, not measured now

    @property
    def key(self) -> str:
        """Its name in a file of results."""
        found = self.conditions
        key = f"{found.task}, seed {found.seed}, {self.library}"
        if found != Conditions(found.task, found.seed, Conditions.learning_rate):
            key += f", {found}"
        return key


def keep_run(path: Path, facts: Mapping[str, Any], run: Run) -> None:
    """Put it into a file of results."""
    keep(path, facts, {run.key: asdict(run)})


def read_runs(path: Path) -> list[Run]:
    """What `keep_run` wrote, marked as stored."""
    entries = [entry["values"] for entry in read(path).values()]
    runs = [Run(**{**entry, "conditions": Conditions(**entry["conditions"])}) for entry in entries]
    return [replace(run, stored=True) for run in runs]


def find_run(runs: Sequence[Run], conditions: Conditions, library: str) -> Run | None:
    """The run of a library under the same conditions."""
    matching = (run for run in runs if (run.conditions, run.library) == (conditions, library))
    return next(matching, None)
