"""Memory that grows in place: the system moves its pages to another address, and copies nothing."""

from __future__ import annotations

import mmap
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray


class GrowingMemory:
    """Bytes in lines of some shape, of which there can be more.

    array  uint8 (n_lines, *shape); another one after each growth, with the same values
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.array: NDArray[np.uint8] = np.empty((0, *shape), dtype=np.uint8)
        self._map: mmap.mmap | None = None

    def grow(self, n_lines: int) -> None:
        """To ``n_lines``. Without memory for them, the present ones stay as they are."""
        shape = self.array.shape[1:]
        n_bytes = max(n_lines * prod(shape), 1)
        before = len(self.array)
        if not self._resize(n_bytes):
            larger = _private(n_bytes)
            wider = _lines(larger, n_lines, shape)
            wider[:before] = self.array
            self._map = larger
        assert self._map is not None
        self.array = _lines(self._map, n_lines, shape)

    def _resize(self, n_bytes: int) -> bool:
        """Whether it was possible in place: not where somebody holds the array, nor on a system
        that cannot."""
        if self._map is None:
            return False
        shape = self.array.shape
        self.array = np.empty((0, *shape[1:]), dtype=np.uint8)  # the map must have no views
        try:
            self._map.resize(n_bytes)
        except (BufferError, OSError, SystemError, TypeError, ValueError):
            self.array = _lines(self._map, shape[0], shape[1:])
            return False
        return True


def _private(n_bytes: int) -> mmap.mmap:
    flags: dict[str, Any] = {}
    if hasattr(mmap, "MAP_PRIVATE"):
        flags["flags"] = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    try:
        return mmap.mmap(-1, n_bytes, **flags)
    except (OSError, OverflowError):
        raise MemoryError from None


def _lines(memory: mmap.mmap, n_lines: int, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    count = n_lines * prod(shape)
    return np.frombuffer(memory, dtype=np.uint8, count=count).reshape(n_lines, *shape)
