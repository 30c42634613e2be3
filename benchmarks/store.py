"""Results in files: measured once, kept with how and when, read again by the page.

A file maps names to entries, and an entry is `{"facts": ..., "values": ...}`. Measuring a name
again replaces its entry and leaves the others alone, so a table may be measured piece by piece.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"

Entries = dict[str, dict[str, Any]]


def keep(path: Path, facts: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Put these values into the file; it is whole at any moment."""
    entries = {**read(path), **{name: {"facts": facts, "values": v} for name, v in values.items()}}
    unfinished = path.with_name(path.name + ".unfinished")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


def read(path: Path) -> Entries:
    """All entries; none where there is no file."""
    if not path.exists():
        return {}
    entries: Entries = json.loads(path.read_text(encoding="utf-8"))
    return entries
