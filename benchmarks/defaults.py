"""Every library as it comes, on real tables: `python -m benchmarks.defaults`.

A library is told the loss, the categorical columns, the seed and the number of threads. All else is
its own default. Test loss and training time are kept; `benchmarks.front` draws them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.comparison import mean_log_loss, root_mean_square
from benchmarks.folder import DataMissingError
from benchmarks.options import command, make_parser
from benchmarks.peers import (
    CatBoost,
    ChimeraBoost,
    Defaults,
    Library,
    LightGBM,
    Ocelot,
    XGBoost,
    load,
    parse_names,
)
from benchmarks.report import NOTHING, Table, environment, number
from benchmarks.store import keep, read
from benchmarks.tables import scaled, split_table

LIBRARIES = tuple(kind.name for kind in (Ocelot, CatBoost, LightGBM, XGBoost, ChimeraBoost))
LOSSES = {
    "amazon": "Logloss",
    "adult": "Logloss",
    "internet": "Logloss",
    "kick": "Logloss",
    "california_housing": "RMSE",
}
METRICS = {"Logloss": ("log loss", mean_log_loss), "RMSE": ("RMSE", root_mean_square)}
SEEDS = (0, 1)
WARM_UP_ROWS = 1000


@dataclass(frozen=True)
class Outcome:
    """One fit of one library: loss on the test rows, seconds of training."""

    task: str
    seed: int
    library: str
    loss: float
    seconds: float


@dataclass(frozen=True)
class Summary:
    """A library on one table: the mean loss over the seeds, the shortest time."""

    task: str
    library: str
    loss: float
    seconds: float


def measure(task: str, seed: int, library: Library, scale: float) -> Outcome:
    """Train on all training rows, score the test rows."""
    table = split_table(task)
    defaults = Defaults(LOSSES[task], seed)
    train, test = scaled(table.train, scale, seed), table.test
    start = time.perf_counter()
    predict = library.fit_defaults(train, defaults)
    seconds = time.perf_counter() - start
    metric = METRICS[defaults.loss][1]
    loss = metric(test, np.asarray(predict(test.features)))
    return Outcome(task, seed, library.name, loss, seconds)


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
    return summaries([Outcome(**entry["values"]) for entry in read(path).values()])


def summaries(outcomes: Sequence[Outcome]) -> list[Summary]:
    """By table and library, in the order of the lists above."""
    found = []
    for task in LOSSES:
        for library in LIBRARIES:
            own = [o for o in outcomes if (o.task, o.library) == (task, library)]
            if own:
                loss = statistics.mean(o.loss for o in own)
                found.append(Summary(task, library, loss, min(o.seconds for o in own)))
    return found


def loss_table(found: Sequence[Summary]) -> Table:
    """Test losses, the best of each row in bold."""
    losses = {(one.task, one.library): one.loss for one in found}
    titles = {task: f"{task}, {METRICS[loss][0]}" for task, loss in LOSSES.items()}
    return _table("Test loss", losses, titles, _four_places)


def time_table(found: Sequence[Summary]) -> Table:
    """Seconds of training, the shortest of each row in bold."""
    times = {(one.task, one.library): one.seconds for one in found}
    return _table("Training time in seconds", times, {task: task for task in LOSSES}, number)


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


def in_bold(value: float | None, best: float, text: Callable[[float], str] = number) -> str:
    """A cell of a Markdown table, bold if it is the best of its row."""
    if value is None:
        return NOTHING
    return f"**{text(value)}**" if value == best else text(value)


def _four_places(loss: float) -> str:
    return f"{loss:,.0f}" if loss > 100 else f"{loss:.4f}"


def main() -> None:
    """All libraries on all tables, one seed after the other."""
    parser = make_parser("benchmarks.defaults", __doc__, "--task", LOSSES)
    parser.add_argument("--only", type=parse_names, metavar="LIBRARY,...")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    options = parser.parse_args()
    libraries = load(options.only or LIBRARIES, required=bool(options.only))
    facts = environment(command(parser, options), libraries.values())
    outcomes = []
    try:
        warm_up(libraries.values())
        for seed in options.seeds:
            for task in options.task or LOSSES:
                print(f"{task}, seed {seed} …", flush=True)
                for library in libraries.values():
                    outcome = measure(task, seed, library, options.scale)
                    outcomes.append(outcome)
                    print(f"  {library.name}: {outcome.loss:.5g}, {outcome.seconds:.1f} s")
                    if options.json:
                        keep_outcome(options.json, facts, outcome)
    except DataMissingError as error:
        parser.exit(1, f"nothing more is measured: {error}\n")
    found = summaries(outcomes)
    for table in (loss_table(found), time_table(found)):
        table.show()


if __name__ == "__main__":
    main()
