"""Replay: the leaf values of a finished forest's trees, estimated again on more rows.

Early stopping needs held-out rows. Once they have chosen the number of trees, the structures are
kept and every leaf is filled again, tree after tree, from all rows, so that no row is wasted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ocelotboost.boost.plain import PlainModel, TrainingSet
from ocelotboost.boost.tree import GrownTree, rounded
from ocelotboost.grow.partition import assign_leaves
from ocelotboost.leaves.estimate import LeafSettings, estimate_leaves
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.loss.passes import pass_for


def replay(
    trees: list[GrownTree],
    everything: TrainingSet,
    loss: Loss,
    start: Floats,
    learning_rate: float,
    settings: LeafSettings,
) -> list[GrownTree]:
    """The same splits with leaf values from all the rows, from raw predictions ``start``."""
    n_threads = settings.n_threads
    loss_pass = pass_for(loss, n_threads)
    model = PlainModel(everything, loss, loss_pass, start, n_threads)
    leaves = np.empty(everything.block.n_rows, dtype=np.uint32)
    replayed = []
    for tree in trees:
        assign_leaves(everything.block, tree.splits, leaves, n_threads)
        values, weights = estimate_leaves(
            loss_pass,
            everything.target,
            everything.weight,
            model.raw,
            model.gradients,
            leaves,
            1 << len(tree.splits),
            settings,
        )
        again = replace(tree, leaf_values=rounded(learning_rate * values), leaf_weights=weights)
        model.add_tree(leaves, again.leaf_values)
        replayed.append(again)
    return replayed
