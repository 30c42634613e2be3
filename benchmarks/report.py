"""Tables on the screen and in Markdown, and the words about where they were made."""

from __future__ import annotations

import os
import platform
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
    """What a reader must know to repeat the measurement."""
    return {
        "command": command,
        "cores": cores(),
        "python": platform.python_version(),
        "versions": versions(libraries),
    }


def provenance(facts: Mapping[str, Any]) -> str:
    """One sentence of `environment`."""
    found = ", ".join(f"{package} {version}" for package, version in facts["versions"].items())
    cores = "1 core" if facts["cores"] == 1 else f"{facts['cores']} cores"
    return f"Made by `{facts['command']}` on {cores}, Python {facts['python']}; {found}."


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def write_markdown(path: Path, facts: Mapping[str, Any], parts: Iterable[str]) -> None:
    """Parts separated by empty lines, the provenance last."""
    path.write_text("\n\n".join([*parts, provenance(facts)]) + "\n", encoding="utf-8")
