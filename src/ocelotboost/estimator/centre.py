"""Targets that single precision cannot tell apart, as 10⁹ plus noise: centred in double precision.

Kernels take targets in single precision. A loss of differences, y - raw, does not notice when both
are moved by the same number, so such targets are learned relative to their median. The number is
added to the start value of the model, and to what metrics see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.loss.base import Floats, Loss, Targets
from ocelotboost.metric.base import MetricLike

#: Rounding of targets, in standard deviations, that is too small to matter.
_NEGLIGIBLE = 1e-3


def centre_of(values: NDArray[np.floating], loss: Loss, argument: str = "y") -> float:
    """The number to subtract from the target; 0 where single precision holds it as it is."""
    exact = values.astype(np.float64)
    spread = float(exact.std()) if len(exact) else 0.0
    if not _loses(exact, spread):
        return 0.0
    centre = float(np.median(exact))
    if loss.moves_with_target and not _loses(exact - centre, spread):
        return centre
    raise InputError(
        f"{argument} has values around {centre:g} that differ by about {spread:g}: training works "
        f"in single precision, which cannot tell them apart with loss {loss.name}. {_remedy(loss)}"
    )


def centred(values: NDArray[np.floating], centre: float) -> Targets:
    """The target as training takes it: float32 (n,)."""
    if centre != 0:
        values = values.astype(np.float64) - centre
    return np.ascontiguousarray(values, dtype=np.float32)


@dataclass(frozen=True)
class UncentredMetric:
    """A metric that sees targets and predictions where the user has them."""

    metric: MetricLike
    centre: float

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def higher_is_better(self) -> bool:
        return self.metric.higher_is_better

    def value(self, target: Targets, raw: Floats, weight: NDArray[np.float32] | None) -> float:
        moved: Any = target.astype(np.float64) + self.centre
        return self.metric.value(moved, raw + self.centre, weight)


def uncentred(metrics: list[MetricLike], centre: float) -> list[MetricLike]:
    """The metrics for a target from which ``centre`` was subtracted."""
    return [UncentredMetric(metric, centre) for metric in metrics] if centre else metrics


def _loses(exact: Floats, spread: float) -> bool:
    lost = np.abs(exact.astype(np.float32) - exact).max(initial=0.0)
    return bool(lost > _NEGLIGIBLE * spread)


def _remedy(loss: Loss) -> str:
    if loss.moves_with_target:
        return "Rescale the target."
    return (
        "Subtract a constant from the target or rescale it, or use RMSE, MAE, Quantile or Huber, "
        "which need no such help."
    )
