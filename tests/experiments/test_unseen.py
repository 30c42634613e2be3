"""How libraries are compared on tables that no rule was chosen on."""

from __future__ import annotations

from experiments.unseen import Run, tables


def test_tables_that_all_libraries_have_are_compared():
    runs = [
        Run("HMDA", "ocelot", 0, 0.2, 1.0),
        Run("HMDA", "ocelot", 1, 0.4, 1.0),
        Run("HMDA", "catboost", 0, 0.4, 4.0),
        Run("HMDA", "catboost", 1, 0.5, 4.0),
        Run("SLID", "ocelot", 0, 6.0, 1.0),
        Run("SLID", "catboost", 0, 5.0, 9.0),
        Run("OJ", "ocelot", 0, 0.3, 1.0),
        Run("chess", "ocelot", 0, 0.001, 1.0),  # a ratio of such losses says little
        Run("chess", "catboost", 0, 0.002, 4.0),
    ]
    together, by_task = tables(runs)
    assert [row[:2] for row in by_task.rows] == [
        ["HMDA, log loss", "0.3"],
        ["SLID, RMSE", "5"],
        ["chess, log loss", "0.001"],
    ]
    assert by_task.rows[0][2:] == ["1.000", "1.500"]
    ours, theirs = together.rows
    assert ours == ["ocelot", "1.095", "1.100", "1", "1", "1.00"]
    assert theirs == ["catboost", "1.225", "1.250", "1", "1", "5.24"]
