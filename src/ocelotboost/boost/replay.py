"""Replay: the leaf values of a finished forest's trees, estimated again on more rows.

Early stopping needs held-out rows. Once they have chosen the number of trees, the structures are
kept and every leaf is filled again, tree after tree, from all rows, so that no row is wasted.
"""

from __future__ import annotations

from dataclasses import replace

from ocelotboost.boost.plain import PlainModel, TrainingSet
from ocelotboost.boost.tree import GrownTree
from ocelotboost.grow.partition import assign_rows
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
    replayed = []
    for tree in trees:
        partition = assign_rows(everything.block, tree.splits, n_threads)
        values, weights = estimate_leaves(
            loss_pass, everything.target, everything.weight, model.raw, partition, settings
        )
        again = replace(tree, leaf_values=learning_rate * values, leaf_weights=weights)
        model.add_tree(partition, again.leaf_values)
        replayed.append(again)
    return replayed
