"""Combinations by number, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ocelotboost.order.combination import Combination

Scalar = TypeVar("Scalar", bound=np.generic)

#: In place of a statistic: nobody has asked for the combination yet.
UNKNOWN = -1


class Register:
    """Numbers are given out in the order of asking. The arrays have an entry for each number, and
    room for at least one more.

    statistics    intp    the first combination that divides the rows alike: both have the same
                          statistics; UNKNOWN at first
    value_counts  uint32  distinct values, once the statistic is known
    in_model      bool    a tree uses it
    """

    def __init__(self) -> None:
        self._numbers: dict[Combination, int] = {}
        self._combinations: list[Combination] = []
        self.statistics: NDArray[np.intp] = np.full(64, UNKNOWN, dtype=np.intp)
        self.value_counts = np.zeros(64, dtype=np.uint32)
        self.in_model = np.zeros(64, dtype=np.bool_)

    def number(self, combination: Combination) -> int:
        number = self._numbers.get(combination)
        if number is None:
            number = self._numbers[combination] = len(self._combinations)
            self._combinations.append(combination)
            if number + 1 == len(self.statistics):
                self.statistics = doubled(self.statistics, UNKNOWN)
                self.value_counts = doubled(self.value_counts, 0)
                self.in_model = doubled(self.in_model, False)
        return number

    def numbers(self, combinations: Iterable[Combination]) -> list[int]:
        return [self.number(combination) for combination in combinations]

    def combination(self, number: int) -> Combination:
        return self._combinations[number]


def doubled(array: NDArray[Scalar], fill: object) -> NDArray[Scalar]:
    """With room for as many entries again on its last axis."""
    return np.concatenate([array, np.full_like(array, fill)], axis=-1)
