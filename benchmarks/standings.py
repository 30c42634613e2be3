"""How the libraries compare with CatBoost, mode by mode, over several tables and seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.comparison import percent, standard_error, with_error
from benchmarks.peers import NAMES, OURS, CatBoost, CatBoostOrdered, Ocelot, OcelotOrdered
from benchmarks.report import NOTHING, Table, number
from benchmarks.runs import Run, find_run

TOLERANCE = 0.005  # on any one table; on average Ocelot must be better
RIVALS = {  # Ordered against Ordered, everybody else against CatBoost Plain
    **{name: CatBoost.name for name in NAMES if name != CatBoost.name},
    OcelotOrdered.name: CatBoostOrdered.name,
}
MODES = ((OcelotOrdered.name, Ocelot.name), (CatBoostOrdered.name, CatBoost.name))


@dataclass(frozen=True)
class Pair:
    """A library compared with a rival on one table: relative differences of their losses."""

    task: str
    library: str
    rival: str
    differences: list[float]  # one per seed that both have; + is worse

    @property
    def mean(self) -> float:
        """Over the seeds."""
        return statistics.mean(self.differences)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return standard_error(self.differences)


def pair(runs: Sequence[Run], task: str, library: str, rival: str) -> Pair | None:
    """Both with the same seeds; None if they have none in common."""
    own = [run for run in runs if (run.conditions.task, run.library) == (task, library)]
    both = [(run, find_run(runs, run.conditions, rival)) for run in own]
    differences = [run.loss / other.loss - 1 for run, other in both if other is not None]
    return Pair(task, library, rival, differences) if differences else None


def pairs(runs: Sequence[Run], library: str, rival: str) -> list[Pair]:
    """On every table that both have run on."""
    found = (pair(runs, task, library, rival) for task in _tasks(runs))
    return [one for one in found if one is not None]


def standings(runs: Sequence[Run]) -> list[Table]:
    """All tables that have rows: losses, averages, and the modes compared."""
    tables = (loss_table(runs), average_table(runs), mode_table(runs))
    return [table for table in tables if table.rows]


def loss_table(runs: Sequence[Run]) -> Table:
    """One row per table and library, each compared with its rival."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.conditions.task, run.library), []).append(run)
    rows = [
        [task, *_run_cells(library, own), *_rival_cells(runs, task, library)]
        for (task, library), own in groups.items()
    ]
    return Table(
        f"Test loss; ours worse than CatBoost's by at most {TOLERANCE:.1%}",
        (
            "data",
            "library",
            "seeds",
            "test loss",
            "fit s",
            "trees",
            "compared with",
            "difference",
            "result",
        ),
        rows,
    )


def _run_cells(library: str, own: Sequence[Run]) -> list[str]:
    return [
        library + (" (stored)" if any(run.stored for run in own) else ""),
        str(len(own)),
        with_error([run.loss for run in own]),
        number(statistics.mean(run.seconds for run in own)),
        f"{statistics.mean(run.trees for run in own):.0f}",
    ]


def _rival_cells(runs: Sequence[Run], task: str, library: str) -> list[str]:
    rival = RIVALS.get(library)
    found = None if rival is None else pair(runs, task, library, rival)
    if found is None:
        return [NOTHING] * 3
    return [found.rival, percent(found.mean, found.error), _verdict(library, found.mean, TOLERANCE)]


def average_table(runs: Sequence[Run]) -> Table:
    """Every library against its rival: the mean over the tables of the mean over the seeds.

    A table on which losses are close to 0 can outweigh all others: hence the median too.
    """
    rows = []
    for library, rival in RIVALS.items():
        found = pairs(runs, library, rival)
        if not found:
            continue
        means = [one.mean for one in found]
        rows.append(
            [
                library,
                rival,
                str(len(found)),
                _average(found),
                percent(statistics.median(means), math.nan),
                percent(max(means), math.nan),
                _verdict(library, statistics.mean(means), 0.0),
            ]
        )
    header = ("library", "compared with", "tables", "average", "median", "worst", "result")
    return Table("Average over the tables; ours better than CatBoost", header, rows)


def mode_table(runs: Sequence[Run]) -> Table:
    """Ordered compared with Plain of the same library; one row per table, the average last."""
    columns = {}
    for ordered, plain in MODES:
        found = pairs(runs, ordered, plain)
        if found:
            cells = {one.task: percent(one.mean, one.error) for one in found}
            columns[f"{ordered} compared with {plain}"] = {**cells, "average": _average(found)}
    rows = [
        [task, *(cells.get(task, NOTHING) for cells in columns.values())]
        for task in (*_tasks(runs), "average")
        if any(task in cells for cells in columns.values())
    ]
    return Table("Ordered compared with Plain", ("data", *columns), rows)


def stored_note(runs: Sequence[Run]) -> str:
    """Which values of the tables were not measured with the others."""
    found = {f"{run.library} {run.version}": None for run in runs if run.stored}
    return f"Stored, from an earlier run: {', '.join(found)}." if found else "All values measured."


def _tasks(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(run.conditions.task for run in runs))


def _average(found: Sequence[Pair]) -> str:
    """Over the tables, with the standard error that follows from each table's own."""
    error = math.hypot(*(one.error for one in found)) / len(found)
    return percent(statistics.mean(one.mean for one in found), error)


def _verdict(library: str, difference: float, limit: float) -> str:
    if library not in OURS:
        return NOTHING
    return "ok" if difference <= limit else "missed"
