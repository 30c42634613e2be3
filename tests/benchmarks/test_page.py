"""The page of benchmarks: made of stored results, with how and when they were measured."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from benchmarks import page
from benchmarks.quality import Comparison
from benchmarks.runs import keep_run
from benchmarks.store import keep, read

from tests.benchmarks.runs import run

FACTS = {
    "command": "python -m benchmarks.speed",
    "cores": 2,
    "python": "3.11.7",
    "versions": {"catboost": "1.2.10", "lightgbm": "4.7.0"},
    "date": "2026-01-02",
    "revision": "abc1234",
}


@pytest.fixture
def results(tmp_path, monkeypatch):
    for name in ("SPEED", "CLUSTER", "QUALITY", "CATEGORICAL"):
        monkeypatch.setattr(page, name, tmp_path / f"{name}.json")
    return tmp_path


def measured(label, value):
    return {"label": label, "values": {"ms/tree": value, "total s": 1.0}, "repetitions": {}}


def test_a_name_measured_again_replaces_its_entry_alone(tmp_path):
    path = tmp_path / "results" / "speed.json"
    keep(path, FACTS, {"a": 1, "b": 2})
    keep(path, {**FACTS, "date": "2026-02-03"}, {"b": 3})
    found = read(path)
    assert {name: entry["values"] for name, entry in found.items()} == {"a": 1, "b": 3}
    assert [entry["facts"]["date"] for entry in found.values()] == ["2026-01-02", "2026-02-03"]


def test_every_kind_of_result_has_its_section(results):
    rows = [measured("ocelot", 10.0), measured("catboost", 40.0)]
    keep(page.SPEED, FACTS, {"logloss_100k_100": rows})
    on_cluster = {"total s": 9.0, "ms/tree": 80.0, "MB/tree": 2.5}
    alone = {"total s": 6.0, "ms/tree": 50.0, "MB/tree": 0.0}
    keep(page.CLUSTER, FACTS, {"cluster_1m_28": {"one process": alone, "cluster": on_cluster}})
    better = Comparison("covtype", "log loss", "ocelot", [0.4, 0.4], [0.3, 0.3])
    keep(page.QUALITY, FACTS, {"covtype": [asdict(better)]})
    for library, loss in (("ocelot", 0.1), ("catboost", 0.2)):
        keep_run(page.CATEGORICAL, FACTS, run(library, loss))
    text = page.page()
    assert "| 100,000 × 100, Logloss: ms/tree | 10.0 | 40.0 |" in text
    assert "| cluster | 80.0 | 1.60 | 9.00 | 1.50 | ≤ 1.4 | 2.50 |" in text
    assert "-25.00%" in text
    assert "-50.00%" in text
    words = "Measured on 2026-01-02 at revision abc1234 by `python -m benchmarks.speed`"
    assert text.count(words) == 4
    assert all(len(line) <= 100 or line.startswith("|") for line in text.splitlines())
    assert "## Speed with categories" not in text


def test_rows_of_different_calls_are_told_apart(results):
    keep(page.SPEED, FACTS, {"logloss_100k_100": [measured("ocelot", 1.0)]})
    keep(page.SPEED, {**FACTS, "revision": "def"}, {"logloss_1m_28": [measured("ocelot", 1.0)]})
    text = page.page()
    assert "- 1 of 2 measured on 2026-01-02 at revision abc1234" in text
    assert "- 1 of 2 measured on 2026-01-02 at revision def" in text
