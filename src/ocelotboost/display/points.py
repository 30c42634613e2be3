"""Points of SHAP values: which they are, where they stand, and how they are coloured."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.style import GREY, INK, LOW_TO_HIGH, output_of, shortened
from ocelotboost.table.times import array_kind, read_array
from ocelotboost.table.values import Origin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

_BINS = 120


def draw_points(ax: Axes, x: Floats, y: Floats, shades: Floats, size: float) -> Any:
    """Points coloured from low to high; grey where the shade is NaN. Returns what a colour bar is
    made of."""
    grey = np.isnan(shades)
    ax.scatter(x[grey], y[grey], s=size, color=GREY, linewidths=0)
    return ax.scatter(
        x[~grey], y[~grey], s=size, c=shades[~grey], vmin=0, vmax=1, cmap=LOW_TO_HIGH, linewidths=0
    )


def draw_colour_bar(ax: Axes, points: Any, name: str) -> None:
    """What low and high mean."""
    bar = ax.figure.colorbar(points, ax=ax, ticks=[0, 1], aspect=40, pad=0.02)
    bar.ax.set_yticklabels(["low", "high"])
    bar.set_label(shortened(name), color=INK, labelpad=-8)
    bar.outline.set_visible(False)


def shown_data(explanation: Any) -> NDArray[Any]:
    """The values of the columns as the user gave them: shap may have numbers for dates."""
    shown = getattr(explanation, "display_data", None)
    values: NDArray[Any] = explanation.data if shown is None else shown
    return values


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


def date_axis(axis: Any, values: NDArray[Any]) -> None:
    """Let an axis show numbers as dates, where the values are dates."""
    kind = array_kind(values)
    if kind is None or kind.what != "date":
        return
    dates: Any = import_module("matplotlib.dates")
    locator = dates.AutoDateLocator(minticks=3, maxticks=7)
    axis.set_major_locator(locator)
    axis.set_major_formatter(dates.ConciseDateFormatter(locator))


def numbers_or_missing(values: NDArray[Any]) -> Floats:
    """A column as numbers; all NaN when it holds texts. Dates are days since 1970, as matplotlib
    counts them."""
    kind = array_kind(values)
    if kind is not None:
        return read_array(values, kind, Origin("data")).numbers
    try:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    except (TypeError, ValueError):
        return np.full(len(values), np.nan)
