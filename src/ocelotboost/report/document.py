"""A report before it is a page: sections of paragraphs, tables, figures and code.

``html`` and ``markdown`` render the same document. Emphasis inside a text is marked by control
characters, which no column name keeps; so a name can break neither of the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

STRONG, END_STRONG, CODE, END_CODE = "\x01", "\x02", "\x03", "\x04"

_CONTROL = dict.fromkeys((*range(32), 127), " ")
_LONGEST_NAME = 60


def name(value: object) -> str:
    """What a user called something: without control characters, and not too long.

    >>> name("a\\nb")
    'a b'
    """
    text = str(value).translate(_CONTROL)
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"


def strong(text: str) -> str:
    return f"{STRONG}{text}{END_STRONG}"


def code(value: object) -> str:
    """A name of the user's, or Python."""
    return f"{CODE}{name(value)}{END_CODE}"


@dataclass(frozen=True)
class Paragraph:
    """Sentences. tone: "" for text, "good", "warning" or "bad" for a box that stands out."""

    text: str
    tone: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell with more than text.

    tone  "good", "warning" or "bad"
    bar   from 0 to 1: a bar behind the text
    """

    text: str
    tone: str = ""
    bar: float | None = None


@dataclass(frozen=True)
class Table:
    """Columns to the right are numbers, unless ``left`` names them.

    left       positions of columns of text
    collapsed  the title of a table that the page opens on demand
    page_only  left out of Markdown
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str | Cell, ...], ...]
    caption: str = ""
    left: tuple[int, ...] = (0,)
    collapsed: str = ""
    page_only: bool = False


@dataclass(frozen=True)
class Figure:
    """What the page draws, by the function of the same name in page/*.js.

    kind  the function
    data  its argument, of JSON values
    says  what the figure shows, for those who do not see it; all that Markdown has of it
    wide  takes the whole width, not half of it
    """

    kind: str
    title: str
    data: dict[str, Any]
    says: str
    wide: bool = False


@dataclass(frozen=True)
class Code:
    """Python that can be run."""

    text: str


Block: TypeAlias = Paragraph | Table | Figure | Code


@dataclass(frozen=True)
class Section:
    """anchor  what links to it: letters alone
    short   its title in the navigation"""

    anchor: str
    short: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """All of a report.

    title     the model
    subtitle  on what it is judged
    data      arrays that several figures share
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    data: dict[str, Any] = field(default_factory=dict)

    def section(self, anchor: str) -> Section:
        return next(section for section in self.sections if section.anchor == anchor)


def section(anchor: str, short: str, title: str, blocks: Iterable[Block]) -> Section:
    return Section(anchor, short, title, tuple(blocks))


def listed(texts: Sequence[str], most: int = 5) -> str:
    """
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a, b and c', 'a, b and 1 other')
    """
    if len(texts) > most:
        others = len(texts) - most
        return f"{', '.join(texts[:most])} and {others:,} other{'s' if others > 1 else ''}"
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))
