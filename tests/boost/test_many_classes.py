"""Classes by the dozen and by the hundred."""

from __future__ import annotations

import numpy as np
import pytest

import ocelotboost.loss.passes as passes
from ocelotboost import OcelotClassifier
from tests.data import assert_same_bits, regression


def classes_around_centres(n_classes, n_rows):
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % n_classes
    return rng.normal(size=(n_classes, 6))[y] * 2 + rng.normal(size=(n_rows, 6)), y


@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("mode", ["Plain", "Ordered"])
def test_many_classes_are_learned_with_the_same_bits_for_any_threads(mode, steps):
    X, y = classes_around_centres(40, 800)
    models = [
        OcelotClassifier(
            iterations=15,
            learning_rate=0.5,
            boosting_type=mode,
            leaf_estimation_iterations=steps,
            n_jobs=n_jobs,
            random_state=0,
        ).fit(X, y)
        for n_jobs in (1, 2)
    ]
    learn = models[0].history_["learn"]["MultiClass"]
    assert learn[-1] < 0.5 * np.log(40)
    assert (np.diff(learn) < 0).all()
    assert_same_bits(*(model.forest_ for model in models))


def test_few_and_many_classes_take_nearly_the_same_steps(monkeypatch):
    X, y = classes_around_centres(12, 800)
    losses = []
    for limit in (32, 1):
        monkeypatch.setattr(passes, "MOST_COUPLED_CLASSES", limit)
        models = [
            OcelotClassifier(iterations=30, learning_rate=0.3, random_state=seed).fit(X, y)
            for seed in range(4)
        ]
        losses.append(np.mean([m.history_["learn"]["MultiClass"][-1] for m in models]))
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], rel=0.05)


def test_auto_is_plain_with_many_classes():
    X, _ = regression(600)
    for n_classes, ordered in ((100, True), (101, False)):
        model = OcelotClassifier(iterations=1, depth=1).fit(X, np.arange(600) % n_classes)
        assert ("ordered" in model.history_) == ordered
