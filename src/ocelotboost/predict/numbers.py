"""Byte columns of numbers: only those that trees ask about, cut only at borders that occur there.

A column with more borders than a byte can count is quantized several times, at different borders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import Missing
from ocelotboost.predict.byte_columns import Located
from ocelotboost.table.columns import Table

_MOST_BORDERS = 254

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberBytes:
    """How byte columns are made from numbers.

    sources   uint32 (n_columns,)      table column behind each byte column, ascending
    borders   float64                  of each byte column, one after the other
    offsets   uint32 (n_columns + 1,)  where each column's borders begin
    missing   uint8 (n_columns,)       of ``Missing``
    out_rows  uint32 (n_columns,)      0, 1, 2, ...: each byte column has a row of its own
    shifts    uint32 (n_columns,)      zeros: and the whole byte
    """

    sources: NDArray[np.uint32]
    borders: Floats
    offsets: NDArray[np.uint32]
    missing: NDArray[np.uint8]
    out_rows: NDArray[np.uint32]
    shifts: NDArray[np.uint32]

    @property
    def n_columns(self) -> int:
        return len(self.sources)

    def of_table(self, table: Table, n_threads: int) -> NDArray[np.uint8]:
        """The byte columns of all rows: (n_columns, n_rows)."""
        bins = np.zeros((self.n_columns, table.n_rows), dtype=np.uint8)
        for part in table.parts:
            begin, end = np.searchsorted(self.sources, [part.first, part.first + part.width])
            if begin < end:
                sources = self.sources[begin:end] - np.uint32(part.first)
                self._quantize(part.values(), begin, end, sources, bins, n_threads)
        return bins

    def of_matrix(self, values: NDArray[np.floating], n_threads: int) -> NDArray[np.uint8]:
        """The same for a float32 or float64 array (n_rows, n_features), with little ceremony."""
        sources = self.sources
        bins = np.zeros((len(sources), len(values)), dtype=np.uint8)
        native.quantize(
            values, sources, self.borders, self.offsets, self.missing, self.out_rows, self.shifts,
            bins, n_threads=n_threads,
        )  # fmt: skip
        return bins

    def _quantize(
        self,
        values: NDArray[np.floating],
        begin: int,
        end: int,
        sources: NDArray[np.uint32],
        bins: NDArray[np.uint8],
        n_threads: int,
    ) -> None:
        first_border = self.offsets[begin]
        native.quantize(
            values,
            sources,
            self.borders[first_border : self.offsets[end]],
            self.offsets[begin : end + 1] - first_border,
            self.missing[begin:end],
            self.out_rows[begin:end],
            self.shifts[begin:end],
            bins,
            n_threads=n_threads,
        )


def make_number_bytes(
    columns: NDArray[np.uint32], borders: Floats, missing_high: NDArray[np.bool_]
) -> tuple[NumberBytes, Located]:
    """For questions about numbers; those questions in terms of the byte columns."""
    sources: list[int] = []
    missing: list[int] = []
    chunks: list[Floats] = []
    located = Located(np.zeros(len(columns), np.uint32), np.zeros(len(columns), np.uint8))
    for source in np.unique(columns):
        questions = np.flatnonzero(columns == source)
        asked = borders[questions]
        distinct = np.unique(asked[~np.isnan(asked)])
        own_bin = bool(np.isnan(asked).any())
        high = bool(missing_high[source])
        for first in range(0, max(len(distinct), 1), _MOST_BORDERS):
            chunk = distinct[first : first + _MOST_BORDERS]
            # The question about missing values goes with the first chunk.
            asks_missing = own_bin and first == 0
            here = np.isin(asked, chunk) | (np.isnan(asked) & asks_missing)
            bins = np.searchsorted(chunk, asked[here]) + (asks_missing and not high)
            bins[np.isnan(asked[here])] = len(chunk) if high else 0
            located.columns[questions[here]] = len(sources)
            located.bins[questions[here]] = bins
            sources.append(int(source))
            chunks.append(chunk)
            missing.append(_missing_kind(asks_missing, high))
    offsets = np.concatenate([[0], np.cumsum([len(chunk) for chunk in chunks])])
    number_bytes = NumberBytes(
        sources=np.array(sources, dtype=np.uint32),
        borders=np.concatenate([np.empty(0), *chunks]),
        offsets=offsets.astype(np.uint32),
        missing=np.array(missing, dtype=np.uint8),
        out_rows=np.arange(len(sources), dtype=np.uint32),
        shifts=np.zeros(len(sources), dtype=np.uint32),
    )
    return number_bytes, located


def _missing_kind(own_bin: bool, high: bool) -> Missing:
    if own_bin:
        return Missing.OWN_HIGH if high else Missing.OWN_LOW
    return Missing.HIGH if high else Missing.LOW
