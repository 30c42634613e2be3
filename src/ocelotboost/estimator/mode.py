"""Plain or Ordered."""

from __future__ import annotations

from ocelotboost.boost.sampling import MIN_ROWS_TO_SAMPLE

#: boosting_type="auto" is Ordered for so many rows (docs/ordered.md). With fewer, all rows choose
#: every tree, and a weight of k gives the same model as k copies.
FEWEST_ORDERED_ROWS, MOST_ORDERED_ROWS = MIN_ROWS_TO_SAMPLE, 40_000


def is_ordered(boosting_type: str, n_rows: int) -> bool:
    """Whether training is in Ordered mode; 'auto' resolved by the rows that train trees."""
    if n_rows < 2:  # nobody comes before anybody
        return False
    if boosting_type == "auto":
        return FEWEST_ORDERED_ROWS <= n_rows <= MOST_ORDERED_ROWS
    return boosting_type == "Ordered"
