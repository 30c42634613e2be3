"""Tables on the screen and in Markdown, and how they were measured."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from benchmarks.peers import Library, versions

NOTHING = "–"
WIDTH_OF_A_FILE = 150


@dataclass(frozen=True)
class Table:
    """A title, a header and rows of text."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[Sequence[str]]

    def show(self) -> None:
        """Print it."""
        table = RichTable(title=self.title, title_justify="left")
        for position, name in enumerate(self.header):
            table.add_column(name, justify="right" if position else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        Console(width=None if sys.stdout.isatty() else WIDTH_OF_A_FILE).print(table)

    def markdown(self) -> str:
        """The same as a Markdown table, without the title."""
        ruler = ["---"] + ["---:"] * (len(self.header) - 1)
        return "\n".join("| " + " | ".join(row) + " |" for row in [self.header, ruler, *self.rows])


def number(value: float | None) -> str:
    """Three figures."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"


def environment(command: str, libraries: Iterable[Library]) -> dict[str, Any]:
    """What a reader must know of a measurement: command, machine, versions, day, revision."""
    return {
        "command": command,
        "cores": cores(),
        "python": platform.python_version(),
        "versions": versions(libraries),
        "date": datetime.date.today().isoformat(),
        "revision": revision(),
    }


def revision() -> str:
    """The commit that was measured; a plus where files other than results had been changed."""
    commit = _git("rev-parse", "--short", "HEAD")
    changed = _git("diff", "--name-only", "HEAD", "--", ".", ":!benchmarks/results")
    return f"{commit}{'+' if changed else ''}" if commit else "unknown"


def _git(*arguments: str) -> str:
    project = Path(__file__).resolve().parent.parent
    called = subprocess.run(
        ["git", *arguments], capture_output=True, text=True, cwd=project, check=False
    )
    return called.stdout.strip()


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def provenance(facts: Mapping[str, Any]) -> str:
    """How and when something was measured, in words that follow "measured"."""
    found = ", ".join(f"{package} {version}" for package, version in facts["versions"].items())
    cores = "1 core" if facts["cores"] == 1 else f"{facts['cores']} cores"
    return (
        f"on {facts['date']} at revision {facts['revision']} by `{facts['command']}`, "
        f"{cores}, Python {facts['python']}; {found}."
    )


def write_markdown(path: Path, facts: Mapping[str, Any], tables: Iterable[Table]) -> None:
    """The tables for a page of prose, and how they were measured."""
    parts = [*(table.markdown() for table in tables), f"Measured {provenance(facts)}"]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
