"""Section 4.1 of the paper: two binary features and two stumps, on many samples at a time.

    x¹, x² are 0 or 1 with probability 1/2;  y = c₁x¹ + c₂x²;  no noise
    h¹ asks about x¹ and h² about x²;  step size 1;  F = h¹ + h²

An empty leaf is NaN, and so is all that is learnt from it. A sample in which something is NaN does
not count: the paper's condition A.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Features = NDArray[np.intp]

C1, C2 = 2.0, 1.0


@dataclass(frozen=True)
class Samples:
    """Training sets, their rows in the order of σ.

    x1, x2  int (n_samples, n)
    """

    x1: Features
    x2: Features

    @property
    def y(self) -> Floats:
        return C1 * self.x1 + C2 * self.x2


def draw_samples(n: int, n_samples: int, rng: np.random.Generator) -> Samples:
    x1, x2 = rng.integers(0, 2, size=(2, n_samples, n))
    return Samples(x1, x2)


def truth() -> Floats:
    """f*(s, t): (2, 2)."""
    return C1 * np.arange(2)[:, None] + C2 * np.arange(2)


def complete(samples: Samples) -> NDArray[np.bool_]:
    """Condition A: no leaf of either stump is empty. (n_samples,)"""
    found = np.ones(len(samples.x1), dtype=np.bool_)
    for feature in (samples.x1, samples.x2):
        found &= (feature == 0).any(axis=1) & (feature == 1).any(axis=1)
    return found


# ---- stumps: values of both leaves, (n_samples, 2) --------------------------------------------


def stump(feature: Features, target: Floats) -> Floats:
    """Least squares: the mean target of each leaf, over targets that are not NaN."""
    known = ~np.isnan(target)
    leaves = [known & (feature == leaf) for leaf in (0, 1)]
    with np.errstate(invalid="ignore"):
        return np.stack(
            [np.where(leaf, target, 0.0).sum(axis=1) / leaf.sum(axis=1) for leaf in leaves], axis=1
        )


def at(values: Floats, feature: Features) -> Floats:
    """What a stump predicts for each row: (n_samples, n)."""
    return np.take_along_axis(values, feature, axis=1)


def stump_before(feature: Features, target: Floats) -> Floats:
    """What the stump of the rows before it predicts for each row: (n_samples, n)."""
    predicted = np.empty(target.shape)
    for leaf in (0, 1):
        inside = feature == leaf
        count = np.cumsum(inside, axis=1) - inside
        total = np.cumsum(inside * target, axis=1) - inside * target
        with np.errstate(invalid="ignore"):
            predicted[inside] = (total / count)[inside]
    return predicted


# ---- two stumps: F(s, t) of each sample, (n_samples, 2, 2) ------------------------------------


def boosted(first: Samples, second: Samples) -> Floats:
    """Gradient boosting: h¹ learns from the first samples, h² from its residuals on the second."""
    h1 = stump(first.x1, first.y)
    h2 = stump(second.x2, second.y - at(h1, second.x1))
    return _sum_of(h1, h2)


def boosted_in_order(samples: Samples) -> Floats:
    """Algorithm 1: each residual is that of the model of the rows before."""
    h1 = stump(samples.x1, samples.y)
    h2 = stump(samples.x2, samples.y - stump_before(samples.x1, samples.y))
    return _sum_of(h1, h2)


def _sum_of(h1: Floats, h2: Floats) -> Floats:
    F = h1[:, :, None] + h2[:, None, :]
    F[np.isnan(F).any(axis=(1, 2))] = np.nan
    return F


# ---- predictions of training rows ---------------------------------------------------------------


def without_first_row(samples: Samples, rng: np.random.Generator) -> Samples:
    """The samples with an independent row in place of the first: to their models, the old first row
    is a test example."""
    other = draw_samples(1, len(samples.x1), rng)
    x1, x2 = samples.x1.copy(), samples.x2.copy()
    x1[:, 0], x2[:, 0] = other.x1[:, 0], other.x2[:, 0]
    return Samples(x1, x2)


def plain_shift(samples: Samples, others: Samples) -> Floats:
    """h¹ of the samples minus h¹ of the others, both at the samples' first row: (n_samples,)."""
    own, other = (stump(each.x1, each.y) for each in (samples, others))
    shift = (at(own, samples.x1) - at(other, samples.x1))[:, 0]
    shift[~(complete(samples) & complete(others))] = np.nan
    return shift


def own_shift_in_order(samples: Samples) -> Floats:
    """The last row's prediction by the stump h¹ of the rows before it, minus what h¹ predicts for a
    test example on average, c₁x¹ + c₂/2: (n_samples,)."""
    before = stump_before(samples.x1, samples.y)[:, -1]
    return before - (C1 * samples.x1[:, -1] + C2 / 2)


def bagging_shift(samples: Samples, others: Samples, bags: Floats) -> tuple[Floats, Floats]:
    """Appendix E: the first row's out-of-bag estimates, those of the samples' models minus those of
    the others', after one stump and after two: (n_samples,) each.

    bags  (n_samples, n_models, n): how often each row is in each bag
    """
    of_samples = out_of_bag_estimates(samples, samples, bags)
    of_others = out_of_bag_estimates(others, samples, bags)
    return of_samples[0] - of_others[0], of_samples[1] - of_others[1]


def out_of_bag_estimates(
    training: Samples, queries: Samples, bags: Floats
) -> tuple[Floats, Floats]:
    """Iterated bagging of the training samples; the estimates M², M³ of the queries' first row,
    averages over the models whose bags have no first row: (n_samples,) each."""
    outside = bags == 0
    h1 = _bagged_stumps(training.x1, training.y, bags)
    residuals = training.y - _average(h1, training.x1, outside)
    h2 = _bagged_stumps(training.x2, residuals, bags)
    first, outside_first = slice(0, 1), outside[:, :, :1]
    after_one = _average(h1, queries.x1[:, first], outside_first)[:, 0]
    after_two = after_one + _average(h2, queries.x2[:, first], outside_first)[:, 0]
    after_two[np.isnan(h1 + h2).any(axis=(1, 2))] = np.nan
    return after_one, after_two


def draw_bags(n: int, n_models: int, n_samples: int, rng: np.random.Generator) -> Floats:
    """Bootstrap: n rows drawn with replacement for every model."""
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=(n_samples, n_models))
    return drawn.astype(np.float64)


def _bagged_stumps(feature: Features, target: Floats, bags: Floats) -> Floats:
    """A stump of each bag: (n_samples, n_models, 2)."""
    in_leaves = [bags * (feature == leaf)[:, None, :] for leaf in (0, 1)]
    with np.errstate(invalid="ignore"):
        means = [(rows * target[:, None, :]).sum(axis=2) / rows.sum(axis=2) for rows in in_leaves]
    return np.stack(means, axis=2)


def _average(stumps: Floats, feature: Features, counted: NDArray[np.bool_]) -> Floats:
    """What the counted models predict for each row, averaged: (n_samples, n)."""
    leaves = (feature[:, None, :] == 1).astype(np.float64)
    predicted = stumps[:, :, :1] + leaves * (stumps[:, :, 1:] - stumps[:, :, :1])
    with np.errstate(invalid="ignore"):
        average: Floats = (counted * predicted).sum(axis=1) / counted.sum(axis=1)
    return average
