"""Pages: memory for the bins of statistics, which are made once and kept while there is room."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocelotboost.order.growing_memory import GrowingMemory
from ocelotboost.order.recently_used import RecentlyUsed

#: More pages than this help nobody: statistics of few rows are made in no time.
MOST_PAGES = 1 << 16

#: Pages take at most this many bytes at first, or one page; they grow as they are needed.
_FIRST_BYTES = 1 << 22

Key = TypeVar("Key", bound=Hashable)


class PageBytes:
    """A page has the bins of all columns of one statistic, 16 bins each, two columns per byte.

    capacity  the most pages there will be
    bytes     uint8 (at most capacity, n_rows, n_bytes); another array once there are more
    """

    def __init__(self, capacity: int, n_rows: int, n_bytes: int) -> None:
        self.capacity = capacity
        n_pages = capacity
        while n_pages > 1 and n_pages * n_rows * n_bytes > _FIRST_BYTES:
            n_pages = (n_pages + 1) // 2
        self._memory = GrowingMemory((n_rows, n_bytes))
        self._memory.grow(n_pages)

    @property
    def bytes(self) -> NDArray[np.uint8]:
        return self._memory.array

    def make_room(self, pages: Sequence[int]) -> None:
        """So that there are pages of these numbers."""
        while max(pages, default=-1) >= len(self.bytes):
            self._grow()

    def _grow(self) -> None:
        """Room for twice as many pages. Capacity was halved to get here, so that the old pages and
        their copies together fill no more than the whole memory will."""
        n_pages = len(self.bytes)
        try:
            self._memory.grow(min(2 * n_pages, self.capacity))
        except MemoryError:
            n_bytes = self.bytes.nbytes
            raise MemoryError(
                f"No memory for {min(2, self.capacity / n_pages) * n_bytes:.0f} bytes of target "
                f"statistics; make cache_memory smaller, for example {n_bytes}."
            ) from None


class Pages(PageBytes, Generic[Key]):
    """The same, with what holds each page."""

    def __init__(self, capacity: int, n_rows: int, n_bytes: int) -> None:
        super().__init__(capacity, n_rows, n_bytes)
        self._indices = RecentlyUsed[Key](capacity)

    def find(self, key: Key) -> int | None:
        """The page that a key holds, which now is the last that was asked for."""
        return self._indices.find(key)

    def take(self, n: int) -> NDArray[np.uint32]:
        """Pages to fill, instead of those that were unused for longest."""
        indices = self._indices.take(n)
        self.make_room(indices)
        return np.array(indices, dtype=np.uint32)

    def hold(self, keys: Sequence[Key]) -> None:
        """Keys for the pages that were taken and are filled now, in the same order."""
        self._indices.hold(keys)
