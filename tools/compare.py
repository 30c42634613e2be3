"""Write a generated file, or say how the one that is there differs."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path


def write_or_check(path: Path, text: str, *, check: bool, remedy: str) -> None:
    """Write `text`; with `check` change nothing, and exit with the difference if there is one."""
    if not check:
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
        return
    found = path.read_text(encoding="utf-8") if path.exists() else ""
    if found == text:
        return
    lines = difflib.unified_diff(
        found.splitlines(), text.splitlines(), str(path), "generated", lineterm=""
    )
    sys.exit("\n".join([*lines, f"{path} is out of date: run `{remedy}`."]))
