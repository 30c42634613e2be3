"""What a model knows of a column's categories: value, count, mean target, statistic and its bin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.explain.explainer import Explainer
from ocelotboost.explain.explanation import MISSING
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import FREQUENCY
from ocelotboost.predict.statistics import entry_bins
from ocelotboost.table.columns import Table
from ocelotboost.table.values import is_missing

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CategoryStatistics:
    """One entry per category, the most frequent first.

    name       of the column
    target     what is averaged, in words
    values     the categories as texts
    counts     int64 (n,) rows of the given table
    means      float64 (n,) mean target of those rows
    trained    float64 (n,) rows that training had; NaN where the model has no statistic of the
               column alone
    statistic  float64 (n,) what the model has for the category, prior included; NaN likewise
    bins       int64 (n,) which of the 16 bins that is; -1 likewise
    """

    name: str
    target: str
    values: list[str]
    counts: NDArray[np.int64]
    means: Floats
    trained: Floats
    statistic: Floats
    bins: NDArray[np.int64]


def category_statistics(
    explainer: Explainer,
    table: Table,
    column: int,
    values: NDArray[Any],
    target: tuple[str, int, Floats],
) -> CategoryStatistics:
    """Of one categorical column.

    values  (n_rows,) the categories as the user gave them
    target  what is averaged in words, its number among the model's outputs, one number per row
    """
    meaning, output, numbers = target
    hashes, first, inverse = np.unique(
        table.categories[column].row_hashes(), return_index=True, return_inverse=True
    )
    counts = np.bincount(inverse)
    means = np.bincount(inverse, weights=numbers) / counts
    order = np.argsort(-counts, kind="stable")
    texts = [MISSING if is_missing(values[row]) else str(values[row]) for row in first.tolist()]
    n_classes = len(explainer.output_names or [])
    place = output if n_classes else 0
    trained, statistic, bins = known_statistics(explainer.forest, column, hashes[order], place)
    return CategoryStatistics(
        name=explainer.wording.feature(column),
        target=meaning,
        values=[texts[category] for category in order.tolist()],
        counts=counts[order],
        means=means[order],
        trained=trained,
        statistic=statistic,
        bins=bins,
    )


def known_statistics(
    forest: Forest, column: int, hashes: NDArray[np.uint64], target: int
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Training counts, statistics and bins of categories by the table of a column alone.

    target  which of the statistics' targets; the first if the table has no such
    """
    tables = forest.statistics
    nothing = np.full(len(hashes), np.nan), np.full(len(hashes), np.nan), np.full(len(hashes), -1)
    for place in range(tables.n_columns):
        table = int(tables.column_tables[place])
        base = tables.questions_of(table)
        is_alone = tables.members_of(table).tolist() == [column] and base.start == base.stop
        wanted = min(target, len(tables.target_names[table]) - 1)
        if not is_alone or int(tables.column_targets[place]) in (FREQUENCY,):
            continue
        if int(tables.column_targets[place]) == wanted:
            break
    else:
        return nothing
    entries = tables.entries_of(table)
    keys = tables.keys[entries]
    found = np.searchsorted(keys, hashes)
    found[(found == len(keys)) | (keys[np.minimum(found, len(keys) - 1)] != hashes)] = len(keys)
    counts = np.append(tables.counts[entries].astype(np.float64), 0.0)
    sums = np.append(tables.sums_of(table)[:, wanted].astype(np.float64), 0.0)
    weight, prior = float(tables.prior_weight[table]), float(tables.column_priors[place])
    statistics = (sums + weight * prior) / (counts + weight)
    bins = entry_bins(tables, table, np.array([place], dtype=np.uint32))[:, 0]
    return counts[found], statistics[found], bins[found].astype(np.int64)
