"""How the libraries stand beside CatBoost Plain, over several tables and seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.comparison import percent, standard_error
from benchmarks.peers import CatBoost, Ocelot
from benchmarks.report import NOTHING, Table, number
from benchmarks.runs import Run, find_run

BASELINE = CatBoost.name
TOLERANCE = 0.005  # on any one table; on average Ocelot must be better


@dataclass(frozen=True)
class Standing:
    """All runs of a library on one table, and how they compare with CatBoost's."""

    task: str
    library: str
    runs: list[Run]  # one a seed
    differences: list[float]  # relative to CatBoost with the same seed, where it ran; + is worse

    def cells(self) -> list[str]:
        """A row of the table."""
        losses = [run.loss for run in self.runs]
        error = standard_error(losses)
        compared = self.differences
        return [
            self.task,
            self.library + (" (stored)" if any(run.stored for run in self.runs) else ""),
            str(len(self.runs)),
            f"{statistics.mean(losses):.5f}" + ("" if math.isnan(error) else f" ± {error:.5f}"),
            percent(statistics.mean(compared), standard_error(compared)) if compared else NOTHING,
            number(statistics.mean(run.seconds for run in self.runs)),
            f"{statistics.mean(run.trees for run in self.runs):.0f}",
            _verdict(self.library, compared, TOLERANCE),
        ]


def standings(runs: Sequence[Run]) -> list[Standing]:
    """In the order of the first run of each table and library."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.conditions.task, run.library), []).append(run)
    return [
        Standing(task, library, own, _differences(own, runs))
        for (task, library), own in groups.items()
    ]


def _differences(own: Sequence[Run], runs: Sequence[Run]) -> list[float]:
    pairs = [(run, find_run(runs, run.conditions, BASELINE)) for run in own]
    return [run.loss / other.loss - 1 for run, other in pairs if other is not None]


def loss_table(found: Sequence[Standing]) -> Table:
    """A row a table and library."""
    header = (
        "data",
        "library",
        "seeds",
        "test loss",
        f"beside {BASELINE}",
        "fit s",
        "trees",
        "result",
    )
    title = f"Test loss; worse than {BASELINE} by at most {TOLERANCE:.1%}"
    return Table(title, header, [standing.cells() for standing in found])


def average_table(found: Sequence[Standing]) -> Table:
    """The mean over the tables of each library's mean difference.

    A table on which losses are close to 0 can outweigh all others: hence the median beside it.
    """
    rows = []
    for name in dict.fromkeys(standing.library for standing in found):
        differences = [s.differences for s in found if s.library == name and s.differences]
        if name == BASELINE or not differences:
            continue
        means = [statistics.mean(values) for values in differences]
        error = math.hypot(*(standard_error(values) for values in differences)) / len(means)
        rows.append(
            [
                name,
                str(len(means)),
                percent(statistics.mean(means), error),
                percent(statistics.median(means), math.nan),
                percent(max(means), math.nan),
                _verdict(name, means, 0.0),
            ]
        )
    header = ("library", "tables", f"beside {BASELINE}", "median", "worst", "result")
    return Table(f"Average over the tables; better than {BASELINE}", header, rows)


def stored_words(runs: Sequence[Run]) -> str:
    """Which values of the tables were not measured with the others."""
    found = {f"{run.library} {run.version}": None for run in runs if run.stored}
    return f"Stored, from an earlier run: {', '.join(found)}." if found else "All values measured."


def _verdict(library: str, differences: Sequence[float], limit: float) -> str:
    if library != Ocelot.name or not differences:
        return NOTHING
    return "ok" if statistics.mean(differences) <= limit else "missed"
