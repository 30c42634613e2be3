"""Byte columns: the bins of features, made for the rows to predict.

Each kind of feature in a model makes its own, in the order of the kinds in a forest. Numbers are
quantized for all rows at once (predict/numbers.py). All others come after them, for a stretch of
rows at a time, because there can be hundreds: category values (predict/category_values.py) and
target statistics (predict/statistics.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.columns import Table

Bytes = NDArray[np.uint8]

#: Makes the byte columns of rows [begin, end): (begin, end, bins, out). ``bins`` are all byte
#: columns (n_byte_columns, end - begin), those of the kinds before are there already; ``out`` are
#: the rows of it to fill.
Fill = Callable[[int, int, Bytes, Bytes], None]


class ByteColumns(Protocol):
    """The byte columns of one kind of feature."""

    @property
    def n_columns(self) -> int: ...

    def reader(self, table: Table, n_threads: int) -> Fill:
        """What fills the byte columns of a table's rows, and has read what it needs for that."""
        ...


class Located(NamedTuple):
    """Questions in terms of byte columns.

    columns  uint32 (n_questions,) byte column of each
    bins     uint8 (n_questions,)  the answer is yes for a greater bin
    """

    columns: NDArray[np.uint32]
    bins: NDArray[np.uint8]


def read_hashes(
    table: Table, features: tuple[int, ...], hash_key: NDArray[np.uint64]
) -> list[NDArray[np.uint64]]:
    """The categories of all rows, one feature after the other."""
    if not np.array_equal(table.hash_key, hash_key):
        raise ValueError("the table's categories are hashed under another key than the model's")
    return [table.categories[feature].row_hashes() for feature in features]


def stretch_of(hashes: list[NDArray[np.uint64]], begin: int, end: int) -> NDArray[np.uint64]:
    """The hashes of some rows as one array, (n_features, end - begin)."""
    return np.array([of_feature[begin:end] for of_feature in hashes], dtype=np.uint64)
