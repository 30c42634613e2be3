"""Amounts of memory as users write them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def is_size(value: Any) -> bool:
    """A number of bytes, or a text such as "512MB"."""
    if isinstance(value, str):
        found = _SIZE.fullmatch(value)
        return found is not None and found[2].upper() in _UNITS and float(found[1]) > 0
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and int(value) > 0


def size_in_bytes(value: int | str) -> int:
    """
    >>> size_in_bytes("512MB"), size_in_bytes("1.5 GiB"), size_in_bytes(1000)
    (512000000, 1610612736, 1000)
    """
    if not isinstance(value, str):
        return int(value)
    number, unit = _SIZE.fullmatch(value).groups()  # type: ignore[union-attr]
    return int(float(number) * _UNITS[unit.upper()])


def in_words(n_bytes: int) -> str:
    """
    >>> in_words(1_500_000_000), in_words(12_345_678), in_words(4_321)
    ('1.5GB', '13MB', '5KB')
    """
    if n_bytes < 10**6:
        return f"{-(-n_bytes // 10**3)}KB"
    if n_bytes >= 10**9:
        return f"{n_bytes / 10**9:.4g}GB"
    return f"{-(-n_bytes // 10**6)}MB"
