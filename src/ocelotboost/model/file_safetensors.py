"""The safetensors form of a model: named arrays, and one JSON text with the rest.

8 bytes   length of the header
header    JSON: dtype, shape and place of each array; the text is in "__metadata__"
arrays    little-endian
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import safetensors
import safetensors.numpy

from ocelotboost.errors import ModelFileError
from ocelotboost.model.file_arrays import (
    CATEGORY_ARRAYS,
    RESTORE,
    TRAINING,
    TRAINING_ARRAYS,
    TREE_ARRAYS,
    Arrays,
    Fields,
    listed,
    narrowed,
    widened,
)
from ocelotboost.model.file_json import exactly, strict_json

_ARRAYS = {*TREE_ARRAYS, *CATEGORY_ARRAYS}
_TEXT = "ocelotboost"
_METADATA = "__metadata__"
_FEW_OBJECTS = 64  # a header has one for each array, and two more


def is_safetensors(beginning: bytes) -> bool:
    """JSON has no byte 0 at all; the length of a header has one, since it is not that large."""
    return beginning[8:9] == b"{" and 0 in beginning[:8]


def write_safetensors(fields: Fields, arrays: Arrays) -> bytes:
    # One metadata key: safetensors writes several in random order.
    text = json.dumps(fields, allow_nan=False)
    small = {name: narrowed(array) for name, array in arrays.items()}
    return safetensors.numpy.save(small, metadata={_TEXT: text})


def read_safetensors(data: bytes, check_fields: Callable[[Any], None]) -> tuple[Fields, Arrays]:
    """Fields and arrays. The header is looked at before any array is made."""
    header = _header(data)
    metadata = exactly(dict, header.pop(_METADATA, {}))
    fields = strict_json(exactly(str, metadata.get(_TEXT, "{}")).encode("ascii"))
    check_fields(fields)
    expected = _ARRAYS
    if any(name.startswith(TRAINING) for name in header):
        expected = _ARRAYS | TRAINING_ARRAYS.keys()
    wrong = header.keys() ^ expected
    if wrong:
        raise ModelFileError(f"these arrays are missing or unknown: {listed(wrong)}. {RESTORE}")
    try:
        views = safetensors.numpy.load(data)
    except safetensors.SafetensorError as problem:
        raise ModelFileError(f"it is damaged or cut short ({problem}). {RESTORE}") from problem
    return fields, {name: widened(name, views[name]) for name in sorted(expected)}


def _header(data: bytes) -> Fields:
    end = 8 + int.from_bytes(data[:8], "little")
    if end > len(data):
        raise ModelFileError(f"it is cut short, or damaged at its beginning. {RESTORE}")
    header: Fields = exactly(dict, strict_json(data[8:end], most_objects=_FEW_OBJECTS))
    return header
