"""Parameters as values that JSON holds, and back.

numbers, texts, True, False, None      themselves
lists, tuples, arrays, sets, ...       a list
a mapping whose keys are texts         an object
another mapping                        {"pairs": [[key, value], ...]}
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np

_DEEPEST = 8
_LARGEST_INTEGER = 1 << 512  # random seeds are large
_PAIRS = "pairs"


def plain_parameters(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What JSON can hold, and the names of what it cannot (callables, random generators, NaN)."""
    kept = {name: plain for name, value in parameters.items() for plain in _plain_or_nothing(value)}
    return kept, [name for name in parameters if name not in kept]


def from_plain(value: Any) -> Any:
    """A parameter as its user gave it, but for the type of a list."""
    if isinstance(value, dict) and value.keys() == {_PAIRS} and isinstance(value[_PAIRS], list):
        return {key: from_plain(own) for key, own in value[_PAIRS]}
    return value


def _plain_or_nothing(value: Any) -> list[Any]:
    try:
        return [_plain(value)]
    except TypeError:
        return []


def _plain(value: Any, depth: int = 0) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, str):
        return value
    if (type(value) is int and abs(value) < _LARGEST_INTEGER) or (
        type(value) is float and math.isfinite(value)
    ):
        return value
    if depth < _DEEPEST and isinstance(value, Mapping):
        return _plain_mapping(value, depth + 1)
    if depth < _DEEPEST and isinstance(value, Iterable) and not isinstance(value, Iterator | bytes):
        items = [_plain(item, depth + 1) for item in value]
        # A set has another order in every process.
        return sorted(items, key=lambda v: (str(type(v)), v)) if isinstance(value, Set) else items
    raise TypeError(f"{type(value).__name__} is not a value that JSON holds")


def _plain_mapping(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    pairs = [[_plain(key, depth), _plain(own, depth)] for key, own in value.items()]
    if all(type(key) is str for key, _ in pairs):
        return dict(pairs)
    return {_PAIRS: pairs}
