"""Numbers and layouts that both sides of the boundary agree on.

Arrays are C-contiguous and of an exact dtype: bins ``uint8``; rows, leaves, columns ``uint32``;
gradients, weights, targets ``float32``; raw predictions, scores ``float64``; packed sums ``int64``.
Where a row has several outputs, outputs come first: ``(n_outputs, n_rows)``.
"""

from __future__ import annotations

from enum import IntEnum

#: In the list of parent histograms: this histogram has no sibling.
NO_HISTOGRAM = 0xFFFFFFFF

#: In a list of pages of statistics: the question is about a slot of the table.
NO_PAGE = 0xFFFFFFFF

#: Slots of a bucket in which look-up tables keep their keys.
BUCKET_SIZE = 8

#: Bins of a histogram, used or not.
N_BINS = 256


class BorderRule(IntEnum):
    """How the borders of a column are chosen."""

    GREEDY_LOG_SUM = 0
    QUANTILE = 1
    UNIFORM = 2


class Missing(IntEnum):
    """Which bin a missing value gets."""

    LOW = 0  # the lowest, shared with the smallest numbers
    HIGH = 1  # the highest, shared with the largest numbers
    OWN_LOW = 2  # bin 0; numbers begin at bin 1
    OWN_HIGH = 3  # one bin above all numbers


class History(IntEnum):
    """Which rows a row's target statistic is made of."""

    BEFORE = 0  # those before it in the ordering
    ALL = 1  # all, itself included
    ALL_BUT_OWN = 2
    APART = 3  # rows that get no statistic themselves


class LossKind(IntEnum):
    """The one-output losses that have native loops."""

    RMSE = 0
    LOGLOSS = 1
    MAE = 2
    QUANTILE = 3
    HUBER = 4
    POISSON = 5
    TWEEDIE = 6
    GAMMA = 7


def packed_layout(n_outputs: int) -> tuple[int, int]:
    """How many chunks, and words per chunk, hold the fields of a row.

    The fields are one gradient per output and the weight, two fields per word. A chunk has 1, 2
    or 4 words, so that one vector instruction adds it.

    >>> packed_layout(1), packed_layout(3), packed_layout(7), packed_layout(10)
    ((1, 1), (1, 2), (1, 4), (2, 4))
    """
    n_words = (n_outputs + 2) // 2
    if n_words <= 2:
        return 1, n_words
    return (n_words + 3) // 4, 4
