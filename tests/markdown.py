"""What tests need of Markdown pages: their code blocks and their links."""

from __future__ import annotations

import re
from pathlib import Path

from tools import markdown
from tools.markdown import Block

PROJECT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md"), *PROJECT.glob("[a-ce-z]*/README.md")]
)

_LINK = re.compile(r"\]\(([^)\s]+)\)")


def name(page: Path) -> str:
    """The path from the project's root."""
    return str(page.relative_to(PROJECT))


def blocks(page: Path) -> list[Block]:
    """The code blocks of a page."""
    return markdown.blocks(page.read_text(encoding="utf-8"))


def run(page: Path) -> list[str]:
    """Run a page's code; the messages of errors that it asks for are returned."""
    return markdown.run(blocks(page), page, name(page))


def links(page: Path) -> list[str]:
    """Links to other files of the project."""
    found = _LINK.findall(page.read_text(encoding="utf-8"))
    return [link.partition("#")[0] for link in found if "://" not in link]
