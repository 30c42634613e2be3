"""A document as Markdown, for a terminal or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ocelotboost.report.document import (
    CODE,
    END_CODE,
    END_STRONG,
    STRONG,
    Block,
    Cell,
    Code,
    Document,
    Paragraph,
    Table,
)

_SIGNS = {"good": "✓ ", "warning": "! ", "bad": "✗ ", "": ""}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")
_MOST_ROWS = 20


def markdown(document: Document) -> str:
    lines = [f"# {_inline(document.title)}", "", _inline(document.subtitle), ""]
    for section in document.sections:
        lines += [f"## {section.title}", ""]
        for block in section.blocks:
            if not (isinstance(block, Table) and block.page_only):
                lines += [*_block(block), ""]
    return "\n".join(lines).rstrip() + "\n"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield _SIGNS[block.tone] + _inline(block.text)
    elif isinstance(block, Code):
        yield f"```python\n{block.text}\n```"
    elif isinstance(block, Table):
        yield from _table(block)
    else:
        yield f"*{_inline(block.title)}.* {_inline(block.says)}"


def _table(table: Table) -> Iterator[str]:
    yield "| " + " | ".join(_inline(text) for text in table.header) + " |"
    rule = [" --- " if place in table.left else " ---: " for place in range(len(table.header))]
    yield "|" + "|".join(rule) + "|"
    for row in table.rows[:_MOST_ROWS]:
        texts = [cell.text if isinstance(cell, Cell) else cell for cell in row]
        yield "| " + " | ".join(_inline(text) for text in texts) + " |"
    if len(table.rows) > _MOST_ROWS:
        yield ""
        yield f"… and {len(table.rows) - _MOST_ROWS:,} more."
    if table.caption:
        yield ""
        yield _inline(table.caption)


def _inline(text: str) -> str:
    """Emphasis as Markdown has it, and nothing else that Markdown would take for its own."""
    escaped = re.sub(
        f"{CODE}(.*?){END_CODE}|([^{CODE}]+)",
        lambda found: (
            _as_code(found[1]) if found[1] is not None else _SPECIAL.sub(r"\\\1", found[2])
        ),
        text,
    )
    return escaped.replace(STRONG, "**").replace(END_STRONG, "**")


def _as_code(text: str) -> str:
    """In as many backticks as it takes; a pipe would end the cell of a table."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    inner = text.replace("|", "\\|")
    space = " " if longest or not inner.strip() else ""
    return f"{fence}{space}{inner}{space}{fence}"
