"""SHAP values of many rows: one swarm of points per column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.points import (
    draw_colour_bar,
    draw_points,
    one_output,
    ranks,
    shown_data,
    swarm,
)
from ocelotboost.display.style import GREY, axes_for, height_for, plain, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass
class BeeswarmDisplay:
    """One point per row and column: where it is says how far the column moves the prediction, its
    colour whether the column's value is low or high; grey are categories and missing values.

    values  float64 (n_rows, n_columns) SHAP values
    data    (n_rows, n_columns) the values of the columns
    names   of the columns
    """

    values: Floats
    data: NDArray[Any]
    names: list[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        output: Any = None,
        max_columns: int = 12,
        ax: Any = None,
    ) -> BeeswarmDisplay:
        """Of a fitted model and some rows; ``output`` is a class, for several classes."""
        explanation = estimator._explanation(X)
        return cls.from_explanation(explanation, output=output, max_columns=max_columns, ax=ax)

    @classmethod
    def from_explanation(
        cls, explanation: Any, *, output: Any = None, max_columns: int = 12, ax: Any = None
    ) -> BeeswarmDisplay:
        """Of what ``model.explain`` returned."""
        values = one_output(explanation, output)
        display = cls(values, shown_data(explanation), list(explanation.feature_names))
        return display.plot(max_columns=max_columns, ax=ax)

    def plot(self, *, max_columns: int = 12, ax: Any = None) -> BeeswarmDisplay:
        """Draw on ``ax``, or on a new figure."""
        order = np.argsort(-np.abs(self.values).mean(axis=0), kind="stable")[:max_columns][::-1]
        self.ax_: Axes = axes_for(ax, 7.0, height_for(len(order)) + 0.5)
        self.ax_.axvline(0, color=GREY, linewidth=1)
        width = float(np.ptp(self.values[:, order])) if len(self.values) else 1.0
        points = None
        for line, column in enumerate(order.tolist()):
            own = self.values[:, column]
            heights = line + 0.4 * swarm(own, width)
            size = float(np.clip(6000 / max(len(own), 1), 4, 18))
            points = draw_points(self.ax_, own, heights, ranks(self.data[:, column]), size)
        self.ax_.set_yticks(
            np.arange(len(order)), [shortened(self.names[place]) for place in order.tolist()]
        )
        self.ax_.set_ylim(-0.6, len(order) - 0.4)
        self.ax_.set_xlabel("SHAP value: change of the raw prediction")
        self.ax_.tick_params(axis="y", length=0)
        plain(self.ax_)
        if points is not None:
            draw_colour_bar(self.ax_, points, "value of the column")
        self.figure_ = self.ax_.figure
        return self
