"""The site: it builds without a warning, needs no network, and finds what one looks for."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from tools.site import navigation, stage
from tools.site.build import build
from tools.site.navigation import Chapter
from tools.site.stage import BrokenLinkError

from tests.markdown import PROJECT
from tests.report.browser import browser

# Sphinx and its extensions warn each other of their next versions.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
]

#: What a page loads by itself; links that a reader clicks on are something else.
_LOADED = re.compile(
    r'<(?:script|img|iframe|source)[^>]*\ssrc="([^"]+)"|<link[^>]*\shref="([^"]+)"'
)


def test_the_site_builds_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path):
    command = [sys.executable, "-m", "tools.site", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "html").rglob("*.html"))
    assert len(pages) > len(navigation.listed())
    loaded = {
        url
        for page in pages
        for found in _LOADED.findall(page.read_text(encoding="utf-8"))
        for url in found
    }
    assert [url for url in loaded if re.match(r"(?:[a-z]+:)?//", url)] == []
    assert "<math" in (tmp_path / "html/guide/grow.html").read_text(encoding="utf-8")


def test_every_page_is_in_the_navigation():
    written = {str(page.relative_to(PROJECT)) for page in PROJECT.glob("docs/**/*.md")}
    notebooks = {str(page.relative_to(PROJECT)) for page in PROJECT.glob("examples/notebooks/*.py")}
    notebooks = {page for page in notebooks if not page.endswith("__init__.py")}
    missing = written | notebooks
    assert missing - set(navigation.listed()) == set(), "list it in tools/site/navigation.py"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Some pages, in place of those of the project."""
    folder = tmp_path / "project"
    (folder / "docs" / "images").mkdir(parents=True)
    (folder / "docs" / "README.md").write_text("# Home\n\nSee [one](parameters.md#of-trees).\n")
    (folder / "docs" / "parameters.md").write_text(
        "# Parameters\n\n## Of trees\n\nCalled ocelots, $x^2$.\n\n"
        "| name | meaning |\n|---|---|\n| `depth` | questions |\n| `rate` | share |\n"
    )
    monkeypatch.setattr(stage, "PROJECT", folder)
    monkeypatch.setattr(navigation, "CHAPTERS", (Chapter("All", ("docs/parameters.md",)),))
    return folder


def test_a_link_to_a_file_that_is_not_there_is_an_error(project, tmp_path):
    (project / "docs" / "README.md").write_text("# Home\n\n[two](two.md)\n")
    with pytest.raises(BrokenLinkError, match=r"docs/README.md links to docs/two.md, .* exist"):
        build(tmp_path / "site")


def test_a_link_to_a_page_that_is_not_listed_is_an_error(project, tmp_path):
    (project / "docs" / "two.md").write_text("# Two\n")
    (project / "docs" / "README.md").write_text("# Home\n\n[two](two.md)\n")
    with pytest.raises(BrokenLinkError, match="is not listed"):
        build(tmp_path / "site")


def test_a_link_to_a_heading_that_is_not_there_is_a_warning(project, tmp_path, capfd):
    (project / "docs" / "README.md").write_text("# Home\n\n[one](parameters.md#of-cats)\n")
    assert build(tmp_path / "site") is None
    assert "of-cats" in capfd.readouterr().err


def test_a_link_to_a_source_file_leads_to_a_page_that_shows_it(project, tmp_path):
    (project / "code.py").write_text("answer = 42\n")
    (project / "docs" / "README.md").write_text("# Home\n\n[code](../code.py)\n")
    assert build(tmp_path / "site") is not None
    assert "42" in (tmp_path / "site/html/source/code.py.html").read_text()


def test_search_and_filter_work_from_a_folder_without_a_network(project, tmp_path):
    first_page = build(tmp_path / "site")
    with browser() as page:
        page.visit(first_page.parent / "parameters.html")
        page.write(".filter input", "quest", "input")
        shown = "return [...document.querySelectorAll('tbody tr')].map((row) => !row.hidden)"
        assert page.run(shown) == [True, False]
        page.chrome.get(f"{(first_page.parent / 'search.html').as_uri()}?q=ocelots")
        page.until("return document.querySelector('#search-results li a') !== null")
        assert page.text("#search-results li a") == "Parameters"
        assert page.requests() == []
        assert page.complaints() == []
