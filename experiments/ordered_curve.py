"""A curve without a holdout, measured: `python -m experiments.ordered_curve`.

In Ordered mode the supporting models predict every training row from rows before it; the mean loss
of these predictions after each tree is `history_["ordered"]`. But the trees' structure has seen all
targets, and most supporting models have learnt from fewer rows than the model itself. So: how far
is this curve from the loss on the test rows, and is its best number of trees as good a choice as
the one that a held-out fifth of the rows would make?
"""

from __future__ import annotations

import statistics
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.comparison import (
    mean_log_loss,
    percent,
    root_mean_square,
    standard_error,
    with_error,
)
from benchmarks.data import Data
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import OcelotOrdered, load
from benchmarks.report import Table, environment, write_markdown
from benchmarks.store import keep
from benchmarks.tables import SplitTable, scaled, split_table

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost.stopping import BestIteration

SEEDS = (0, 1, 2)
TASKS = {  # table of the folder: loss
    "adult": "Logloss",
    "internet": "Logloss",
    "amazon": "Logloss",
    "kick": "Logloss",
    "nursery": "MultiClass",
    "california_housing": "RMSE",
}
BEST, CURVE, HELD, REPLAYED = (
    "best on the test rows",
    "ordered curve, all rows train",
    "held-out fifth",
    "held-out fifth, then replay",
)
HOLDING_OUT: dict[str, dict[str, Any]] = {  # ways of choosing the number of trees
    HELD: {"validation_fraction": 0.2, "refit": None},
    REPLAYED: {"validation_fraction": 0.2, "refit": "replay"},
}


@dataclass(frozen=True)
class Training:
    """What all fits have in common."""

    learning_rate: float
    trees: int  # at most
    rounds: int  # of patience

    def fit(self, loss: str, rows: Data, seed: int, eval_set: Any = None, **parameters: Any) -> Any:
        """A model in Ordered mode."""
        kind = OcelotRegressor if loss == "RMSE" else OcelotClassifier
        model = kind(
            loss_function=loss,
            boosting_type="Ordered",
            learning_rate=self.learning_rate,
            iterations=self.trees,
            cat_features=list(rows.categorical),
            random_state=seed,
            **parameters,
        )
        return model.fit(rows.features, rows.target, eval_set=eval_set)


@dataclass(frozen=True)
class Curves:
    """Two losses after each tree, (trees,), of a model that all training rows have taught."""

    ordered: list[float]
    test: list[float]

    @property
    def best(self) -> int:
        """The tree after which the loss on the test rows is smallest."""
        return int(np.argmin(self.test))

    @property
    def ordered_best(self) -> int:
        """The tree after which the ordered curve is lowest."""
        return int(np.argmin(self.ordered))

    def stopped_by_ordered(self, rounds: int) -> int:
        """The tree that would be the last of a model which stops when the ordered curve has not
        fallen for ``rounds`` trees."""
        best = BestIteration(None, higher_is_better=False, patience=rounds)
        for tree in range(len(self.ordered)):
            if best.follow(self.ordered[: tree + 1]):
                break
        assert best.iteration is not None
        return best.iteration

    def gap(self, tree: int) -> float:
        """How much higher the ordered curve is, relative to the loss on the test rows."""
        return self.ordered[tree] / self.test[tree] - 1


@dataclass(frozen=True)
class Stop:
    """A number of trees, and the test loss of the model with that many."""

    trees: int
    loss: float


@dataclass(frozen=True)
class Outcome:
    """What one seed gave on one table."""

    task: str
    seed: int
    rows: int  # that train
    curves: Curves
    stops: dict[str, Stop]  # by way


def measure(task: str, table: SplitTable, training: Training, seed: int, scale: float) -> Outcome:
    """One fit of all trees that watches the test rows, and one for each way of holding out."""
    train, test, loss = scaled(table.train, scale, seed), table.test, TASKS[task]
    whole = training.fit(loss, train, seed, eval_set=(test.features, test.target))
    curves = Curves(whole.history_["ordered"][loss], whole.history_["eval_0"][loss])
    stops = {BEST: Stop(curves.best + 1, curves.test[curves.best])}
    stopped_by_curve = curves.stopped_by_ordered(training.rounds)
    stops[CURVE] = Stop(stopped_by_curve + 1, curves.test[stopped_by_curve])
    for way, parameters in HOLDING_OUT.items():
        stopped = training.fit(
            loss, train, seed, early_stopping_rounds=training.rounds, **parameters
        )
        stops[way] = Stop(stopped.n_iter_, loss_on(stopped, test, loss))
    return Outcome(task, seed, len(train), curves, stops)


def loss_on(model: Any, test: Data, loss: str) -> float:
    """The loss of a fitted model on the test rows."""
    if loss == "RMSE":
        return root_mean_square(test, model.predict(test.features))
    return mean_log_loss(test, model.predict_proba(test.features))


def curve_table(outcomes: Sequence[Outcome]) -> Table:
    """One row per table: where both curves are lowest, and the gap between them."""
    rows = []
    for task, found in _by_task(outcomes):
        curves = [outcome.curves for outcome in found]
        rows.append(
            [
                task,
                f"{found[0].rows:,}",
                str(len(found)),
                _mean_trees([one.best + 1 for one in curves]),
                _mean_trees([one.ordered_best + 1 for one in curves]),
                _percents([one.gap(len(one.test) // 10) for one in curves]),
                _percents([one.gap(one.best) for one in curves]),
                _percents([one.gap(len(one.test) - 1) for one in curves]),
            ]
        )
    header = (
        "data",
        "rows",
        "seeds",
        "trees, lowest test loss",
        "trees, lowest ordered curve",
        "ordered compared with test loss, a tenth of the trees",
        "at the lowest test loss",
        "all trees",
    )
    return Table("The ordered curve compared with the test loss", header, rows)


def stop_table(outcomes: Sequence[Outcome]) -> Table:
    """One row per table and way of choosing the number of trees."""
    rows = []
    for task, found in _by_task(outcomes):
        for way in (BEST, CURVE, *HOLDING_OUT):
            stops = [outcome.stops[way] for outcome in found]
            others = [outcome.stops[HELD] for outcome in found]
            pairs = zip(stops, others, strict=True)
            rows.append(
                [
                    task,
                    way,
                    _mean_trees([stop.trees for stop in stops]),
                    with_error([stop.loss for stop in stops]),
                    _percents([stop.loss / other.loss - 1 for stop, other in pairs]),
                ]
            )
    header = ("data", "number of trees by", "trees", "test loss", f"compared with {HELD}")
    return Table("Test loss by the way of stopping", header, rows)


def _by_task(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    for task in dict.fromkeys(outcome.task for outcome in outcomes):
        yield task, [outcome for outcome in outcomes if outcome.task == task]


def _mean_trees(trees: Sequence[int]) -> str:
    return f"{statistics.mean(trees):.0f}"


def _percents(differences: Sequence[float]) -> str:
    return percent(statistics.mean(differences), standard_error(differences))


def _parser() -> ArgumentParser:
    parser = make_parser("experiments.ordered_curve", __doc__, "--task", TASKS)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--learning-rate", type=float, default=0.1)
    parser.add_argument("--trees", type=int, default=1000, help="at most")
    parser.add_argument("--rounds", type=int, default=50, help="of patience")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file")
    return parser


def main() -> None:
    """Measure the chosen tables, the seeds one after the other, and show the results."""
    parser = _parser()
    options = parser.parse_args()
    facts = environment(
        command(parser, options), load([OcelotOrdered.name], required=True).values()
    )
    training = Training(options.learning_rate, options.trees, options.rounds)
    outcomes: list[Outcome] = []
    for seed in options.seeds:
        for task in options.task or TASKS:
            print(f"{task}, seed {seed} …", flush=True)
            try:
                table = split_table(task)
            except DataMissingError as error:
                print(f"{task} is not measured: {error}")
                continue
            outcomes.append(measure(task, table, training, seed, options.scale))
            if options.json:
                keep(options.json, facts, {f"{task}, seed {seed}": asdict(outcomes[-1])})
    tables = [curve_table(outcomes), stop_table(outcomes)]
    for shown in tables:
        shown.show()
    if options.markdown:
        write_markdown(options.markdown, facts, tables)


if __name__ == "__main__":
    main()
