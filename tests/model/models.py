"""Models to save, to spoil and to describe."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ocelotboost.model.check_model import validate
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import Indicators, StatisticTables
from ocelotboost.model.trained import Resolved, TrainedModel
from ocelotboost.table.formulas import Derivation, Formula, TimeKind
from tests.data import assert_same_bits
from tests.model.forests import category_forest, text_hash

FORMS = ["safetensors", "json"]
RESOLVED = Resolved(0.25, "Ordered", "MVS", "Newton", 3, 6, 1)
NAMES = ("age", "device", "site", "income", "city")


def make_forest(
    depths: list[int], n_outputs: int = 1, n_features: int = 3, seed: int = 0
) -> Forest:
    random = np.random.default_rng(seed)
    n_splits, n_leaves = sum(depths), sum(2**d for d in depths)
    borders = random.normal(size=n_splits)
    borders[::5] = np.nan
    borders[3::7] = np.inf
    borders[4::7] = -np.inf
    return Forest(
        split_columns=random.integers(0, n_features, n_splits).astype(np.uint32),
        split_borders=borders,
        tree_depths=np.array(depths, dtype=np.uint32),
        leaf_values=random.normal(size=(n_leaves, n_outputs)),
        leaf_weights=random.exponential(size=n_leaves),
        start_value=random.normal(size=n_outputs),
        missing_high=np.arange(n_features) % 2 == 1,
    )


def make_model(forest: Forest | None = None, **changes: Any) -> TrainedModel:
    """A regressor, or a classifier when there are several outputs or ``kind`` says so."""
    forest = make_forest([2, 3, 0, 1]) if forest is None else forest
    several, n_trees = forest.n_outputs > 1, forest.n_trees
    kind = changes.get("kind", "classifier" if several else "regressor")
    curve = [1.5, 0.1 + 0.2, float("inf"), float("nan"), -float("inf"), *[0.25] * n_trees]
    model = TrainedModel(
        forest=forest,
        kind=kind,
        loss="MultiClass" if several else "Logloss" if kind == "classifier" else "RMSE",
        feature_names=("age", "größe", 'a "quoted"\nname'),
        classes=np.arange(forest.n_outputs) if several else None,
        parameters={"depth": 3, "learning_rate": 0.1, "subsample": None, "x": [1, "a"]},
        resolved=RESOLVED,
        history={"learn": {"RMSE": curve}, "eval_0": {"RMSE": curve[::-1]}},
        best_iteration=min(2, n_trees - 1) if n_trees else None,
    )
    return dataclasses.replace(model, **changes)


def make_category_model(**options: Any) -> TrainedModel:
    """A model whose trees use all indicators, statistic columns and tables."""
    forest = category_forest(**options).pruned()
    return make_model(forest, feature_names=None)


WITH_CATEGORIES = make_category_model(seed=1, n_trees=30)


def assert_same(found: TrainedModel, expected: TrainedModel) -> None:
    assert_same_bits(found.forest, expected.forest)
    for field in dataclasses.fields(TrainedModel):
        if field.name not in ("forest", "classes"):
            # repr tells 1 from 1.0 and True, 0.0 from -0.0, and finds NaN equal to itself
            one, other = getattr(found, field.name), getattr(expected, field.name)
            assert repr(one) == repr(other), field.name
    assert (found.classes is None) == (expected.classes is None)
    if found.classes is not None and expected.classes is not None:
        assert found.classes.dtype == expected.classes.dtype
        assert repr(found.classes.tolist()) == repr(expected.classes.tolist())


TINY = make_model(
    make_forest([1, 2], n_features=2),
    kind="classifier",
    loss="Logloss",
    feature_names=("a", "b"),
    classes=np.array([0, 1]),
    history={"learn": {"Logloss": [0.5, 0.25]}},
    parameters={"depth": 2, "rsm": 0.5},
    best_iteration=1,
)


TINY_DATES = dataclasses.replace(
    TINY,
    forest=dataclasses.replace(
        TINY.forest,
        missing_high=np.zeros(4, dtype=np.bool_),
        categorical=np.zeros(4, dtype=np.bool_),
        split_columns=np.array([0, 2, 3], dtype=np.uint32),
        derivation=Derivation(
            {0: TimeKind("date", "Asia/Tokyo"), 1: TimeKind("duration")},
            (Formula("weekday", (0,)), Formula("hour", (0,))),
        ),
    ),
)

TINY_CATEGORIES = dataclasses.replace(
    TINY,
    forest=category_forest(12, n_tables=2, n_trees=4).pruned(),
    feature_names=None,
    history={"learn": {"Logloss": [0.5, 0.25, 0.2, 0.1]}},
)


def small_model(**changes: Any) -> TrainedModel:
    """Every kind of question once, in one tree of depth 8 and one of depth 1."""
    tables = StatisticTables(
        prior_weight=np.ones(3),
        member_offsets=np.array([0, 2, 3, 4], np.uint32),
        members=np.array([1, 2, 4, 1], np.uint32),
        question_offsets=np.array([0, 0, 0, 2], np.uint32),
        question_columns=np.array([0, 5], np.uint32),
        question_borders=np.array([31.5, 0.5]),
        entry_offsets=np.array([0, 3, 5, 6], np.uint64),
        keys=np.array([1, 2, 3, 1, 2, 9], np.uint64),
        counts=np.array([9, 1, 1, 300, 2, 1], np.uint16),
        n_targets=np.array([1, 1, 0], np.uint32),
        sums=np.array([9, 0, 1, 200, 1], np.uint8),
        target_names=(("mean target",), ("share of class 'x'",), ()),
        column_tables=np.array([0, 0, 1, 2], np.uint32),
        column_targets=np.array([0, -1, 0, -1], np.int32),
        column_priors=np.array([0.5, 0.0, 0.0, 0.0]),
        column_lows=np.array([0.0, 0.0, -0.2, 0.0]),
        column_highs=np.array([0.93, 1.0, 0.7, 1.0]),
    )
    rng = np.random.default_rng(0)
    forest = Forest(
        split_columns=np.array([0, 5, 6, 0, 3, 7, 8, 9, 10], np.uint32),
        split_borders=np.array([31.5, 0.5, 0.5, np.nan, np.nan, 4.0, 2.0, 9.0, 14.0]),
        tree_depths=np.array([8, 1], np.uint32),
        leaf_values=rng.normal(size=(258, 1)),
        leaf_weights=np.ones(258),
        start_value=np.array([0.25]),
        missing_high=np.array([False, False, False, True, False]),
        categorical=np.array([False, True, True, False, True]),
        indicators=Indicators(
            np.array([4, 4], np.uint32),
            np.array([text_hash("Paris"), 0], np.uint64),
            ("Paris", None),
        ),
        statistics=tables,
    )
    model = TrainedModel(
        forest, "classifier", "Logloss", NAMES, np.array(["no", "yes"]), {}, RESOLVED, {}, None
    )
    model = dataclasses.replace(model, **changes)
    validate(model)
    return model
