"""What commands write into Markdown pages: parts between two comments, and links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path


def between(text: str, name: str, command: str, lines: Iterable[str], page: Path) -> str:
    """The text with other lines between the comments of this name; `page` is for the error."""
    begin, end = f"<!-- {name}: written by `{command}` -->", f"<!-- end of {name} -->"
    assert text.count(begin) == text.count(end) == 1, f"{page} needs {begin} and {end} once"
    before, _, rest = text.partition(begin)
    return "\n".join([before + begin, *lines, end + rest.partition(end)[2]])


def linked(text: str) -> str:
    """Names of pages in texts of the code as links from a page of `docs/`.

    >>> linked("more models (docs/quality.md)")
    'more models ([quality.md](quality.md))'
    """
    return re.sub(r"\bdocs/(\w+\.md)\b", r"[\1](\1)", text)
