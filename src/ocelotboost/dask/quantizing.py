"""The stage on a cluster: borders by a sample of the rows, values by what all partitions have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.dask.partitions import (
    facts,
)
from ocelotboost.dask.reading import Partitions, joined
from ocelotboost.dask.some_rows import SomeRows
from ocelotboost.quantize.borders import sample_rows
from ocelotboost.quantize.categorical_data import CategoryValues
from ocelotboost.quantize.one_hot import choose_indicators
from ocelotboost.quantize.quantized import QuantizeSettings
from ocelotboost.quantize.quantizer import Quantizer

Weights = NDArray[np.float32] | None


def quantize(
    parts: Partitions, rows: SomeRows, settings: QuantizeSettings
) -> tuple[Quantizer, CategoryValues]:
    """Borders and categories by the rows that will be trained on."""
    rng = np.random.default_rng(settings.seed)
    sample = sample_rows(rows.n_rows, rng).astype(np.intp)
    kept = kept_by_partition(parts, rows)
    edges = np.searchsorted(rows.numbers(), parts.edges) if rows.rows is not None else parts.edges
    of_parts = np.split(sample, np.searchsorted(sample, edges[1:-1]))
    found = parts.ask(
        facts,
        [
            (own_kept, own - first)
            for own_kept, own, first in zip(kept, of_parts, edges[:-1], strict=True)
        ],
    )
    values = _values([own.categories for own in found])
    table = joined([own.sample for own in found])
    table = replace(table, categories=parts.like_a_table().categories)
    quantizer = Quantizer.fit(
        table,
        weight=None if rows.weight is None else rows.weight[sample],
        indicators=choose_indicators(values, settings.one_hot_max_size, settings.value_views),
        border_count=settings.border_count,
        border_type=settings.border_type,
        nan_mode=settings.nan_mode,
        has_missing=np.logical_or.reduce([own.missing for own in found]),
        rng=rng,
        n_threads=settings.n_threads,
    )
    return quantizer, values


def kept_by_partition(parts: Partitions, rows: SomeRows) -> list[NDArray[np.intp] | None]:
    """Which rows of each partition are among some; None: all."""
    if rows.rows is None:
        return [None] * (len(parts.edges) - 1)
    wanted = np.zeros(parts.n_rows, dtype=np.bool_)
    wanted[rows.rows] = True
    return [np.flatnonzero(own) for own in parts.pieces(wanted)]


def _values(parts: Sequence[dict[int, Any]]) -> CategoryValues:
    """The values of all partitions together."""
    features = tuple(sorted(parts[0]))
    hashes = tuple(np.unique(np.concatenate([own[f].hashes for own in parts])) for f in features)

    def texts(feature: int) -> list[str | None]:
        known: dict[int, str | None] = {}
        for own in parts:
            known.update(own[feature].texts or {})
        return [known[value] for value in hashes[features.index(feature)].tolist()]

    return CategoryValues(features, hashes, texts)
