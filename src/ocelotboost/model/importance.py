"""Feature importances: how much the predictions change when a column's answer changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.forest import Forest


def feature_importances(forest: Forest) -> NDArray[np.float64]:
    """Importance of each column that the user gives, summing to 1 (all 0 for a forest without
    splits): (n_given,).

    A question pairs the leaves that differ in its answer alone. With weights a, b and values u, v
    the pair contributes a·b / (a + b) · (u − v)²: the variance that the question explains. The
    features of a combination, those of its base questions included, share it equally, and so do
    the sources of a derived column.
    """
    by_column = np.zeros(forest.n_columns)
    split_offsets, leaf_offsets = forest.split_offsets(), forest.leaf_offsets()
    for tree in range(forest.n_trees):
        leaves = slice(leaf_offsets[tree], leaf_offsets[tree + 1])
        values, weights = forest.leaf_values[leaves], forest.leaf_weights[leaves]
        columns = forest.split_columns[split_offsets[tree] : split_offsets[tree + 1]]
        for level, column in enumerate(columns):
            by_column[column] += _explained(values, weights, level)
    importances = np.zeros(forest.n_given)
    for column in np.flatnonzero(by_column).tolist():
        features = features_of(forest, column)
        importances[features] += by_column[column] / len(features)
    total = importances.sum()
    return importances / total if total > 0 else importances


def features_of(forest: Forest, column: int) -> list[int]:
    """The user's columns that a column is made of, each once."""
    if column < forest.n_given:
        return [column]
    if column < forest.n_features:
        return sorted(set(forest.derivation.formulas[column - forest.n_given].sources))
    if column < forest.first_statistic:
        return [int(forest.indicators.columns[column - forest.n_features])]
    tables = forest.statistics
    table = int(tables.column_tables[column - forest.first_statistic])
    members = set(tables.members_of(table).tolist())
    for asked in tables.question_columns[tables.questions_of(table)].tolist():
        members.update(features_of(forest, asked))
    return sorted(members)


def _explained(values: NDArray[np.float64], weights: NDArray[np.float64], level: int) -> float:
    # The answer of question `level` is the middle axis.
    paired_values = values.reshape(1 << level, 2, -1, values.shape[1])
    no, yes = weights.reshape(1 << level, 2, -1).swapaxes(0, 1)
    both = no + yes
    share = np.divide(no * yes, both, out=np.zeros_like(both), where=both > 0)
    change = ((paired_values[:, 0] - paired_values[:, 1]) ** 2).sum(axis=-1)
    return float((share * change).sum())
