"""Ordered trainings are those of the plain reference: same splits, same leaf values, and supporting
models that lose as much on rows they have not seen."""

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
from ocelotboost.order.segments import divide
from tests import data
from tests.boost.recorded import Choose, Drawn, Training, follow, mixed
from tests.boost.reference_ordered import (
    OrderedTrainer,
    OrderedTraining,
    Supporting,
    own_predictions,
)
from tests.boost.reference_trainer import LOSSES, LeafRule, ReferenceTrainer
from tests.boost.stages import stages_of

SAME = 1e-6


@dataclass(frozen=True)
class Case:
    """One training: the loss, its data, and parameters that both sides understand.

    more  parameters of the estimator that the reference learns about by what they do
    """

    loss: str
    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float32] | None = None
    depth: int = 3
    iterations: int = 8
    learning_rate: float = 0.2
    l2_leaf_reg: float = 3.0
    cosine: bool = True
    rule: LeafRule | None = None
    body_gradients: str = "own"
    first_body: int = 20
    growth: float = 2.0
    more: dict[str, Any] = field(default_factory=dict)

    def train(self, monkeypatch: pytest.MonkeyPatch) -> Training:
        """What the package trains, on segments of our own."""
        kind = OcelotClassifier if self.loss in ("Logloss", "MultiClass") else OcelotRegressor
        rule = {}
        if self.rule is not None:
            rule = {
                "leaf_estimation_method": self.rule.method,
                "leaf_estimation_iterations": self.rule.steps,
            }
        defaults = {"bootstrap_type": "No", "random_strength": 0, "border_count": 32}
        estimator = kind(
            boosting_type="Ordered",
            loss_function=self.loss,
            iterations=self.iterations,
            depth=self.depth,
            learning_rate=self.learning_rate,
            l2_leaf_reg=self.l2_leaf_reg,
            score_function="Cosine" if self.cosine else "L2",
            body_gradients=self.body_gradients,
            model_size_reg=0,
            **rule,
            **{**defaults, **self.more},
        )
        stages = stages_of(estimator, self.X, self.y, self.weight)
        drawn = Drawn(stages.settings.sampling)
        monkeypatch.setattr(Shard, "sample", drawn.sample(Shard.sample))
        monkeypatch.setattr(Shard, "compare", drawn.compare(Shard.compare))
        settings = replace(
            stages.settings,
            segments=divide(len(self.y), self.growth, self.first_body),
            sampling=drawn,
        )
        boosted = boost(
            stages.training, [], stages.loss, [], settings, [], stages.seed
        )  # fmt: skip
        return Training(stages, boosted, drawn)

    def reference(self, training: Training, choose: Choose | None = None) -> OrderedTraining:
        """What the reference trains, with everything random as it was in ``training``."""
        rule = LOSSES[self.loss][1] if self.rule is None else self.rule
        plain = ReferenceTrainer(
            self.loss,
            self.iterations,
            self.depth,
            self.learning_rate,
            self.l2_leaf_reg,
            self.cosine,
            self.rule,
            choose,
            training.drawn.compared,
        )
        trainer = OrderedTrainer(
            plain, self.first_body, self.growth, replace(rule, steps=1), self.body_gradients
        )
        return trainer.train(
            list(training.questions.values()),
            self.y.astype(np.float64),
            None if self.weight is None else self.weight.astype(np.float64),
            training.orderings,
            training.drawn.orderings,
            training.drawn.sampling(len(self.y)),
        )

    def unseen_loss(self, supporting: Supporting) -> float:
        """Mean loss of the rows in tails at the reference's models, as it is reported."""
        weight = np.ones(len(self.y)) if self.weight is None else self.weight
        loss = mass = 0.0
        for models in supporting.values():
            unseen = np.any([model.tail for model in models], axis=0)
            raw = own_predictions(models)[:, unseen]
            losses = LOSSES[self.loss][0](self.y[unseen].astype(np.float64), raw)[0]
            loss += float((losses * weight[unseen]).sum())
            mass += weight[unseen].sum()
        return float(np.sqrt(loss / mass) if self.loss == "RMSE" else loss / mass)


def assert_as_reference(case: Case, training: Training, choose: Choose | None = None) -> None:
    expected = case.reference(training, choose)
    assert_allclose(training.stages.start_value, expected.start, rtol=SAME)
    for tree, same in zip(training.boosted.trees, expected.trees, strict=True):
        places = [training.questions[split].place for split in tree.splits]
        assert places == [question.place for question in same.questions]
        tolerance = SAME * np.abs(same.leaf_values).max()
        assert_allclose(tree.leaf_values, same.leaf_values, rtol=SAME, atol=tolerance)
    curve = training.boosted.history["ordered"][case.loss]
    assert_allclose(curve, [case.unseen_loss(s) for s in expected.supporting[1:]], rtol=SAME)


REGRESSION = data.regression(240, seed=1)
WEIGHT = data.fractional_weights(240)
WHOLE = np.random.default_rng(0).integers(1, 6, size=240).astype(np.float32)
TASKS = {
    "RMSE": REGRESSION,
    "Logloss": data.binary(240, seed=4),
    "MultiClass": data.multiclass(240, seed=6),
    "Poisson": data.counts(240, seed=8),
    "MAE": REGRESSION,
}


@pytest.mark.parametrize("body_gradients", ["own", "segment"])
@pytest.mark.parametrize("cosine", [True, False], ids=["cosine", "l2"])
@pytest.mark.parametrize("loss", TASKS)
def test_losses_and_scores(loss, cosine, body_gradients, monkeypatch):
    case = Case(loss, *TASKS[loss], weight=WEIGHT, cosine=cosine, body_gradients=body_gradients)
    assert_as_reference(case, case.train(monkeypatch))


@pytest.mark.parametrize("body_gradients", ["own", "segment"])
@pytest.mark.parametrize(
    ("first_body", "growth"), [(1, 2.0), (5, 1.2), (10, 4.0), (100, 1.5), (200, 2.0)]
)
def test_segments(first_body, growth, body_gradients, monkeypatch):
    case = Case(
        "RMSE", *REGRESSION, body_gradients=body_gradients, first_body=first_body, growth=growth
    )
    assert_as_reference(case, case.train(monkeypatch))


@pytest.mark.parametrize("body_gradients", ["own", "segment"])
@pytest.mark.parametrize("bootstrap_type", ["Bayesian", "Bernoulli", "MVS"])
@pytest.mark.parametrize("loss", ["RMSE", "Logloss", "MultiClass"])
def test_sampling(loss, bootstrap_type, body_gradients, monkeypatch):
    share = None if bootstrap_type == "Bayesian" else 0.6
    sampling = {"bootstrap_type": bootstrap_type, "subsample": share}
    case = Case(loss, *TASKS[loss], weight=WEIGHT, body_gradients=body_gradients, more=sampling)
    training = case.train(monkeypatch)
    assert all(np.ptp(weights) > 0.5 for weights in training.drawn.sampling(240))
    assert_as_reference(case, training)


OTHERS = {
    "deep": Case("RMSE", *REGRESSION, depth=6),
    "without weights": Case("Logloss", *TASKS["Logloss"], iterations=20),
    "whole weights": Case("RMSE", *REGRESSION, weight=WHOLE, depth=4),
    "missing values": Case("RMSE", *data.regression(200, seed=2, missing=0.15)),
    "unregularized": Case("RMSE", *REGRESSION, l2_leaf_reg=0.0),
    "one step": Case("Poisson", *TASKS["Poisson"], rule=LeafRule("Newton", 1)),
    "gradient steps": Case("Logloss", *TASKS["Logloss"], rule=LeafRule("Gradient", 5)),
    "newton steps": Case("MultiClass", *TASKS["MultiClass"], rule=LeafRule("Newton", 3)),
    "one ordering": Case("RMSE", *REGRESSION, more={"permutation_count": 1}),
    "many orderings": Case("RMSE", *REGRESSION, more={"permutation_count": 6}),
    "time": Case("Logloss", *TASKS["Logloss"], more={"has_time": True}),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_parameters(name, monkeypatch):
    case = OTHERS[name]
    assert_as_reference(case, case.train(monkeypatch))


# ---- categories: where splits are equally good -----------------------------------------------


PAIRS = {"max_combination": 2}
SAMPLED = {**PAIRS, "bootstrap_type": "Bayesian"}

WITH_CATEGORIES = {
    "rmse": Case("RMSE", *mixed("RMSE"), more=PAIRS),
    "rmse l2": Case("RMSE", *mixed("RMSE"), cosine=False, body_gradients="segment", more=PAIRS),
    "logloss": Case(
        "Logloss", *mixed("Logloss"), body_gradients="segment", first_body=30, more=PAIRS
    ),
    "logloss l2": Case("Logloss", *mixed("Logloss"), cosine=False, growth=1.3, more=SAMPLED),
    "multiclass": Case("MultiClass", *mixed("MultiClass"), iterations=4, more=SAMPLED),
    "poisson": Case("Poisson", *mixed("Poisson"), weight=WEIGHT[:200], more=SAMPLED),
    "mae": Case("MAE", *mixed("MAE"), body_gradients="segment", first_body=50, more=PAIRS),
    "weights": Case("Logloss", *mixed("Logloss"), weight=WEIGHT[:200], depth=4, more=PAIRS),
    "rows left out": Case(
        "RMSE", *mixed("RMSE"), growth=1.5, more={**PAIRS, "bootstrap_type": "MVS"}
    ),
    "combinations of three": Case(
        "Logloss", *mixed("Logloss"), depth=4, more={"max_combination": 3}
    ),
    "combinations with numbers": Case(
        "RMSE", *mixed("RMSE"), more={**PAIRS, "combine_numbers": True}
    ),
    "window": Case("RMSE", *mixed("RMSE"), more={**PAIRS, "statistic_window": 40}),
    "time": Case("Logloss", *mixed("Logloss"), more={**PAIRS, "has_time": True}),
    "independent orderings": Case(
        "Logloss", *mixed("Logloss"), more={**PAIRS, "independent_orderings": True}
    ),
}


@pytest.mark.parametrize("name", WITH_CATEGORIES)
def test_categories(name, monkeypatch):
    case = WITH_CATEGORIES[name]
    training = case.train(monkeypatch)
    asked = [split for splits in training.structures for split in splits]
    assert len(asked) == case.iterations * case.depth
    assert any(
        isinstance(split.feature, StatisticColumn) and split.feature.combination.size > 1
        for split in asked
    )
    assert_as_reference(case, training, follow(training))
