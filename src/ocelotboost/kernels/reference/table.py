"""Twins: categories."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Valid = NDArray[np.bool_]

_WORD = 2**64
_GOLDEN = 0x9E3779B97F4A7C15


def mix64(x: int) -> int:
    """Every bit of the result depends on every bit of x, 0 <= x < 2^64; 0 stays 0."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 % _WORD
    x ^= x >> 27
    x = x * 0x94D049BB133111EB % _WORD
    return x ^ (x >> 31)


def hash_text(text: bytes) -> int:
    """The hash of a text in UTF-8, never 0, which is missing."""
    hashed = mix64((len(text) + _GOLDEN) % _WORD)
    for first in range(0, len(text), 8):
        hashed = mix64(hashed ^ int.from_bytes(text[first : first + 8], "little"))
    return hashed or 1


def hash_texts(
    offsets: NDArray[Any], bytes: Bytes, valid: Valid | None, out_hashes: Hashes, *, n_threads: int
) -> None:
    """Hashes of texts: text i is ``bytes[offsets[i]:offsets[i + 1]]``; one not valid is missing."""
    for i in range(len(out_hashes)):
        text = bytes[offsets[i] : offsets[i + 1]].tobytes()
        out_hashes[i] = 0 if valid is not None and not valid[i] else hash_text(text)


def hash_text_views(
    views: Bytes, buffers: list[Bytes], valid: Valid | None, out_hashes: Hashes, *, n_threads: int
) -> None:
    """The same for Arrow's string views, (n, 16): a length and a short text or where it is."""
    for i, view in enumerate(views):
        if valid is not None and not valid[i]:
            out_hashes[i] = 0
            continue
        size, _, buffer, offset = view.view(np.int32).tolist()
        text = view[4 : 4 + size] if size <= 12 else buffers[buffer][offset : offset + size]
        out_hashes[i] = hash_text(text.tobytes())


def hash_integers(values: NDArray[Any], out_hashes: Hashes, *, n_threads: int) -> None:
    """Hashes of the decimal digits of whole numbers."""
    out_hashes[:] = [hash_text(str(value).encode()) for value in values.tolist()]


def encode_hashes(
    hashes: Hashes, out_codes: NDArray[np.uint32], out_values: Hashes, *, n_threads: int
) -> int:
    """The distinct hashes, ascending, and the place of each row's among them; how many."""
    values, codes = np.unique(hashes, return_inverse=True)
    out_codes[:] = codes
    out_values[: len(values)] = values
    return len(values)
