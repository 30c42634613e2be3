"""Prose is plain English, in lines of at most 100 columns; what misled readers stays away."""

from __future__ import annotations

import re

import pytest

from tests.markdown import PAGES, PROJECT, name

FOLDERS = ("src", "cpp", "benchmarks", "experiments", "examples", "tools", "tests")
SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in (PROJECT / folder).rglob("*")
    if path.suffix in {".py", ".h", ".cpp"} and path.name != "test_prose.py"
)
SPACE = r"(?:\s+|\s*\n\s*(?:#|//)\s+)"  # a comment may go on in the next line
PARTS = "ms|(one|two|[0-9]+) (part|gradient|number|code|line|pass|call|loss|name)s?"
PARTS += "|(bit|byte|digit|second|step|value|word)s?"
THINGS = "row|tree|column|value|leaf|bin|byte|level|node|class|output|call|entry|feature|target"

#: What is written, and what to write instead.
INSTEAD = {
    rf"\b({PARTS}) an? ({THINGS})\b": "bytes per row, one gradient per row",
    r"\bso (many|much) (?!(as|that)\b)\w+": "at most this many rows, or this many rows",
    r"\bbeside (?!the point\b)": "compared with, next to, in addition to",
    r"\bcame of it\b": "the result",
    r"\bfor ever\b": "forever",
}


@pytest.mark.parametrize("wrong", INSTEAD)
def test_nothing_is_said_in_a_dialect(wrong):
    found = []
    for path in (*PAGES, *SOURCES):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(wrong.replace(" ", SPACE), text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{name(path)}:{line}: {' '.join(match[0].split())}")
    assert found == [], f"write: {INSTEAD[wrong]}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_have_at_most_100_columns(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    long = [line for line in text.splitlines() if len(line) > 100 and line[0] not in "|!"]
    assert long == []
