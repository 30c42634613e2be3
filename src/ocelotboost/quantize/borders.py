"""Borders: where the values of a column are cut into bins. One function of C++ a rule.

``GreedyLogSum`` repeatedly cuts the bin whose cut gains most in the sum of ln(bin size), next to
the value in its middle; ``Quantile`` cuts equal shares of the rows; ``Uniform`` equal distances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import BorderRule
from ocelotboost.quantize.sparse_columns import counts_exactly, sparse_borders
from ocelotboost.table.columns import SparsePart, Table

BORDER_RULES = {
    "GreedyLogSum": BorderRule.GREEDY_LOG_SUM,
    "Quantile": BorderRule.QUANTILE,
    "Uniform": BorderRule.UNIFORM,
}

#: Borders are chosen from at most this many rows.
SAMPLE_SIZE = 200_000


def choose_borders(
    table: Table,
    weight: NDArray[np.float32] | None,
    rule: BorderRule,
    max_borders: NDArray[np.uint32],
    rng: np.random.Generator,
    n_threads: int,
) -> list[NDArray[np.float64]]:
    """Ascending borders of each column, at most ``max_borders`` (one per column) of them.

    Categorical columns have none.
    """
    rows = sample_rows(table.n_rows, rng)
    exact = counts_exactly(weight)
    borders = [np.empty(0)] * table.n_columns
    for part in table.parts:
        most = max_borders[part.first : part.first + part.width]
        if exact and isinstance(part, SparsePart):
            own = sparse_borders(part, rows, weight, rule, most, n_threads)
            borders[part.first : part.first + part.width] = own
            continue
        found = np.empty((part.width, max(int(most.max(initial=0)), 1)), dtype=np.float64)
        counts = np.empty(part.width, dtype=np.uint32)
        native.choose_borders(
            part.values(), rows, weight, int(rule), most, found, counts, n_threads=n_threads
        )
        for column, count in enumerate(counts):
            borders[part.first + column] = found[column, :count].copy()
    return borders


def sample_rows(n_rows: int, rng: np.random.Generator) -> NDArray[np.uint32]:
    """The rows that borders are chosen from."""
    if n_rows <= SAMPLE_SIZE:
        return np.arange(n_rows, dtype=np.uint32)
    # One row at random from each of SAMPLE_SIZE equal stretches: sorted, and no shuffle of all.
    edges = np.linspace(0, n_rows, SAMPLE_SIZE + 1)
    rows: NDArray[np.float64] = edges[:-1] + rng.random(SAMPLE_SIZE) * np.diff(edges)
    return np.minimum(rows, n_rows - 1).astype(np.uint32)
