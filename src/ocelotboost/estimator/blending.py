"""How much each recipe counts in an average: by rows that its models have not seen.

Models of all recipes hold the same rows out, one fold after the other. So there is a prediction of
these rows for each recipe, made by models that did not train on them. Recipes are added to a mean
one at a time, always the one that lowers its loss most, with repetition. How often each of them was
added is how much it counts, so that a recipe may count nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ocelotboost.boost.evaluation import LossMetric
from ocelotboost.estimator.rows import Division
from ocelotboost.estimator.settings import Recipe
from ocelotboost.estimator.training import Trained
from ocelotboost.loss.base import Floats, Loss
from ocelotboost.loss.passes import pass_for

#: Recipes are added this many times: shares are whole twentieths. Those that were added less often
#: than this are not worth the time of prediction.
_ROUNDS, _FEWEST = 20, 2


class Member(NamedTuple):
    """A model of an average.

    fold  which rows it held out
    """

    trained: Trained
    recipe: Recipe
    fold: int


def equal_shares(members: Sequence[Member]) -> list[float]:
    return [1 / len(members)] * len(members)


def blended_shares(members: Sequence[Member], division: Division, loss: Loss) -> list[float]:
    """How much each model counts: the share of its recipe, divided among its models."""
    recipes = list(dict.fromkeys(own.recipe for own in members))
    folds_of = [{own.fold for own in members if own.recipe == recipe} for recipe in recipes]
    folds = sorted(set.intersection(*folds_of))
    if len(recipes) == 1 or not folds:
        return equal_shares(members)
    held = [division.rows(fold).watched[0].data for fold in folds]
    target = np.concatenate([own.target for own in held])
    weights = [own.weight for own in held if own.weight is not None]
    weight = np.concatenate(weights) if weights else None
    metric = LossMetric(loss, pass_for(loss, 1))
    raws = [_unseen(members, recipe, folds) for recipe in recipes]
    counts = added(raws, lambda raw: metric.at(target, weight, raw))
    counts = [count if count >= _FEWEST else 0 for count in counts]
    share = dict(zip(recipes, (count / sum(counts) for count in counts), strict=True))
    n_models = {recipe: sum(own.recipe == recipe for own in members) for recipe in recipes}
    return [share[own.recipe] / n_models[own.recipe] for own in members]


def added(raws: Sequence[Floats], loss_of: Callable[[Floats], float]) -> list[int]:
    """How often each of several predictions is added to their mean.

    >>> import numpy as np
    >>> low, high = np.array([[1.0, 1.0]]), np.array([[5.0, 5.0]])
    >>> added([low, high], lambda raw: float(((raw - 2.0) ** 2).sum()))
    [15, 5]
    """
    counts = [0] * len(raws)
    total = np.zeros_like(raws[0])
    for number in range(1, _ROUNDS + 1):
        losses = [loss_of((total + raw) / number) for raw in raws]
        best = int(np.argmin(np.nan_to_num(losses, nan=np.inf)))
        counts[best] += 1
        total = total + raws[best]
    return counts


def shares_in_words(members: Sequence[Member], shares: Sequence[float]) -> str:
    """ "Plain of depth 8 counts 75%, Ordered of depth 6 counts 25%"."""
    by_recipe: dict[Recipe, float] = {}
    for own, share in zip(members, shares, strict=True):
        by_recipe[own.recipe] = by_recipe.get(own.recipe, 0.0) + share
    return ", ".join(f"{recipe.words} counts {share:.0%}" for recipe, share in by_recipe.items())


def _unseen(members: Sequence[Member], recipe: Recipe, folds: Sequence[int]) -> Floats:
    """Predictions of the rows of all folds, (n_outputs, n_held); the mean where a fold has several
    models."""
    by_fold: Mapping[int, list[Floats]] = {fold: [] for fold in folds}
    for own in members:
        if own.recipe == recipe and own.fold in by_fold:
            assert own.trained.unseen is not None
            by_fold[own.fold].append(own.trained.unseen)
    return np.concatenate([np.mean(by_fold[fold], axis=0) for fold in folds], axis=1)
