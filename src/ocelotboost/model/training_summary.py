"""What a model remembers of the rows it was trained on: enough to notice that others differ.

Made of at most 4,096 rows, evenly spaced among those of training, so it costs next to nothing:

    missing values        the share per column
    numbers               shares of the rows between ten quantiles
    categories            shares of the most frequent, and which ones there are, where they are few
    whole rows            a hash of each, by which rows that come again are known
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.statistic_table import StoredArray, offsets_of, stored
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import evenly

MOST_ROWS = 4096
MOST_CATEGORIES = 64  # whose shares are kept, per column
MOST_KNOWN = 1024  # categories of a column that are all kept; of more, none
_N_RANGES = 10
_MOST_COLUMNS = 2000  # of a table that is remembered: each costs some microseconds

Hashes: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class TrainingSummary:
    """Columns one after the other; offsets say where those of a feature begin, and the end.

    Each array is declared once, with its dtype and its meaning; the arrays of a file follow.
    """

    size: NDArray[np.uint64] = field(metadata=stored(np.uint64, "1", "rows of training"))
    missing: NDArray[np.float64] = field(
        metadata=stored(np.float64, "n_features", "share of missing values")
    )
    edge_offsets: NDArray[np.uint32] = field(
        metadata=stored(np.uint32, "n_features + 1", "edges of feature f")
    )
    edges: NDArray[np.float64] = field(
        metadata=stored(np.float64, "n_edges", "between ranges of numbers, ascending per feature")
    )
    range_shares: NDArray[np.float64] = field(
        metadata=stored(
            np.float64,
            "n_edges + n_features",
            "per feature: of its numbers up to each edge, then beyond",
        )
    )
    category_offsets: NDArray[np.uint32] = field(
        metadata=stored(np.uint32, "n_features + 1", "frequent categories of feature f")
    )
    categories: Hashes = field(
        metadata=stored(np.uint64, "n_categories", "hashes of the most frequent categories")
    )
    category_shares: NDArray[np.float64] = field(
        metadata=stored(np.float64, "n_categories", "of the rows")
    )
    known_offsets: NDArray[np.uint32] = field(
        metadata=stored(np.uint32, "n_features + 1", "categories of feature f")
    )
    known: Hashes = field(
        metadata=stored(
            np.uint64, "n_known", "hashes of all categories of features that have few, ascending"
        )
    )
    row_hashes: Hashes = field(
        metadata=stored(np.uint64, "n_remembered", "of rows of training, ascending")
    )

    @property
    def n_rows(self) -> int:
        return int(self.size[0])

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


SUMMARY_ARRAYS = tuple(
    StoredArray(declared.name, **declared.metadata)
    for declared in dataclasses.fields(TrainingSummary)
)


def remember(table: Table, known: dict[int, Hashes]) -> TrainingSummary | None:
    """What a model keeps of its training rows; nothing of tables that are very wide.

    known  all categories of each categorical column, ascending
    """
    return None if table.n_columns > _MOST_COLUMNS else summarize(table, known)


def summarize(
    table: Table, known: dict[int, Hashes], most_rows: int = MOST_ROWS
) -> TrainingSummary:
    """The summary of at most ``most_rows`` rows."""
    some = table
    if table.n_rows > most_rows:
        some = table.take(evenly(table.n_rows, most_rows))
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
        distinct, counts = np.unique(hashes, return_counts=True)
        top = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
        frequent[feature], category_shares[feature] = distinct[top], counts[top] / len(hashes)
        if len(known[feature]) <= MOST_KNOWN:
            kept[feature] = known[feature]
    return TrainingSummary(
        size=np.array([table.n_rows], dtype=np.uint64),
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


def _offsets(pieces: Sequence[NDArray[Any]]) -> NDArray[np.uint32]:
    return offsets_of([len(piece) for piece in pieces], np.uint32)
