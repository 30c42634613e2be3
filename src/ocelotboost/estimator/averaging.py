"""Several trained models as one, whose prediction is a weighted mean of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TypeVar

import numpy as np

from ocelotboost.boost.boosting import Boosted
from ocelotboost.boost.callback import History
from ocelotboost.boost.tree import GrownTree, rounded
from ocelotboost.estimator.training import Trained

Item = TypeVar("Item")


def averaged(models: Sequence[Trained], shares: Sequence[float]) -> Trained:
    """Trees of all models, the first of each, then the second of each. Where models have tables of
    their own (``shares_tables`` is false) the trees alone are not enough to predict.

    shares  how much each model counts; they sum to 1
    """
    first = models[0]
    if len(models) == 1:
        return first
    parts = [scaled(own, share) for own, share in zip(models, shares, strict=True)]
    value = np.sum([own.start.value for own in parts], axis=0)
    return replace(
        first,
        boosted=_together([own.boosted for own in parts]),
        start=replace(first.start, value=value),
        shares_tables=all(own.shares_tables for own in models),
    )


def scaled(trained: Trained, share: float) -> Trained:
    """What a model adds to a mean in which it has this share."""
    boosted, start = trained.boosted, trained.start
    trees = [_scaled_tree(tree, share) for tree in boosted.trees]
    return replace(
        trained,
        boosted=replace(boosted, trees=trees),
        start=replace(start, value=start.value * share, centre=start.centre * share),
    )


def in_turn(lists: Iterable[Sequence[Item]]) -> Iterator[Item]:
    """The first of each, then the second of each; shorter lists end earlier.

    >>> "".join(in_turn(["abc", "x", "12"]))
    'ax1b2c'
    """
    absent = object()
    for items in zip_longest(*lists, fillvalue=absent):
        yield from (item for item in items if item is not absent)  # type: ignore[misc]


def _scaled_tree(tree: GrownTree, share: float) -> GrownTree:
    return replace(tree, leaf_values=rounded(tree.leaf_values * share))


def _together(boosted: Sequence[Boosted]) -> Boosted:
    bests = [own.best_iteration for own in boosted if own.best_iteration is not None]
    history = _mean_history(boosted)
    return Boosted(
        trees=list(in_turn([own.trees for own in boosted])),
        history=history,
        best_iteration=max(bests) if len(bests) == len(boosted) else None,
        watched=boosted[0].watched,
        interruption=None,
    )


def _mean_history(boosted: Sequence[Boosted]) -> History:
    """The mean over all models of what is known of all. The trees that a model keeps count: after
    the last of them, its value stays."""
    known = [name for name in boosted[0].history if all(name in own.history for own in boosted)]
    return {
        data: {
            metric: _mean_curve([own.history[data][metric][: len(own.trees)] for own in boosted])
            for metric in boosted[0].history[data]
        }
        for data in known
    }


def _mean_curve(curves: Sequence[Sequence[float]]) -> list[float]:
    """
    >>> _mean_curve([[4.0, 2.0], [2.0, 1.0, 0.0]])
    [3.0, 1.5, 1.0]
    """
    longest = max(map(len, curves))
    if not min(map(len, curves)):
        return []
    held = [[*curve, *[curve[-1]] * (longest - len(curve))] for curve in curves]
    return [float(value) for value in np.mean(held, axis=0)]
