"""A tree fresh from training, in bins."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.base import Floats
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import join_statistics, no_statistics
from ocelotboost.order.combination import Combination, Facet
from ocelotboost.order.feature import Split
from ocelotboost.order.whole_data import WholeData
from ocelotboost.quantize.quantizer import Quantizer


@dataclass(frozen=True)
class GrownTree:
    """Splits by bin, leaf values (n_leaves, n_outputs) with the learning rate, leaf weights."""

    splits: list[Split]
    leaf_values: Floats
    leaf_weights: Floats


def rounded(values: Floats) -> Floats:
    """The values to 24 binary digits, which is single precision.

    The order of the rows, and weights in place of copies, change the last digits of sums over
    rows. Without those digits the model is the same, and so is every choice between equal splits.
    """
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def without_idle_split(tree: GrownTree) -> GrownTree:
    """The tree without its last split, if that divides no leaf. An empty leaf has value 0."""
    if not tree.splits:
        return tree
    pairs = tree.leaf_weights.reshape(-1, 2)
    if (pairs > 0).all(axis=1).any():
        return tree
    values = tree.leaf_values.reshape(len(pairs), 2, -1)
    return GrownTree(tree.splits[:-1], values.sum(axis=1), pairs.sum(axis=1))


def leaf_size(tree: GrownTree) -> float:
    """The mean |leaf value|."""
    return float(np.abs(tree.leaf_values).mean())


def combinations_of(tree: GrownTree) -> set[Combination]:
    """The combinations whose statistics a tree asks about."""
    asked = (split.feature.statistic for split in tree.splits)
    return {facet.combination for facet in asked if facet is not None}


def pack_forest(
    trees: list[GrownTree],
    quantizer: Quantizer,
    whole_data: WholeData | None,
    start_value: Floats,
) -> Forest:
    """The trees as a forest whose borders are numbers, not bins."""
    splits = [split for tree in trees for split in tree.splits]
    used = sorted({c for tree in trees for c in combinations_of(tree)}, key=_reading_order)
    tables = [] if whole_data is None else [whole_data.table(c) for c in used]
    first = _first_columns(used, quantizer.n_columns, whole_data)
    columns = np.array([split.feature.model_column(first) for split in splits], dtype=np.uint32)
    bins = np.array([split.bin for split in splits], dtype=np.uint8)
    statistics = join_statistics(no_statistics(), *tables)
    forest = Forest(
        split_columns=columns,
        split_borders=_borders(columns, bins, quantizer),
        tree_depths=np.array([len(tree.splits) for tree in trees], dtype=np.uint32),
        leaf_values=np.concatenate(
            [np.empty((0, len(start_value))), *(tree.leaf_values for tree in trees)]
        ),
        leaf_weights=np.concatenate([np.empty(0), *(tree.leaf_weights for tree in trees)]),
        start_value=start_value,
        missing_high=quantizer.missing_high,
        categorical=quantizer.categorical,
        hash_key=quantizer.hash_key,
        indicators=quantizer.indicators,
        statistics=replace(
            statistics,
            question_borders=quantizer.borders_of(
                statistics.question_columns, statistics.question_borders.astype(np.uint8)
            ),
        ),
    )
    return forest.pruned()


def _first_columns(
    used: list[Combination], n_before: int, whole_data: WholeData | None
) -> dict[Facet, int]:
    """Where the columns of each facet begin, one combination after the other."""
    if whole_data is None:
        return {}
    columns = whole_data.rule.columns
    facets = [Facet(combination, f) for combination in used for f in range(columns.n_facets)]
    return {facet: n_before + i * columns.n_columns for i, facet in enumerate(facets)}


def _borders(columns: NDArray[np.uint32], bins: NDArray[np.uint8], quantizer: Quantizer) -> Floats:
    """The numbers behind questions about quantized columns; the bins of all others."""
    borders = bins.astype(np.float64)
    quantized = columns < quantizer.n_columns
    borders[quantized] = quantizer.borders_of(columns[quantized], bins[quantized])
    return borders


def _reading_order(combination: Combination) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    return combination.features, tuple((split.column, split.bin) for split in combination.base)
