"""A document as one HTML file: text and tables as they are, figures as data that a script draws.

Nothing is loaded from elsewhere: style, scripts and data are inside, and a policy forbids the rest.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from ocelotboost.report.document import (
    CODE,
    END_CODE,
    END_STRONG,
    STRONG,
    Block,
    Cell,
    Code,
    Document,
    Figure,
    Paragraph,
    Section,
    Table,
)

_SCRIPTS = ("figures", "curves", "threshold", "explained", "groups", "trees", "main")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_LONG = 30  # characters of a cell that gets room
_MARKS = {STRONG: "<strong>", END_STRONG: "</strong>", CODE: "<code>", END_CODE: "</code>"}


def html(document: Document) -> str:
    figures: list[Figure] = []
    body = "\n".join(_section(section, figures) for section in document.sections)
    data = {"shared": document.data, "figures": [figure.data for figure in figures]}
    links = "".join(
        f'<a href="#{section.anchor}">{escape(section.short)}</a>' for section in document.sections
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="color-scheme" content="light dark">
<title>{_plain(document.title)}: {_plain(document.subtitle)}</title>
<style>
{_file("style.css")}</style>
</head>
<body>
<a class="skip" href="#verdict">Skip to the verdict</a>
<header>
<div><h1>{_inline(document.title)}</h1><p>{_inline(document.subtitle)}</p></div>
<button type="button" id="theme" aria-label="Light or dark">◐</button>
</header>
<nav aria-label="Sections">{links}</nav>
<main>
{body}
</main>
<footer>Made by Ocelot. This page loads nothing from elsewhere.</footer>
<noscript><p class="note warning">Figures need JavaScript; text and tables do not.</p></noscript>
<script type="application/json" id="report-data">{_json(data)}</script>
<script>
{_scripts()}</script>
</body>
</html>
"""


def _section(section: Section, figures: list[Figure]) -> str:
    blocks = "\n".join(_block(block, figures) for block in section.blocks)
    return (
        f'<section id="{section.anchor}" aria-labelledby="{section.anchor}-title">\n'
        f'<h2 id="{section.anchor}-title">{escape(section.title)}</h2>\n{blocks}\n</section>'
    )


def _block(block: Block, figures: list[Figure]) -> str:
    if isinstance(block, Paragraph):
        kind = f' class="note {block.tone}"' if block.tone else ""
        return f"<p{kind}>{_inline(block.text)}</p>"
    if isinstance(block, Code):
        return f'<pre tabindex="0"><code>{escape(block.text)}</code></pre>'
    if isinstance(block, Table):
        return _table(block)
    figures.append(block)
    return (
        f'<figure class="{"wide" if block.wide else "half"}" data-kind="{block.kind}" '
        f'data-number="{len(figures) - 1}">'
        f"<figcaption><h3>{escape(block.title)}</h3></figcaption>"
        f'<div class="drawing" role="group" aria-label="{_plain(block.says)}"></div></figure>'
    )


def _table(table: Table) -> str:
    def kind(place: int) -> str:
        return ' class="text"' if place in table.left else ""

    head = "".join(
        f'<th scope="col"{kind(place)}>{_inline(text)}</th>'
        for place, text in enumerate(table.header)
    )
    rows = "\n".join(
        "<tr>" + "".join(_cell(cell, kind(place)) for place, cell in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    made = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )
    if table.caption:
        made += f'<p class="caption">{_inline(table.caption)}</p>'
    if table.collapsed:
        made = f"<details><summary>{_inline(table.collapsed)}</summary>{made}</details>"
    return made


def _cell(cell: str | Cell, kind: str) -> str:
    if not isinstance(cell, Cell):
        kind = kind.replace("text", "text long") if len(cell) > _LONG else kind
        return f"<td{kind}>{_inline(cell)}</td>"
    text = _inline(cell.text)
    if cell.tone:
        text = f'<span class="mark {cell.tone}">{text}</span>'
    if cell.bar is not None:
        text = f'<span class="bar" style="width:{100 * cell.bar:.1f}%"></span>{text}'
        kind = ' class="barred"'
    return f"<td{kind}>{text}</td>"


def _inline(text: str) -> str:
    escaped = escape(text).replace(" %", "\u00a0%")
    for mark, tag in _MARKS.items():
        escaped = escaped.replace(mark, tag)
    return escaped


def _plain(text: str) -> str:
    return escape(re.sub(f"[{''.join(_MARKS)}]", "", text))


def _json(data: Any) -> str:
    """JSON in which no text can end the script that holds it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _file(name: str) -> str:
    return (files("ocelotboost.report") / "page" / name).read_text(encoding="utf-8")


def _scripts() -> str:
    inner = "\n".join(_file(f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{inner}\n}})();\n'
