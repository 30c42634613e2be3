"""Gradients and weights as integers, two to a word: their sums are exact in any order.

A field is a row's gradient times its weight, for each output, or the weight itself. Each is divided
by a unit, the smallest power of two for which no sum over any rows can leave 31 bits, and rounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_FIELD_LIMIT = 2147483647.0

#: With fewer units than this in a field on average, its rounding is dithered.
_COARSE = 2048.0

#: With weights of up to this many copies no rounding is dithered, so that copies round alike.
_MOST_COPIES = _FIELD_LIMIT / (4 * _COARSE)


@dataclass(frozen=True)
class Scale:
    """How fields become integers.

    exact     weights are whole, and are multiplied after rounding: a row of weight k sums to the
              same bits as k rows
    units     float64 (n_gradients + 1,) what the integer 1 is worth in each field
    dithered  uint8 (n_gradients + 1,) rounding depends on the row, and has no bias
    """

    exact: bool
    units: NDArray[np.float64]
    dithered: NDArray[np.uint8]


@dataclass(frozen=True)
class GradientUnits:
    """What sums of integers stand for.

    units      float64 (n_gradients + 1,) what the integer 1 is worth in each field
    n_outputs  gradients a row has at one model
    """

    units: NDArray[np.float64]
    n_outputs: int


def choose_scale(
    sums: NDArray[np.float64], n_rows: int, has_weights: bool, whole_weights: bool
) -> Scale:
    """By the absolute sums (n_gradients + 1,) of the fields of all rows."""
    *gradients, total_weight = sums.tolist()
    limit = _MOST_COPIES if has_weights else _FIELD_LIMIT / 2
    exact = whole_weights and total_weight < limit
    n_roundings = total_weight if exact else float(n_rows)
    units = [_unit(total, n_roundings) for total in gradients]
    units.append(1.0 if exact else _unit(total_weight, n_roundings))
    dithered = [
        total < _COARSE * n_roundings * unit
        for total, unit in zip(sums.tolist(), units, strict=True)
    ]
    if exact:
        dithered[-1] = False
    return Scale(exact, np.array(units), np.array(dithered, dtype=np.uint8))


def _unit(total: float, n_roundings: float) -> float:
    """The smallest power of two for which total / unit fits even if every rounding adds one.

    >>> _unit(3.0, 1.0) == 2.0**-29, _unit(0.0, 1.0)
    (True, 1.0)
    """
    if not total > 0:
        return 1.0
    room = _FIELD_LIMIT - n_roundings
    fraction, exponent = math.frexp(total / room)
    unit = math.ldexp(1.0, exponent - 1 if fraction == 0.5 else exponent)
    return unit if total / unit <= room else 2 * unit
