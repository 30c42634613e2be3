"""The demo shows what it promises: greedy statistics leak, ordered ones do not."""

from __future__ import annotations

import numpy as np

from ocelotboost.cli import demo, main
from ocelotboost.cli.orders import generate_orders


def test_orders_have_texts_ids_numbers_and_gaps():
    columns, returned = generate_orders(500, seed=3)
    assert {len(column) for column in columns.values()} == {len(returned)} == {500}
    assert len(set(columns["customer"])) > 50
    assert None in columns["city"]
    assert np.isnan(columns["discount"]).any()
    assert 0.1 < np.mean(returned) < 0.9


def test_greedy_statistics_leak_and_ordered_ones_do_not():
    orders = demo.make_orders(4000)
    known, new = orders.take(np.arange(3000)), orders.take(np.arange(3000, 4000))
    greedy, ordered = (demo.measure_leak(kind, known, new, 60) for kind in ("greedy", "ordered"))
    assert greedy.training_rows < ordered.training_rows
    assert greedy.new_rows > ordered.new_rows
    assert greedy.new_rows - greedy.training_rows > 3 * (ordered.new_rows - ordered.training_rows)


def test_it_runs(tmp_path, capsys):
    model = tmp_path / "returns.ocelot"
    assert main(["demo", "--rows", "2000", "--iterations", "20", "--save", str(model)]) == 0
    assert "it predicts the same bits" in capsys.readouterr().out
    assert model.exists()
