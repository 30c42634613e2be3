"""One-hot: a feature with few values is asked for each of them, yes or no."""

from __future__ import annotations

import numpy as np

from ocelotboost.model.statistic_table import Indicators
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.table.columns import Table


def choose_indicators(table: Table, data: CategoricalData, most_values: int) -> Indicators:
    """A column for each value of features with at most ``most_values``; of two values one will do.

    A feature with a single value is asked nothing.
    """
    columns: list[int] = []
    hashes: list[int] = []
    texts: list[str | None] = []
    for line, feature in enumerate(data.features):
        n_values = int(data.value_counts[line])
        if not 2 <= n_values <= most_values:
            continue
        first_rows = np.unique(data.codes[line], return_index=True)[1]
        values = range(1, 2) if n_values == 2 else range(n_values)
        found = table.categories[feature].texts(first_rows)
        for value in values:
            columns.append(feature)
            hashes.append(int(data.hashes[line][value]))
            texts.append(found[value])
    return Indicators(
        np.array(columns, dtype=np.uint32), np.array(hashes, dtype=np.uint64), tuple(texts)
    )
