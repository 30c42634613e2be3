"""Does a quantile hold? The share of targets below it, where predictions are low and high."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.style import BLUE, GREY, axes_for, number, plain
from ocelotboost.errors import InputError, ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass
class QuantileCoverageDisplay:
    """The share of targets at or below a predicted quantile, for groups of rows of equal size.

    predicted  float64 (n_groups,) the mean prediction of each group, ascending
    coverage   float64 (n_groups,) the share of its targets at or below their predictions
    low, high  float64 (n_groups,) where the share would lie in most draws of rows (95 %, Wilson)
    overall    the share in all rows
    alpha      what the share should be
    """

    predicted: Floats
    coverage: Floats
    low: Floats
    high: Floats
    overall: float
    alpha: float

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, n_groups: int = 10, ax: Any = None
    ) -> QuantileCoverageDisplay:
        """Of a regressor that was trained with the loss Quantile."""
        alpha = getattr(estimator._require_fitted().loss, "alpha", None)
        if alpha is None:
            raise ParameterError(
                f"The model predicts no quantile: its loss is {estimator.model_.loss}. Train with "
                "loss_function='Quantile:alpha=0.9', or use from_predictions."
            )
        return cls.from_predictions(y, estimator.predict(X), alpha=alpha, n_groups=n_groups, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, alpha: float, n_groups: int = 10, ax: Any = None
    ) -> QuantileCoverageDisplay:
        """Of targets and predicted quantiles."""
        target, predicted = np.asarray(y_true, np.float64), np.asarray(y_pred, np.float64)
        if target.shape != predicted.shape or target.ndim != 1:
            raise InputError(
                f"y_true has shape {target.shape} and y_pred {predicted.shape}: give one number "
                "per row."
            )
        below = (target <= predicted).astype(np.float64)
        groups = np.array_split(np.argsort(predicted, kind="stable"), min(n_groups, len(target)))
        shares = np.array([below[rows].mean() for rows in groups])
        sizes = np.array([len(rows) for rows in groups])
        low, high = _wilson(shares, sizes)
        return cls(
            predicted=np.array([predicted[rows].mean() for rows in groups]),
            coverage=shares,
            low=low,
            high=high,
            overall=float(below.mean()),
            alpha=float(alpha),
        ).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> QuantileCoverageDisplay:
        """Draw on ``ax``, or on a new figure; lines are 95 % intervals."""
        self.ax_: Axes = axes_for(ax)
        self.ax_.axhline(self.alpha, color=GREY, linestyle="--", linewidth=1.2)
        lines = np.maximum([self.coverage - self.low, self.high - self.coverage], 0.0)
        self.ax_.errorbar(self.predicted, self.coverage, yerr=lines, fmt="o", color=BLUE, capsize=3)
        self.ax_.set(xlabel="predicted quantile", ylabel="share of targets at or below it")
        self.ax_.set_title(
            f"{number(self.overall)} of all targets, {number(self.alpha)} wanted",
            fontsize="medium",
        )
        plain(self.ax_, grid="y")
        self.figure_ = self.ax_.figure
        return self


def _wilson(shares: Floats, sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Bounds of a share that is not 0 or 1 for certain when no row or every row is below."""
    z = 1.96
    middle = shares + z**2 / (2 * sizes)
    width = z * np.sqrt(shares * (1 - shares) / sizes + z**2 / (4 * sizes**2))
    scale = 1 + z**2 / sizes
    return (middle - width) / scale, (middle + width) / scale
