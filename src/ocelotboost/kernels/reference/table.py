"""Twins: categories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Valid = NDArray[np.bool_]

_ALL_BITS = 2**64 - 1
_FIRST_STATE = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
_HALF_ROUNDS = ((0, 1, 13, 32), (2, 3, 16, 0), (0, 3, 21, 0), (2, 1, 17, 32))

#: A search for a number takes at most this many steps before a tree takes over.
MOST_STEPS = 128


def siphash(
    words: Iterable[Any], n_bytes: int, key: Hashes, compressions: int = 1, finalizations: int = 3
) -> Any:
    """SipHash: a round for each word, and three at the end. Words are integers, or uint64 arrays
    of one integer for each hash; the last holds the last bytes, and ``n_bytes`` at its top."""
    low, high = key.tolist()
    v = [word ^ half for word, half in zip(_FIRST_STATE, (low, high, low, high), strict=True)]
    *first_words, rest = words
    for word in (*first_words, rest | (n_bytes % 256) << 56):
        v[3] = word ^ v[3]
        _rounds(v, compressions)
        v[0] = word ^ v[0]
    v[2] = v[2] ^ 0xFF
    _rounds(v, finalizations)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _rounds(v: list[Any], n_rounds: int) -> None:
    for _ in range(n_rounds):
        for a, b, turn, turn_a in _HALF_ROUNDS:
            v[a] = v[a] + v[b] & _ALL_BITS
            v[b] = _rotated(v[b], turn) ^ v[a]
            v[a] = _rotated(v[a], turn_a)


def _rotated(word: Any, n_bits: int) -> Any:
    return word if n_bits == 0 else (word << n_bits | word >> (64 - n_bits)) & _ALL_BITS


def text_words(text: bytes) -> list[int]:
    """Every 8 bytes as a little-endian integer, and the last 0 to 7 as another."""
    pieces = [text[first : first + 8] for first in range(0, len(text) + 1, 8)]
    return [int.from_bytes(piece, "little") for piece in pieces]


def hash_text(text: bytes, key: Hashes) -> int:
    """The hash of a text in UTF-8, never 0, which is missing."""
    return int(siphash(text_words(text), len(text), key)) or 1


def hash_texts(
    offsets: NDArray[Any],
    bytes: Bytes,
    valid: Valid | None,
    key: Hashes,
    out_hashes: Hashes,
    *,
    n_threads: int,
) -> None:
    """Hashes of texts: text i is ``bytes[offsets[i]:offsets[i + 1]]``; one not valid is missing."""
    for i in range(len(out_hashes)):
        text = bytes[offsets[i] : offsets[i + 1]].tobytes()
        out_hashes[i] = 0 if valid is not None and not valid[i] else hash_text(text, key)


def hash_text_views(
    views: Bytes,
    buffers: list[Bytes],
    valid: Valid | None,
    key: Hashes,
    out_hashes: Hashes,
    *,
    n_threads: int,
) -> None:
    """The same for Arrow's string views, (n, 16): a length and a short text or where it is."""
    for i, view in enumerate(views):
        if valid is not None and not valid[i]:
            out_hashes[i] = 0
            continue
        size, _, buffer, offset = view.view(np.int32).tolist()
        text = view[4 : 4 + size] if size <= 12 else buffers[buffer][offset : offset + size]
        out_hashes[i] = hash_text(text.tobytes(), key)


def hash_integers(values: NDArray[Any], key: Hashes, out_hashes: Hashes, *, n_threads: int) -> None:
    """Hashes of the decimal digits of whole numbers."""
    out_hashes[:] = [hash_text(str(value).encode(), key) for value in values.tolist()]


def encode_hashes(
    hashes: Hashes, out_codes: NDArray[np.uint32], out_values: Hashes, *, n_threads: int
) -> int:
    """The distinct hashes, ascending, and the place of each row's among them; how many."""
    values, codes = np.unique(hashes, return_inverse=True)
    out_codes[:] = codes
    out_values[: len(values)] = values
    return len(values)


def numbering_steps(hashes: Hashes) -> int:
    """How many slots are looked at while these hashes are numbered one after the other.

    Slots are given up for a tree when a search is too long; then one vacant slot is left.
    """
    slots: list[int | None] = [None] * 256
    n_known = steps = 0
    for place, hashed in enumerate(hashes.tolist()):
        at, taken = _search(slots, hashed)
        steps += taken
        if at is not None and slots[at] is None:
            slots[at] = hashed
            n_known += 1
            if n_known * 2 > len(slots):
                known = [slot for slot in slots if slot is not None]
                slots = [None] * (2 * len(slots))
                for again in known:
                    at, taken = _search(slots, again)
                    steps += taken - (at is not None)  # a vacant slot is not counted here
                    if at is None:
                        break
                    slots[at] = again
        if at is None:
            return steps + len(hashes) - place - 1
    return steps


def _search(slots: list[int | None], hashed: int) -> tuple[int | None, int]:
    """The slot of a hash or the vacant one for it, and the steps to it; None: it is too far."""
    for step in range(MOST_STEPS):
        at = (hashed + step) % len(slots)
        if slots[at] in (None, hashed):
            return at, step + 1
    return None, MOST_STEPS
