"""The table that is shown before training: what each column is, and what looks odd."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from ocelotboost.files.profile import ColumnProfile, TableProfile
from ocelotboost.report.figures import percent

#: Of a table with more columns, those that look odd are shown, and the first.
MOST_SHOWN = 40
_STYLES = {"target": "bold green", "ignored": "dim", "feature": "", "time": "cyan"}


def columns_table(profile: TableProfile) -> Group:
    """One line per column."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("column", max_width=24, no_wrap=True, overflow="ellipsis")
    table.add_column("role", no_wrap=True)
    table.add_column("type", no_wrap=True)
    table.add_column("distinct", justify="right")
    table.add_column("missing", justify="right")
    table.add_column("example", max_width=18, no_wrap=True, overflow="ellipsis")
    table.add_column("what looks odd", style="yellow")
    shown = _chosen(profile.columns)
    for column in shown:
        missing = column.n_missing / max(profile.n_rows, 1)
        table.add_row(
            Text(column.name),
            Text(column.role, style=_STYLES.get(column.role, "cyan")),
            column.type,
            f"{column.n_distinct:,}",
            percent(missing) if column.n_missing else "",
            Text(column.example, style="dim"),
            "\n".join(column.odd),
        )
    hidden = len(profile.columns) - len(shown)
    notes = [f"… and {hidden:,} more columns, of which nothing looks odd"] if hidden else []
    if profile.n_looked_at < profile.n_rows:
        notes.append(f"distinct values are those of {profile.n_looked_at:,} rows")
    return Group(table, *(Text(note, style="dim") for note in notes))


def _chosen(columns: tuple[ColumnProfile, ...]) -> list[ColumnProfile]:
    if len(columns) <= MOST_SHOWN:
        return list(columns)
    important = [c for c in columns if c.odd or c.role not in ("feature", "ignored")]
    others = [c for c in columns if c not in important]
    kept = {c.name for c in (*important, *others)[: max(MOST_SHOWN, len(important))]}
    return [c for c in columns if c.name in kept]
