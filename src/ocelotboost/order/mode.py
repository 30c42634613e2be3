"""Plain or Ordered."""

from __future__ import annotations

#: boosting_type="auto" is Ordered for this many rows (docs/ordered.md). With fewer, no rows are
#: sampled either (boost/sampling.py), and a weight of k gives the same model as k copies.
FEWEST_ORDERED_ROWS, MOST_ORDERED_ROWS = 100, 40_000

#: … of classes, not of numbers, where Plain is as good or better (docs/quality.md), and for at most
#: this many classes. Every segment has histograms of every class, so with 150
#: classes a tree took seven times as long as in Plain mode, and the test loss was no better.
MOST_ORDERED_CLASSES = 100


def is_ordered(boosting_type: str, n_rows: int, n_classes: int) -> bool:
    """Whether training is in Ordered mode; 'auto' resolved by the rows that train trees and by the
    classes."""
    if n_rows < 2:  # nobody comes before anybody
        return False
    if boosting_type == "auto":
        few_classes = 1 < n_classes <= MOST_ORDERED_CLASSES
        return FEWEST_ORDERED_ROWS <= n_rows <= MOST_ORDERED_ROWS and few_classes
    return boosting_type == "Ordered"
