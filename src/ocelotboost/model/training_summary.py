"""What a model remembers of the rows it was trained on: enough to notice that others differ.

Made of at most 4,096 rows, evenly spaced among those of training, so it costs next to nothing:

    missing values        the share per column
    numbers               shares of the rows between ten quantiles
    categories            shares of the most frequent, and which ones there are, where they are few
    whole rows            a hash of each, by which rows that come again are known
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ocelotboost.table.columns import Table

MOST_ROWS = 4096
MOST_CATEGORIES = 64  # whose shares are kept, per column
MOST_KNOWN = 1024  # categories of a column that are all kept; of more, none
_N_RANGES = 10

Hashes: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class TrainingSummary:
    """Columns one after the other; offsets say where each begins, and the end.

    n_rows            of training
    missing           float64 (n_features,)      share of missing values
    edge_offsets      uint32 (n_features + 1,)
    edges             float64 (n_edges,)         ascending per column, none for categories
    range_shares      float64 (n_edges + n_features,)  of the rows up to each edge, then beyond
    category_offsets  uint32 (n_features + 1,)
    categories        uint64 (n_categories,)     hashes of the most frequent, none for numbers
    category_shares   float64 (n_categories,)
    known_offsets     uint32 (n_features + 1,)
    known             uint64 (n_known,)          hashes of all categories, ascending per column
    row_hashes        uint64 (n,)                ascending
    """

    n_rows: int
    missing: NDArray[np.float64]
    edge_offsets: NDArray[np.uint32]
    edges: NDArray[np.float64]
    range_shares: NDArray[np.float64]
    category_offsets: NDArray[np.uint32]
    categories: Hashes
    category_shares: NDArray[np.float64]
    known_offsets: NDArray[np.uint32]
    known: Hashes
    row_hashes: Hashes

    def edges_of(self, feature: int) -> NDArray[np.float64]:
        return self.edges[self.edge_offsets[feature] : self.edge_offsets[feature + 1]]

    def range_shares_of(self, feature: int) -> NDArray[np.float64]:
        first = int(self.edge_offsets[feature]) + feature
        return self.range_shares[first : int(self.edge_offsets[feature + 1]) + feature + 1]

    def categories_of(self, feature: int) -> tuple[Hashes, NDArray[np.float64]]:
        own = slice(self.category_offsets[feature], self.category_offsets[feature + 1])
        return self.categories[own], self.category_shares[own]

    def known_of(self, feature: int) -> Hashes | None:
        """All categories of the column; None: they were too many."""
        own = self.known[self.known_offsets[feature] : self.known_offsets[feature + 1]]
        return own if len(own) else None


def summarize(table: Table, known: dict[int, Hashes], most_rows: int = MOST_ROWS) -> TrainingSummary:
    """The summary of training rows.

    known  all categories of each categorical column, ascending
    """
    rows = np.unique(np.linspace(0, table.n_rows - 1, min(table.n_rows, most_rows)).astype(np.intp))
    some = table.take(rows) if len(rows) < table.n_rows else table
    missing = np.zeros(table.n_columns)
    edges: list[NDArray[np.float64]] = [np.empty(0)] * table.n_columns
    shares: list[NDArray[np.float64]] = [np.ones(1)] * table.n_columns
    frequent: list[Hashes] = [np.empty(0, np.uint64)] * table.n_columns
    category_shares: list[NDArray[np.float64]] = [np.empty(0)] * table.n_columns
    kept: list[Hashes] = [np.empty(0, np.uint64)] * table.n_columns
    for part in some.parts:
        values = part.values()
        for place in range(part.width):
            feature = part.first + place
            own = values[:, place].astype(np.float64)
            missing[feature] = np.isnan(own).mean()
            edges[feature] = _edges(own)
            shares[feature] = range_shares(own, edges[feature])
    for feature, column in some.categories.items():
        hashes = column.row_hashes()
        missing[feature] = (hashes == 0).mean()
        values, counts = np.unique(hashes, return_counts=True)
        top = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
        frequent[feature], category_shares[feature] = values[top], counts[top] / len(hashes)
        if len(known[feature]) <= MOST_KNOWN:
            kept[feature] = known[feature]
    return TrainingSummary(
        n_rows=table.n_rows,
        missing=missing,
        edge_offsets=_offsets(edges),
        edges=np.concatenate([np.empty(0), *edges]),
        range_shares=np.concatenate([np.empty(0), *shares]),
        category_offsets=_offsets(frequent),
        categories=np.concatenate([np.empty(0, np.uint64), *frequent]),
        category_shares=np.concatenate([np.empty(0), *category_shares]),
        known_offsets=_offsets(kept),
        known=np.concatenate([np.empty(0, np.uint64), *kept]),
        row_hashes=np.sort(row_hashes(some)),
    )


def range_shares(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the numbers up to each edge, and beyond the last; missing ones do not count."""
    known = values[~np.isnan(values)]
    counts = np.bincount(np.searchsorted(edges, known), minlength=len(edges) + 1)
    shares: NDArray[np.float64] = counts / max(len(known), 1)
    return shares


def row_hashes(table: Table) -> Hashes:
    """A hash of each row's values: equal rows have equal ones, others hardly ever."""
    mixed = np.full(table.n_rows, 0x9E3779B97F4A7C15, dtype=np.uint64)
    columns: dict[int, Hashes] = {f: c.row_hashes() for f, c in table.categories.items()}
    for part in table.parts:
        values = part.values()
        for place in range(part.width):
            own = values[:, place].astype(np.float64) + 0.0  # one zero
            bits = np.where(np.isnan(own), np.nan, own).view(np.uint64)
            columns[part.first + place] = bits
    for feature in sorted(columns):
        mixed ^= columns[feature]
        mixed *= np.uint64(0xFF51AFD7ED558CCD)
        mixed ^= mixed >> np.uint64(32)
    return mixed


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return np.empty(0)
    inner = np.quantile(known, np.arange(1, _N_RANGES) / _N_RANGES, method="lower")
    edges: NDArray[np.float64] = np.unique(inner)
    return edges


def _offsets(pieces: list[NDArray[np.float64]] | list[Hashes]) -> NDArray[np.uint32]:
    return np.cumsum([0, *(len(piece) for piece in pieces)]).astype(np.uint32)
