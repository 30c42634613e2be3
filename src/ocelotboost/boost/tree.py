"""A tree fresh from training, in bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ocelotboost.grow.partition import Split
from ocelotboost.loss.base import Floats
from ocelotboost.model.forest import Forest
from ocelotboost.quantize.quantizer import Quantizer


@dataclass(frozen=True)
class GrownTree:
    """Splits by bin, leaf values (n_leaves, n_outputs) with the learning rate, leaf weights."""

    splits: list[Split]
    leaf_values: Floats
    leaf_weights: Floats


def rounded(values: Floats) -> Floats:
    """The values to 24 binary digits.

    The order of the rows, and weights in place of copies, change the last digits of sums over
    rows. Without those digits the model is the same, and so is every choice between equal splits.
    """
    mantissa, exponent = np.frexp(values)
    kept: Floats = np.ldexp(np.rint(mantissa * (1 << 24)) / (1 << 24), exponent)
    return kept


def without_idle_split(tree: GrownTree) -> GrownTree:
    """The tree without its last split, if that divides no leaf. An empty leaf has value 0."""
    if not tree.splits:
        return tree
    pairs = tree.leaf_weights.reshape(-1, 2)
    if (pairs > 0).all(axis=1).any():
        return tree
    values = tree.leaf_values.reshape(len(pairs), 2, -1)
    return GrownTree(tree.splits[:-1], values.sum(axis=1), pairs.sum(axis=1))


def pack_forest(trees: list[GrownTree], quantizer: Quantizer, start_value: Floats) -> Forest:
    """The trees as a forest whose borders are numbers, not bins."""
    splits = [split for tree in trees for split in tree.splits]
    columns = np.array([split.column for split in splits], dtype=np.uint32)
    bins = np.array([split.bin for split in splits], dtype=np.uint8)
    n_outputs = len(start_value)
    return Forest(
        split_columns=columns,
        split_borders=quantizer.borders_of(columns, bins),
        tree_depths=np.array([len(tree.splits) for tree in trees], dtype=np.uint32),
        leaf_values=np.concatenate(
            [np.empty((0, n_outputs)), *(tree.leaf_values for tree in trees)]
        ),
        leaf_weights=np.concatenate([np.empty(0), *(tree.leaf_weights for tree in trees)]),
        start_value=start_value,
        missing_high=quantizer.missing_high,
    )
