"""Bundles: sparse columns that share a field, because no row needs more than one of them.

A sparse column has the same bin in most rows, its default bin: that of 0.0. Columns that are never
away from their default bins in the same row are one bundle. Each has a range of the field's values:

    column          a: bins 0 1 2    b: bins 0 1    c: bins 0 1 2 3       default bins 0, 0, 1
    value of field           0 1 2              3 4              5 6 7 8

A value says which bin its column has, and that the others have their default bins. Where all have,
it is the default bin of the first column: 0 here, while 3 and 6 do not occur. The histogram of a
bundle gives that of each column exactly: what is not in its range belongs to its default bin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native


@dataclass(frozen=True)
class StoredBins:
    """The bins of some sparse columns, in the rows where they are not the default bin.

    columns   intp (n,)        positions in the table
    starts    uint64 (n + 1,)  where each column begins in rows and bins
    rows      uint32
    bins      uint8
    defaults  uint8 (n,)
    """

    columns: NDArray[np.intp]
    starts: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    bins: NDArray[np.uint8]
    defaults: NDArray[np.uint8]

    def of(self, i: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """Rows and bins of the i-th of the columns."""
        own = slice(int(self.starts[i]), int(self.starts[i + 1]))
        return self.rows[own], self.bins[own]


@dataclass(frozen=True)
class Bundles:
    """Which field each column of a table shares, and where it is in it.

    fields    intp (n_columns,)
    firsts    uint32 (n_columns,) value of the field that is the column's bin 0
    defaults  uint32 (n_columns,) the column's bin where the field has a value of another column
    """

    fields: NDArray[np.intp]
    firsts: NDArray[np.uint32]
    defaults: NDArray[np.uint32]

    @classmethod
    def none(cls, n_columns: int) -> Bundles:
        """Every column is a field of its own."""
        zeros = np.zeros(n_columns, dtype=np.uint32)
        return cls(np.arange(n_columns), zeros, zeros)

    @classmethod
    def of(cls, stored: StoredBins, bin_counts: NDArray[np.uint32], n_rows: int) -> Bundles:
        """Columns that were stored sparsely share fields where they can."""
        columns = stored.columns
        numbers, firsts = np.empty((2, len(columns)), dtype=np.uint32)
        native.bundle_columns(
            stored.starts, stored.rows, n_rows, bin_counts[columns], numbers, firsts
        )
        bundles = cls.none(len(bin_counts))
        all_firsts, defaults = bundles.firsts.copy(), bundles.defaults.copy()
        all_firsts[columns], defaults[columns] = firsts, stored.defaults
        # A bundle has the number of its first column.
        representatives = np.empty(len(columns), dtype=np.intp)
        representatives[numbers[firsts == 0]] = columns[firsts == 0]
        joined = bundles.fields.copy()
        joined[columns] = representatives[numbers]
        fields: NDArray[np.intp] = np.unique(joined, return_inverse=True)[1].reshape(-1)
        return cls(fields, all_firsts, defaults)

    def field_sizes(self, bin_counts: NDArray[np.uint32]) -> NDArray[np.intp]:
        """How many values each field has."""
        sizes = np.zeros(int(self.fields.max(initial=-1)) + 1, dtype=np.intp)
        np.add.at(sizes, self.fields, bin_counts)
        return sizes
