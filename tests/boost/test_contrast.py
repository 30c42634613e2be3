"""Two classes choose each tree that has statistics of more: which they are, and what is made."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from ocelotboost import OcelotClassifier, load_model
from ocelotboost.boost.contrast import Contrast, draw_contrast
from ocelotboost.boost.shard import Shard
from ocelotboost.order.statistic_rows import StatisticRows
from tests.data import assert_same_bits

SEED = np.random.SeedSequence(3)


def classes_by_pairs(n_rows, n_classes=6, seed=0):
    """Two categories together say the class."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 12, size=(2, n_rows))
    noise = rng.random(n_rows) < 0.1
    y = np.where(noise, rng.integers(0, n_classes, n_rows), (a + b) % n_classes)
    return pd.DataFrame({"a": a.astype(str), "b": b.astype(str), "c": rng.random(n_rows)}), y


@pytest.fixture
def contrasts(monkeypatch):
    """Those of the trees to come."""
    noted, compare = [], Shard.compare
    monkeypatch.setattr(
        Shard, "compare", lambda shard, own: (noted.append(own), compare(shard, own))[1]
    )
    return noted


def test_classes_are_drawn_as_often_as_they_carry_the_gradient():
    sizes = np.array([4.0, 3.0, 2.0, 1.0, 0.0])
    drawn = [draw_contrast(sizes, SEED, tree) for tree in range(4000)]
    assert all(first != second for first, second in drawn)
    firsts = np.bincount([first for first, _ in drawn], minlength=5) / len(drawn)
    np.testing.assert_allclose(firsts, sizes / 10, atol=0.03)
    assert not any(4 in contrast for contrast in drawn)


@pytest.mark.parametrize("sizes", [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
def test_there_are_two_classes_even_if_fewer_have_gradients(sizes):
    for tree in range(20):
        first, second = draw_contrast(np.array(sizes), SEED, tree)
        assert first != second
        assert sum(sizes) == 0 or first == 1


def test_the_difference_is_taken_slot_by_slot():
    gradients = np.arange(24, dtype=np.float32).reshape(6, 4) ** 2
    found = Contrast(2, 0).of(gradients, 3)
    np.testing.assert_array_equal(found, gradients[[2, 5]] - gradients[[0, 3]])


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
def test_only_facets_of_drawn_classes_are_made(mode, contrasts, monkeypatch):
    filled, fill = set(), StatisticRows.fill
    monkeypatch.setattr(
        StatisticRows,
        "fill",
        lambda rows, which, facet, *others: (
            filled.add(facet),
            fill(rows, which, facet, *others),
        )[1],
    )
    X, y = classes_by_pairs(400)
    OcelotClassifier(iterations=2, boosting_type=mode, random_state=0).fit(X, y)
    assert len(contrasts) == 2
    assert filled == {number for contrast in contrasts for number in contrast}
    assert len(filled) < 6


def test_two_classes_and_tables_without_statistics_have_no_contrasts(contrasts):
    X, y = classes_by_pairs(400)
    OcelotClassifier(iterations=2).fit(X, y > 2)
    OcelotClassifier(iterations=2).fit(X[["c"]], y)
    assert not contrasts


@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
def test_an_eval_set_a_file_and_the_model_agree(mode, tmp_path):
    X, y = classes_by_pairs(900)
    others, truth = classes_by_pairs(300, seed=1)
    model = OcelotClassifier(iterations=40, boosting_type=mode, learning_rate=0.3, random_state=0)
    model.fit(X, y, eval_set=(others, truth))
    (name,) = set(model.history_) - {"learn", "ordered"}
    curve = model.history_[name]["MultiClass"]
    assert curve[-1] == pytest.approx(log_loss(truth, model.predict_proba(others)), rel=1e-6)
    assert curve[-1] < 0.6 * np.log(6)
    model.save_model(tmp_path / "model.ocelot")
    again = load_model(tmp_path / "model.ocelot")
    np.testing.assert_array_equal(again.predict_proba(others), model.predict_proba(others))


def test_a_training_that_goes_on_draws_the_same_contrasts(tmp_path, contrasts):
    X, y = classes_by_pairs(500)

    def fit(iterations, snapshot=None):
        model = OcelotClassifier(iterations=iterations, learning_rate=0.2, random_state=0)
        return model.fit(X, y, snapshot=snapshot)

    whole = fit(8)
    at_once = list(contrasts)
    contrasts.clear()
    fit(3, tmp_path / "run.snapshot")
    continued = fit(8, tmp_path / "run.snapshot")
    assert contrasts == at_once
    assert_same_bits(whole.forest_, continued.forest_)
