"""One-hot: a feature with few values is asked for each of them, yes or no."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ocelotboost.model.statistic_table import Indicators
from ocelotboost.quantize.categorical_data import CategoryValues


def choose_indicators(
    values: CategoryValues, most_values: int, besides: Collection[int] = ()
) -> Indicators:
    """A column for each value of features with at most ``most_values``, and of these ``besides``;
    of two values one will do.

    A feature with a single value is asked nothing.
    """
    columns: list[int] = []
    hashes: list[int] = []
    texts: list[str | None] = []
    for feature, own in zip(values.features, values.hashes, strict=True):
        if len(own) < 2 or (len(own) > most_values and feature not in besides):
            continue
        first = 1 if len(own) == 2 else 0
        columns += [feature] * (len(own) - first)
        hashes += own[first:].tolist()
        texts += values.texts(feature)[first:]
    return Indicators(
        np.array(columns, dtype=np.uint32), np.array(hashes, dtype=np.uint64), tuple(texts)
    )
