"""Libraries against their rivals: differences by seed, averages over tables, verdicts on ours."""

from __future__ import annotations

from benchmarks.standings import average_table, loss_table, mode_table, stored_note

from tests.benchmarks.runs import run


def row_of(library, table):
    return next(row for row in table.rows if library in row[:2])


def test_differences_are_paired_by_seed():
    runs = [
        run("catboost", 0.20, seed=1, stored=True),
        run("ocelot", 0.99 * 0.10, seed=0),
        run("catboost", 0.10, seed=0, stored=True),
        run("ocelot", 1.03 * 0.20, seed=1),
        run("xgboost", 0.3, seed=5),
        run("lightgbm", 0.3, seed=5),
        run("lightgbm", 0.3, seed=1),
    ]
    rows = {row[1]: row for row in loss_table(runs).rows}
    assert rows["ocelot"][4:] == ["2.00", "10", "catboost", "+1.00% ± 2.00%", "missed"]
    assert rows["catboost (stored)"][2:4] == ["2", "0.15000 ± 0.05000"]
    assert rows["xgboost"][6:] == ["–", "–", "–"]
    assert rows["lightgbm"][6:] == ["catboost", "+50.00%", "–"]
    assert average_table(runs).rows == [
        ["ocelot", "catboost", "1", "+1.00% ± 2.00%", "+1.00%", "+1.00%", "missed"],
        ["lightgbm", "catboost", "1", "+50.00%", "+50.00%", "+50.00%", "–"],
    ]
    assert stored_note(runs) == "Stored, from an earlier run: catboost 1."


def test_the_average_is_over_tables():
    runs = [run("catboost", 1.0, task=task) for task in ("amazon", "adult")]
    runs += [run("ocelot", 0.98, task="amazon"), run("ocelot", 1.004, task="adult")]
    assert [row[-1] for row in loss_table(runs).rows if row[1] == "ocelot"] == ["ok", "ok"]
    assert average_table(runs).rows == [
        ["ocelot", "catboost", "2", "-0.80%", "-0.80%", "+0.40%", "ok"]
    ]


def test_each_mode_is_judged_against_the_same_mode():
    runs = [
        run("catboost", 1.0),
        run("ocelot", 1.004),
        run("catboost-ordered", 0.9),
        run("ocelot-ordered", 0.9 * 1.006),
    ]
    losses = loss_table(runs)
    assert row_of("ocelot", losses)[6:] == ["catboost", "+0.40%", "ok"]
    assert row_of("ocelot-ordered", losses)[6:] == ["catboost-ordered", "+0.60%", "missed"]
    assert row_of("catboost-ordered", losses)[6:] == ["catboost", "-10.00%", "–"]
    averages = average_table(runs)
    assert row_of("ocelot", averages)[-1] == "missed"  # better on average is asked for
    assert row_of("ocelot-ordered", averages)[1:4] == ["catboost-ordered", "1", "+0.60%"]


def test_ordered_is_compared_with_plain_of_the_same_library_with_its_standard_error():
    runs = [
        *(run("ocelot", 1.0, seed=seed) for seed in (0, 1, 2)),
        run("ocelot-ordered", 0.97, seed=0),
        run("ocelot-ordered", 0.99, seed=1),
        run("ocelot", 2.0, task="kick"),
        run("ocelot-ordered", 2.0, task="kick"),
        run("catboost", 1.0, task="kick"),
        run("catboost-ordered", 1.01, task="kick"),
        run("ocelot", 2.0, task="nursery"),
    ]
    table = mode_table(runs)
    assert table.header[1:] == (
        "ocelot-ordered compared with ocelot",
        "catboost-ordered compared with catboost",
    )
    assert table.rows == [
        ["amazon", "-2.00% ± 1.00%", "–"],
        ["kick", "+0.00%", "+1.00%"],
        ["average", "-1.00%", "+1.00%"],
    ]


def test_without_ordered_runs_there_is_nothing_to_compare_with_plain():
    assert mode_table([run("ocelot", 1.0), run("catboost", 1.0)]).rows == []
