"""Parts of a model that do not fit together are named and never saved."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from ocelotboost.errors import ModelFileError
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES
from ocelotboost.model.check_model import LOSSES, validate
from ocelotboost.model.file import dumps
from ocelotboost.model.trained import TrainedModel
from tests.model.models import RESOLVED, TINY_CATEGORIES, make_forest, make_model


def assert_refused(model: TrainedModel, complaint: str) -> None:
    with pytest.raises(ModelFileError, match=complaint):
        validate(model)
    with pytest.raises(ModelFileError, match=f"Cannot save the model: .*{complaint}"):
        dumps(model)


def changed_forest(**changes: Any) -> TrainedModel:
    return make_model(dataclasses.replace(make_forest([2, 1]), **changes))


def resolved_as(**changes: Any) -> TrainedModel:
    return make_model(resolved=dataclasses.replace(RESOLVED, **changes))


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (changed_forest(split_columns=np.zeros(3, np.int64)), "split_columns is int64"),
        (changed_forest(split_columns=[0, 0, 0]), "split_columns is not an array"),
        (changed_forest(leaf_values=np.zeros(6)), "leaf_values is float64 with 1 axes"),
        (changed_forest(split_columns=np.array([0, 3, 1], np.uint32)), "column 3, .* 3 columns"),
        (changed_forest(split_columns=np.zeros(2, np.uint32)), "split_columns has length 2.* 3"),
        (changed_forest(split_borders=np.zeros(4)), "split_borders has length 4"),
        (changed_forest(tree_depths=np.array([17], np.uint32)), "depth 17; at most 16"),
        (changed_forest(tree_depths=np.array([2**32 - 1], np.uint32)), "depth 4294967295"),
        (changed_forest(leaf_values=np.zeros((5, 1))), "leaf_values has length 5.* ask for 6"),
        (changed_forest(leaf_values=np.zeros((6, 2))), "leaf_values has 2 outputs"),
        (changed_forest(leaf_values=np.full((6, 1), np.nan)), "leaf_values has .* not finite"),
        (changed_forest(leaf_values=np.full((6, 1), 1.7e308)), "leaf_values has .* beyond 1e.100"),
        (changed_forest(start_value=np.array([-1e101])), "start_value has .* beyond 1e.100"),
        (changed_forest(leaf_weights=np.full(6, 1e200)), "leaf_weights has .* beyond 1e.100"),
        (changed_forest(leaf_weights=np.zeros(7)), "leaf_weights has length 7"),
        (changed_forest(leaf_weights=np.full(6, np.inf)), "leaf_weights has .* not finite"),
        (changed_forest(leaf_weights=np.full(6, -1.0)), "leaf_weights has a negative"),
        (changed_forest(start_value=np.array([np.inf])), "start_value has .* not finite"),
        (changed_forest(start_value=np.zeros(0)), "no output"),
        (changed_forest(missing_high=np.zeros(0, bool)), "categorical has length 3 for 0 columns"),
        (changed_forest(missing_high=np.full(3, 2, np.uint8).view(bool)), "beyond 0 and 1"),
        (make_model(watched=("learn",)), "watched is"),
        (make_model(watched=("learn", "MAE")), "no metric 'MAE' of 'learn'"),
        (make_model(watched=("eval_9", "RMSE")), "no metric 'RMSE' of 'eval_9'"),
        (make_model(watched=("learn", "RMSE"), n_init_trees=3), "best_iteration is 2, but"),
        (make_model(kind="ranker"), "kind 'ranker' is none of classifier, regressor"),
        (make_model(classes=np.array([0, 1])), "a regressor cannot have classes"),
        (make_model(kind="classifier"), "needs its classes"),
        (make_model(kind="classifier", classes=np.arange(3)), "3 classes, but 1 outputs need 2"),
        (make_model(kind="classifier", classes=np.array([1, 1])), "label occurs twice"),
        (make_model(kind="classifier", classes=np.array([0.5, np.nan])), "label is NaN"),
        (make_model(make_forest([1], 3), classes=np.array([1.0, np.nan, np.nan])), "label is NaN"),
        (make_model(make_forest([1], 3), kind="regressor", loss="RMSE"), "cannot have 3 outputs"),
        (make_model(make_forest([1], 3), loss="Logloss"), "cannot have 3 outputs"),
        (make_model(make_forest([1], 3), loss="custom:Mine"), "cannot have 3 outputs"),
        (
            make_model(kind="classifier", loss="MultiClass", classes=np.array([0, 1])),
            "'MultiClass' cannot have 1 outputs",
        ),
        (make_model(loss="Logloss"), "'Logloss' is none of a regressor: RMSE, "),
        (make_model(loss="rmse"), "'rmse' is none of a regressor"),
        (make_model(loss=""), "'' is none of a regressor"),
        (make_model(kind="classifier", loss="RMSE"), "'RMSE' is none of a classifier: Logloss, "),
        (make_model(kind=["regressor"]), "kind .* is none of"),
        (
            make_model(kind="classifier", classes=np.array(["2020", "2021"], "datetime64[Y]")),
            "dtype datetime64.*encode the target",
        ),
        (make_model(feature_names=("a",)), "1 feature names for 3 columns"),
        (make_model(feature_names=("a", "b", 3)), "not a tuple of texts"),
        (make_model(feature_names=("a", "b", "a")), "a feature name occurs twice"),
        (make_model(best_iteration=-1), "best_iteration is -1"),
        (make_model(best_iteration=4), "best_iteration is 4, .* one of 4 trees"),
        (make_model(best_iteration=True), "best_iteration is True"),
        (make_model(make_forest([]), best_iteration=0), "best_iteration is 0, .* one of 0 trees"),
        (make_model(n_init_trees=5), "n_init_trees is 5, .* 4"),
        (make_model(n_init_trees=-1), "n_init_trees is -1"),
        (make_model(n_init_trees=1.0), "n_init_trees is 1.0"),
        (make_model(loss=print), "not a name"),
        (make_model(history={"learn": [1.0]}), "history is not"),
        (make_model(history={"learn": {"RMSE": ["low"]}}), "history is not"),
        (make_model(history={"learn": {"RMSE": [0.0] * 3}}), "of 3 iterations, but 4 trees"),
        (make_model(history={"learn": {"RMSE": [0.0]}}, n_init_trees=2), "of 1 iterations, but 2"),
        (
            make_model(history={"learn": {"RMSE": [0.0] * 4}, "eval_0": {"RMSE": [0.0] * 5}}),
            r"different lengths: \[4, 5\]",
        ),
        (make_model(dropped_parameters=("b", "a")), "dropped_parameters are not in order"),
        (make_model(dropped_parameters=("a", "a")), "dropped_parameters are not in order"),
        (make_model(dropped_parameters=("depth",)), "or are among the parameters"),
        (make_model(resolved=None), "resolved is not"),
        (resolved_as(learning_rate=0.0), "learning_rate is 0.0"),
        (resolved_as(learning_rate=np.nan), "learning_rate is nan"),
        (resolved_as(learning_rate=np.inf), "learning_rate is inf"),
        (resolved_as(learning_rate="fast"), "learning_rate is 'fast'"),
        (resolved_as(boosting_type="auto"), "boosting_type is 'auto', none of Plain, Ordered"),
        (resolved_as(bootstrap_type=["MVS"]), "bootstrap_type is"),
        (resolved_as(leaf_estimation_method=None), "leaf_estimation_method is None"),
        (resolved_as(leaf_estimation_iterations=0), "leaf_estimation_iterations is 0"),
    ],
)
def test_parts_that_do_not_fit_are_named_and_never_saved(
    model: TrainedModel, complaint: str
) -> None:
    assert_refused(model, complaint)


def changed_indicators(**changes: Any) -> TrainedModel:
    forest = TINY_CATEGORIES.forest
    return changed(indicators=dataclasses.replace(forest.indicators, **changes))


def changed_tables(**changes: Any) -> TrainedModel:
    forest = TINY_CATEGORIES.forest
    return changed(statistics=dataclasses.replace(forest.statistics, **changes))


def changed(**changes: Any) -> TrainedModel:
    forest = dataclasses.replace(TINY_CATEGORIES.forest, **changes)
    return dataclasses.replace(TINY_CATEGORIES, forest=forest)


def with_value(name: str, place: int, value: Any) -> TrainedModel:
    """The tables with one number replaced."""
    array = getattr(TINY_CATEGORIES.forest.statistics, name).copy()
    array[place] = value
    return changed_tables(**{name: array})


def with_border(kind: str, border: float) -> TrainedModel:
    """The forest with another border at its first question about an indicator or a statistic."""
    forest = TINY_CATEGORIES.forest
    statistic = forest.split_columns >= forest.first_statistic
    indicator = (forest.split_columns >= forest.n_features) & ~statistic
    borders = forest.split_borders.copy()
    borders[np.flatnonzero(statistic if kind == "statistic" else indicator)[0]] = border
    return changed(split_borders=borders)


TABLES = TINY_CATEGORIES.forest.statistics


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (changed(categorical=np.zeros(6, np.uint8)), "categorical is uint8"),
        (changed(categorical=np.full(6, 3, np.uint8).view(bool)), "beyond 0 and 1"),
        (changed(categorical=np.zeros(5, bool)), "categorical has length 5 for 6"),
        (changed(categorical=np.ones(6, bool)), "compares the categories of a column"),
        (changed(categorical=np.zeros(6, bool)), "about a column that is not categorical"),
        (changed(indicators=None), "not Indicators"),
        (changed(statistics=None), "not StatisticTables"),
        (changed_indicators(texts=()), "hashes and 0 texts"),
        (changed_indicators(texts=["Paris"]), "not a tuple of texts"),
        (changed_indicators(hashes=TINY_CATEGORIES.forest.indicators.hashes * 0), "hash .* is 0"),
        (changed_indicators(columns=TINY_CATEGORIES.forest.indicators.columns + 9), "6 features"),
        (with_border("indicator", 0.4), "border of an indicator is not 0.5"),
        (with_border("statistic", 15.0), "no whole number from 0 to 14"),
        (with_border("statistic", 0.5), "no whole number from 0 to 14"),
        (with_border("statistic", np.nan), "no whole number from 0 to 14"),
        (with_value("member_offsets", 0, 1), "member_offsets do not cut"),
        (with_value("member_offsets", 1, 10**6), "member_offsets do not cut"),
        (with_value("entry_offsets", -1, 10**6), "entry_offsets do not cut"),
        (with_value("question_offsets", -1, 99), "question_offsets do not cut"),
        (with_value("members", 0, 99), "column 99, but the model has 6 features"),
        (with_value("members", 0, 0), "not categorical"),
        (with_value("keys", 0, 2**64 - 1), "keys of a table do not ascend"),
        (changed_tables(keys=TABLES.keys[:-1]), "keys and"),
        (changed_tables(keys=TABLES.keys.astype(np.int64)), "keys is int64"),
        (changed_tables(counts=TABLES.counts.astype(np.int8)), "counts is int8"),
        (changed_tables(counts=TABLES.counts - 100.0), "counts has a negative"),
        (changed_tables(counts=TABLES.counts * np.nan), "counts has .* not finite"),
        (changed_tables(sums=TABLES.sums[:-1]), "sums where"),
        (changed_tables(sums=TABLES.sums + np.inf), "sums has .* not finite"),
        (with_value("n_targets", 0, 9), "sums where"),
        (changed_tables(target_names=()), "target_names are not"),
        (with_value("prior_weight", 0, 0.0), "prior_weight .* not above 0"),
        (with_value("prior_weight", 0, np.nan), "prior_weight .* not finite"),
        (with_value("column_tables", 0, 7), "of a table that there is not"),
        (with_value("column_targets", 0, 7), "of a sum that its table does not have"),
        (with_value("column_targets", 0, -2), "of a sum that its table does not have"),
        (with_value("column_priors", 0, np.inf), "column_priors .* not finite"),
        (with_value("column_lows", 0, 5.0), "column_low is not below"),
        (with_value("column_highs", 0, np.nan), "column_highs .* not finite"),
        (changed_tables(column_priors=np.zeros(1)), "column_priors has length 1"),
        (
            changed_tables(
                question_offsets=np.array([0] + [17] * TABLES.n_tables, np.uint32),
                question_columns=np.zeros(17, np.uint32),
                question_borders=np.zeros(17),
            ),
            "17 questions; at most 16",
        ),
        (
            changed_tables(
                question_offsets=np.array([0] + [1] * TABLES.n_tables, np.uint32),
                question_columns=np.full(1, TINY_CATEGORIES.forest.first_statistic, np.uint32),
                question_borders=np.zeros(1),
            ),
            "base question is about a statistic column",
        ),
        (
            changed(split_columns=TINY_CATEGORIES.forest.split_columns + np.uint32(99)),
            "a tree asks about column",
        ),
    ],
)
def test_categories_that_do_not_fit_are_named_and_never_saved(
    model: TrainedModel, complaint: str
) -> None:
    assert_refused(model, complaint)


def test_the_losses_of_files_are_those_of_the_estimators() -> None:
    assert LOSSES == {"classifier": CLASS_LOSSES, "regressor": REGRESSION_LOSSES}


def test_a_model_knows_its_number_of_columns() -> None:
    assert make_model().n_features == 3
