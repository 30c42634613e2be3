"""What the user decides about statistics, orderings and segments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class StatisticSettings:
    """How a category becomes numbers.

    kind             a key of ``HISTORIES``: what a statistic is made of
    priors           one column for each
    prior_weight     how many rows a prior counts for
    window           rows of an ordered history; None: all before
    max_combination  c_max, the most features of a combination
    combine_numbers  questions about columns may be the base of a combination
    cache_bytes      the most memory for statistics
    value_views      features that are one-hot encoded besides
    """

    kind: str
    priors: tuple[float, ...]
    prior_weight: float
    window: int | None
    max_combination: int
    combine_numbers: bool
    cache_bytes: int
    value_views: tuple[int, ...]


@dataclass(frozen=True)
class OrderSettings:
    """How rows are put in order, and what is made of it.

    has_time        False: orderings are drawn. True: rows come in the order of time. Otherwise the
                    name or position of the column that holds it
    n_supporting    s, the number of orderings besides σ₀
    boosting_type   "Plain", "Ordered", or "auto"
    segment_growth  each body has this many times the rows of the one before
    first_body      rows, or a share of them below 1; None: chosen by their number
    parcel_seed     for the parcels that rows are dealt into, where they are many
    history_seed    for the history of a holdout statistic
    statistic_seed  for the orderings of statistics
    segment_seed    for those of segments: σ_cat = σ_boost where the two seeds are the same
    n_parcels       that rows are dealt into; None: as many as their number needs
    """

    statistics: StatisticSettings
    has_time: bool | int | str
    n_supporting: int
    boosting_type: str
    segment_growth: float
    first_body: float | None
    parcel_seed: np.random.SeedSequence
    history_seed: np.random.SeedSequence
    statistic_seed: np.random.SeedSequence
    segment_seed: np.random.SeedSequence
    n_threads: int
    n_parcels: int | None = None
