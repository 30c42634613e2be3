"""Parts of a Markdown page that a command writes: they stand between two comments."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def between(text: str, name: str, command: str, lines: Iterable[str], page: Path) -> str:
    """The text with other lines between the comments of this name; `page` is for the error."""
    begin, end = f"<!-- {name}: written by `{command}` -->", f"<!-- end of {name} -->"
    assert text.count(begin) == text.count(end) == 1, f"{page} needs {begin} and {end} once"
    before, _, rest = text.partition(begin)
    return "\n".join([before + begin, *lines, end + rest.partition(end)[2]])
