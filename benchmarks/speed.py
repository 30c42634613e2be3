"""The speed table: `python -m benchmarks.speed`; `--help` tells how to run a part of it."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from benchmarks.case import Case, Goal
from benchmarks.cases import BY_NAME
from benchmarks.folder import DataMissingError
from benchmarks.measure import WAYS, Measurement, entrants
from benchmarks.options import command, make_parser
from benchmarks.peers import NAMES, PEERS, Library, load, parse_names
from benchmarks.report import NOTHING, Table, environment, number
from benchmarks.store import keep


@dataclass(frozen=True)
class Result:
    """A case and what every entrant reached in it; nothing if it could not be measured."""

    case: Case
    measurements: list[Measurement]

    @property
    def columns(self) -> tuple[str, ...]:
        """What was measured, the goals' column first."""
        return WAYS[self.case.way].columns

    def value(self, label: str, column: str) -> float | None:
        """One value, None if it was not measured."""
        found = [m.values.get(column) for m in self.measurements if m.label == label]
        return found[0] if found else None

    def best(self, labels: Sequence[str], column: str) -> tuple[str, float] | None:
        """The entrant with the smallest value among those of `labels` that were measured."""
        found = [(label, self.value(label, column)) for label in labels]
        measured = [(label, value) for label, value in found if value is not None]
        return min(measured, key=lambda pair: pair[1], default=None)


def run(case: Case, libraries: dict[str, Library], repeat: int, scale: float) -> Result:
    """Measure one case and show its table."""
    print(f"\n{case.name} …", flush=True)
    if not libraries:
        print(f"{case.name} is not measured: it is about {', '.join(case.libraries)}")
        return Result(case, [])
    try:
        measured = WAYS[case.way].run(case, entrants(case, libraries), repeat, scale)
    except DataMissingError as error:
        print(f"{case.name} is not measured: {error}")
        return Result(case, [])
    result = Result(case, measured)
    case_table(result).show()
    return result


def case_table(result: Result) -> Table:
    """Library, values, and the ratio of the first value to the best peer's."""
    first = result.columns[0]
    fastest = result.best(PEERS, first)
    rows = [
        [
            m.label,
            *(number(m.values.get(column)) for column in result.columns),
            number(_ratio(m.values.get(first), fastest)),
        ]
        for m in result.measurements
    ]
    return Table(result.case.title, ("library", *result.columns, "ratio to the best peer"), rows)


def _ratio(value: float | None, other: tuple[str, float] | None) -> float | None:
    return None if value is None or other is None else value / other[1]


def summary_table(results: Sequence[Result]) -> Table:
    """A row for each goal: what was asked and what was reached."""
    header = ("case", "goal", "ours", "best of the others", "ratio", "ratio of totals", "result")
    rows = [goal_row(result, goal) for result in results for goal in result.case.goals]
    return Table("Goals", header, rows)


def goal_row(result: Result, goal: Goal) -> list[str]:
    """One goal. The ratio is of the first column; that of total times follows it."""
    first = result.columns[0]
    ours = result.best([goal.ours], first)
    best = result.best(goal.against, first)
    value = None if ours is None else ours[1]
    ratio = _ratio(value, best)
    reached = ratio if goal.against else value
    return [
        result.case.title,
        goal.text,
        _with_unit(ours, first),
        _with_unit(best, first),
        NOTHING if ratio is None else f"{ratio:.2f}",
        _ratio_of_totals(result, goal),
        "not measured" if reached is None else "ok" if reached <= goal.limit else "missed",
    ]


def _ratio_of_totals(result: Result, goal: Goal) -> str:
    if result.columns != WAYS["per_tree"].columns:
        return NOTHING
    total = result.columns[1]
    ratio = _ratio(result.value(goal.ours, total), result.best(goal.against, total))
    return NOTHING if ratio is None else f"{ratio:.2f}"


def _with_unit(found: tuple[str, float] | None, column: str) -> str:
    if found is None:
        return NOTHING
    label, value = found
    return f"{label} {number(value)} {column.removeprefix('total ')}"


def library_table(results: Sequence[Result], libraries: Sequence[str]) -> Table:
    """A row for each case, variant and column of values, one column per library."""
    rows = [
        [f"{variant.label(result.case.title)}: {column}"]
        + [number(result.value(variant.label(library), column)) for library in libraries]
        for result in results
        for variant in result.case.variants
        for column in result.columns
    ]
    return Table("All libraries", ("", *libraries), rows)


def _parser() -> ArgumentParser:
    parser = make_parser("benchmarks.speed", __doc__, "--case", BY_NAME)
    parser.add_argument("--only", type=parse_names, metavar="LIBRARY,...", help=", ".join(NAMES))
    parser.add_argument("--repeat", type=int, help="repetitions, instead of each case's own")
    return parser


def main() -> None:
    """Measure the chosen cases, show tables and the summary, write the files asked for."""
    parser = _parser()
    options = parser.parse_args()
    libraries = load(options.only or NAMES, required=bool(options.only))
    facts = environment(command(parser, options), libraries.values())
    results = []
    for name in options.case or BY_NAME:
        case = BY_NAME[name]
        chosen = {
            name: library
            for name, library in libraries.items()
            if case.admits(name, asked=bool(options.only))
        }
        result = run(case, chosen, options.repeat or case.repeat, options.scale)
        results.append(result)
        if options.json and result.measurements:
            keep(options.json, facts, {name: [asdict(m) for m in result.measurements]})
    summary_table(results).show()


if __name__ == "__main__":
    main()
