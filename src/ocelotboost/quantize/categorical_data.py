"""The categorical columns of the training rows, as codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.cache_directory import PROCESS_MEMORY, Memory
from ocelotboost.table.categories import encode_hashes
from ocelotboost.table.columns import ZERO_KEY, Table


@dataclass(frozen=True)
class CategoryValues:
    """The values that categorical columns have.

    features  positions in the table, ascending
    hashes    one ascending uint64 array per feature
    texts     the texts of a feature's values, in the order of the hashes; for features of few
    """

    features: tuple[int, ...]
    hashes: tuple[NDArray[np.uint64], ...]
    texts: Callable[[int], list[str | None]]

    @property
    def value_counts(self) -> list[int]:
        return [len(own) for own in self.hashes]


@dataclass(frozen=True)
class CategoricalData:
    """Rows that train the trees come first; rows that are history only may follow.

    features      positions in the table, ascending
    codes         uint32 (n_features, n): codes[f, row] < value_counts[f]
    value_counts  uint32 (n_features,)
    hashes        one uint64 array per feature: the category behind each code
    hash_key      what all categories are hashed under
    memory        where codes are
    """

    features: tuple[int, ...]
    codes: NDArray[np.uint32]
    value_counts: NDArray[np.uint32]
    hashes: tuple[NDArray[np.uint64], ...]
    hash_key: NDArray[np.uint64] = field(default_factory=lambda: ZERO_KEY)
    memory: Memory = PROCESS_MEMORY

    @classmethod
    def of(cls, table: Table, features: tuple[int, ...], n_threads: int) -> CategoricalData:
        codes = table.memory.zeros((len(features), table.n_rows), np.uint32)
        hashes = []
        for line, feature in enumerate(features):
            codes[line], values = table.categories[feature].encode(n_threads)
            hashes.append(values)
        counts = np.array([len(values) for values in hashes], dtype=np.uint32)
        return cls(features, codes, counts, tuple(hashes), table.hash_key, table.memory)

    def values(self, table: Table) -> CategoryValues:
        """Those of the table that this is made of."""

        def texts(feature: int) -> list[str | None]:
            first_rows = np.unique(self.codes[self.line(feature)], return_index=True)[1]
            return table.categories[feature].texts(first_rows)

        return CategoryValues(self.features, self.hashes, texts)

    def select(
        self, features: tuple[int, ...], rows: NDArray[np.integer] | None = None
    ) -> CategoricalData:
        """Some of the features, and the rows in another order (None: as they are). All rows have to
        be among them, so that codes keep their meaning."""
        if features == self.features and rows is None:
            return self
        lines = [self.line(feature) for feature in features]
        codes = self.memory.zeros((len(lines), self.n_rows), np.uint32)
        for own, line in enumerate(lines):
            codes[own] = self.codes[line] if rows is None else self.codes[line].take(rows)
        return CategoricalData(
            features,
            codes,
            self.value_counts[lines],
            tuple(self.hashes[line] for line in lines),
            self.hash_key,
            self.memory,
        )

    @classmethod
    def from_hashes(
        cls,
        features: tuple[int, ...],
        row_hashes: Sequence[NDArray[np.uint64]],
        hash_key: NDArray[np.uint64],
        n_threads: int,
    ) -> CategoricalData:
        """``row_hashes``: the categories of each feature, uint64 (n,)."""
        codes = np.empty((len(features), len(row_hashes[0])), dtype=np.uint32)
        hashes = []
        for line, own in enumerate(row_hashes):
            codes[line], values = encode_hashes(own, n_threads)
            hashes.append(values)
        counts = np.array([len(values) for values in hashes], dtype=np.uint32)
        return cls(features, codes, counts, tuple(hashes), hash_key)

    def part(self, places: slice, n_threads: int) -> CategoricalData:
        """Some rows by themselves, with codes of their own."""
        of_rows = [
            hashes.take(codes[places])
            for hashes, codes in zip(self.hashes, self.codes, strict=True)
        ]
        return CategoricalData.from_hashes(self.features, of_rows, self.hash_key, n_threads)

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])

    def by_feature(self) -> dict[int, NDArray[np.uint64]]:
        """The values of each feature, ascending."""
        return dict(zip(self.features, self.hashes, strict=True))

    def line(self, feature: int) -> int:
        return self.features.index(feature)

    def member_hashes(
        self, features: tuple[int, ...], rows: NDArray[np.uint32]
    ) -> NDArray[np.uint64]:
        """The categories of some rows: (len(features), len(rows))."""
        lines = [self.line(feature) for feature in features]
        return np.stack([self.hashes[line].take(self.codes[line].take(rows)) for line in lines])
