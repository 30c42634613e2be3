"""Segments of an ordering: bodies that grow by a factor, each with a tail of rows that follow it.

    position  0       b₀      b₁              b₂                              n
              |-------|-------|---------------|-------------------------------|
    segment 0   body    tail
    segment 1       body            tail
    segment 2             body                               tail
    era           0       1           2                       3

A model learns from its body and predicts its tail, which it has not seen. So every row has a model
that knows earlier rows only, except those of the first body. The rows that are tail of the same
segment are an **era**; era 0 is the first body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError

#: What part of the rows is about the first body: small ones make better trees of few rows, and cost
#: time with many.
FIRST_PART = 1 / 64
FIRST_PART_OF_MANY = 1 / 8
MANY_ROWS = 50_000


@dataclass(frozen=True)
class Segments:
    """Where an ordering is cut: b₀ < b₁ < … < n."""

    edges: tuple[int, ...]

    @property
    def n_segments(self) -> int:
        return len(self.edges) - 1

    def body(self, segment: int) -> slice:
        """Positions that the segment's model learns from."""
        return slice(0, self.edges[segment])

    def tail(self, segment: int) -> slice:
        """Positions that the segment's model is asked about."""
        return slice(self.edges[segment], self.edges[segment + 1])

    @property
    def era_edges(self) -> NDArray[np.uint32]:
        """Where the eras begin, and the end: uint32 (n_segments + 2,)."""
        return np.array([0, *self.edges], dtype=np.uint32)

    def rows_by_era(self, ordering: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The rows of an ordering, sorted inside each era, where their order does not matter."""
        return np.concatenate([np.sort(era) for era in np.split(ordering, self.edges[:-1])])

    def eras_of(
        self, rows_by_era: NDArray[np.uint32], places: slice
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The rows of one parcel, era after era, and where the eras begin, with the end: uint32
        (n_segments + 2,)."""
        ends = np.array([places.start, places.stop])
        inside = [
            era[slice(*np.searchsorted(era, ends))]
            for era in np.split(rows_by_era, self.edges[:-1])
        ]
        edges = np.cumsum([0, *map(len, inside)], dtype=np.uint32)
        return np.concatenate(inside), edges


def divide(n_rows: int, growth: float, first_body: int | None = None) -> Segments:
    """Segments of ``n_rows`` positions, each body ``growth`` times the one before.

    >>> divide(1000, 2).edges, divide(100, 4, first_body=5).edges
    ((16, 32, 64, 128, 256, 512, 1000), (5, 20, 80, 100))
    """
    edges = [_first_body(n_rows, growth) if first_body is None else first_body]
    while edges[-1] < n_rows:
        edges.append(min(math.ceil(growth * edges[-1]), n_rows))
    return Segments(tuple(edges))


def _first_body(n_rows: int, growth: float) -> int:
    """So many rows that the last tail, too, is as long as the growth allows."""
    part = FIRST_PART_OF_MANY if n_rows > MANY_ROWS else FIRST_PART
    n_segments = max(round(math.log(1 / part, growth)), 1)
    return math.ceil(n_rows / growth**n_segments)


def first_body_in_rows(first_body: float | None, n_rows: int) -> int | None:
    """The user's choice, which below 1 is a share of the rows; None: ours."""
    if first_body is None:
        return None
    rows = math.ceil(first_body * n_rows) if first_body < 1 else int(first_body)
    if rows >= n_rows:
        raise ParameterError(
            f"first_body={first_body} leaves no rows to come after it; give fewer than {n_rows} "
            "rows, or a share of them."
        )
    return rows
