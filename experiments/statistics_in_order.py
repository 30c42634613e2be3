"""Appendix F of the paper: ordered boosting on an ordered target statistic, many samples at a time.

    the effect of each category and the noise ε are normal;  y = effect + ε
    the model asks whether the target statistic, of prior 0 and weight 1, is above 0

The statistic of a row has its history in σ_cat, the model of a row learns from the rows before it
in σ_boost. The row that is looked at is the last of σ_boost: all others teach its model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


@dataclass(frozen=True)
class CategorySamples:
    """Training sets, their rows in the order of σ_boost.

    category   int (n_samples, n)
    effect     float64 (n_samples, n), of the row's category
    noise      float64 (n_samples, n)
    sigma_cat  int (n_samples, n): positions of the rows in σ_cat, from 0
    """

    category: NDArray[np.intp]
    effect: Floats
    noise: Floats
    sigma_cat: Positions

    @property
    def y(self) -> Floats:
        return self.effect + self.noise


def draw_category_samples(
    n: int, n_categories: int, n_samples: int, rng: np.random.Generator, *, same_ordering: bool
) -> CategorySamples:
    """σ_cat is σ_boost, or drawn apart from it."""
    category = rng.integers(0, n_categories, size=(n_samples, n))
    effects = rng.normal(size=(n_samples, n_categories))
    sigma = np.tile(np.arange(n), (n_samples, 1))
    return CategorySamples(
        category,
        np.take_along_axis(effects, category, axis=1),
        rng.normal(size=(n_samples, n)),
        sigma if same_ordering else rng.permuted(sigma, axis=1),
    )


def ordered_statistics(samples: CategorySamples, window: int | None) -> Floats:
    """Of all rows before in σ_cat, or of the last ``window`` of them: (n_samples, n)."""
    own, other = samples.sigma_cat[:, :, None], samples.sigma_cat[:, None, :]
    history = other < own
    if window is not None:
        history &= other >= own - window
    same = history & (samples.category[:, None, :] == samples.category[:, :, None])
    statistics: Floats = (same * samples.y[:, None, :]).sum(axis=2) / (same.sum(axis=2) + 1.0)
    return statistics


def last_prediction(samples: CategorySamples, window: int | None) -> Floats:
    """What the model of all rows before predicts for the last row: (n_samples,), NaN if its leaf
    is empty."""
    above = ordered_statistics(samples, window) > 0
    inside = above[:, :-1] == above[:, -1:]
    with np.errstate(invalid="ignore"):
        mean: Floats = (inside * samples.y[:, :-1]).sum(axis=1) / inside.sum(axis=1)
    return mean


def covariance_with_own_noise(
    samples: CategorySamples, window: int | None, rng: np.random.Generator
) -> Floats:
    """Of the last row's prediction: the mean of these (n_samples,) values is the covariance.

    The noise of that row alone is drawn again; a value is half the product of both differences.
    """
    noise = samples.noise.copy()
    noise[:, -1] = rng.normal(size=len(noise))
    again = CategorySamples(samples.category, samples.effect, noise, samples.sigma_cat)
    moved = last_prediction(samples, window) - last_prediction(again, window)
    return 0.5 * moved * (samples.noise - noise)[:, -1]
