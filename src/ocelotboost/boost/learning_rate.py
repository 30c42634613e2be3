"""The learning rate when the user gives none.

A fit over many datasets: min(0.5, exp(A·ln rows + B) · (trees / 1000)^C), where the constants
depend on the loss and on whether an eval set will choose the number of trees.
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
