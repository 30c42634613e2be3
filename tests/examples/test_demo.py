"""The demo shows what it promises: greedy statistics leak, ordered ones do not."""

from __future__ import annotations

import numpy as np
from examples import demo
from examples.orders import generate_orders


def test_orders_have_texts_ids_numbers_and_gaps():
    frame, returned = generate_orders(500, seed=3)
    assert len(frame) == len(returned) == 500
    assert frame["customer"].nunique() > 50
    assert frame["city"].isna().any()
    assert frame["discount"].isna().any()
    assert 0.1 < np.mean(returned) < 0.9


def test_greedy_statistics_leak_and_ordered_ones_do_not():
    frame, returned = generate_orders(4000)
    known = demo.Orders(frame[:3000], returned[:3000])
    new = demo.Orders(frame[3000:], returned[3000:])
    greedy, ordered = (demo.measure_leak(kind, known, new, 60) for kind in ("greedy", "ordered"))
    assert greedy.training_rows < ordered.training_rows
    assert greedy.new_rows > ordered.new_rows
    assert greedy.new_rows - greedy.training_rows > 3 * (ordered.new_rows - ordered.training_rows)


def test_it_runs(tmp_path, capsys, monkeypatch):
    model = tmp_path / "returns.ocelot"
    monkeypatch.setattr(
        "sys.argv", ["demo", "--rows", "2000", "--iterations", "20", "--save", str(model)]
    )
    demo.main()
    assert "it predicts the same bits" in capsys.readouterr().out
    assert model.exists()
