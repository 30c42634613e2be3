"""Whether defaults hold for tables that no rule was chosen on: `python -m experiments.unseen`.

Every library learns from three quarters of the rows as it comes, and is judged by the rest. A table
whose best loss is nearly zero is left out of the means, because ratios of such losses say little.
"""

from __future__ import annotations

import statistics
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from benchmarks.data import Data
from benchmarks.defaults import LIBRARIES, METRICS
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import Defaults, Library, load, parse_names
from benchmarks.report import Table, environment, number, write_markdown
from benchmarks.store import keep, read
from benchmarks.tables import random_rows

from experiments.unseen_tables import LATER_LOSSES, UNSEEN_LOSSES, unseen_table

SEEDS = (0, 1)
MOST_ROWS = 10_000
JUDGES = 0.25  # share of the rows
NEARLY_ZERO = 0.01
NEAR = 1.01


@dataclass(frozen=True)
class Run:
    """One fit: loss on the rows that judge, CPU seconds of training."""

    task: str
    library: str
    seed: int
    loss: float
    seconds: float


def run(task: str, seed: int, train: Data, judges: Data, threads: int, library: Library) -> Run:
    """Train the library as it comes."""
    loss = UNSEEN_LOSSES[task]
    begun = time.process_time()
    predict = library.fit_defaults(train, Defaults(loss, seed, threads))
    seconds = time.process_time() - begun
    found = METRICS[loss][1](judges, np.asarray(predict(judges.features)))
    return Run(task, library.name, seed, found, seconds)


Losses = Mapping[tuple[str, str], float]  # by table and library, the mean over the seeds


def means(runs: Sequence[Run]) -> dict[tuple[str, str], float]:
    """Of the seeds that all libraries have."""
    found: dict[tuple[str, str], list[float]] = {}
    for one in runs:
        found.setdefault((one.task, one.library), []).append(one.loss)
    return {key: statistics.mean(losses) for key, losses in found.items()}


def by_task(losses: Losses, tasks: Sequence[str], libraries: Sequence[str]) -> Table:
    """Losses relative to the best of each row, and that one itself."""
    rows = []
    for task in tasks:
        best = min(losses[task, library] for library in libraries)
        ratios = [f"{losses[task, library] / best:.3f}" for library in libraries]
        rows.append([f"{task}, {METRICS[UNSEEN_LOSSES[task]][0]}", f"{best:.4g}", *ratios])
    return Table("By table", ("", "best loss", *libraries), rows)


def together(
    runs: Sequence[Run], losses: Losses, tasks: Sequence[str], libraries: Sequence[str]
) -> Table:
    """Over all tables: the ratio to the best per table. Some are a hundred times the best, so that
    the mean is a geometric one."""
    rows = []
    for library in libraries:
        ratios = [losses[t, library] / min(losses[t, own] for own in libraries) for t in tasks]
        seconds = [one.seconds for one in runs if one.library == library and one.task in tasks]
        rows.append(
            [
                library,
                f"{statistics.geometric_mean(ratios):.3f}",
                f"{statistics.median(ratios):.3f}",
                f"{sum(ratio == 1 for ratio in ratios)}",
                f"{sum(ratio <= NEAR for ratio in ratios)}",
                number(statistics.geometric_mean(seconds)),
            ]
        )
    header = ("", "loss relative to the best, mean", "median", "best", "within 1 %", "CPU s")
    return Table(f"{len(tasks)} tables together", header, rows)


def tables(runs: Sequence[Run]) -> list[Table]:
    """All that is shown: of the tables that every library has."""
    losses = means(runs)
    libraries = list(dict.fromkeys(one.library for one in runs))
    tasks = [t for t in UNSEEN_LOSSES if all((t, library) in losses for library in libraries)]
    compared = [t for t in tasks if min(losses[t, own] for own in libraries) > NEARLY_ZERO]
    return [together(runs, losses, compared, libraries), by_task(losses, tasks, libraries)]


def _parser() -> ArgumentParser:
    parser = make_parser("experiments.unseen", __doc__, "--task", UNSEEN_LOSSES)
    parser.add_argument("--later", action="store_true", help="only the second list of tables")
    parser.add_argument("--only", type=parse_names, metavar="LIBRARY,...", default=LIBRARIES)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help="the most of a table")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--markdown", type=Path, help="write the tables to this file")
    return parser


def main() -> None:
    """All libraries on all tables."""
    parser = _parser()
    options = parser.parse_args()
    libraries = load(options.only, required=True)
    facts = environment(command(parser, options), libraries.values())
    runs: list[Run] = []
    for task in options.task or (LATER_LOSSES if options.later else UNSEEN_LOSSES):
        for seed in options.seeds:
            try:
                rows = unseen_table(task).sample(round(options.scale * options.rows), seed)
            except DataMissingError as error:
                parser.exit(1, f"nothing more is measured: {error}\n")
            judges = random_rows(rows.target, JUDGES, seed)
            train, judging = rows.take(np.flatnonzero(~judges)), rows.take(np.flatnonzero(judges))
            fit = partial(run, task, seed, train, judging, options.threads)
            own = [fit(library) for library in libraries.values()]
            told = ", ".join(f"{one.library} {one.loss:.4g} ({one.seconds:.1f} s)" for one in own)
            print(f"{task}, seed {seed}: {told}", flush=True)
            runs += own
            if options.json:
                names = {f"{one.task}, seed {seed}, {one.library}": asdict(one) for one in own}
                keep(options.json, facts, names)
    if options.json:
        runs = [Run(**entry["values"]) for entry in read(options.json).values()]
    found = tables(runs)
    for table in found:
        table.show()
    if options.markdown:
        write_markdown(options.markdown, facts, found)


if __name__ == "__main__":
    main()
