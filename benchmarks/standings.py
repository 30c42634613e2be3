"""How the libraries stand beside CatBoost Plain, over several tables and seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.comparison import percent, relative_differences, standard_error
from benchmarks.peers import CatBoost, Ocelot
from benchmarks.report import NOTHING, Table, number
from benchmarks.runs import Run, find_run

BASELINE = CatBoost.name
TOLERANCE = 0.005  # on any one table; on average Ocelot must be better


@dataclass(frozen=True)
class Standing:
    """All runs of a library on one table, by seed, and CatBoost's with the same seeds."""

    task: str
    library: str
    runs: list[Run]
    baseline: list[Run]  # empty if CatBoost was not run with the same seeds

    @property
    def differences(self) -> list[float]:
        """Relative to CatBoost with the same seed; positive is worse."""
        if not self.baseline:
            return []
        return relative_differences(
            [run.loss for run in self.runs], [run.loss for run in self.baseline]
        )

    def cells(self) -> list[str]:
        """A row of the table."""
        losses = [run.loss for run in self.runs]
        error = standard_error(losses)
        differences = self.differences
        return [
            self.task,
            self.library + (" (stored)" if any(run.stored for run in self.runs) else ""),
            f"{statistics.mean(losses):.5f}" + ("" if math.isnan(error) else f" ± {error:.5f}"),
            _percent_of(differences),
            number(statistics.mean(run.seconds for run in self.runs)),
            f"{statistics.mean(run.trees for run in self.runs):.0f}",
            _verdict(self.library, differences, TOLERANCE),
        ]


def standings(runs: Sequence[Run]) -> list[Standing]:
    """In the order of the first run of each table and library."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.conditions.task, run.library), []).append(run)
    found = []
    for (task, library), own in groups.items():
        baseline = [find_run(runs, run.conditions, BASELINE) for run in own]
        paired = [run for run in baseline if run is not None]
        found.append(Standing(task, library, own, paired if len(paired) == len(own) else []))
    return found


def loss_table(found: Sequence[Standing]) -> Table:
    """A row a table and library."""
    header = ("data", "library", "test loss", f"beside {BASELINE}", "fit s", "trees", "result")
    title = f"Test loss; worse than {BASELINE} by at most {TOLERANCE:.1%}"
    return Table(title, header, [standing.cells() for standing in found])


def average_table(found: Sequence[Standing]) -> Table:
    """The mean over the tables of each library's mean difference."""
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
                percent(max(means), math.nan),
                _verdict(name, means, 0.0),
            ]
        )
    header = ("library", "tables", f"beside {BASELINE}", "worst", "result")
    return Table(f"Average over the tables; better than {BASELINE}", header, rows)


def _percent_of(differences: Sequence[float]) -> str:
    if not differences:
        return NOTHING
    return percent(statistics.mean(differences), standard_error(differences))


def _verdict(library: str, differences: Sequence[float], limit: float) -> str:
    if library != Ocelot.name or not differences:
        return NOTHING
    return "ok" if statistics.mean(differences) <= limit else "missed"
