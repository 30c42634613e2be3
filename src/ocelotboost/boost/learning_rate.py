"""The learning rate: when the user gives none, and how it grows.

For a given number of trees it is a fit over many datasets: min(0.5, exp(A·ln rows + B) · (trees /
1000)^C), where the constants depend on the loss and on whether an eval set will choose the number
of trees.

Where held-out rows choose that number and nothing else is said, the rate grows after the first
trees. A model that still gets better then has much to learn that is no noise.
"""

from __future__ import annotations

import math

#: loss -> ((A, B, C) with an eval set, (A, B, C) without)
_CONSTANTS = {
    "Logloss": ((0.247, -5.158, -0.435), (0.427, -7.525, -0.917)),
    "CrossEntropy": ((0.247, -5.158, -0.435), (0.427, -7.525, -0.917)),
    "MultiClass": ((0.02, -2.364, -0.382), (0.051, -2.889, -0.845)),
    "RMSE": ((0.157, -4.062, -0.61), (0.158, -4.287, -0.813)),
}
_OTHER_LOSSES = 0.03

#: The rate grows after the first trees. After a thousand more it is twice the first rate.
_STEADY_TREES, _TREES_TO_DOUBLE, _MOST_TIMES = 200, 1000, 2.5


def automatic_learning_rate(loss: str, n_rows: float, iterations: int, has_eval_set: bool) -> float:
    """
    >>> automatic_learning_rate("Logloss", 100_000, 1000, has_eval_set=True)
    0.098835
    """
    if loss not in _CONSTANTS:
        return _OTHER_LOSSES
    a, b, c = _CONSTANTS[loss][0 if has_eval_set else 1]
    rate: float = math.exp(a * math.log(n_rows) + b) * (iterations / 1000) ** c
    return min(0.5, round(rate, 6))


def grown(rate: float, tree: int) -> float:
    """The rate of a tree, counted from 0, where it grows.

    >>> [grown(0.5, tree) for tree in (0, 200, 700, 5000)]
    [0.5, 0.5, 0.75, 1.25]
    """
    return rate * min(1 + max(tree - _STEADY_TREES, 0) / _TREES_TO_DOUBLE, _MOST_TIMES)
