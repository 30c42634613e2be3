"""The command behind a generated file: write it, or say how the one that is there differs."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable
from pathlib import Path


def write_or_check(
    module: str, description: str | None, path: Path, make: Callable[[], str], remedy: str
) -> bool:
    """Write the text; with --check change nothing, and exit with the difference if there is one.

    Returns whether it only checked.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if it differs")
    check = parser.parse_args().check
    text = make()
    if not check:
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
        return False
    found = path.read_text(encoding="utf-8") if path.exists() else ""
    if found == text:
        return True
    lines = difflib.unified_diff(
        found.splitlines(), text.splitlines(), str(path), "generated", lineterm=""
    )
    sys.exit("\n".join([*lines, f"{path} is out of date: run `{remedy}`."]))
