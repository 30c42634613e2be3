"""What defaults should be: `python -m experiments.recipes`.

Every recipe learns from three quarters of the training rows of a table and is judged by the rest of
them; no test row is looked at. The answers are the rules of `estimator/choosing.py`. Besides the
shared tables there are those of `experiments.other_tables`, so that rules hold for others, too.
"""

from __future__ import annotations

import math
import statistics
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.comparison import percent, standard_error
from benchmarks.data import Data
from benchmarks.defaults import METRICS, TASKS
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import Ocelot, load
from benchmarks.report import Table, environment, write_markdown
from benchmarks.tables import random_rows, split_table

from experiments.other_tables import OTHER_LOSSES, other_table
from ocelotboost import OcelotClassifier, OcelotRegressor

SEEDS = (0, 1)
MOST_ROWS = 20_000
JUDGES = 0.25  # share of the rows
FIXED = "1000 trees, rows alone choose the mode"

LOSSES = {name: one.loss for name, one in TASKS.items()} | OTHER_LOSSES

ALONE: dict[str, Any] = {"n_models": 1, "learning_rate": 0.1, "crosses": 0}
CROSSED: dict[str, Any] = {**ALONE, "crosses": "auto", "boosting_type": "Plain"}
RECIPES: dict[str, dict[str, Any]] = {
    FIXED: {"iterations": 1000, "depth": 6},
    "one model: Ordered, depth 6": {**ALONE, "boosting_type": "Ordered", "depth": 6},
    "Plain, depth 6": {**ALONE, "boosting_type": "Plain", "depth": 6},
    "Plain, depth 6, crosses": {**CROSSED, "depth": 6},
    "Plain, depth 8, crosses": {**CROSSED, "depth": 8},
    "Plain, depth 6, crosses, 0.7 of the columns": {**CROSSED, "depth": 6, "rsm": 0.7},
    "two models, the default": {},
    "rate 0.15": {"learning_rate": 0.15},
    "rate 0.07": {"learning_rate": 0.07},
    "patience always 50": {"early_stopping_rounds": 50},
    "one-hot up to 2 values": {"one_hot_max_size": 2},
    "at most 2 categories combined": {"max_combination": 2},
    "128 borders": {"border_count": 128},
    "without crosses": {"crosses": 0},
    "without number views": {"number_views": False},
    "without value views": {"value_views": False},
    "three models": {"n_models": 3},
    "quality='fast'": {"quality": "fast"},
    "quality='best'": {"quality": "best"},
}


@dataclass(frozen=True)
class Run:
    """One fit: loss on the rows that judge, CPU seconds of training."""

    task: str
    recipe: str
    seed: int
    loss: float
    seconds: float


def judged(task: str, most_rows: int, seed: int) -> tuple[Data, Data]:
    """Rows to train on and rows that judge, all of them training rows of the table."""
    every = other_table(task) if task in OTHER_LOSSES else split_table(task, TASKS[task].rows).train
    rows = every.sample(most_rows, seed)
    judges = random_rows(rows.target, JUDGES, seed)
    return rows.take(np.flatnonzero(~judges)), rows.take(np.flatnonzero(judges))


def run(task: str, recipe: str, seed: int, train: Data, judges: Data) -> Run:
    """Train as the recipe says."""
    loss = LOSSES[task]
    kind = OcelotRegressor if loss in ("RMSE", "Poisson") else OcelotClassifier
    model = kind(
        loss_function=loss,
        cat_features=list(train.categorical),
        random_state=seed,
        n_jobs=1,
        **RECIPES[recipe],
    )
    begun = time.process_time()
    model.fit(train.features, train.target, sample_weight=train.weight)
    seconds = time.process_time() - begun
    if isinstance(model, OcelotClassifier):
        shares = model.predict_proba(judges.features)
        predicted = shares[:, 1] if loss == "Logloss" else shares
    else:
        predicted = model.predict(judges.features)
    return Run(task, recipe, seed, METRICS[loss][1](judges, predicted), seconds)


def by_task(runs: Sequence[Run], recipes: Sequence[str]) -> Table:
    """Losses compared with the fixed number of trees, one row per table."""
    losses = {(one.task, one.recipe, one.seed): one.loss for one in runs}
    tasks, seeds = _in_order(one.task for one in runs), _in_order(one.seed for one in runs)
    rows = [[task, *(_change(losses, task, recipe, seeds) for recipe in recipes)] for task in tasks]
    return Table("By table", ("", *recipes), rows)


def _change(
    losses: Mapping[tuple[str, str, int], float], task: str, recipe: str, seeds: Sequence[int]
) -> str:
    ratios = [losses[task, recipe, seed] / losses[task, FIXED, seed] - 1 for seed in seeds]
    return f"{statistics.mean(ratios):+.1%}"


def together(runs: Sequence[Run], recipes: Sequence[str]) -> Table:
    """Over all tables whose losses are compared by their ratio."""
    found = {(one.task, one.recipe, one.seed): one for one in runs}
    tasks, seeds = _in_order(one.task for one in runs), _in_order(one.seed for one in runs)
    rows = []
    for recipe in recipes:
        changes, times = [], []
        for task in tasks:
            pairs = [(found[task, recipe, s], found[task, FIXED, s]) for s in seeds]
            times += [math.log(own.seconds / base.seconds) for own, base in pairs]
            if task in OTHER_LOSSES or TASKS[task].by_ratio:
                changes.append(statistics.mean(own.loss / base.loss - 1 for own, base in pairs))
        change = percent(statistics.mean(changes), standard_error(changes))
        rows.append([recipe, change, f"{math.exp(statistics.mean(times)):.2f}"])
    header = ("", "loss compared with 1000 trees", "times the CPU time")
    return Table("Over all tables", header, rows)


def _in_order(values: Any) -> list[Any]:
    return list(dict.fromkeys(values))


def _parser() -> ArgumentParser:
    parser = make_parser("experiments.recipes", __doc__, "--task", LOSSES)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help="the most of a table")
    parser.add_argument("--recipe", nargs="+", choices=list(RECIPES), default=list(RECIPES))
    parser.add_argument("--markdown", type=Path, help="write the tables to this file")
    return parser


def main() -> None:
    """All recipes on all tables."""
    parser = _parser()
    options = parser.parse_args()
    facts = environment(command(parser, options), load([Ocelot.name], required=True).values())
    recipes = _in_order([FIXED, *options.recipe])
    most_rows = round(options.scale * options.rows)
    runs: list[Run] = []
    for task in options.task or LOSSES:
        print(f"{task} …", flush=True)
        for seed in options.seeds:
            try:
                rows = judged(task, most_rows, seed)
            except DataMissingError as error:
                parser.exit(1, f"nothing more is measured: {error}\n")
            train = partial(run, task, seed=seed, train=rows[0], judges=rows[1])
            runs += [train(recipe) for recipe in recipes]
    tables = [together(runs, recipes), by_task(runs, recipes)]
    for table in tables:
        table.show()
    if options.markdown:
        write_markdown(options.markdown, facts, tables)


if __name__ == "__main__":
    main()
