"""Our docstrings, as Sphinx understands them.

They list what they describe in two columns,

    kind    which of five kinds, and
            how it goes on in the next line
    X       some rows

which becomes a list of definitions here. Names that end in an underscore become code, and paths of
pages become links. Of the numpydoc sections of an estimator, `Attributes` and `Methods` are left
out: every attribute and method has an entry of its own below.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_ENTRY = re.compile(r"^(?P<indent>\s*)(?P<name>\S.*?)(?P<gap>\s{2,})(?P<text>\S.*)$")
_DROPPED = ("Attributes", "Methods")
_PAGE = re.compile(r"\bdocs/(\w+)\.md\b")
_FITTED = re.compile(r"(?<![`\w.])(\w+_)(?![\w`\[])")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx. Our changes come before napoleon's."""
    app.connect("autodoc-process-docstring", _process, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _process(
    app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    if what == "class":
        lines[:] = without_sections(lines)
    lines[:] = [_plain(line) for line in with_definitions(lines)]


def without_sections(lines: list[str]) -> list[str]:
    """Without the numpydoc sections that repeat the entries of members."""
    kept: list[str] = []
    dropping = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if following and set(following) == {"-"}:
            dropping = line in _DROPPED
        if not dropping:
            kept.append(line)
    return kept


def _plain(line: str) -> str:
    """Without what reStructuredText would take for markup.

    >>> _plain("best_iteration_ tells which (docs/quality.md)")
    '``best_iteration_`` tells which (:doc:`/quality`)'
    """
    if line.lstrip().startswith((">>>", "...", "-")):
        return line
    line = _PAGE.sub(r":doc:`/\1`", line)
    line = _FITTED.sub(r"``\1``", line)
    return line if "``" in line else line.replace("*", r"\*")


def with_definitions(lines: list[str]) -> list[str]:
    """Paragraphs in two columns as lists of definitions.

    >>> with_definitions(["X   some rows", "    of a table", "by  columns"])
    ['X', '    some rows', '    of a table', 'by', '    columns']
    """
    written: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
        else:
            written += [*(_definitions(paragraph) or paragraph), line]
            paragraph = []
    return written[:-1]


def _definitions(paragraph: list[str]) -> list[str]:
    """The list that a paragraph is, or nothing: every line begins an entry at the same columns, or
    goes on at the second."""
    first = _ENTRY.match(paragraph[0]) if paragraph else None
    if first is None or first["name"].startswith((">>>", "-", "*", "|")):
        return []
    indent, column = first["indent"], first.start("text")
    written = []
    for line in paragraph:
        entry = _ENTRY.match(line)
        if len(line) - len(line.lstrip()) == column:
            written.append(f"{indent}    {line.strip()}")
        elif entry is not None and entry["indent"] == indent and entry.start("text") == column:
            written += [f"{indent}{entry['name']}", f"{indent}    {entry['text']}"]
        else:
            return []
    return written
