"""Where Ordered mode pays: `python -m experiments.mode_by_rows`.

Both modes learn from random parts of the training rows of real tables, stop on a fifth of them, and
are compared on the same test rows. The answer is the rule behind `boosting_type="auto"`.
"""

from __future__ import annotations

import statistics
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks.comparison import percent, standard_error
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import Ocelot, OcelotOrdered, load
from benchmarks.quality_categorical import BY_NAME, measure
from benchmarks.report import Table, environment, write_markdown
from benchmarks.runs import Conditions, Run, keep_run
from benchmarks.tables import split_table

SEEDS = (0, 1, 2)
TASKS = ("adult", "internet", "amazon", "kick", "click_small", "nycflights13")
SIZES = (500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000)


def compare(runs: Sequence[Run], sizes: Sequence[int]) -> Table:
    """Test losses of Ordered compared with Plain: one row per table, one column per size."""
    lines = []
    for task in dict.fromkeys(run.conditions.task for run in runs):
        whole = len(split_table(task, BY_NAME[task].rows).train)
        lines.append(
            [task, *(_difference(runs, task, size / whole) for size in sizes if size <= whole)]
        )
        lines[-1] += ["–"] * (len(sizes) + 1 - len(lines[-1]))
    header = ("data", *(f"{size:,} rows" for size in sizes))
    return Table("Test loss of Ordered compared with Plain", header, lines)


def _difference(runs: Sequence[Run], task: str, scale: float) -> str:
    losses = {
        (run.library, run.conditions.seed): run.loss
        for run in runs
        if run.conditions.task == task and run.conditions.scale == scale
    }
    seeds = sorted({seed for _, seed in losses})
    ratios = [losses[OcelotOrdered.name, s] / losses[Ocelot.name, s] - 1 for s in seeds]
    return percent(statistics.mean(ratios), standard_error(ratios))


def _parser() -> ArgumentParser:
    parser = make_parser("experiments.mode_by_rows", __doc__, "--task", TASKS)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--learning-rate", type=float, default=0.1)
    parser.add_argument("--markdown", type=Path, help="write the table to this file")
    return parser


def main() -> None:
    """Measure the chosen tables and sizes, and show which mode is ahead."""
    parser = _parser()
    options = parser.parse_args()
    libraries = load([Ocelot.name, OcelotOrdered.name], required=True)
    facts = environment(command(parser, options), libraries.values())
    sizes = [round(options.scale * size) for size in options.sizes]
    runs: list[Run] = []
    for task in options.task or TASKS:
        try:
            whole = len(split_table(task, BY_NAME[task].rows).train)
        except DataMissingError as error:
            print(f"{task} is not measured: {error}")
            continue
        for size in (size for size in sizes if size <= whole):
            print(f"{task}, {size:,} rows …", flush=True)
            for seed in options.seeds:
                conditions = Conditions(task, seed, options.learning_rate, scale=size / whole)
                for library in libraries.values():
                    runs.append(measure(BY_NAME[task], conditions, library))
                    if options.json:
                        keep_run(options.json, facts, runs[-1])
    table = compare(runs, sizes)
    table.show()
    if options.markdown:
        write_markdown(options.markdown, facts, [table])


if __name__ == "__main__":
    main()
