"""Percent scripts run, and become pages and files for Jupyter with what they have shown."""

from __future__ import annotations

import json
import traceback
from pathlib import Path

import pytest
from tools.site import notebook
from tools.site.ipynb import ipynb

SCRIPT = """\
# What is before the first cell is not shown.

# %% [markdown]
# # A title
#
# Some *text*.

# %%
x = 20
print("hello")

# %%
x + 22


# %%
class Table:
    def _repr_html_(self):
        return "<table>\\n\\n<tr></tr></table>"


Table()

# %%
# A line
import matplotlib.pyplot as plt

plt.plot([1, 2])
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def test_a_page_has_texts_code_and_what_it_shows(script, tmp_path):
    page = notebook.page(notebook.run(script), tmp_path / "images")
    assert page.startswith("# A title\n\nSome *text*.")
    assert "hello" in page.partition('print("hello")')[2]
    assert "42" in page
    assert '<div class="output">\n<table>\n<tr></tr></table>\n</div>' in page
    assert ":alt: A line" in page
    (figure,) = (tmp_path / "images").iterdir()
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_a_file_for_jupyter_has_the_same(script):
    file = json.loads(ipynb(notebook.run(script)))
    assert [cell["cell_type"] for cell in file["cells"]] == ["markdown", *["code"] * 4]
    kinds = [
        [output.get("name") or next(iter(output["data"])) for output in cell["outputs"]]
        for cell in file["cells"][1:]
    ]
    assert kinds == [["stdout"], ["text/plain"], ["text/html"], ["image/png"]]
    assert len({cell["id"] for cell in file["cells"]}) == 5


def test_an_error_names_the_line_of_the_script(script):
    script.write_text(SCRIPT + "\n# %%\n\n1 / 0\n")
    with pytest.raises(ZeroDivisionError) as caught:
        notebook.run(script)
    line = traceback.extract_tb(caught.value.__traceback__)[-1].lineno
    assert script.read_text().splitlines()[line - 1] == "1 / 0"


def test_a_run_leaves_nothing_behind(script, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    script.write_text('# %%\nopen("left.txt", "w").close()\n')
    notebook.run(script)
    assert Path.cwd() == tmp_path
    assert not (tmp_path / "left.txt").exists()
