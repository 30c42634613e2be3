"""SHAP values of many rows: one swarm of points per column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.style import (
    GREY,
    INK,
    LOW_TO_HIGH,
    axes_for,
    height_for,
    output_of,
    plain,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

_BINS = 120


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
        display = cls(values, explanation.data, list(explanation.feature_names))
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
            colours = ranks(self.data[:, column])
            grey = np.isnan(colours)
            size = float(np.clip(6000 / max(len(own), 1), 4, 18))
            self.ax_.scatter(own[grey], heights[grey], s=size, color=GREY, linewidths=0)
            points = self.ax_.scatter(
                own[~grey], heights[~grey], c=colours[~grey], vmin=0, vmax=1, s=size,
                cmap=LOW_TO_HIGH, linewidths=0,
            )  # fmt: skip
        self.ax_.set_yticks(
            np.arange(len(order)), [shortened(self.names[place]) for place in order.tolist()]
        )
        self.ax_.set_ylim(-0.6, len(order) - 0.4)
        self.ax_.set_xlabel("SHAP value: change of the raw prediction")
        self.ax_.tick_params(axis="y", length=0)
        plain(self.ax_)
        if points is not None:
            bar = self.ax_.figure.colorbar(points, ax=self.ax_, ticks=[0, 1], aspect=40, pad=0.02)
            bar.ax.set_yticklabels(["low", "high"])
            bar.set_label("value of the column", color=INK, labelpad=-8)
            bar.outline.set_visible(False)
        self.figure_ = self.ax_.figure
        return self


def one_output(explanation: Any, output: Any) -> Floats:
    """SHAP values (n_rows, n_columns) of one output."""
    values = np.asarray(explanation.values)
    if values.ndim == 2:
        return values
    names = getattr(explanation, "output_names", None)
    labels = [str(k) for k in range(values.shape[2])] if names is None else list(names)
    chosen: Floats = values[:, :, output_of(values.shape[2], labels, output)]
    return chosen


def swarm(values: Floats, width: float) -> Floats:
    """Heights from -1 to 1 that keep points of similar values apart, the same at every call."""
    if len(values) == 0 or width <= 0:
        return np.zeros(len(values))
    bins = np.floor((values - values.min()) / width * _BINS).astype(np.int64)
    places = np.empty(len(values))
    order = np.argsort(bins, kind="stable")
    _, first, counts = np.unique(bins[order], return_index=True, return_counts=True)
    for begin, count in zip(first.tolist(), counts.tolist(), strict=True):
        inside = np.arange(count)
        places[order[begin : begin + count]] = (inside + 1) // 2 * np.where(inside % 2, 1.0, -1.0)
    return places / max(float(np.abs(places).max()), 5.0)


def ranks(values: NDArray[Any]) -> Floats:
    """From 0 for the lowest number to 1 for the highest; NaN for texts and missing values."""
    numbers = numbers_or_missing(values)
    known = ~np.isnan(numbers)
    out = np.full(len(numbers), np.nan)
    if known.any():
        _, places = np.unique(numbers[known], return_inverse=True)
        out[known] = places / max(int(places.max()), 1)
    return out


def numbers_or_missing(values: NDArray[Any]) -> Floats:
    """A column as numbers; all NaN when it holds texts."""
    try:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    except (TypeError, ValueError):
        return np.full(len(values), np.nan)
