"""The README's figure and tables: made of stored results."""

from __future__ import annotations

import pytest
from benchmarks import defaults, front
from benchmarks.defaults import Outcome, keep_outcome
from benchmarks.peers import load
from benchmarks.store import keep
from benchmarks.tables import SplitTable, generate_table, random_rows

FACTS = {"command": "python -m benchmarks.defaults", "date": "2026-01-02"}


@pytest.fixture
def results(tmp_path, monkeypatch):
    for name in ("SPEED", "DEFAULTS"):
        monkeypatch.setattr(front, name, tmp_path / f"{name}.json")
    return tmp_path


def measured(label, value):
    return {"label": label, "values": {"ms/tree": value, "total s": 1.0}, "repetitions": {}}


def test_without_results_there_is_no_figure(results):
    text = front.readme()
    assert text.count(front.ABSENT) == 2
    assert front.FIGURE.name not in text


def test_the_tables_show_what_was_measured(results):
    values = {"ocelot": 10.0, "catboost": 40.0, "ocelot-ordered": 20.0, "catboost-ordered": 200.0}
    keep(front.SPEED, FACTS, {"logloss_100k_100": [measured(*pair) for pair in values.items()]})
    for seed, loss in ((0, 0.2), (1, 0.4)):
        keep_outcome(front.DEFAULTS, FACTS, Outcome("adult", seed, "ocelot", loss, 3.0 + seed))
    keep_outcome(front.DEFAULTS, FACTS, Outcome("adult", 0, "catboost", 0.25, 9.0))
    text = front.readme()
    assert "| One tree, 100,000 × 100 numbers (ms) | **10.0** | 40.0 | – | – | – |" in text
    assert "| The same in Ordered mode (ms) | **20.0** | 200 | – | – | – |" in text
    assert "| adult, log loss | 0.3000 | **0.2500** | – | – | – |" in text
    assert front.ABSENT not in text
    assert f"(docs/images/{front.FIGURE.name})" in text
    front.draw(front.read_summaries(front.DEFAULTS), results / "figure.svg")
    assert "<svg" in (results / "figure.svg").read_text(encoding="utf-8")


def test_the_time_of_the_first_seed_and_the_mean_loss_count():
    outcomes = [Outcome("adult", 1, "ocelot", 0.4, 2.0), Outcome("adult", 0, "ocelot", 0.2, 3.0)]
    (found,) = defaults.summaries(outcomes)
    assert found.loss == pytest.approx(0.3)
    assert found.seconds == 3.0


@pytest.mark.parametrize("loss", ["Logloss", "RMSE"])
def test_a_library_trains_with_its_defaults_and_is_judged_on_test_rows(loss, monkeypatch):
    data = generate_table(200, categorical=2, numeric=2)
    split = SplitTable(data, random_rows(data.target, 0.2, 0))
    monkeypatch.setattr(defaults, "split_table", lambda name, rows: split)
    monkeypatch.setitem(defaults.TASKS, "adult", defaults.Task(loss))
    (ours,) = load(["ocelot"], required=True).values()
    outcome = defaults.measure("adult", 0, ours, 1.0)
    assert (outcome.task, outcome.seed, outcome.library) == ("adult", 0, "ocelot")
    assert 0 < outcome.loss < 2


def test_best_is_compared_with_the_default_of_the_same_seed():
    outcomes = [
        Outcome("adult", 0, "ocelot", 0.4, 2.0, 0.1),
        Outcome("adult", 1, "ocelot", 0.2, 1.0, 0.1),
        Outcome("adult", 0, "ocelot-best", 0.3, 8.0, 0.2),
    ]
    adult = ["adult", "0.4000", "0.3000", "-25.00%", "4.0", "2.0"]
    assert defaults.best_table(outcomes).rows == [adult]
    outcomes += [
        Outcome("nursery", 0, "ocelot", 0.001, 1.0, 0.1),  # not compared by ratio
        Outcome("nursery", 0, "ocelot-best", 0.002, 4.0, 0.2),
        Outcome("abalone", 0, "ocelot", 2.0, 1.0, 0.1),
        Outcome("abalone", 0, "ocelot-best", 1.9, 4.0, 0.8),
    ]
    found = defaults.best_table(outcomes).rows
    assert found[0] == adult
    assert found[-1] == ["mean", "–", "–", "-15.00%", "4.0", "3.2"]


def test_times_that_nobody_took_are_not_shown():
    outcomes = [
        Outcome("adult", 0, "ocelot", 0.4, 2.0),
        Outcome("adult", 0, "ocelot-best", 0.3, 8.0, 0.2),
    ]
    assert defaults.best_table(outcomes).rows[0][-1] == "–"


def test_libraries_stand_by_their_ratio_to_the_best_of_each_table():
    losses = {"ocelot": (0.2, 20.0), "catboost": (0.3, 10.0)}
    outcomes = [
        Outcome(task, seed, library, losses.get(library, (0.4, 40.0))[place], 4.0)
        for place, task in enumerate(("adult", "abalone"))
        for seed in (0, 1)
        for library in defaults.LIBRARIES
    ]
    first, second, *_ = defaults.standings(outcomes)
    assert (first.library, first.ratio, first.error) == ("catboost", pytest.approx(1.25), 0.0)
    assert (second.library, second.ratio, second.behind) == ("ocelot", 1.5, ("abalone", 2.0))
    assert second.seconds == pytest.approx(4.0)
