"""Test metrics on real data, compared with CatBoost Plain: `python -m benchmarks.quality`.

Both get the same splits and parameters, no sampling and no noise, and CatBoost's default leaf
estimation of each loss, said explicitly. Ocelot may be worse by 0.3 % on average.
"""

from __future__ import annotations

import statistics
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from benchmarks import data as source
from benchmarks.comparison import (
    Metric,
    mean_log_loss,
    percent,
    poisson_deviance,
    root_mean_square,
    standard_error,
)
from benchmarks.data import Data
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import CatBoost, Library, Ocelot, Settings, load, parse_names
from benchmarks.report import NOTHING, Table, environment
from benchmarks.store import keep

BASELINE = CatBoost.name
TOLERANCE = 0.003
SEEDS = (0, 1, 2)
TEST_FRACTION = 0.2


@dataclass(frozen=True)
class Task:
    """A data set with its loss and its test metric; smaller is better."""

    name: str
    make_data: Callable[[int | None], Data]  # of the number of rows, None for all
    rows: int | None
    settings: Settings
    metric_name: str
    metric: Metric


@dataclass(frozen=True)
class Comparison:
    """Test metrics of a contender and of CatBoost, one per split."""

    task: str
    metric_name: str
    contender: str
    baseline_values: list[float]
    contender_values: list[float]

    @property
    def differences(self) -> list[float]:
        """Relative to CatBoost on the same split; positive is worse."""
        pairs = zip(self.baseline_values, self.contender_values, strict=True)
        return [ours / theirs - 1 for theirs, ours in pairs]

    @property
    def mean_difference(self) -> float:
        """Over the splits."""
        return statistics.mean(self.differences)


TASKS = (
    Task(
        name="california_housing",
        make_data=partial(source.regression, "california_housing"),
        rows=None,
        settings=Settings(loss="RMSE"),
        metric_name="RMSE",
        metric=root_mean_square,
    ),
    Task(
        name="casp_protein",
        make_data=partial(source.regression, "casp_protein"),
        rows=None,
        settings=Settings(loss="RMSE"),
        metric_name="RMSE",
        metric=root_mean_square,
    ),
    Task(
        name="covtype",
        make_data=source.covtype,
        rows=100_000,
        settings=Settings(loss="MultiClass"),
        metric_name="log loss",
        metric=mean_log_loss,
    ),
    Task(
        name="fremtpl2",
        make_data=source.claim_frequency,
        rows=None,
        settings=Settings(loss="Poisson", leaf_estimation_iterations=10),
        metric_name="Poisson deviance",
        metric=poisson_deviance,
    ),
)
BY_NAME = {task.name: task for task in TASKS}


def split(data: Data, seed: int) -> tuple[Data, Data]:
    """80 % of the rows to train and 20 % to test, the same for every library."""
    order = np.random.default_rng(seed).permutation(len(data))
    test_rows = round(TEST_FRACTION * len(data))
    return data.take(order[test_rows:]), data.take(order[:test_rows])


def metrics_on_splits(task: Task, data: Data, library: Library, trees: int) -> list[float]:
    """One value per split."""
    values = []
    for seed in SEEDS:
        train, test = split(data, seed)
        model = library.fit(train, task.settings, trees)
        predict = library.predictor(model, task.settings)
        values.append(task.metric(test, np.asarray(predict(test.features))))
    return values


def compare(
    task: Task, libraries: dict[str, Library], trees: int, scale: float
) -> list[Comparison]:
    """CatBoost first, then every contender on the same splits."""
    print(f"{task.name} …", flush=True)
    try:
        data = task.make_data(task.rows)
    except DataMissingError as error:
        print(f"{task.name} is not measured: {error}")
        return []
    data = data.take(slice(source.scaled_rows(len(data), scale)))
    baseline = metrics_on_splits(task, data, libraries[BASELINE], trees)
    return [
        Comparison(
            task.name,
            task.metric_name,
            name,
            baseline,
            metrics_on_splits(task, data, library, trees),
        )
        for name, library in libraries.items()
        if name != BASELINE
    ]


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """One row per split, then the mean."""
    rows = []
    for comparison in comparisons:
        splits = zip(
            SEEDS,
            comparison.baseline_values,
            comparison.contender_values,
            comparison.differences,
            strict=True,
        )
        for seed, theirs, ours, difference in splits:
            cells = [f"{theirs:.5g}", f"{ours:.5g}", f"{difference:+.2%}", NOTHING]
            rows.append([*_names(comparison), f"split {seed}", *cells])
        rows.append([*_names(comparison), "mean", *_mean_cells(comparison)])
    return Table(
        f"Test metric; worse than {BASELINE} by at most {TOLERANCE:.1%}",
        ("data", "metric", "library", "", BASELINE, "library's", "difference", "result"),
        rows,
    )


def _names(comparison: Comparison) -> list[str]:
    return [comparison.task, comparison.metric_name, comparison.contender]


def _mean_cells(comparison: Comparison) -> list[str]:
    reached = comparison.mean_difference
    return [
        f"{statistics.mean(comparison.baseline_values):.5g}",
        f"{statistics.mean(comparison.contender_values):.5g}",
        percent(reached, standard_error(comparison.differences)),
        "ok" if reached <= TOLERANCE else "missed",
    ]


def summary_table(comparisons: Sequence[Comparison]) -> Table:
    """One row per data set: the means."""
    header = ("data", "metric", "library", BASELINE, "library's", "difference", "result")
    rows = [[*_names(comparison), *_mean_cells(comparison)] for comparison in comparisons]
    return Table("Test metrics compared with CatBoost Plain", header, rows)


def _parser() -> ArgumentParser:
    parser = make_parser("benchmarks.quality", __doc__, "--task", BY_NAME)
    parser.add_argument("--only", type=parse_names, default=(Ocelot.name,), metavar="LIBRARY,...")
    parser.add_argument("--trees", type=int, default=500)
    return parser


def main() -> None:
    """Compare on the chosen data sets, show the table, write the files asked for."""
    parser = _parser()
    options = parser.parse_args()
    libraries = load(dict.fromkeys([BASELINE, *options.only]), required=True)
    facts = environment(command(parser, options), libraries.values())
    comparisons = []
    for name in options.task or BY_NAME:
        found = compare(BY_NAME[name], libraries, options.trees, options.scale)
        comparisons += found
        if options.json and found:
            keep(options.json, facts, {name: [asdict(comparison) for comparison in found]})
    comparison_table(comparisons).show()


if __name__ == "__main__":
    main()
