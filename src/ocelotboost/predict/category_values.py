"""Byte columns of category values (one-hot): is the category of a feature this one?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.model.forest import Forest
from ocelotboost.predict.byte_columns import Bytes, Fill, Located, read_hashes, stretch_of
from ocelotboost.table.columns import Table

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class CategoryValueBytes:
    """One byte column per indicator of a forest, 0 or 1.

    features  the categorical columns that are read, ascending
    sources   uint32 (n_columns,)  which of ``features``
    hashes    uint64 (n_columns,)  yes for this category
    out_rows  uint32 (n_columns,)  0, 1, 2, ...: each column has a row of its own
    hash_key  what categories are hashed under
    """

    features: tuple[int, ...]
    sources: NDArray[np.uint32]
    hashes: Hashes
    out_rows: NDArray[np.uint32]
    hash_key: Hashes

    @classmethod
    def of(cls, forest: Forest, base: Located) -> CategoryValueBytes:
        indicators = forest.indicators
        features, sources = np.unique(indicators.columns, return_inverse=True)
        return cls(
            features=tuple(features.tolist()),
            sources=sources.astype(np.uint32),
            hashes=indicators.hashes,
            out_rows=np.arange(len(indicators), dtype=np.uint32),
            hash_key=forest.hash_key,
        )

    @property
    def n_columns(self) -> int:
        return len(self.out_rows)

    def reader(self, table: Table, n_threads: int) -> Fill:
        hashes = read_hashes(table, self.features, self.hash_key)

        def fill(begin: int, end: int, bins: Bytes, out: Bytes) -> None:
            native.match_categories(
                stretch_of(hashes, begin, end),
                self.sources,
                self.hashes,
                self.out_rows,
                out,
                n_threads=n_threads,
            )

        return fill
