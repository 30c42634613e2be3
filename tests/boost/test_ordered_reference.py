"""Ordered trainings are those of the plain reference: same splits, same leaf values, and supporting
models that lose as much on rows they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.boost.boosting import Boosted, boost
from ocelotboost.boost.ordered import OrderedModels
from ocelotboost.boost.sampling import Sampling
from ocelotboost.estimator.preparation import Prepared
from ocelotboost.estimator.rows import prepare
from ocelotboost.estimator.settings import boost_settings
from ocelotboost.grow.answers import Split
from ocelotboost.order.combination import Combination, StatisticSplit
from ocelotboost.order.segments import divide
from ocelotboost.order.statistic import N_BINS
from ocelotboost.quantize.block import ColumnSplit
from ocelotboost.table.from_input import table_from_input
from tests import data
from tests.reference_ordered import (
    OrderedTrainer,
    OrderedTraining,
    Supporting,
    own_predictions,
    statistic_questions,
)
from tests.reference_trainer import LOSSES, LeafRule, Question, ReferenceTrainer

SAME = 1e-6

Choose = Callable[[int, int, list[Question], NDArray[np.float64]], Question]


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
        target = estimator._learn_target(self.y, len(self.y))
        loss = estimator._loss()
        rows = prepare(table_from_input(self.X), target, self.weight)
        prepared = Prepared.make(estimator, rows, None, loss, None, [], n_threads=1)
        settings = boost_settings(estimator, prepared, loss, n_threads=1)
        drawn = Drawn(settings.sampling)
        monkeypatch.setattr(OrderedModels, "evidence", drawn.evidence(OrderedModels.evidence))
        settings = replace(
            settings,
            segments=divide(len(self.y), self.growth, self.first_body),
            sampling=drawn,
        )
        boosted = boost(
            prepared.training, [], loss, [], prepared.start.copy(), False, settings, [],
            prepared.seed,
        )  # fmt: skip
        return Training(prepared, boosted, drawn)

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


class Drawn:
    """A sampling that notes what is random about each tree.

    orderings  r
    """

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self.orderings: list[int] = []
        self._rows: list[NDArray[np.uint32]] = []
        self._weights: list[NDArray[np.float32] | None] = []

    def evidence(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``OrderedModels.evidence``, which is told r."""

        def noted(models: OrderedModels, ordering: int) -> Any:
            found = original(models, ordering)
            self.orderings.append(ordering)
            self._rows.append(found.rows)
            return found

        return noted

    def weights(self, *state: Any) -> NDArray[np.float32] | None:
        self._weights.append(self._sampling.weights(*state))
        return self._weights[-1]

    def sampling(self, n_rows: int) -> list[NDArray[np.float64] | None]:
        """Sampling weights (n,) of each tree, rows as they come."""
        found: list[NDArray[np.float64] | None] = []
        for rows, weights in zip(self._rows, self._weights, strict=True):
            by_row = np.empty(n_rows)
            by_row[rows] = 1.0 if weights is None else weights
            found.append(by_row)
        return found


@dataclass(frozen=True)
class Training:
    """What the package started from, trained and drew."""

    prepared: Prepared
    boosted: Boosted
    drawn: Drawn

    @property
    def orderings(self) -> NDArray[np.uint32]:
        """Those of the segments."""
        found = self.prepared.training.orderings
        assert found is not None
        return found

    @property
    def structures(self) -> list[list[Split]]:
        return [tree.splits for tree in self.boosted.trees]

    @cached_property
    def questions(self) -> dict[Split, Question]:
        """Every one that was open to some tree."""
        prepared = self.prepared
        bins = prepared.quantizer.columns(prepared.everything.table, n_threads=1)
        found: dict[Split, Question] = {}
        for column, n_bins in enumerate(prepared.quantizer.bin_counts.tolist()):
            for question in statistic_questions(column, bins[column], n_bins):
                found[ColumnSplit(column, int(question.border))] = question
        first = len(bins)
        for combination in self.offered:
            statistic = self._statistic(combination)
            for column, by_ordering in enumerate(statistic):
                for question in statistic_questions(first + column, by_ordering, N_BINS):
                    split = StatisticSplit(combination, column, int(question.border))
                    found[split] = question
            first += len(statistic)
        return found

    @property
    def offered(self) -> list[Combination]:
        """Combinations that some tree might have asked about."""
        every = [c for splits in self.structures for c in self.offered_after(splits[:-1])]
        return list(dict.fromkeys(every))

    def offered_after(self, splits: Sequence[Split]) -> list[Combination]:
        """Combinations that the next question of a tree may be about."""
        combinations = self.prepared.combinations
        found = combinations.single
        for level in range(len(splits)):
            found = found + combinations.after(splits[: level + 1])
        return found

    def _statistic(self, combination: Combination) -> NDArray[np.uint8]:
        """Bins (n_columns, s + 1, n)."""
        cache = self.prepared.training.statistics
        assert cache is not None
        number = cache.register.number(combination)
        bins = []
        for ordering in range(len(self.orderings)):
            unit = cache.units[cache.fetch([number], ordering)[0]]
            halves = np.stack([unit & 15, unit >> 4], axis=2)
            bins.append(halves.reshape(len(unit), -1).T[: cache.source.columns.n_columns])
        return np.stack(bins, axis=1)


def assert_as_reference(case: Case, training: Training, choose: Choose | None = None) -> None:
    expected = case.reference(training, choose)
    assert_allclose(training.prepared.start_value, expected.start, rtol=SAME)
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


def follow(training: Training) -> Choose:
    """Choose as training did, provided that it was offered and scores as the best does to five
    digits. Statistics have few values: many questions about them divide the rows alike."""

    def choose(
        tree_number: int, level: int, questions: list[Question], scores: NDArray[np.float64]
    ) -> Question:
        splits = training.structures[tree_number]
        combinations = set(training.offered_after(splits[:level]))
        offered = np.array(
            [
                isinstance(split, ColumnSplit) or split.combination in combinations
                for split in training.questions
            ]
        )
        chosen = list(training.questions).index(splits[level])
        best = scores[offered].max()
        assert offered[chosen]
        assert scores[chosen] >= best - 1e-5 * abs(best)
        return questions[chosen]

    return choose


def mixed(loss: str) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Numbers, and categories that say most together; one of two values has no statistic."""
    n_rows = 200
    X, y = data.regression(n_rows, 2, seed=20)
    rng = np.random.default_rng(21)
    city, device, weekday = (rng.integers(0, n, size=n_rows) for n in (6, 3, 2))
    together = (city + device) % 3 == 0
    signal = 0.3 * y + 1.5 * (city % 2) + 4.0 * together + 2.0 * (city % 2 == weekday) - 3.0
    frame = pd.DataFrame(X, columns=["a", "b"])
    for name, values in (("city", city), ("device", device), ("weekday", weekday)):
        frame[name] = values.astype(str)
    target = {
        "RMSE": signal.astype(np.float32),
        "Logloss": (signal > 0).astype(np.int64),
        "MultiClass": np.searchsorted([-1.0, 1.0], signal),
        "Poisson": rng.poisson(np.exp(0.4 * signal)).astype(np.float32),
        "MAE": signal.astype(np.float32),
    }
    return frame, target[loss]


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
    assert any(isinstance(split, StatisticSplit) and split.combination.size > 1 for split in asked)
    assert_as_reference(case, training, follow(training))
