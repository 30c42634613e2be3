"""Equations as MathML: browsers draw it themselves, so that pages need no script and no fonts."""

from __future__ import annotations

from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator: Any, node: Any) -> None:
    translator.body.append(convert(node.astext(), display="inline"))
    raise SkipNode


def _block(translator: Any, node: Any) -> None:
    equation = convert(node.astext(), display="block")
    translator.body.append(f'<div class="math">{equation}</div>\n')
    raise SkipNode
