"""Plain or Ordered: which mode, and which parameters belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ocelotboost.boost.sampling import MIN_ROWS_TO_SAMPLE
from ocelotboost.errors import ParameterError

if TYPE_CHECKING:
    from ocelotboost.estimator.base import OcelotEstimator

#: boosting_type="auto" is Ordered for so many rows (docs/ordered.md). With fewer, all rows choose
#: every tree, and a weight of k gives the same model as k copies.
FEWEST_ORDERED_ROWS, MOST_ORDERED_ROWS = MIN_ROWS_TO_SAMPLE, 40_000


def check_mode(estimator: OcelotEstimator) -> None:
    """Refuse parameters of Ordered mode that contradict each other."""
    if estimator.early_stopping != "ordered":
        return
    if estimator.boosting_type == "Plain":
        raise ParameterError(
            "early_stopping='ordered' needs models that have not seen every row, and Plain mode "
            "has none; use boosting_type='Ordered'."
        )
    if estimator.validation_fraction is not None:
        raise ParameterError(
            f"early_stopping='ordered' holds no rows out, validation_fraction="
            f"{estimator.validation_fraction} does; give one of them."
        )


def is_ordered(estimator: OcelotEstimator, n_rows: int) -> bool:
    """Whether training is in Ordered mode; 'auto' resolved by the rows that train trees."""
    if n_rows < 2:  # nobody comes before anybody
        return False
    if estimator.boosting_type == "auto":
        few = FEWEST_ORDERED_ROWS <= n_rows <= MOST_ORDERED_ROWS
        return few or estimator.early_stopping == "ordered"
    return estimator.boosting_type == "Ordered"
