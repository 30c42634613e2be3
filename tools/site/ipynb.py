"""Notebooks that have run, as files for Jupyter."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

from tools.site.notebook import Cell, Shown


def ipynb(cells: Iterable[tuple[Cell, Shown | None]]) -> str:
    """The text of the file: cells, and the outputs of those of code (nbformat 4.5)."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {
        "cells": [_cell(cell, shown) for cell, shown in cells],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cell(cell: Cell, shown: Shown | None) -> dict[str, Any]:
    written = {"id": f"line-{cell.line}", "metadata": {}, "source": cell.content}
    if shown is None:
        return {"cell_type": "markdown", **written}
    return {
        "cell_type": "code",
        "execution_count": None,
        "outputs": _outputs(shown),
        **written,
    }


def _outputs(shown: Shown) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = []
    if shown.printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": shown.printed + "\n"})
    data = [{"image/png": base64.b64encode(figure).decode()} for figure in shown.figures]
    if shown.value:
        data.append({"text/html" if shown.is_html else "text/plain": shown.value})
    displays = [{"output_type": "display_data", "data": each, "metadata": {}} for each in data]
    return outputs + displays
