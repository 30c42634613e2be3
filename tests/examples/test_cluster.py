"""The example of a cluster shows what it promises: the same model."""

from __future__ import annotations

from examples import cluster


def test_it_runs_and_the_models_are_the_same(capsys):
    cluster.main(["--rows", "3000", "--trees", "5"])
    shown = capsys.readouterr().out
    assert "3,000 orders in 8 partitions, 2 workers" in shown
    assert "the two models are the same, to the last bit" in shown
