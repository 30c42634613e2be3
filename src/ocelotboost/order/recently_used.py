"""Numbers that are given to keys; who was not asked for longest loses its number first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class RecentlyUsed(Generic[Key]):
    """The numbers 0 … capacity - 1, for places in memory that is filled once and read often.

    A number is taken, then its place is filled, and only then a key holds it. So an interruption
    leaves no key with a place that was not filled.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._number_of: OrderedDict[Key, int] = OrderedDict()  # what was asked for last at the end
        self._free: list[int] = []  # taken, and held by nobody
        self._n_used = 0

    def find(self, key: Key) -> int | None:
        """The number of a key, which now is the last that was asked for."""
        number = self._number_of.get(key)
        if number is not None:
            self._number_of.move_to_end(key)
        return number

    def take(self, n: int) -> list[int]:
        """Numbers that nobody holds. ``n`` and the keys that must stay are at most ``capacity``."""
        while len(self._free) < n:
            if self._n_used < self.capacity:
                self._free.append(self._n_used)
                self._n_used += 1
            else:
                self._free.append(self._number_of.popitem(last=False)[1])
        return self._free[:n]

    def hold(self, keys: Sequence[Key]) -> None:
        """Keys for the numbers that were taken, in the same order."""
        self._number_of.update(zip(keys, self._free, strict=False))
        del self._free[: len(keys)]
