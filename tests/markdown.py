"""What tests need of Markdown pages: their Python blocks and their links."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [*PROJECT.glob("*.md"), *PROJECT.glob("docs/*.md"), *PROJECT.glob("[a-z]*/README.md")]
)

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def name(page: Path) -> str:
    """The path from the project's root."""
    return str(page.relative_to(PROJECT))


def python_blocks(page: Path) -> list[str]:
    """The Python blocks, each moved down to its own line numbers for the sake of tracebacks."""
    text = page.read_text(encoding="utf-8")
    return [
        "\n" * text.count("\n", 0, found.start(1)) + found.group(1)
        for found in _BLOCK.finditer(text)
    ]


def run(page: Path) -> dict[str, object]:
    """Run the blocks one after the other, as a reader would; what they define is returned."""
    namespace: dict[str, object] = {"__name__": name(page)}
    for block in python_blocks(page):
        exec(compile(block, page, "exec"), namespace)
    return namespace


def links(page: Path) -> list[str]:
    """Links to other files of the project."""
    found = _LINK.findall(page.read_text(encoding="utf-8"))
    return [link.partition("#")[0] for link in found if "://" not in link]
