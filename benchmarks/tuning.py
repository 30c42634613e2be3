"""Fifty trials of Ocelot and of CatBoost on real tables: `python -m benchmarks.tuning`.

Both get the same training rows and are searched by the same sampler. Ocelot's `tune` is as it
comes. CatBoost holds out the fifth of the rows that judges Ocelot's trials first. Its space is the
usual one, with early stopping and Optuna's pruning callback, or without it (`--no-pruning`); its
final model has the best parameters and the best number of trees, and all rows. Test rows are looked
at once, at the end.
"""

from __future__ import annotations

import math
import statistics
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Data
from benchmarks.defaults import METRICS, TASKS
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import CatBoost, Defaults, Library, Ocelot, load, parse_names
from benchmarks.peers.library import Predictor, estimator_predictor
from benchmarks.report import Table, environment, number
from benchmarks.store import keep, read
from benchmarks.tables import split_table

TABLES = ("adult", "amazon", "california_housing", "internet", "abalone", "click_small")
MOST_ROWS = 10_000
TRIALS, STARTUP = 50, 10
TREES, PATIENCE, WARM_UP = 1000, 50, 50  # of CatBoost's trials: at most, to stop, before pruning
#: CatBoost has other defaults for these where `iterations` is below 200: the final model, which has
#: as many trees as were best, keeps those of its trial. Else it would be another model, and worse.
DEPEND_ON_TREES = ("leaf_estimation_iterations", "max_ctr_complexity")
THREADS = 1  # so that CPU seconds tell the work on a busy machine, too
GOAL = 0.2  # of CatBoost's time
OURS, THEIRS = Ocelot.name, CatBoost.name
UNPRUNED = f"{THEIRS} without pruning"


@dataclass(frozen=True)
class Outcome:
    """One search: losses on the test rows; seconds by the clock, and of all cores together."""

    task: str
    seed: int
    library: str
    default_loss: float
    loss: float
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Rows:
    """Training rows, of which some judge: bool (rows,)."""

    train: Data
    is_held: NDArray[np.bool]

    @property
    def learned(self) -> Data:
        """Those that do not judge."""
        return self.train.take(np.flatnonzero(~self.is_held))

    @property
    def held(self) -> Data:
        """Those that judge."""
        return self.train.take(np.flatnonzero(self.is_held))


def first_judges(train: Data, defaults: Defaults) -> NDArray[np.bool]:
    """Which rows judge the trials of `tune` first: (rows,)."""
    from ocelotboost.cross_validation.folds import RowsToSplit
    from ocelotboost.tuning.judges import choose_judges

    rows = RowsToSplit(train.features, train.target.astype(np.float32))
    if defaults.loss == "Logloss":
        codes = train.target.astype(np.uint32)
        rows = RowsToSplit(train.features, train.target, np.unique(train.target), codes)
    found = np.zeros(len(train), dtype=np.bool)
    found[choose_judges(None, rows, defaults.seed).folds[0].test] = True
    return found


def tune_ocelot(rows: Rows, defaults: Defaults, trials: int) -> Predictor:
    """By `ocelotboost.tune`."""
    from ocelotboost import OcelotClassifier, OcelotRegressor, tune

    kind = OcelotRegressor if defaults.loss == "RMSE" else OcelotClassifier
    train = rows.train
    base = kind(
        loss_function=defaults.loss,
        cat_features=list(train.categorical),
        random_state=defaults.seed,
        n_jobs=defaults.threads,
    )
    found = tune(train.features, train.target, estimator=base, trials=trials)
    return estimator_predictor(found.estimator, defaults)


def tune_catboost(
    library: CatBoost, rows: Rows, defaults: Defaults, trials: int, prunes: bool
) -> Predictor:
    """By Optuna, with its callback for CatBoost."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    pools = [library.pool(data, defaults) for data in (rows.learned, rows.held, rows.train)]
    learned, held, everything = pools

    def objective(trial: optuna.Trial) -> float:
        from optuna_integration import CatBoostPruningCallback

        pruning = CatBoostPruningCallback(trial, defaults.loss)
        model = library.module.CatBoost(
            {**_catboost_space(trial), **_fixed(defaults), "early_stopping_rounds": PATIENCE}
        )
        model.fit(learned, eval_set=held, callbacks=[pruning])
        pruning.check_pruned()
        resolved = model.get_all_params()
        kept = {name: resolved[name] for name in DEPEND_ON_TREES if name in resolved}
        trial.set_user_attr("kept", {**kept, "iterations": model.tree_count_})
        return float(model.get_best_score()["validation"][defaults.loss])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study = optuna.create_study(
            sampler=optuna.samplers.TPESampler(
                n_startup_trials=STARTUP, multivariate=True, seed=defaults.seed
            ),
            pruner=optuna.pruners.MedianPruner(n_warmup_steps=WARM_UP)
            if prunes
            else optuna.pruners.NopPruner(),
        )
        study.optimize(objective, n_trials=trials)
    best = study.best_trial
    chosen = {**best.params, "bootstrap_type": "Bayesian"}
    model = library.module.CatBoost({**chosen, **_fixed(defaults), **best.user_attrs["kept"]})
    return library.predictor(model.fit(everything), defaults)


def _catboost_space(trial: Any) -> dict[str, Any]:
    return {
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
        "depth": trial.suggest_int("depth", 4, 10),
        "l2_leaf_reg": trial.suggest_float("l2_leaf_reg", 1.0, 30.0, log=True),
        "random_strength": trial.suggest_float("random_strength", 0.0, 3.0),
        "bagging_temperature": trial.suggest_float("bagging_temperature", 0.0, 2.0),
        "bootstrap_type": "Bayesian",
    }


def _fixed(defaults: Defaults) -> dict[str, Any]:
    return {
        "loss_function": defaults.loss,
        "iterations": TREES,
        "random_seed": defaults.seed,
        "thread_count": defaults.threads,
        "logging_level": "Silent",
        "allow_writing_files": False,
    }


def measure(
    task: str, seed: int, library: Library, trials: int, most_rows: int, prunes: bool = True
) -> Outcome:
    """Tune on a sample of the training rows, and score all test rows."""
    table, defaults = split_table(task), Defaults(TASKS[task].loss, seed, THREADS)
    train = table.train.sample(most_rows, seed)
    rows = Rows(train, first_judges(train, defaults))
    by_default = library.fit_defaults(train, defaults)
    begun, cpu_begun = time.perf_counter(), time.process_time()
    if isinstance(library, CatBoost):
        tuned = tune_catboost(library, rows, defaults, trials, prunes)
    else:
        tuned = tune_ocelot(rows, defaults, trials)
    seconds, cpu_seconds = time.perf_counter() - begun, time.process_time() - cpu_begun
    metric, test = METRICS[defaults.loss][1], table.test
    losses = [metric(test, np.asarray(own(test.features))) for own in (by_default, tuned)]
    name = UNPRUNED if isinstance(library, CatBoost) and not prunes else library.name
    return Outcome(task, seed, name, losses[0], losses[1], seconds, cpu_seconds)


def read_outcomes(path: Path) -> list[Outcome]:
    """What `main` has kept."""
    return [Outcome(**entry["values"]) for entry in read(path).values()]


def tables(outcomes: Sequence[Outcome]) -> list[Table]:
    """Compared with CatBoost, and with CatBoost without pruning."""
    return [table for rival in (THEIRS, UNPRUNED) for table in _compared(outcomes, rival)]


def _compared(outcomes: Sequence[Outcome], rival: str) -> list[Table]:
    """One row per table that both have, and the means of the ratios."""
    found = {(one.task, one.seed, one.library): one for one in outcomes}
    pairs = [
        (found[task, seed, OURS], found[task, seed, rival])
        for task in TABLES
        for seed in sorted({one.seed for one in outcomes})
        if (task, seed, OURS) in found and (task, seed, rival) in found
    ]
    if not pairs:
        return []
    rows = [
        [
            _title(ours),
            *(_loss(value) for value in (ours.default_loss, ours.loss)),
            *(_loss(value) for value in (theirs.default_loss, theirs.loss)),
            f"{ours.loss / theirs.loss:.4f}",
            number(ours.cpu_seconds),
            number(theirs.cpu_seconds),
            f"{ours.cpu_seconds / theirs.cpu_seconds:.3f}",
        ]
        for ours, theirs in pairs
    ]
    ratio = statistics.mean(ours.loss / theirs.loss for ours, theirs in pairs)
    times = [math.log(ours.cpu_seconds / theirs.cpu_seconds) for ours, theirs in pairs]
    share = math.exp(statistics.mean(times))
    rows.append(["all", "", "", "", "", f"{ratio:.4f}", "", "", f"{share:.3f}"])
    rows.append(["goal", "", "", "", "", "≤ 1", "", "", f"≤ {GOAL:g}"])
    header = (
        "", "ocelot, defaults", "tuned", "catboost, defaults", "tuned", "ratio of tuned",
        "ocelot, CPU s", "catboost, CPU s", "ratio",
    )  # fmt: skip
    return [Table(f"Test loss and time of {TRIALS} trials, {OURS} and {rival}", header, rows)]


def _title(outcome: Outcome) -> str:
    metric = METRICS[TASKS[outcome.task].loss][0]
    return f"{outcome.task}, {metric}" + (f", seed {outcome.seed}" if outcome.seed else "")


def _loss(value: float) -> str:
    return f"{value:,.0f}" if value > 100 else f"{value:.4f}"


def main() -> None:
    """Both libraries, one table after the other."""
    parser = make_parser("benchmarks.tuning", __doc__, "--task", TABLES)
    parser.add_argument("--only", type=parse_names, metavar="LIBRARY,...")
    parser.add_argument("--seeds", nargs="+", type=int, default=(0,))
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--no-pruning", action="store_true", help="of CatBoost's trials")
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help="the most of a table")
    options = parser.parse_args()
    libraries = load(options.only or (OURS, THEIRS), required=True)
    facts = environment(command(parser, options), libraries.values())
    most_rows = round(options.scale * options.rows)
    outcomes = []
    try:
        for seed in options.seeds:
            for task in options.task or TABLES:
                for library in libraries.values():
                    one = measure(
                        task, seed, library, options.trials, most_rows, not options.no_pruning
                    )
                    outcomes.append(one)
                    print(
                        f"{task}, seed {seed}, {one.library}: {one.default_loss:.5g} by default, "
                        f"{one.loss:.5g} tuned, {one.seconds:.0f} s, {one.cpu_seconds:.0f} CPU s",
                        flush=True,
                    )
                    if options.json:
                        name = f"{task}, seed {seed}, {one.library}"
                        keep(options.json, facts, {name: asdict(one)})
    except DataMissingError as error:
        parser.exit(1, f"nothing more is measured: {error}\n")
    for table in tables(read_outcomes(options.json) if options.json else outcomes):
        table.show()


if __name__ == "__main__":
    main()
