"""The stage as one call: borders of the numbers, codes of the categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.one_hot import choose_indicators
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.labelled import LabelledTable


@dataclass(frozen=True)
class QuantizeSettings:
    """How columns become bins.

    border_count      the most borders of a column
    border_type       the rule that chooses them
    nan_mode          where missing values are: "Min", "Max", or "Forbidden"
    one_hot_max_size  features with at most this many values are one-hot encoded
    value_views       features that are one-hot encoded, too, but have statistics besides
    seed              for the rows that choose borders, where there are many
    """

    border_count: int
    border_type: str
    nan_mode: str
    one_hot_max_size: int
    value_views: tuple[int, ...]
    seed: np.random.SeedSequence
    n_threads: int


@dataclass(frozen=True)
class Quantized:
    """What the rows define: borders, and which categories there are.

    categories  all categorical features of these rows, encoded once
    """

    quantizer: Quantizer
    categories: CategoricalData


def quantize(data: LabelledTable, settings: QuantizeSettings) -> Quantized:
    """Borders and categories by the rows that will be trained on."""
    table, n_threads = data.table, settings.n_threads
    categories = CategoricalData.of(table, tuple(sorted(table.categories)), n_threads)
    values = categories.values(table)
    quantizer = Quantizer.fit(
        table,
        weight=data.weight,
        indicators=choose_indicators(values, settings.one_hot_max_size, settings.value_views),
        border_count=settings.border_count,
        border_type=settings.border_type,
        nan_mode=settings.nan_mode,
        rng=np.random.default_rng(settings.seed),
        n_threads=n_threads,
    )
    return Quantized(quantizer, categories)
