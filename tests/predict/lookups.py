"""What a look-up finds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ocelotboost.predict.statistics import StatisticLookup


def bins_found(
    lookup: StatisticLookup,
    row_hashes: Mapping[int, NDArray[np.uint64]],
    base_answers: NDArray[np.uint32] | None,
    n_threads: int,
) -> NDArray[np.uint8]:
    """The bins of all statistic columns: (n_columns, n)."""
    hashes = np.array([row_hashes[feature] for feature in lookup.features], dtype=np.uint64)
    out = np.empty((len(lookup.columns), hashes.shape[1]), dtype=np.uint8)
    answers = np.empty((0, 0), dtype=np.uint32) if base_answers is None else base_answers
    lookup.fill(hashes, answers, out, n_threads)
    return out
