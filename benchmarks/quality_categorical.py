"""Test losses on tables with categories: `python -m benchmarks.quality_categorical`.

Every library gets the same rows, learning rate, depth and most trees, and the same fifth of the
training rows to stop on; all else is its own default. In either mode Ocelot may be worse than
CatBoost in the same mode by 0.5 % on any table, and not on average. CatBoost is slow: `--json FILE`
keeps all runs, and with `--baseline FILE` peers are not run again under the same conditions. Ocelot
always is.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.comparison import mean_log_loss, root_mean_square
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import (
    NAMES,
    OURS,
    PRESETS,
    Library,
    LightGBMQuantized,
    Stopping,
    load,
    parse_names,
)
from benchmarks.report import environment
from benchmarks.runs import Conditions, Run, find_run, keep_run, read_runs
from benchmarks.standings import standings, stored_note
from benchmarks.tables import hold, scaled, split_table

SEEDS = (0, 1, 2)
LIBRARIES = tuple(name for name in NAMES if name not in (LightGBMQuantized.name, *PRESETS))


@dataclass(frozen=True)
class Task:
    """A table of the folder, its loss and how many of its rows are used."""

    name: str
    loss: str
    rows: int | None = None  # all


TASKS = (
    Task("amazon", "Logloss"),
    Task("adult", "Logloss"),
    Task("internet", "Logloss"),
    Task("kick", "Logloss"),
    Task("click_small", "Logloss"),
    Task("kdd09_appetency", "Logloss"),
    Task("kdd09_churn", "Logloss"),
    Task("kdd09_upselling", "Logloss"),
    Task("nursery", "MultiClass"),
    Task("nycflights13", "RMSE", rows=100_000),
)
BY_NAME = {task.name: task for task in TASKS}


def measure(task: Task, conditions: Conditions, library: Library) -> Run:
    """Fit on the training rows, stop on the held-out ones, score the test rows."""
    table = split_table(task.name, task.rows)
    held = hold(scaled(table.train, conditions.scale, conditions.seed), conditions.seed)
    stopping = Stopping(
        loss=task.loss,
        learning_rate=conditions.learning_rate,
        depth=conditions.depth,
        trees=conditions.trees,
        rounds=conditions.rounds,
        seed=conditions.seed,
        threads=conditions.threads,
    )
    start = time.perf_counter()
    stopped = library.fit_stopped(held, stopping)
    seconds = time.perf_counter() - start
    metric = root_mean_square if task.loss == "RMSE" else mean_log_loss
    test = table.test
    loss = metric(test, np.asarray(stopped.predict(test.features)))
    return Run(conditions, library.name, library.version, loss, seconds, stopped.trees)


def runs_of(
    task: Task, conditions: Conditions, libraries: dict[str, Library], stored: Sequence[Run]
) -> Iterator[Run]:
    """One run per library: of peers the stored one if there is one, else measured if asked for."""
    for name in NAMES:
        known = None if name in OURS else find_run(stored, conditions, name)
        if known is not None:
            yield known
        elif name in libraries:
            run = measure(task, conditions, libraries[name])
            print(f"  {name}: {run.loss:.5g}, {run.trees} trees, {run.seconds:.1f} s", flush=True)
            yield run


def _parser() -> ArgumentParser:
    parser = make_parser("benchmarks.quality_categorical", __doc__, "--task", BY_NAME)
    parser.add_argument(
        "--only", type=parse_names, metavar="LIBRARY,...", help=", ".join(LIBRARIES)
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--baseline", type=Path, help="take the peers' runs from this file")
    return parser


def main() -> None:
    """Run or read all runs, the seeds one after the other, and show how the libraries stand."""
    parser = _parser()
    options = parser.parse_args()
    libraries = load(options.only or LIBRARIES, required=bool(options.only))
    stored = read_runs(options.baseline) if options.baseline else []
    facts = environment(command(parser, options), libraries.values())
    runs: list[Run] = []
    for seed in options.seeds:
        for task in (BY_NAME[name] for name in options.task or BY_NAME):
            print(f"{task.name}, seed {seed} …", flush=True)
            conditions = Conditions(
                task.name, seed, options.learning_rate, trees=options.trees, scale=options.scale
            )
            try:
                for run in runs_of(task, conditions, libraries, stored):
                    runs.append(run)
                    if options.json and not run.stored:
                        keep_run(options.json, facts, run)
            except DataMissingError as error:
                print(f"{task.name} is not measured: {error}")
    for table in standings(runs):
        table.show()
    print(stored_note(runs))


if __name__ == "__main__":
    main()
