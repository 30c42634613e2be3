"""Every library as it comes, on real tables: `python -m benchmarks.defaults`.

A library is told the loss, the categorical columns, the seed and the number of threads. All else is
its own default. Test loss and training time are kept; `benchmarks.front` draws them.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.comparison import (
    mean_log_loss,
    poisson_deviance,
    root_mean_square,
    standard_error,
)
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import (
    CatBoost,
    ChimeraBoost,
    Defaults,
    Library,
    LightGBM,
    Ocelot,
    OcelotBest,
    OcelotFast,
    XGBoost,
    load,
    parse_names,
)
from benchmarks.report import NOTHING, Table, environment, number
from benchmarks.store import keep, read
from benchmarks.tables import scaled, split_table

LIBRARIES = tuple(kind.name for kind in (Ocelot, CatBoost, LightGBM, XGBoost, ChimeraBoost))
FAST, BEST = OcelotFast.name, OcelotBest.name


@dataclass(frozen=True)
class Task:
    """A table and what is predicted of it.

    rows       a random sample of so many; None: all of them
    by_ratio   losses are compared by their ratio; not where they are nearly zero
    """

    loss: str
    rows: int | None = None
    by_ratio: bool = True


TASKS = {
    "amazon": Task("Logloss"),
    "adult": Task("Logloss"),
    "internet": Task("Logloss"),
    "kick": Task("Logloss"),
    "california_housing": Task("RMSE"),
    "click_small": Task("Logloss"),
    "kdd09_appetency": Task("Logloss"),
    "kdd09_churn": Task("Logloss"),
    "kdd09_upselling": Task("Logloss"),
    "mushroom": Task("Logloss", by_ratio=False),
    "nursery": Task("MultiClass", by_ratio=False),
    "covtype": Task("MultiClass", rows=50_000),
    "casp_protein": Task("RMSE"),
    "abalone": Task("RMSE"),
    "insurance": Task("RMSE"),
    "nycflights13": Task("RMSE", rows=50_000),
    "fremtpl2": Task("Poisson", rows=100_000),
}
METRICS = {
    "Logloss": ("log loss", mean_log_loss),
    "MultiClass": ("log loss", mean_log_loss),
    "RMSE": ("RMSE", root_mean_square),
    "Poisson": ("Poisson deviance", poisson_deviance),
}
SEEDS = (0, 1, 2)
WARM_UP_ROWS = 1000
PREDICTIONS = 5  # the shortest counts


@dataclass(frozen=True)
class Outcome:
    """One fit of one library: loss on the test rows, seconds of training, seconds in which all test
    rows are predicted (None: nobody looked)."""

    task: str
    seed: int
    library: str
    loss: float
    seconds: float
    predicting: float | None = None


@dataclass(frozen=True)
class Summary:
    """A library on one table: the mean loss over the seeds, and the times of the first seed, for
    which all libraries run one after the other."""

    task: str
    library: str
    loss: float
    seconds: float
    predicting: float | None = None


def measure(task: str, seed: int, library: Library, scale: float) -> Outcome:
    """Train on all training rows, score the test rows."""
    table = split_table(task, TASKS[task].rows)
    defaults = Defaults(TASKS[task].loss, seed)
    train, test = scaled(table.train, scale, seed), table.test
    start = time.perf_counter()
    predict = library.fit_defaults(train, defaults)
    seconds = time.perf_counter() - start
    metric = METRICS[defaults.loss][1]
    predictions = []
    for _ in range(PREDICTIONS):
        start = time.perf_counter()
        predicted = predict(test.features)
        predictions.append(time.perf_counter() - start)
    loss = metric(test, np.asarray(predicted))
    return Outcome(task, seed, library.name, loss, seconds, min(predictions))


def warm_up(libraries: Iterable[Library]) -> None:
    """A small fit of each, which starts threads and compiles."""
    table = split_table("adult").train.take(slice(WARM_UP_ROWS))
    for library in libraries:
        library.fit_defaults(table, Defaults("Logloss"))


def keep_outcome(path: Path, facts: dict[str, object], outcome: Outcome) -> None:
    """Put it into a file of results."""
    name = f"{outcome.task}, seed {outcome.seed}, {outcome.library}"
    keep(path, facts, {name: asdict(outcome)})


def read_summaries(path: Path) -> list[Summary]:
    """What `keep_outcome` wrote, by table and library."""
    return summaries(read_outcomes(path))


def summaries(outcomes: Sequence[Outcome]) -> list[Summary]:
    """By table and library, in the order of the lists above."""
    found = []
    for task in TASKS:
        for library in (*LIBRARIES, FAST, BEST):
            own = [o for o in outcomes if (o.task, o.library) == (task, library)]
            if own:
                loss = statistics.mean(o.loss for o in own)
                first = min(own, key=lambda o: o.seed)
                found.append(Summary(task, library, loss, first.seconds, first.predicting))
    return found


def read_outcomes(path: Path) -> list[Outcome]:
    """What `keep_outcome` wrote."""
    return [Outcome(**entry["values"]) for entry in read(path).values()]


@dataclass(frozen=True)
class Standing:
    """A library over all tables that every library has.

    ratio    the mean of its loss relative to that of the best library per table
    error    the standard error of that mean, by how much the losses of each table vary with the
             seed; not a number when a table has one seed
    behind   the table where the ratio is largest, with the ratio
    seconds  the geometric mean of its times
    """

    library: str
    ratio: float
    error: float
    behind: tuple[str, float]
    seconds: float


def standings(outcomes: Sequence[Outcome]) -> list[Standing]:
    """The best first; our presets are compared with the same libraries."""
    found = {(one.task, one.library): one for one in summaries(outcomes)}
    tasks = [t for t in TASKS if all((t, library) in found for library in LIBRARIES)]
    compared = [task for task in tasks if TASKS[task].by_ratio]
    best = {task: min(found[task, library].loss for library in LIBRARIES) for task in compared}
    standing = []
    for library in (*LIBRARIES, FAST, BEST):
        if not compared or any((task, library) not in found for task in tasks):
            continue
        ratios = {task: found[task, library].loss / best[task] for task in compared}
        errors = [
            standard_error([o.loss / best[task] for o in outcomes if _is(o, task, library)])
            for task in compared
        ]
        times = [math.log(found[task, library].seconds) for task in tasks]
        standing.append(
            Standing(
                library,
                statistics.mean(ratios.values()),
                math.sqrt(sum(error**2 for error in errors)) / len(errors),
                max(ratios.items(), key=lambda item: item[1]),
                math.exp(statistics.mean(times)),
            )
        )
    return sorted(standing, key=lambda one: one.ratio)


def _is(outcome: Outcome, task: str, library: str) -> bool:
    return (outcome.task, outcome.library) == (task, library)


def standings_table(found: Sequence[Standing]) -> Table:
    """One row per library."""
    rows = [
        [
            one.library,
            f"{one.ratio:.4f}" + ("" if math.isnan(one.error) else f" ± {one.error:.4f}"),
            f"{one.behind[0]}, {one.behind[1]:.3f}",
            number(one.seconds),
        ]
        for one in found
    ]
    header = ("", "loss relative to the best, mean", "largest", "seconds, geometric mean")
    return Table("All tables together", header, rows)


def loss_table(found: Sequence[Summary], tasks: Iterable[str] = TASKS) -> Table:
    """Test losses, the best of each row in bold."""
    losses = {(one.task, one.library): one.loss for one in found}
    titles = {task: f"{task}, {METRICS[TASKS[task].loss][0]}" for task in tasks}
    return _table("Test loss", losses, titles, _four_places)


def time_table(found: Sequence[Summary]) -> Table:
    """Seconds of training, the shortest of each row in bold."""
    times = {(one.task, one.library): one.seconds for one in found}
    return _table("Training time in seconds", times, {task: task for task in TASKS}, number)


def _table(
    title: str,
    values: Mapping[tuple[str, str], float],
    titles: Mapping[str, str],
    text: Callable[[float], str],
) -> Table:
    rows = []
    for task, name in titles.items():
        own = {library: values.get((task, library)) for library in LIBRARIES}
        measured = [value for value in own.values() if value is not None]
        if measured:
            cells = (in_bold(value, min(measured), text) for value in own.values())
            rows.append([name, *cells])
    return Table(title, ("", *LIBRARIES), rows)


def best_table(outcomes: Sequence[Outcome]) -> Table:
    """What `quality="best"` gives, compared with the default of the same seeds."""
    seeds = {(one.task, one.seed) for one in outcomes if one.library == BEST}
    same = [one for one in outcomes if (one.task, one.seed) in seeds]
    found = {(one.task, one.library): one for one in summaries(same)}
    pairs = {
        task: (found[task, LIBRARIES[0]], found[task, BEST])
        for task in TASKS
        if (task, LIBRARIES[0]) in found and (task, BEST) in found
    }
    rows = []
    for task, (default, best) in pairs.items():
        losses = (_four_places(default.loss), _four_places(best.loss), _change([(default, best)]))
        rows.append([task, *losses, *_times([(default, best)])])
    compared = [pair for task, pair in pairs.items() if TASKS[task].by_ratio]
    if len(compared) > 1:
        rows.append(["mean", NOTHING, NOTHING, _change(compared), *_times(list(pairs.values()))])
    header = ("", "default", "best", "change", "times the time", "times that of predictions")
    return Table("quality='best' compared with the default", header, rows)


Pairs = Sequence[tuple[Summary, Summary]]


def _change(pairs: Pairs) -> str:
    """Of the loss, on average."""
    return f"{statistics.mean(best.loss / default.loss for default, best in pairs) - 1:+.2%}"


def _times(pairs: Pairs) -> tuple[str, str]:
    """The ratios of the times of training and of predictions, geometric means."""
    predicting = [(own.predicting, best.predicting) for own, best in pairs]
    known = [(own, best) for own, best in predicting if own is not None and best is not None]
    training = [(own.seconds, best.seconds) for own, best in pairs]
    return _mean_ratio(training), _mean_ratio(known) if len(known) == len(pairs) else NOTHING


def _mean_ratio(times: Iterable[tuple[float, float]]) -> str:
    return f"{math.exp(statistics.mean(math.log(best / own) for own, best in times)):.1f}"


def in_bold(value: float | None, best: float, text: Callable[[float], str] = number) -> str:
    """A cell of a Markdown table, bold if it is the best of its row."""
    if value is None:
        return NOTHING
    return f"**{text(value)}**" if value == best else text(value)


def _four_places(loss: float) -> str:
    return f"{loss:,.0f}" if loss > 100 else f"{loss:#.4g}" if loss > 10 else f"{loss:.4f}"


def tables(outcomes: Sequence[Outcome]) -> list[Table]:
    """All that is shown of them; empty tables are left out."""
    found = summaries(outcomes)
    every = (
        standings_table(standings(outcomes)),
        loss_table(found),
        time_table(found),
        best_table(outcomes),
    )
    return [table for table in every if table.rows]


def main() -> None:
    """All libraries on all tables, one seed after the other."""
    parser = make_parser("benchmarks.defaults", __doc__, "--task", TASKS)
    parser.add_argument("--only", type=parse_names, metavar="LIBRARY,...")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    options = parser.parse_args()
    libraries = load(options.only or LIBRARIES, required=bool(options.only))
    facts = environment(command(parser, options), libraries.values())
    outcomes = []
    try:
        warm_up(libraries.values())
        for seed in options.seeds:
            for task in options.task or TASKS:
                print(f"{task}, seed {seed} …", flush=True)
                for library in libraries.values():
                    outcome = measure(task, seed, library, options.scale)
                    outcomes.append(outcome)
                    print(f"  {library.name}: {outcome.loss:.5g}, {outcome.seconds:.1f} s")
                    if options.json:
                        keep_outcome(options.json, facts, outcome)
    except DataMissingError as error:
        parser.exit(1, f"nothing more is measured: {error}\n")
    for table in tables(read_outcomes(options.json) if options.json else outcomes):
        table.show()


if __name__ == "__main__":
    main()
