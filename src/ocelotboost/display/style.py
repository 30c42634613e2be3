"""What all displays have in common: axes, colours, and names that fit."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

from ocelotboost.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Distinct also in print and for colour-blind readers.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#2b6cb0", "#dd6b20", "#2f855a", "#6b46c1", "#a0aec0"
LINES = (BLUE, ORANGE, GREEN, PURPLE, "#b83280", "#4a5568")
INK = "#4a5568"
#: From low to high values of a column.
LOW_TO_HIGH = "coolwarm"

_LONGEST = 28


def axes_for(ax: Any, width: float = 6.4, height: float = 4.4) -> Axes:
    """The axes to draw on: those given, or those of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as problem:
        raise ImportError(
            "Plots need matplotlib: install it by pip install 'ocelot-boost[plot]'."
        ) from problem
    chosen: Axes = ax
    if ax is None:
        _, chosen = pyplot.subplots(figsize=(width, height), layout="constrained")
    return chosen


def height_for(n_lines: int) -> float:
    """Of a figure with one line of text per bar."""
    return 1.3 + 0.34 * max(n_lines, 2)


def plain(ax: Axes, *, grid: Literal["x", "y", "both"] | None = None) -> None:
    """No frame where it says nothing; ``grid`` is the axis whose values are read off."""
    ax.spines[["top", "right"]].set_visible(False)
    if grid is not None:
        ax.grid(axis=grid, color="#e2e8f0", linewidth=0.8)
        ax.set_axisbelow(True)


def shortened(text: object, longest: int = _LONGEST) -> str:
    """A name that fits next to an axis."""
    name = str(text)
    return name if len(name) <= longest else name[: longest - 1] + "…"


def number(value: object) -> str:
    """A value as it is written in a plot: "160,300", "0.1235", "Married"."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return shortened(value, 20)
    exact = float(value)
    if exact.is_integer() and abs(exact) < 1e9:
        return f"{int(exact):,}"
    return f"{exact:.4g}"


def output_of(n_outputs: int, names: list[str] | None, output: Any) -> int:
    """Which output a plot is about: ``output`` is a class label or None."""
    if names is None or n_outputs == 1:
        return 0
    labels = [str(name) for name in names]
    if output is None or str(output) not in labels:
        raise ParameterError(
            f"output={output!r}: the model has one output per class, and the plot shows one of "
            f"them; give one of {labels}."
        )
    return labels.index(str(output))
