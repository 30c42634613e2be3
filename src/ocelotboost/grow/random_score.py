"""Noise on the scores, so that early trees do not all choose the same splits.

Its standard deviation shrinks as training goes on: random_strength · √mean(g²) · M with
M = N·e^(−L) / (1 + N·e^(−L)), where N is the number of rows and L the trees so far times the
learning rate.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ocelotboost.loss.links import exponential


def noise_scale(
    random_strength: float, mean_square: float, n_rows: float, model_length: float
) -> float:
    """Standard deviation of the noise for the next tree; ``mean_square`` is that of gradients."""
    if random_strength == 0:
        return 0.0
    decay = n_rows * float(exponential(np.array([-model_length]))[0])
    return random_strength * math.sqrt(mean_square) * decay / (1.0 + decay)


def draw_noise(
    shape: tuple[int, ...], scale: float, rng: np.random.Generator
) -> NDArray[np.float64] | None:
    """One draw per column; the same draws whatever the rows are. None: there is none."""
    return None if scale == 0 else scale * rng.standard_normal(shape)
