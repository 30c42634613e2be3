"""Target statistics of rows that are not trained on, looked up in tables of the training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ocelotboost.order.combination import Facet
from ocelotboost.order.pages import MOST_PAGES, Pages
from ocelotboost.order.whole_data import WholeData
from ocelotboost.predict.byte_columns import Located
from ocelotboost.predict.statistics import StatisticBytes
from ocelotboost.quantize.block import SlottedColumns


class LookedUpStatistics:
    """Pages of an eval set; they are the same in every ordering.

    row_hashes  the categories of each feature that has statistics: uint64 (n,)
    """

    def __init__(
        self,
        row_hashes: Mapping[int, NDArray[np.uint64]],
        columns: SlottedColumns,
        whole_data: WholeData,
        cache_bytes: int,
        n_threads: int,
    ) -> None:
        self.row_hashes = row_hashes
        self._columns = columns
        self._whole_data = whole_data
        self._n_threads = n_threads
        n_rows, n_bytes = columns.n_rows, whole_data.rule.columns.n_bytes
        capacity = max(min(cache_bytes // max(n_rows * n_bytes, 1), MOST_PAGES), 1)
        #: The bytes of the pages.
        self.pages = Pages[Facet](capacity, n_rows, n_bytes)

    @property
    def capacity(self) -> int:
        return self.pages.capacity

    def pages_of(self, facets: Sequence[Facet], ordering: int) -> list[int]:
        find = self.pages.find
        found = [find(facet) for facet in facets]
        absent = {f: None for f, page in zip(facets, found, strict=True) if page is None}
        if absent:
            pages = self.pages.take(len(absent))
            for facet, page in zip(absent, pages.tolist(), strict=True):
                self._fill(facet, self.pages.bytes[page])
            self.pages.hold(list(absent))
            found = [find(facet) for facet in facets]
        return [page for page in found if page is not None]

    def _fill(self, facet: Facet, out: NDArray[np.uint8]) -> None:
        table = self._whole_data.facet_table(facet)
        asked = table.question_columns.tolist()
        base = Located(
            np.arange(len(asked), dtype=np.uint32), table.question_borders.astype(np.uint8)
        )
        hash_key = self._whole_data.rule.hash_key
        looked_up = StatisticBytes.of_tables(table, hash_key, base, self._n_threads)
        hashes = np.stack([self.row_hashes[feature] for feature in looked_up.lookup.features])
        bins = np.empty((looked_up.n_columns, len(out)), dtype=np.uint8)
        answering = np.empty((len(asked), len(out)), dtype=np.uint8)
        for own, column in zip(answering, asked, strict=True):
            own[:] = self._columns.bins(column)
        looked_up.fill(hashes, answering, bins, self._n_threads)
        out[:] = bins[::2].T
        out[:, : len(bins) // 2] |= bins[1::2].T << np.uint8(4)
