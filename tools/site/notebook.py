"""Percent scripts as pages: text, code, and what the code shows.

A script is an ordinary Python file. `# %%` begins a cell of code, `# %% [markdown]` one of text,
which is commented out; Jupyter, VS Code and others open it as a notebook. Cells run one after the
other in one namespace. A cell shows what it prints, the value of its last line, and its figures.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CELL = re.compile(r"^# %%[ \t]*(\[markdown\])?.*$", re.MULTILINE)

#: Pixels of a figure per pixel of a page, for screens that have more.
_DENSITY = 1.5


@dataclass(frozen=True)
class Cell:
    """A part of a script: text as Markdown, or code and the line that it begins in."""

    is_text: bool
    content: str
    line: int


@dataclass(frozen=True)
class Shown:
    """What a cell of code has shown: printed text, its value as text or HTML, figures as PNG."""

    printed: str
    value: str
    is_html: bool
    figures: list[bytes]


def cells(script: str) -> list[Cell]:
    """The parts of a percent script; what is before the first cell is not shown.

    >>> text, code = cells("# %% [markdown]\\n# # Hi\\n\\n# %%\\n1 + 1\\n")
    >>> text.content, code.content, code.line
    ('# Hi', '1 + 1', 5)
    """
    found = list(_CELL.finditer(script))
    ends = [mark.start() for mark in found[1:]] + [len(script)]
    parts = []
    for mark, end in zip(found, ends, strict=True):
        content = script[mark.end() : end].strip("\n")
        line = script.count("\n", 0, script.index(content, mark.end())) + 1
        if mark[1] is not None:
            content = re.sub(r"^# ?", "", content, flags=re.MULTILINE)
        parts.append(Cell(mark[1] is not None, content, line))
    return parts


def page(cells: Iterable[tuple[Cell, Shown | None]], images: Path) -> str:
    """The page of a script that has run; its figures go to the folder `images`."""
    lines: list[str] = []
    for cell, shown in cells:
        if shown is None:
            lines += [cell.content, ""]
            continue
        lines += ["```python", cell.content, "```", ""]
        for text in (shown.printed, "" if shown.is_html else shown.value):
            if text:
                lines += ["```{code-block} text", ":class: output", "", text, "```", ""]
        if shown.is_html:
            lines += ['<div class="output">', *_without_gaps(shown.value), "</div>", ""]
        for figure in shown.figures:
            images.mkdir(parents=True, exist_ok=True)
            file = images / f"figure_{cell.line}.png"
            file.write_bytes(figure)
            options = [f":alt: {_caption(cell)}", f":width: {_width(figure)}px"]
            lines += [f"```{{image}} {images.name}/{file.name}", *options, "```", ""]
    return "\n".join(lines)


def run(path: Path) -> list[tuple[Cell, Shown | None]]:
    """The cells of a script, and what those of code have shown; files go to a folder that is
    removed afterwards."""
    script = path.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": path.stem}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, _quiet_figures():
        os.chdir(folder)
        try:
            return [
                (cell, None if cell.is_text else _show(cell, path, namespace))
                for cell in cells(script)
            ]
        finally:
            os.chdir(before)


def _show(cell: Cell, path: Path, namespace: dict[str, Any]) -> Shown:
    tree = ast.parse("\n" * (cell.line - 1) + cell.content, str(path))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, str(path), "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(path), "eval"), namespace)
    figures = _figures()
    as_html = None if value is None or figures else getattr(value, "_repr_html_", None)
    html = as_html() if callable(as_html) else None
    text = "" if value is None or figures else repr(value)
    return Shown(printed.getvalue().rstrip(), html or text, html is not None, figures)


def _figures() -> list[bytes]:
    """The figures that are open, which are closed then."""
    from matplotlib import pyplot

    found = []
    for number in pyplot.get_fignums():
        image = io.BytesIO()
        figure = pyplot.figure(number)
        figure.savefig(image, format="png", dpi=_DENSITY * 96, bbox_inches="tight")
        found.append(image.getvalue())
    pyplot.close("all")
    return found


@contextlib.contextmanager
def _quiet_figures() -> Any:
    """Figures are drawn to files and not to windows; those that were open before are closed."""
    import matplotlib
    from matplotlib import pyplot

    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    pyplot.close("all")
    try:
        yield
    finally:
        matplotlib.use(before)


def _without_gaps(html: str) -> list[str]:
    """An empty line would end a block of HTML in Markdown."""
    return [line for line in html.splitlines() if line.strip()]


def _width(figure: bytes) -> int:
    """In pixels of a page; a PNG file has its width at the sixteenth byte."""
    return round(int.from_bytes(figure[16:20], "big") / _DENSITY)


def _caption(cell: Cell) -> str:
    """What a figure is called for those who cannot see it: the comment above its code."""
    first = cell.content.partition("\n")[0]
    return first.lstrip("# ") if first.startswith("#") else "The figure that the code above draws"
