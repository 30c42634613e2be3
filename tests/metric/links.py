"""From raw predictions to what metrics look at, rows first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax


def identity(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    return raw


def row_softmax(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(softmax(raw, axis=1))
