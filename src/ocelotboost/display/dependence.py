"""SHAP values of one column by its values, and partial dependence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.points import (
    date_axis,
    draw_colour_bar,
    draw_points,
    numbers_or_missing,
    one_output,
    ranks,
    shown_data,
    swarm,
)
from ocelotboost.display.style import (
    BLUE,
    GREY,
    ORANGE,
    axes_for,
    height_for,
    output_of,
    plain,
    shortened,
)
from ocelotboost.errors import ParameterError
from ocelotboost.explain.partial_dependence import PartialDependence
from ocelotboost.table.times import array_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

_MOST_CURVES = 100


@dataclass
class DependenceDisplay:
    """The SHAP values of one column by its values: points for numbers, a swarm per category.

    values       float64 (n_rows,) SHAP values
    data         (n_rows,) values of the column
    name         of the column
    colours      (n_rows,) values of another column that colours the points, or None
    colour_name  of that column
    """

    values: Floats
    data: NDArray[Any]
    name: str
    colours: NDArray[Any] | None = None
    colour_name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        column: str | int,
        *,
        colour_by: str | int | None = None,
        output: Any = None,
        max_categories: int = 12,
        ax: Any = None,
    ) -> DependenceDisplay:
        """Of a fitted model and some rows; ``output`` is a class, for several classes."""
        explanation = estimator._explanation(X)
        return cls.from_explanation(
            explanation,
            column,
            colour_by=colour_by,
            output=output,
            max_categories=max_categories,
            ax=ax,
        )

    @classmethod
    def from_explanation(
        cls,
        explanation: Any,
        column: str | int,
        *,
        colour_by: str | int | None = None,
        output: Any = None,
        max_categories: int = 12,
        ax: Any = None,
    ) -> DependenceDisplay:
        """Of what ``model.explain`` returned."""
        names = list(explanation.feature_names)
        place = _place(column, names)
        other = None if colour_by is None else _place(colour_by, names)
        display = cls(
            values=one_output(explanation, output)[:, place],
            data=shown_data(explanation)[:, place],
            name=names[place],
            colours=None if other is None else shown_data(explanation)[:, other],
            colour_name=None if other is None else names[other],
        )
        return display.plot(max_categories=max_categories, ax=ax)

    def plot(self, *, max_categories: int = 12, ax: Any = None) -> DependenceDisplay:
        """Draw on ``ax``, or on a new figure."""
        numbers = numbers_or_missing(self.data)
        if np.isnan(numbers).all():
            self._plot_categories(max_categories, ax)
        else:
            self._plot_numbers(numbers, ax)
        self.figure_ = self.ax_.figure
        return self

    def _plot_numbers(self, numbers: Floats, ax: Any) -> None:
        self.ax_: Axes = axes_for(ax)
        self.ax_.axhline(0, color=GREY, linewidth=1)
        if self.colours is None:
            self.ax_.scatter(numbers, self.values, s=12, color=BLUE, alpha=0.6, linewidths=0)
        else:
            points = draw_points(self.ax_, numbers, self.values, ranks(self.colours), 12)
            draw_colour_bar(self.ax_, points, str(self.colour_name))
        date_axis(self.ax_.xaxis, self.data)
        missing = np.isnan(numbers)
        if missing.any():
            self.ax_.set_title(
                f"missing in {missing.sum():,} rows: {self.values[missing].mean():+.3g} on average",
                fontsize="medium",
            )
        self.ax_.set(xlabel=self.name, ylabel="SHAP value")
        plain(self.ax_, grid="y")

    def _plot_categories(self, max_categories: int, ax: Any) -> None:
        counts = Counter(str(value) for value in self.data.tolist())
        texts = np.array([str(value) for value in self.data.tolist()], dtype=object)
        common = [text for text, _ in counts.most_common(max_categories)]
        means = {text: float(self.values[texts == text].mean()) for text in common}
        common.sort(key=lambda text: means[text])
        self.ax_ = axes_for(ax, 7.0, height_for(len(common)) + 0.4)
        self.ax_.axvline(0, color=GREY, linewidth=1)
        width = float(np.ptp(self.values)) or 1.0
        for line, text in enumerate(common):
            own = self.values[texts == text]
            heights = line + 0.38 * swarm(own, width)
            self.ax_.scatter(own, heights, s=8, color=BLUE, alpha=0.6, linewidths=0)
            self.ax_.plot([means[text]] * 2, [line - 0.4, line + 0.4], color=ORANGE, linewidth=2)
        labels = [f"{shortened(text, 24)}  ({counts[text]:,})" for text in common]
        self.ax_.set_yticks(np.arange(len(common)), labels)
        self.ax_.set_ylim(-0.6, len(common) - 0.4)
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.set_xlabel(f"SHAP value of {self.name}, and its mean")
        if len(counts) > len(common):
            self.ax_.set_title(
                f"the {len(common)} most frequent of {len(counts):,} values", fontsize="medium"
            )
        plain(self.ax_)


@dataclass
class PartialDependenceDisplay:
    """The mean prediction for each value of a column, or for each pair of values of two."""

    result: PartialDependence
    output: int = 0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        columns: Any,
        *,
        output: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> PartialDependenceDisplay:
        """Of a fitted model and some rows; ``options`` are those of ``model.partial_dependence``,
        and ``output`` is a class, for several classes."""
        result = estimator.partial_dependence(X, columns, **options)
        names = getattr(estimator, "classes_", None)
        n_outputs = estimator.forest_.n_outputs
        labels = None if names is None else [str(label) for label in names.tolist()]
        return cls(result, output_of(n_outputs, labels, output)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> PartialDependenceDisplay:
        """Draw on ``ax``, or on a new figure."""
        n_columns = len(self.result.names)
        average, individual = self.result.average, self.result.individual
        if average.ndim > n_columns:
            average = average[..., self.output]
            individual = None if individual is None else individual[..., self.output]
        if n_columns == 2:
            self._plot_two(average, ax)
        else:
            self._plot_one(average, individual, ax)
        self.figure_ = self.ax_.figure
        return self

    def _plot_one(self, average: Floats, individual: Floats | None, ax: Any) -> None:
        values = self.result.grid[0]
        name = self.result.names[0]
        if _are_ordered(values):
            self.ax_: Axes = axes_for(ax)
            date_axis(self.ax_.xaxis, _objects(values))
            values = numbers_or_missing(_objects(values)).tolist()
            if individual is not None:
                step = max(len(individual) // _MOST_CURVES, 1)
                self.ax_.plot(values, individual[::step].T, color=GREY, alpha=0.35, linewidth=0.7)
            self.ax_.plot(values, average, color=BLUE, linewidth=2)
            self.ax_.set(xlabel=name, ylabel="mean prediction")
            plain(self.ax_, grid="y")
            return
        order = np.argsort(average)
        self.ax_ = axes_for(ax, height=height_for(len(values)))
        self.ax_.plot(average[order], np.arange(len(values)), "o", color=BLUE)
        self.ax_.set_yticks(np.arange(len(values)), [_label(values[i]) for i in order.tolist()])
        self.ax_.set(xlabel="mean prediction", ylabel=name)
        self.ax_.margins(y=0.06)
        plain(self.ax_, grid="both")

    def _plot_two(self, average: Floats, ax: Any) -> None:
        self.ax_ = axes_for(ax, 6.8, 5.2)
        first, second = self.result.grid
        image = self.ax_.pcolormesh(
            np.arange(len(second) + 1) - 0.5, np.arange(len(first) + 1) - 0.5, average,
            cmap="viridis",
        )  # fmt: skip
        _ticks(self.ax_.xaxis, second, rotate=not _are_numbers(second))
        _ticks(self.ax_.yaxis, first, rotate=False)
        self.ax_.set(xlabel=self.result.names[1], ylabel=self.result.names[0])
        bar = self.ax_.figure.colorbar(image, ax=self.ax_, label="mean prediction")
        bar.outline.set_visible(False)


def _ticks(axis: Any, values: list[Any], *, rotate: bool) -> None:
    """At most ten labels for numbers and dates, and one per category."""
    step = max(-(-len(values) // 10), 1) if _are_ordered(values) else 1
    places = np.arange(0, len(values), step)
    labels = [_label(values[place]) for place in places.tolist()]
    options = {"rotation": 40, "ha": "right"} if rotate else {}
    axis.set_ticks(places, labels, **options)


def _label(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:.4g}" if isinstance(value, float) else shortened(value, 20)


def _are_numbers(values: list[Any]) -> bool:
    return all(isinstance(value, float) for value in values)


def _are_ordered(values: list[Any]) -> bool:
    """Numbers, dates, times of day or durations?"""
    return _are_numbers(values) or array_kind(_objects(values)) is not None


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _place(column: str | int, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ParameterError(f"column={column!r} is not a column; there are {names}.")
        return names.index(column)
    if not -len(names) <= column < len(names):
        raise ParameterError(f"column={column}: there are {len(names)} columns.")
    return int(column)
