"""Pages -> HTML."""

from __future__ import annotations

from pathlib import Path

from sphinx.cmd.build import main as sphinx_build

from tools.site.stage import stage

_CONFIGURATION = Path(__file__).parent


def build(folder: Path) -> Path | None:
    """Build the site below the folder and return its first page; None: there were warnings."""
    source, html = folder / "source", folder / "html"
    stage(source)
    options = ["--quiet", "--fail-on-warning", "--keep-going", "-c", str(_CONFIGURATION)]
    options += ["-d", str(folder / "doctrees"), "-b", "html"]
    failed = sphinx_build([*options, str(source), str(html)])
    return None if failed else html / "index.html"
