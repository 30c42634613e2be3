"""Indices that are given to keys; the key that was unused for longest loses its index first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class RecentlyUsed(Generic[Key]):
    """The indices 0 … capacity - 1 of some memory that is filled once and read often.

    An index is taken, then the memory there is filled, and only then a key holds it. So an
    interruption leaves no key with memory that was not filled.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._index_of: OrderedDict[Key, int] = OrderedDict()  # what was asked for last at the end
        self._free: list[int] = []  # taken, and held by nobody
        self._n_used = 0

    def find(self, key: Key) -> int | None:
        """The index of a key, which now is the last that was asked for."""
        index = self._index_of.get(key)
        if index is not None:
            self._index_of.move_to_end(key)
        return index

    def take(self, n: int) -> list[int]:
        """Indices that nobody holds. ``n`` and the keys that must stay are at most ``capacity``."""
        while len(self._free) < n:
            if self._n_used < self.capacity:
                self._free.append(self._n_used)
                self._n_used += 1
            else:
                self._free.append(self._index_of.popitem(last=False)[1])
        return self._free[:n]

    def hold(self, keys: Sequence[Key]) -> None:
        """Keys for the indices that were taken, in the same order."""
        self._index_of.update(zip(keys, self._free, strict=False))
        del self._free[: len(keys)]
