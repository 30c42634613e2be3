"""docs/benchmarks.md, whole, from the stored results: `python -m benchmarks.page`.

`--check` writes nothing, and fails where the page is not what the results say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from tools.compare import write_or_check

from benchmarks.cases import BY_NAME, NUMERIC_CASES
from benchmarks.categorical_cases import CATEGORICAL_CASES
from benchmarks.cluster import CASES as CLUSTER_CASES
from benchmarks.cluster import case_table
from benchmarks.cross_validation import CASES as FOLD_CASES
from benchmarks.cross_validation import case_table as fold_table
from benchmarks.defaults import read_outcomes
from benchmarks.defaults import standings as libraries_stand
from benchmarks.defaults import tables as default_tables
from benchmarks.explanation_cases import EXPLANATION_CASES
from benchmarks.measure import Measurement
from benchmarks.peers import NAMES
from benchmarks.quality import Comparison, summary_table
from benchmarks.report import Table, provenance
from benchmarks.runs import read_runs
from benchmarks.speed import Result, library_table
from benchmarks.speed import summary_table as goal_table
from benchmarks.standings import standings as categorical_standings
from benchmarks.store import RESULTS, Entries, read
from benchmarks.tuning import read_outcomes as read_tunings
from benchmarks.tuning import tables as tuning_tables

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
SPEED, CLUSTER, FOLDS, DEFAULTS, TUNING, QUALITY, CATEGORICAL = (
    RESULTS / f"{name}.json"
    for name in (
        "speed",
        "cluster",
        "cross_validation",
        "defaults",
        "tuning",
        "quality",
        "quality_categorical",
    )
)

STANDINGS_FIGURE = "![Loss and time of all libraries, over all tables](images/standings.svg)"

HEAD = """# Benchmarks

Everything on this page was written by `python -m benchmarks.page` from the files in
`benchmarks/results`. [How it is measured](../benchmarks/README.md). In every table a smaller value
is better, and a ratio below 1 is in Ocelot's favour."""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    speed = read(SPEED)
    for title, cases in (
        ("Speed on numbers", NUMERIC_CASES),
        ("Speed with categories", CATEGORICAL_CASES),
        ("Speed of explanations", EXPLANATION_CASES),
    ):
        own = {case.name: speed[case.name] for case in cases if case.name in speed}
        if own:
            results = [_result(name, entry["values"]) for name, entry in own.items()]
            tables = [goal_table(results), library_table(results, _measured(results))]
            parts += _section(title, tables, own)
    cluster = read(CLUSTER)
    if cluster:
        own = {name: cluster[name] for name in CLUSTER_CASES if name in cluster}
        tables = [case_table(CLUSTER_CASES[name], one["values"]) for name, one in own.items()]
        parts += _section("Shards, and a cluster of two workers", tables, own)
    folds = read(FOLDS)
    if folds:
        tables = [fold_table(FOLD_CASES[name], one["values"]) for name, one in folds.items()]
        parts += _section("Cross-validation", tables, folds)
    defaults = read_outcomes(DEFAULTS)
    if defaults:
        section = _section(
            "Every library at its own defaults", default_tables(defaults), read(DEFAULTS)
        )
        figure = [STANDINGS_FIGURE] if libraries_stand(defaults) else []
        parts += [section[0], *figure, *section[1:]]
    tunings = tuning_tables(read_tunings(TUNING))
    if tunings:
        parts += _section("Fifty trials of tuning", tunings, read(TUNING))
    quality = read(QUALITY)
    if quality:
        found = [Comparison(**one) for entry in quality.values() for one in entry["values"]]
        parts += _section("Quality on numbers", [summary_table(found)], quality)
    runs = read_runs(CATEGORICAL)
    if runs:
        parts += _section("Quality with categories", categorical_standings(runs), read(CATEGORICAL))
    if len(parts) == 1:
        parts.append("No results are stored for this version of the code yet.")
    return "\n\n".join(parts) + "\n"


def _result(name: str, values: Sequence[Mapping[str, Any]]) -> Result:
    return Result(BY_NAME[name], [Measurement(**measured) for measured in values])


def _measured(results: Iterable[Result]) -> list[str]:
    """The libraries that have a value in any case, in the usual order."""
    labels = {m.label.split(",")[0] for result in results for m in result.measurements}
    return [name for name in NAMES if name in labels]


def _section(title: str, tables: Iterable[Table], entries: Entries) -> list[str]:
    parts = [f"## {title}"]
    for table in tables:
        parts += [f"### {table.title}", table.markdown()]
    return [*parts, _provenance(entries)]


def _provenance(entries: Entries) -> str:
    """How and when the entries were measured: one item for each call of a command."""
    calls: dict[str, list[str]] = {}
    for name, entry in entries.items():
        calls.setdefault(provenance(entry["facts"]), []).append(name)
    if len(calls) == 1:
        return _wrapped(f"Measured {next(iter(calls))}")
    return "\n".join(
        _wrapped(f"- {len(names)} of {len(entries)} measured {call}", indent="  ")
        for call, names in calls.items()
    )


def _wrapped(text: str, indent: str = "") -> str:
    return fill(text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    write_or_check("benchmarks.page", __doc__, PAGE, page, remedy="python -m benchmarks.page")
