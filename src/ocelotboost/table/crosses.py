"""Crosses: the sum, the difference, the product and the ratio of two columns of numbers.

A tree asks about one column at a time, so that it needs a staircase of splits for "is a larger
than b?", for a total, or for a price per square metre. A derived column asks it at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]  # float32 or float64 (n,)


def total(first: Numbers, second: Numbers) -> NDArray[np.float64]:
    return _quietly(np.add, first, second)


def difference(first: Numbers, second: Numbers) -> NDArray[np.float64]:
    return _quietly(np.subtract, first, second)


def product(first: Numbers, second: Numbers) -> NDArray[np.float64]:
    return _quietly(np.multiply, first, second)


def ratio(first: Numbers, second: Numbers) -> NDArray[np.float64]:
    """Missing where the second is zero.

    >>> ratio(np.array([3.0, 3.0]), np.array([2.0, 0.0])).tolist()
    [1.5, nan]
    """
    return _quietly(np.divide, first, np.where(second == 0, np.nan, second))


def _quietly(operation: np.ufunc, first: Numbers, second: Numbers) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):  # infinite numbers are numbers, and ∞ - ∞ is missing
        found: NDArray[np.float64] = operation(first, second, dtype=np.float64)
    return found


CROSSES: dict[str, tuple[str, Callable[[Numbers, Numbers], NDArray[np.float64]]]] = {
    "sum": ("{0} + {1}", total),
    "difference": ("{0} - {1}", difference),
    "product": ("{0} × {1}", product),
    "ratio": ("{0} / {1}", ratio),
}
