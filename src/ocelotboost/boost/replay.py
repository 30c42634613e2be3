"""Replay: the leaf values of a finished forest's trees, estimated again on more rows.

Early stopping needs held-out rows. Once they have chosen the number of trees, the structures are
kept and every leaf is filled again, tree after tree, from all rows, so that no row is wasted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ocelotboost.boost.plain import PlainModels
from ocelotboost.boost.sampling import AllRows
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.training_set import ShardSettings, TrainingSet
from ocelotboost.boost.tree import GrownTree
from ocelotboost.loss.base import Loss
from ocelotboost.loss.passes import pass_for


def replay(
    trees: list[GrownTree],
    everything: TrainingSet,
    loss: Loss,
    settings: BoostSettings,
) -> list[GrownTree]:
    """The same splits with leaf values from all the rows."""
    loss_pass = pass_for(loss, settings.n_threads)
    seed = np.random.SeedSequence(0)  # all rows fill leaves: nothing is drawn
    shards = everything.holder.open(
        ShardSettings(loss, loss.n_outputs, AllRows(), seed, settings.n_threads)
    )
    models = PlainModels(
        shards,
        loss,
        loss_pass,
        everything.total_weight,
        everything.n_statistic_orderings,
        settings.leaves,
    )
    replayed = []
    for number, tree in enumerate(trees):
        added = models.add_tree(tree.splits, settings.rate_of(number))
        replayed.append(replace(tree, leaf_values=added.values, leaf_weights=added.weights))
    return replayed
