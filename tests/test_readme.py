"""The README keeps its promises: its Python runs, its commands exist."""

from __future__ import annotations

import re

from tests.markdown import PROJECT, blocks, run

README = PROJECT / "README.md"


def test_the_ten_lines_of_python_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(README)
    accuracy = re.search(r"accuracy ([01]\.\d+) with (\d+) trees", capsys.readouterr().out)
    assert accuracy is not None
    assert float(accuracy[1]) > 0.99
    assert int(accuracy[2]) > 10
    assert (tmp_path / "returns.ocelot").exists()


def test_there_is_one_example_of_about_ten_lines():
    (block,) = [block for block in blocks(README) if block.runs]
    assert len([line for line in block.code.splitlines() if line.strip()]) <= 12


def test_every_make_command_has_a_target():
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for page in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "docs/parameters.md"):
        mentioned = re.findall(
            r"(?:^|`)make ([a-z-]+)\b", (PROJECT / page).read_text(), re.MULTILINE
        )
        assert set(mentioned) <= targets, page
