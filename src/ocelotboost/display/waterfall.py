"""One prediction, from what is expected of any row to what is said of this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.points import one_output, shown_data
from ocelotboost.display.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    axes_for,
    height_for,
    number,
    output_of,
    plain,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class WaterfallDisplay:
    """The SHAP values of one row, one step per column.

    values      float64 (n_columns,)
    base_value  where the steps begin
    data        (n_columns,) the values of the row
    names       of the columns
    """

    values: NDArray[np.float64]
    base_value: float
    data: NDArray[Any]
    names: list[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        row: int = 0,
        output: Any = None,
        max_columns: int = 10,
        ax: Any = None,
    ) -> WaterfallDisplay:
        """Of a fitted model and a row of X; ``output`` is a class, for several classes."""
        explanation = estimator._explanation(X)
        return cls.from_explanation(
            explanation, row=row, output=output, max_columns=max_columns, ax=ax
        )

    @classmethod
    def from_explanation(
        cls,
        explanation: Any,
        *,
        row: int = 0,
        output: Any = None,
        max_columns: int = 10,
        ax: Any = None,
    ) -> WaterfallDisplay:
        """Of what ``model.explain`` returned."""
        values, base = one_output(explanation, output), np.asarray(explanation.base_values)
        if base.ndim == 2:
            names = explanation.output_names
            base = base[:, output_of(base.shape[1], names, output)]
        data = shown_data(explanation)[row]
        display = cls(values[row], float(base[row]), data, list(explanation.feature_names))
        return display.plot(max_columns=max_columns, ax=ax)

    def plot(self, *, max_columns: int = 10, ax: Any = None) -> WaterfallDisplay:
        """Draw on ``ax``, or on a new figure."""
        order = np.argsort(-np.abs(self.values), kind="stable")
        shown, rest = order[: max_columns - 1], order[max_columns - 1 :]
        if len(rest) <= 1:
            shown, rest = order, order[:0]
        steps = [float(self.values[place]) for place in shown.tolist()]
        labels = [
            f"{shortened(self.names[place], 20)} = {number(self.data[place])}"
            for place in shown.tolist()
        ]
        if len(rest):
            steps.append(float(self.values[rest].sum()))
            labels.append(f"{len(rest)} other columns")
        self.ax_: Axes = axes_for(ax, 7.0, height_for(len(steps)) + 0.4)
        ends = self.base_value + np.concatenate([[0.0], np.cumsum(steps)])
        lines = np.arange(len(steps))
        self._draw_steps(steps, ends, lines)
        self.ax_.set_yticks(lines, labels)
        self.ax_.invert_yaxis()
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.set_xlabel("raw prediction")
        self.ax_.use_sticky_edges = False
        self.ax_.margins(x=0.16)
        self.ax_.set_title(
            f"expected {number(self.base_value)}, predicted {number(float(ends[-1]))}",
            fontsize="medium",
        )
        plain(self.ax_, grid="x")
        self.figure_ = self.ax_.figure
        return self

    def _draw_steps(
        self, steps: list[float], ends: NDArray[np.float64], lines: NDArray[np.intp]
    ) -> None:
        colours = [ORANGE if step > 0 else BLUE for step in steps]
        self.ax_.barh(lines, steps, left=ends[:-1], color=colours, height=0.62)
        for line, step in zip(lines.tolist(), steps, strict=True):
            end = float(ends[line + 1])
            self.ax_.annotate(
                f"{step:+.3g}",
                (end, line),
                xytext=(4 if step > 0 else -4, 0),
                textcoords="offset points",
                ha="left" if step > 0 else "right",
                va="center",
                color=INK,
                fontsize="small",
            )
            if line + 1 < len(steps):
                self.ax_.plot([end, end], [line + 0.31, line + 0.69], color=GREY, linewidth=1)
        self.ax_.axvline(self.base_value, color=GREY, linewidth=1, linestyle=":")
