"""Arrays that begin at a cache line, so that no vector load or store lies across two of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

CACHE_LINE = 64


def aligned_empty(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Like ``numpy.empty``."""
    return _aligned(np.empty, shape, dtype)


def aligned_zeros(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Like ``numpy.zeros``."""
    return _aligned(np.zeros, shape, dtype)


def _aligned(
    make: Callable[..., NDArray[Any]], shape: tuple[int, ...], dtype: DTypeLike
) -> NDArray[Any]:
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    memory = make(n_bytes + CACHE_LINE, dtype=np.uint8)
    first = -memory.ctypes.data % CACHE_LINE
    return memory[first : first + n_bytes].view(dtype).reshape(shape)
