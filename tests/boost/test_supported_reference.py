"""Plain trainings with categories are those of the plain reference: same splits, same leaf values,
with a supporting model for each ordering."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost.boosting import boost
from ocelotboost.boost.shard import Shard
from ocelotboost.order.feature import StatisticColumn
from tests import data
from tests.boost.recorded import Drawn, Training, follow, mixed
from tests.boost.reference_supported import SupportedTrainer
from tests.boost.reference_trainer import ReferenceTrainer, Tree
from tests.boost.stages import stages_of

SAME = 1e-6
WEIGHT = data.fractional_weights(200)


@dataclass(frozen=True)
class Case:
    """One training: the loss, and parameters that both sides understand.

    more  parameters of the estimator that the reference learns about by what they do
    """

    loss: str
    supporting_rate: float = 0.5
    weight: NDArray[np.float32] | None = None
    depth: int = 3
    iterations: int = 8
    learning_rate: float = 0.2
    cosine: bool = True
    more: dict[str, Any] = field(default_factory=dict)

    def train(self, monkeypatch: pytest.MonkeyPatch) -> Training:
        """What the package trains."""
        kind = OcelotClassifier if self.loss in ("Logloss", "MultiClass") else OcelotRegressor
        defaults = {"bootstrap_type": "No", "random_strength": 0, "border_count": 32}
        estimator = kind(
            boosting_type="Plain",
            loss_function=self.loss,
            iterations=self.iterations,
            depth=self.depth,
            learning_rate=self.learning_rate,
            supporting_rate=self.supporting_rate,
            score_function="Cosine" if self.cosine else "L2",
            max_combination=2,
            model_size_reg=0,
            **{**defaults, **self.more},
        )
        X, y = mixed(self.loss)
        stages = stages_of(estimator, X, y, self.weight)
        drawn = Drawn(stages.settings.sampling)
        monkeypatch.setattr(Shard, "sample", drawn.sample(Shard.sample))
        monkeypatch.setattr(Shard, "compare", drawn.compare(Shard.compare))
        boosted = boost(
            stages.training, [], stages.loss, [],
            replace(stages.settings, sampling=drawn), [], stages.seed,
        )  # fmt: skip
        return Training(stages, boosted, drawn)

    def reference(self, training: Training) -> tuple[NDArray[np.float64], list[Tree]]:
        """What the reference trains, with everything random as it was in ``training``."""
        plain = ReferenceTrainer(
            self.loss,
            self.iterations,
            self.depth,
            self.learning_rate,
            cosine=self.cosine,
            choose=follow(training),
            compare=training.drawn.compared,
        )
        y = mixed(self.loss)[1].astype(np.float64)
        return SupportedTrainer(plain, self.supporting_rate).train(
            list(training.questions.values()),
            y,
            None if self.weight is None else self.weight.astype(np.float64),
            len(training.orderings),
            training.drawn.orderings,
            training.drawn.sampling(len(y)),
        )


CASES = {
    "the paper": Case("Logloss", supporting_rate=1.0),
    "logloss": Case("Logloss"),
    "rmse": Case("RMSE", supporting_rate=0.3),
    "rmse l2": Case("RMSE", cosine=False),
    "multiclass": Case("MultiClass", iterations=4),
    "poisson with weights": Case("Poisson", weight=WEIGHT),
    "mae": Case("MAE", supporting_rate=1.0),
    "one ordering": Case("Logloss", more={"permutation_count": 1}),
    "many orderings": Case("RMSE", supporting_rate=1.0, more={"permutation_count": 6}),
    "sampling": Case("Logloss", weight=WEIGHT, more={"bootstrap_type": "Bayesian"}),
    "rows left out": Case("RMSE", more={"bootstrap_type": "MVS"}),
    "greedy": Case("Logloss", more={"target_statistic": "greedy"}),
    "time": Case("Logloss", more={"has_time": True}),
}


@pytest.mark.parametrize("name", CASES)
def test_plain_mode_with_categories(name, monkeypatch):
    case = CASES[name]
    training = case.train(monkeypatch)
    asked = [split for splits in training.structures for split in splits]
    assert any(isinstance(split.feature, StatisticColumn) for split in asked)
    start, trees = case.reference(training)
    assert_allclose(training.stages.start_value, start, rtol=SAME)
    for tree, same in zip(training.boosted.trees, trees, strict=True):
        places = [training.questions[split].place for split in tree.splits]
        assert places == [question.place for question in same.questions]
        tolerance = SAME * np.abs(same.leaf_values).max()
        assert_allclose(tree.leaf_values, same.leaf_values, rtol=SAME, atol=tolerance)
