"""Arrow columns -> hashes, through the Arrow C data interface: buffers only, no Python strings.

Every library that speaks Arrow offers its columns as a stream of arrays in C structs, whose layout
never changes (arrow.apache.org/docs/format/CDataInterface.html), so neither pyarrow nor polars is
needed to read the other's. Dictionaries are used as they are: their entries are hashed, and the
rows' indices become codes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.table.categories import (
    MISSING_HASH,
    Codes,
    Hashes,
    float_hashes,
    integer_hashes,
    text_hashes,
)
from ocelotboost.table.values import HashKey

NUMBERS = {
    **{"c": np.int8, "s": np.int16, "i": np.int32, "l": np.int64},
    **{"C": np.uint8, "S": np.uint16, "I": np.uint32, "L": np.uint64},
    **{"e": np.float16, "f": np.float32, "g": np.float64},
}
OFFSETS = {"u": np.int32, "U": np.int64}
VIEW_BYTES = 16


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    (
        "get_schema",
        ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema)),
    ),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]


class ArrowTypeError(Exception):
    """An Arrow type whose values are no categories."""


class ArrowDataError(Exception):
    """An Arrow array whose offsets, views or indices point outside of what it holds."""


def arrow_hashes(column: Any, key: HashKey, n_threads: int) -> tuple[Hashes, Codes | None]:
    """Hashes and codes, as in CategoryColumn, of something with ``__arrow_c_stream__``."""
    with _chunks_of(column) as (schema, chunks):
        if schema.dictionary:
            return _from_dictionaries(schema, chunks, key, n_threads)
        hashes = [_hashes(schema, chunk, key, n_threads) for chunk in chunks]
        return np.concatenate([np.empty(0, dtype=np.uint64), *hashes]), None


# ---- the stream -----------------------------------------------------------------------------


@contextmanager
def _chunks_of(column: Any) -> Iterator[tuple[_Schema, list[_Array]]]:
    """The type of a column, and its arrays; their memory is valid inside the context."""
    capsule = column.__arrow_c_stream__()  # releases the stream when it goes
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = _Stream.from_address(pointer_of(capsule, b"arrow_array_stream"))
    schema, chunks = _Schema(), []
    try:
        _check(stream, stream.get_schema(stream, schema))
        while (chunk := _next_chunk(stream)).release:
            chunks.append(chunk)
        yield schema, chunks
    finally:
        for owned in (schema, *chunks):
            if owned.release:
                owned.release(owned)


def _next_chunk(stream: _Stream) -> _Array:
    chunk = _Array()
    _check(stream, stream.get_next(stream, chunk))
    return chunk


def _check(stream: _Stream, error: int) -> None:
    if error:
        message = stream.get_last_error(stream) or b"no reason given"
        raise OSError(error, f"an Arrow stream broke: {message.decode(errors='replace')}")


# ---- arrays ---------------------------------------------------------------------------------


def _from_dictionaries(
    schema: _Schema, chunks: list[_Array], key: HashKey, n_threads: int
) -> tuple[Hashes, Codes]:
    """The entries of all dictionaries one after the other, behind one that is missing.

    Chunks may share a dictionary or have each their own. When there are fewer rows than entries,
    only the entries that rows use are hashed.
    """
    dictionaries: dict[tuple[int | None, ...], tuple[int, _Array]] = {}
    n_entries, codes = 1, [np.empty(0, dtype=np.uint32)]
    for chunk in chunks:
        dictionary = chunk.dictionary.contents
        first, _ = dictionaries.setdefault(_place_in_memory(dictionary), (n_entries, dictionary))
        n_entries += dictionary.length if first == n_entries else 0
        codes.append(_codes(_numbers(schema, chunk), _valid(chunk), first, dictionary.length))
    all_codes, used = np.concatenate(codes), None
    if len(all_codes) < n_entries:
        used = np.zeros(n_entries, dtype=np.bool_)
        used[all_codes] = True
    entries = np.full(n_entries, MISSING_HASH, dtype=np.uint64)
    for first, dictionary in dictionaries.values():
        own_place = slice(first, first + dictionary.length)
        wanted = None if used is None else used[own_place]
        entries[own_place] = _hashes(schema.dictionary.contents, dictionary, key, n_threads, wanted)
    return entries, all_codes


def _codes(
    indices: NDArray[Any], valid: NDArray[np.bool_] | None, first: int, n_entries: int
) -> Codes:
    """Indices into a dictionary as codes, which begin at ``first``; what is not valid is 0."""
    present = indices if valid is None else indices[valid]
    if len(present) and not 0 <= int(present.min()) <= int(present.max()) < n_entries:
        raise ArrowDataError("an index is beyond the dictionary")
    codes = indices.astype(np.uint32) + np.uint32(first)
    return codes if valid is None else np.where(valid, codes, np.uint32(0))


def _place_in_memory(array: _Array) -> tuple[int | None, ...]:
    return (array.offset, array.length, *array.buffers[: array.n_buffers])


def _hashes(
    schema: _Schema,
    array: _Array,
    key: HashKey,
    n_threads: int,
    wanted: NDArray[np.bool_] | None = None,
) -> Hashes:
    """Hashes uint64 (length,) of an array without a dictionary; all or only those wanted."""
    kind, valid = schema.format.decode(), _valid(array)
    if wanted is not None:
        valid = wanted if valid is None else valid & wanted
    hashes = np.full(array.length, MISSING_HASH, dtype=np.uint64)
    if schema.dictionary or kind not in {*OFFSETS, "vu", "b", *NUMBERS, "n"}:
        raise ArrowTypeError(kind)
    if array.length == 0 or kind == "n":
        return hashes
    if kind in OFFSETS or kind == "vu":
        _hash_texts(kind, array, valid, key, hashes, n_threads)
        return hashes
    if kind == "b":
        hashes = text_hashes(["False", "True"], key)[_bits(array, 1).astype(np.intp)]
    else:
        numbers = _numbers(schema, array)
        hash_of = float_hashes if numbers.dtype.kind == "f" else integer_hashes
        hashes = hash_of(numbers, key, n_threads)
    if valid is not None:
        hashes[~valid] = MISSING_HASH
    return hashes


def _hash_texts(
    kind: str,
    array: _Array,
    valid: NDArray[np.bool_] | None,
    key: HashKey,
    out_hashes: Hashes,
    n_threads: int,
) -> None:
    try:
        if kind in OFFSETS:
            # Where the texts end is not said elsewhere; check_arrow has compared pyarrow's own.
            offsets = _buffer(array, 1, OFFSETS[kind], array.length + 1)
            texts = _memory(array.buffers[2], max(int(offsets[-1]), 0))
            native.hash_texts(offsets, texts, valid, key, out_hashes, n_threads=n_threads)
        else:
            views = _buffer(array, 1, np.dtype((np.uint8, VIEW_BYTES)), array.length)
            buffers = _view_buffers(array)
            native.hash_text_views(views, buffers, valid, key, out_hashes, n_threads=n_threads)
    except ValueError as error:
        raise ArrowDataError(str(error)) from error


def _numbers(schema: _Schema, array: _Array) -> NDArray[Any]:
    return _buffer(array, 1, NUMBERS[schema.format.decode()], array.length)


def _valid(array: _Array) -> NDArray[np.bool_] | None:
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0]:
        return None
    return _bits(array, 0)


def _bits(array: _Array, place: int) -> NDArray[np.bool_]:
    end = array.offset + array.length
    bits = np.unpackbits(_memory(array.buffers[place], -(-end // 8)), count=end, bitorder="little")
    return bits[array.offset :].view(np.bool_)


def _view_buffers(array: _Array) -> list[NDArray[np.uint8]]:
    """The buffers that hold long texts; their lengths stand in the last buffer."""
    n_texts = array.n_buffers - 3
    sizes = _memory(array.buffers[array.n_buffers - 1], 8 * n_texts).view(np.int64)
    return [_memory(array.buffers[2 + i], int(size)) for i, size in enumerate(sizes)]


def _buffer(array: _Array, place: int, dtype: Any, length: int) -> NDArray[Any]:
    """Elements of a buffer that belong to this array, which may be a slice of a longer one."""
    dtype = np.dtype(dtype)
    start = (array.buffers[place] or 0) + array.offset * dtype.itemsize
    return np.frombuffer(_memory(start, length * dtype.itemsize), dtype=dtype)


def _memory(address: int | None, n_bytes: int) -> NDArray[np.uint8]:
    """Memory as an array that does not own it."""
    if not address or n_bytes == 0:
        return np.empty(0, dtype=np.uint8)
    return np.ctypeslib.as_array((ctypes.c_uint8 * n_bytes).from_address(address))
