"""Five folds compared with one fit, and with CatBoost's `cv`:
`python -m benchmarks.cross_validation`; `--help` tells how to run a part of it.

All have the defaults of their library, a given number of trees and two threads. They take turns;
the best of the repetitions counts. CPU seconds are those of all threads: on a machine that does
other work too they vary less than seconds.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pandas as pd

from benchmarks.data import Data
from benchmarks.options import command, make_parser
from benchmarks.peers import load
from benchmarks.report import Table, environment, number
from benchmarks.store import keep
from benchmarks.tables import scaled, split_table

N_FOLDS, N_THREADS = 5, 2
MISSING = "nan"  # CatBoost takes no null in a categorical column

Values = dict[str, dict[str, float]]  # by entrant: seconds, CPU seconds and the loss of cv


@dataclass(frozen=True)
class Case:
    """A table and a number of trees.

    goals  (of whom, compared with whom, the largest ratio)
    """

    title: str
    table: str
    trees: int
    goals: tuple[tuple[str, str, float], ...]


FIT, INSIDE, FOLDS, CV = "ocelot fit", "ocelot cv, inside", "ocelot cv, folds", "ocelot cv"
CATBOOST_FIT, CATBOOST_CV = "catboost fit", "catboost cv"
CASES = {
    "cv_adult_1000trees": Case(
        "adult, 48,842 rows, 1000 trees, 5 folds",
        "adult",
        1000,
        ((CV, FIT, 4.0), (CV, CATBOOST_CV, 0.2)),
    ),
}

Job = Callable[[], float | None]  # returns the loss of cv


def jobs(case: Case, data: Data, trees: int) -> dict[str, Job]:
    """What is timed, by name."""
    from ocelotboost import OcelotClassifier, cv

    catboost = import_module("catboost")
    ours = OcelotClassifier(iterations=trees, n_jobs=N_THREADS, cat_features=list(data.categorical))
    texts = {name: data.features[name].fillna(MISSING).astype(str) for name in data.categorical}
    frame: pd.DataFrame = data.features.assign(**texts)
    theirs: dict[str, Any] = {
        "loss_function": "Logloss",
        "iterations": trees,
        "boosting_type": "Plain",
        "thread_count": N_THREADS,
        "logging_level": "Silent",
        "allow_writing_files": False,
        "random_seed": 0,
    }

    def fit() -> None:
        ours.fit(data.features, data.target)

    def folds(parallel: Any) -> float:
        found = cv(ours, data.features, data.target, cv=N_FOLDS, parallel=parallel)
        return found.best_score

    def catboost_fit() -> None:
        catboost.CatBoost(theirs).fit(
            catboost.Pool(frame, data.target, cat_features=list(data.categorical))
        )

    def catboost_cv() -> float:
        pool = catboost.Pool(frame, data.target, cat_features=list(data.categorical))
        found = catboost.cv(
            pool, theirs, fold_count=N_FOLDS, stratified=True, logging_level="Silent"
        )
        return float(found["test-Logloss-mean"].min())

    return {
        FIT: fit,
        CV: lambda: folds("auto"),
        FOLDS: lambda: folds("folds"),
        INSIDE: lambda: folds("inside"),
        CATBOOST_FIT: catboost_fit,
        CATBOOST_CV: catboost_cv,
    }


def measure(case: Case, only: list[str] | None, repeat: int, scale: float) -> Values:
    """Seconds of everybody, the best of the repetitions."""
    data = scaled(split_table(case.table).all_rows, scale, seed=0)
    trees = max(5, round(case.trees * scale))
    chosen = {
        name: job for name, job in jobs(case, data, trees).items() if not only or name in only
    }
    values: Values = {}
    for _ in range(repeat):
        for name, job in chosen.items():
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            loss = job()
            found = {"s": time.perf_counter() - wall, "CPU s": time.process_time() - cpu}
            before = values.get(name, found)
            values[name] = {key: min(before[key], found[key]) for key in found}
            if loss is not None:
                values[name]["loss"] = loss
    return values


def case_table(case: Case, values: Mapping[str, Mapping[str, float]]) -> Table:
    """Everybody's time, and as a multiple of one fit of ours and of CatBoost's cv."""
    goals = {(who, whom): f" (goal ≤ {limit:g})" for who, whom, limit in case.goals}

    def ratio(who: str, whom: str, unit: str) -> str:
        if whom not in values:
            return ""
        found = number(values[who][unit] / values[whom][unit])
        return found + (goals.get((who, whom), "") if unit == "s" else "")

    rows = [
        [
            who,
            number(own["s"]),
            ratio(who, FIT, "s"),
            ratio(who, CATBOOST_CV, "s"),
            number(own["CPU s"]),
            ratio(who, FIT, "CPU s"),
            ratio(who, CATBOOST_CV, "CPU s"),
            f"{own['loss']:.4f}" if "loss" in own else "",
        ]
        for who, own in values.items()
    ]
    ratios = ("/ ocelot fit", "/ catboost cv")
    header = ("", "s", *ratios, "CPU s", *ratios, "loss")
    return Table(case.title, header, rows)


def main() -> None:
    parser = make_parser("benchmarks.cross_validation", __doc__, "--case", CASES)
    parser.add_argument("--repeat", type=int, default=2, help="repetitions; the best counts")
    parser.add_argument("--entrant", nargs="+", metavar="NAME", help="some of those measured")
    options = parser.parse_args()
    libraries = load(["ocelot", "catboost"], required=True)
    for name in options.case or CASES:
        values = measure(CASES[name], options.entrant, options.repeat, options.scale)
        case_table(CASES[name], values).show()
        if options.json is not None:
            facts = environment(command(parser, options), libraries.values())
            keep(options.json, facts, {name: values})


if __name__ == "__main__":
    main()
