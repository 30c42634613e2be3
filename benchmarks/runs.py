"""Single fits and their test losses, kept in a file so that slow peers need not run again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Conditions:
    """What a run must have in common with another one to be compared with it."""

    task: str
    seed: int
    learning_rate: float
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


def write_runs(path: Path, facts: Mapping[str, Any], runs: Iterable[Run]) -> None:
    """All runs, those that were read too; the file is whole at any moment."""
    text = json.dumps({**facts, "runs": [asdict(run) for run in runs]}, indent=1)
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def read_runs(path: Path) -> list[Run]:
    """What `write_runs` wrote, marked as stored."""
    entries = json.loads(path.read_text(encoding="utf-8"))["runs"]
    runs = [Run(**{**entry, "conditions": Conditions(**entry["conditions"])}) for entry in entries]
    return [replace(run, stored=True) for run in runs]


def find_run(runs: Sequence[Run], conditions: Conditions, library: str) -> Run | None:
    """The run of a library under the same conditions."""
    matching = (run for run in runs if (run.conditions, run.library) == (conditions, library))
    return next(matching, None)


def merged(runs: Sequence[Run], stored: Sequence[Run]) -> list[Run]:
    """The runs, and of the stored ones those that none of them stands for."""
    others = [run for run in stored if find_run(runs, run.conditions, run.library) is None]
    return [*runs, *others]
