"""The folder that Sphinx reads: every page of the navigation, with links that fit there.

In the project a page is linked by its path, so that links work wherever the files are shown. On the
site, pages of `docs/` are at the top, and a link to a source file leads to a page that shows it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tools.site import navigation, notebook, reference
from tools.site.ipynb import ipynb

PROJECT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
_LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".js": "javascript", ".toml": "toml"}


class BrokenLinkError(Exception):
    """A page links to a file that is not there, or is not listed in the navigation."""


@dataclass
class Stage:
    """The pages that were written, and the files that they link to."""

    folder: Path
    places: Mapping[str, PurePosixPath]  # by path in the project
    sources: set[str] = field(default_factory=set)

    def write(self, place: PurePosixPath, text: str) -> None:
        """Leave a file that has not changed alone, so that Sphinx does not read it again."""
        path = self.folder / place
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def stage(folder: Path) -> None:
    """Write all pages below the folder; what does not belong there any more is removed."""
    stage = Stage(folder, {page: place_of(page) for page in navigation.listed()})
    generated = reference.pages()
    for page, place in stage.places.items():
        stage.write(place, _text(stage, page, place, generated))
    for source in sorted(stage.sources):
        stage.write(PurePosixPath("source", f"{source}.md"), _source_page(source))
    shutil.copytree(PROJECT / "docs" / "images", folder / "images", dirs_exist_ok=True)
    _remove_others(stage)


def place_of(page: str) -> PurePosixPath:
    """Where a page of the project is on the site.

    >>> [str(place_of(page)) for page in ("docs/README.md", "docs/how_to/time.md")]
    ['index.md', 'how_to/time.md']
    >>> [str(place_of(page)) for page in ("CHANGELOG.md", "examples/notebooks/many_ids.py")]
    ['changelog.md', 'notebooks/many_ids.md']
    """
    path = PurePosixPath(page)
    if page == navigation.HOME:
        return PurePosixPath("index.md")
    if path.suffix == ".py":
        return PurePosixPath("notebooks", path.stem + ".md")
    if path.parts[0] == "docs":
        return path.relative_to("docs")
    return PurePosixPath(*(part.lower() for part in path.parts))


def _text(
    stage: Stage, page: str, place: PurePosixPath, generated: Mapping[str, Callable[[], str]]
) -> str:
    if page in generated:
        return generated[page]()
    if page.endswith(".py"):
        text = _notebook(stage, page, place)
    else:
        text = (PROJECT / page).read_text(encoding="utf-8")
    text = _with_links(stage, page, place, text)
    return text + _contents() if page == navigation.HOME else text


def _notebook(stage: Stage, page: str, place: PurePosixPath) -> str:
    """The page of a script that was run for it, with files to take away."""
    cells = notebook.run(PROJECT / page)
    name = place.stem
    stage.write(place.with_suffix(".ipynb"), ipynb(cells))
    stage.write(place.with_suffix(".py"), (PROJECT / page).read_text(encoding="utf-8"))
    title, _, rest = notebook.page(cells, (stage.folder / place).with_suffix("")).partition("\n")
    links = (
        f"To take away: {{download}}`script <{name}.py>`, {{download}}`notebook <{name}.ipynb>`."
    )
    return f"{title}\n\n{links}\n{rest}"


def _with_links(stage: Stage, page: str, place: PurePosixPath, text: str) -> str:
    """Links to files of the project become links to pages of the site; code is left alone."""
    here = PurePosixPath(page).parent

    def replaced(link: re.Match[str]) -> str:
        wanted = os.path.normpath(here / link[2])
        target = _target(stage, page, wanted)
        relative = os.path.relpath(target, place.parent)
        return f"{link[1]}{relative}{link[3]}"

    pieces, end = [], 0
    for fence in _FENCE.finditer(text):
        pieces += [_LINK.sub(replaced, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*pieces, _LINK.sub(replaced, text[end:])])


def _target(stage: Stage, page: str, wanted: str) -> PurePosixPath:
    """The place of a file that a page links to."""
    if wanted in stage.places:
        return stage.places[wanted]
    if wanted == "README.md":
        return stage.places[navigation.HOME]
    path = PROJECT / wanted
    if wanted.startswith("docs/images/") and path.exists():
        return PurePosixPath(wanted).relative_to("docs")
    if path.is_file() and path.suffix != ".md":
        stage.sources.add(wanted)
        return PurePosixPath("source", f"{wanted}.md")
    problem = "is not listed in tools/site/navigation.py" if path.exists() else "does not exist"
    raise BrokenLinkError(f"{page} links to {wanted}, which {problem}.")


def _source_page(source: str) -> str:
    """A file of the project, to read."""
    text = (PROJECT / source).read_text(encoding="utf-8")
    language = _LANGUAGES.get(PurePosixPath(source).suffix, "text")
    return f"---\norphan: true\nnosearch: true\n---\n\n# {source}\n\n````{language}\n{text}````\n"


def _contents() -> str:
    """The sidebar, which Sphinx takes from the first page."""
    lines = []
    for chapter in navigation.CHAPTERS:
        pages = [str(place_of(page).with_suffix("")) for page in chapter.pages]
        lines += ["", "```{toctree}", ":hidden:", f":caption: {chapter.title}", "", *pages, "```"]
    return "\n".join([*lines, ""])


def _remove_others(stage: Stage) -> None:
    """Pages of an earlier run that no page is any more."""
    kept = {stage.folder / place for place in stage.places.values()}
    kept |= {stage.folder / "source" / f"{source}.md" for source in stage.sources}
    for path in stage.folder.rglob("*.md"):
        if path not in kept:
            path.unlink()
