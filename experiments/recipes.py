"""What defaults should be: `python -m experiments.recipes`.

Every recipe learns from three quarters of the training rows of a table and is judged by the rest of
them; no test row is looked at. The answers are the rules of `estimator/choosing.py`.
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

from ocelotboost import OcelotClassifier, OcelotRegressor

SEEDS = (0, 1)
MOST_ROWS = 20_000
JUDGES = 0.25  # share of the rows
FIXED = "1000 trees, rows alone choose the mode"

ALONE: dict[str, Any] = {"n_models": 1, "learning_rate": 0.1, "crosses": 0}
DEEP: dict[str, Any] = {**ALONE, "boosting_type": "Plain", "depth": 8}
RECIPES: dict[str, dict[str, Any]] = {
    FIXED: {"iterations": 1000, "depth": 6},
    "one model: Ordered, depth 6": {**ALONE, "boosting_type": "Ordered", "depth": 6},
    "Plain, depth 6": {**ALONE, "boosting_type": "Plain", "depth": 6},
    "Plain, depth 8": DEEP,
    "Plain, depth 10": {**DEEP, "depth": 10},
    "Plain, depth 8, rate 0.05": {**DEEP, "learning_rate": 0.05, "early_stopping_rounds": 100},
    "Plain, depth 8, rate 0.2": {**DEEP, "learning_rate": 0.2},
    "Plain, depth 8, Bayesian": {**DEEP, "bootstrap_type": "Bayesian"},
    "Plain, depth 8, L2 score": {**DEEP, "score_function": "L2"},
    "Plain, depth 8, no replay": {**DEEP, "refit": None},
    "Plain, depth 8, crosses": {**DEEP, "crosses": "auto"},
    "race, 3 models, no crosses": {"n_models": 3, "crosses": 0},
    "race, 2 models": {"n_models": 2},
    "race, 3 models": {"n_models": 3},
    "race, 4 models": {"n_models": 4},
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
    rows = split_table(task, TASKS[task].rows).train.sample(most_rows, seed)
    judges = random_rows(rows.target, JUDGES, seed)
    return rows.take(np.flatnonzero(~judges)), rows.take(np.flatnonzero(judges))


def run(task: str, recipe: str, seed: int, train: Data, judges: Data) -> Run:
    """Train as the recipe says."""
    loss = TASKS[task].loss
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
            if TASKS[task].by_ratio:
                changes.append(statistics.mean(own.loss / base.loss - 1 for own, base in pairs))
        change = percent(statistics.mean(changes), standard_error(changes))
        rows.append([recipe, change, f"{math.exp(statistics.mean(times)):.2f}"])
    header = ("", "loss compared with 1000 trees", "times the CPU time")
    return Table("Over all tables", header, rows)


def _in_order(values: Any) -> list[Any]:
    return list(dict.fromkeys(values))


def _parser() -> ArgumentParser:
    parser = make_parser("experiments.recipes", __doc__, "--task", TASKS)
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
    for task in options.task or TASKS:
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
