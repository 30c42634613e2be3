"""Whole trainings give the trees of the plain reference trainer: same splits, same leaf values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.model.forest import Forest
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table import table_from_input
from tests import data
from tests.boost.reference_trainer import (
    LeafRule,
    Question,
    ReferenceTrainer,
    Tree,
    all_questions,
)

SAME = 1e-6


@dataclass(frozen=True)
class Case:
    """One training: the loss, its data, and parameters that both sides understand."""

    loss: str
    X: NDArray[np.float32]
    y: NDArray[Any]
    weight: NDArray[np.float32] | None = None
    depth: int = 4
    iterations: int = 20
    learning_rate: float = 0.1
    l2_leaf_reg: float = 3.0
    cosine: bool = True
    rule: LeafRule | None = None
    nan_mode: str = "Min"
    border_count: int = 32
    more: dict[str, Any] = field(default_factory=dict)

    def forest(self) -> Forest:
        """What the package trains."""
        kind = OcelotClassifier if self.loss in ("Logloss", "MultiClass") else OcelotRegressor
        rule = {}
        if self.rule is not None:
            rule = {
                "leaf_estimation_method": self.rule.method,
                "leaf_estimation_iterations": self.rule.steps,
            }
        model = kind(
            loss_function=self.loss,
            iterations=self.iterations,
            depth=self.depth,
            learning_rate=self.learning_rate,
            l2_leaf_reg=self.l2_leaf_reg,
            score_function="Cosine" if self.cosine else "L2",
            nan_mode=self.nan_mode,
            border_count=self.border_count,
            boosting_type="Plain",
            bootstrap_type="No",
            random_strength=0,
            **rule,
        )
        return model.fit(self.X, self.y, sample_weight=self.weight).forest_

    def reference(self, choose: Any = None) -> tuple[NDArray[np.float64], list[Tree]]:
        """What the reference trains on the same borders."""
        quantizer = Quantizer.fit(
            table_from_input(self.X),
            weight=self.weight,
            border_count=self.border_count,
            nan_mode=self.nan_mode,
            rng=np.random.default_rng(0),
            n_threads=1,
        )
        trainer = ReferenceTrainer(
            self.loss,
            self.iterations,
            self.depth,
            self.learning_rate,
            self.l2_leaf_reg,
            self.cosine,
            self.rule,
            choose,
        )
        weight = None if self.weight is None else self.weight.astype(np.float64)
        questions = all_questions(self.X, quantizer.borders, missing_high=self.nan_mode == "Max")
        return trainer.train(questions, self.y.astype(np.float64), weight)


def trees_of(forest: Forest) -> list[tuple[list[tuple[int, float | str]], NDArray[np.float64]]]:
    """Questions and leaf values of each tree."""
    splits, leaves = forest.split_offsets(), forest.leaf_offsets()
    places = [
        (int(column), "missing" if np.isnan(border) else float(border))
        for column, border in zip(forest.split_columns, forest.split_borders, strict=True)
    ]
    return [
        (places[splits[t] : splits[t + 1]], forest.leaf_values[leaves[t] : leaves[t + 1]])
        for t in range(forest.n_trees)
    ]


def assert_same_leaf_values(found: NDArray[np.float64], expected: NDArray[np.float64]) -> None:
    assert_allclose(found, expected, rtol=SAME, atol=SAME * np.abs(expected).max())


REGRESSION = data.regression(400, seed=1)
GAPS = data.regression(500, seed=2, missing=0.15)
WIDE = data.regression(300, 20, seed=3)
BINARY = data.binary(400, seed=4)
BINARY_GAPS = data.binary(600, seed=5, missing=0.1)
CLASSES = data.multiclass(400, seed=6)
CLASSES_GAPS = data.multiclass(500, n_classes=4, seed=7, missing=0.1)
COUNTS = data.counts(400, seed=8)
COUNTS_GAPS = data.counts(500, seed=9, missing=0.1)
WEIGHT = data.fractional_weights(600)
WHOLE = np.random.default_rng(0).integers(1, 6, size=600).astype(np.float32)

CASES = {
    "rmse": Case("RMSE", *REGRESSION, iterations=30),
    "rmse l2": Case("RMSE", *REGRESSION, cosine=False, iterations=30),
    "rmse deep": Case("RMSE", *REGRESSION, depth=6),
    "rmse weights": Case("RMSE", *REGRESSION, weight=WEIGHT[:400], depth=5),
    "rmse whole weights": Case("RMSE", *REGRESSION, weight=WHOLE[:400], depth=5),
    "rmse missing low": Case("RMSE", *GAPS, depth=5),
    "rmse missing high": Case("RMSE", *GAPS, nan_mode="Max", weight=WEIGHT[:500]),
    "rmse 254 borders": Case("RMSE", *WIDE, border_count=254, depth=3),
    "rmse unregularized": Case("RMSE", *REGRESSION, l2_leaf_reg=0.0, depth=3),
    "rmse gradient steps": Case("RMSE", *REGRESSION, rule=LeafRule("Gradient", 3)),
    "logloss": Case("Logloss", *BINARY, iterations=30),
    "logloss l2": Case("Logloss", *BINARY, cosine=False, depth=3),
    "logloss weights": Case("Logloss", *BINARY, weight=WEIGHT[:400], depth=5),
    "logloss missing": Case("Logloss", *BINARY_GAPS, weight=WEIGHT, depth=6),
    "logloss one step": Case("Logloss", *BINARY, rule=LeafRule("Newton", 1)),
    "logloss gradient": Case("Logloss", *BINARY, rule=LeafRule("Gradient", 5), depth=3),
    "multiclass": Case("MultiClass", *CLASSES, iterations=15),
    "multiclass l2 weights": Case("MultiClass", *CLASSES, weight=WEIGHT[:400], cosine=False),
    "multiclass missing": Case("MultiClass", *CLASSES_GAPS, depth=5, iterations=10),
    "multiclass steps": Case("MultiClass", *CLASSES, rule=LeafRule("Newton", 3), iterations=10),
    "poisson": Case("Poisson", *COUNTS),
    "poisson missing weights": Case("Poisson", *COUNTS_GAPS, weight=WEIGHT[:500], depth=5),
    "mae weights": Case("MAE", *REGRESSION, weight=WEIGHT[:400], depth=3),
    "mae missing weights": Case("MAE", *GAPS, weight=WEIGHT[:500], depth=4),
    "mae gradient": Case("MAE", *REGRESSION, weight=WEIGHT[:400], rule=LeafRule("Gradient", 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_trees_are_those_of_the_reference(name):
    case = CASES[name]
    forest = case.forest()
    start, expected = case.reference()
    assert_allclose(forest.start_value, start, rtol=SAME)
    assert forest.n_trees == case.iterations
    for (places, values), tree in zip(trees_of(forest), expected, strict=True):
        assert places == [question.place for question in tree.questions]
        assert_same_leaf_values(values, tree.leaf_values)


# ---- where splits are equally good -----------------------------------------------------------


def follow(forest: Forest) -> Callable[[int, int, list[Question], NDArray[np.float64]], Question]:
    """Choose what the forest chose, provided that it scores as the best does to five digits."""
    trees = trees_of(forest)

    def choose(
        tree_number: int, level: int, questions: list[Question], scores: NDArray[np.float64]
    ) -> Question:
        places = [question.place for question in questions]
        chosen = places.index(trees[tree_number][0][level])
        assert scores[chosen] >= scores.max() * (1 - 1e-5)
        return questions[chosen]

    return choose


def with_ties(
    made: tuple[NDArray[np.float32], NDArray[Any]],
) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Rounded features, each column twice, once turned around: many splits are equally good."""
    X, y = made
    rounded = np.round(X * 2) / 2
    return np.concatenate([rounded, -rounded], axis=1), y


TIES = {
    "rmse": Case("RMSE", *with_ties(data.regression(300, 3, seed=10))),
    "logloss": Case("Logloss", *with_ties(data.binary(300, 3, seed=11, missing=0.1))),
    "multiclass": Case("MultiClass", *with_ties(data.multiclass(300, 3, seed=12)), iterations=10),
    "poisson": Case("Poisson", *with_ties(data.counts(300, 3, seed=13)), cosine=False),
    "mae": Case("MAE", *data.regression(300, 3, seed=14)),
    "mae l2": Case("MAE", *with_ties(data.regression(300, 3, seed=15)), cosine=False),
}


@pytest.mark.parametrize("name", TIES)
def test_among_equally_good_splits_any_is_right_and_leaf_values_are_those_of_the_reference(name):
    case = TIES[name]
    forest = case.forest()
    assert (forest.tree_depths == case.depth).all()
    _, expected = case.reference(follow(forest))
    for (_, values), tree in zip(trees_of(forest), expected, strict=True):
        assert_same_leaf_values(values, tree.leaf_values)
