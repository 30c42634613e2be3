"""The cases of the speed table: who runs in which variant, and what is held against a goal."""

from __future__ import annotations

import sys

import pytest
from benchmarks import speed
from benchmarks.case import Goal
from benchmarks.cases import BY_NAME
from benchmarks.data import generate
from benchmarks.measure import Measurement, entrants
from benchmarks.peers import Ocelot, OcelotOrdered, Settings
from benchmarks.speed import Result, case_table, goal_row, library_table

NUMERIC = BY_NAME["logloss_100k_100"]
DOUBLING = BY_NAME["ordered_rows_double"]


class Counting:
    """A library that notes how many rows it was fitted to."""

    package = "counting"
    version = "1"

    def __init__(self, name):
        self.name = name
        self.rows = []

    def fit(self, data, settings, trees):
        self.rows.append(len(data))

    def warm_up(self, data, settings):
        pass


def result(case, values):
    measured = {label: {"ms/tree": value, "total s": 1.0} for label, value in values.items()}
    return Result(case, [Measurement(label, found, {}) for label, found in measured.items()])


@pytest.mark.parametrize("case", BY_NAME.values(), ids=BY_NAME)
def test_every_goal_is_about_entrants_of_its_case(case):
    labels = {entrant.label for entrant in entrants(case, dict.fromkeys(case.libraries))}
    for goal in case.goals:
        assert goal.ours in labels
        assert not goal.against or labels.intersection(goal.against)


def test_a_goal_compares_the_mode_it_names():
    found = result(NUMERIC, {"ocelot": 10.0, "ocelot-ordered": 18.0, "catboost-ordered": 200.0})
    rows = {goal.text: goal_row(found, goal)[2:] for goal in NUMERIC.goals}
    assert rows["Ordered ≤ 1.7 × our Plain"] == [
        "ocelot-ordered 18.0 ms/tree",
        "ocelot 10.0 ms/tree",
        "1.80",
        "1.00",
        "missed",
    ]
    assert rows["Ordered ≤ 1/10 of catboost-ordered"][-3:] == ["0.09", "1.00", "ok"]
    assert rows["faster than chimeraboost"][-1] == "not measured"


def test_a_goal_without_others_is_a_largest_value():
    found = result(NUMERIC, {"ocelot": 10.0})
    assert goal_row(found, Goal("≤ 9", 9.0, ()))[2:] == ["ocelot 10.0 ms/tree", *"–––", "missed"]
    assert goal_row(found, Goal("≤ 11", 11.0, ()))[-1] == "ok"


def test_ours_are_no_peers_of_ours():
    rows = case_table(result(NUMERIC, {"ocelot": 10.0, "ocelot-ordered": 15.0, "catboost": 30.0}))
    assert [row[-1] for row in rows.rows] == ["0.333", "0.500", "1.00"]


def test_rows_double_from_variant_to_variant():
    library = Counting(OcelotOrdered.name)
    data = generate("Logloss", 16_000, 2)
    for entrant in entrants(DOUBLING, {library.name: library}):
        entrant.library.fit(entrant.rows(data), entrant.settings, 1)
    assert library.rows == [1000, 2000, 4000, 8000, 16_000]
    assert [goal.ours for goal in DOUBLING.goals[:-1]] == [
        goal.against[0] for goal in DOUBLING.goals[1:]
    ]
    assert DOUBLING.goals[-1].ours == "ocelot-ordered, 400,000 rows"


def test_a_variant_is_a_row_of_the_table_of_libraries():
    labels = [variant.label("ocelot-ordered") for variant in DOUBLING.variants]
    found = result(DOUBLING, {label: 1.0 + i for i, label in enumerate(labels)})
    table = library_table([found], ["ocelot", "ocelot-ordered"])
    assert len(table.rows) == 10
    assert table.rows[2] == [f"{DOUBLING.title}, 50,000 rows: ms/tree", "–", "2.00"]


def test_threads_are_those_of_the_variant():
    case = BY_NAME["threads_1_vs_2"]
    found = {e.label: e.settings.threads for e in entrants(case, {"ocelot": Counting("ocelot")})}
    assert found == {"ocelot": 2, "ocelot, 1 thread": 1}


def test_guests_run_when_asked_for():
    kick = BY_NAME["kick_500trees_cmax4"]
    assert kick.admits("ocelot-ordered", asked=True)
    assert not kick.admits("ocelot-ordered", asked=False)
    assert not kick.admits("lightgbm", asked=True)  # takes categories in another form
    assert NUMERIC.admits("ocelot-ordered", asked=False)


def test_a_case_none_of_whose_libraries_was_asked_for_is_said_and_left_out(monkeypatch, capsys):
    monkeypatch.setattr(speed, "load", lambda names, required: {"lightgbm": Counting("lightgbm")})
    monkeypatch.setattr(
        sys, "argv", ["speed", "--only", "lightgbm", "--case", "internet_1000trees"]
    )
    speed.main()
    said = capsys.readouterr().out
    assert (
        "internet_1000trees is not measured: it is about ocelot-ordered, catboost-ordered" in said
    )


def test_our_two_entries_differ_in_the_mode_alone():
    plain, ordered = (
        kind()._estimator(Settings(loss="RMSE")).get_params() for kind in (Ocelot, OcelotOrdered)
    )
    assert plain.pop("boosting_type") == "Plain"
    assert ordered.pop("boosting_type") == "Ordered"
    assert plain == ordered
