"""Target statistics of a column: what the model knows of each category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ocelotboost.display.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    axes_for,
    height_for,
    plain,
    shortened,
)
from ocelotboost.explain.category_statistics import CategoryStatistics

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class CategoryStatisticsDisplay:
    """The mean target of each category in the given rows, and the statistic that the model has for
    it, with its bin: they differ where the prior counts, or where the rows are others."""

    statistics: CategoryStatistics

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        column: str | int,
        *,
        output: Any = None,
        max_categories: int = 15,
        ax: Any = None,
    ) -> CategoryStatisticsDisplay:
        """Of a categorical column of X; ``output`` is a class, for several classes."""
        found = estimator.category_statistics(X, y, column, output=output)
        return cls(found).plot(max_categories=max_categories, ax=ax)

    def plot(self, *, max_categories: int = 15, ax: Any = None) -> CategoryStatisticsDisplay:
        """Draw on ``ax``, or on a new figure."""
        found = self.statistics
        n_shown = min(len(found.values), max_categories)
        order = np.argsort(found.means[:n_shown], kind="stable")
        lines = np.arange(n_shown)
        self.ax_: Axes = axes_for(ax, 7.2, height_for(n_shown) + 0.4)
        self.ax_.barh(lines, found.means[order], color=BLUE, height=0.62, label="mean target")
        known = ~np.isnan(found.statistic[order])
        if known.any():
            self.ax_.plot(
                found.statistic[order][known], lines[known], "D", color=ORANGE, markersize=5,
                label="statistic of the model",
            )  # fmt: skip
        for line, place in zip(lines.tolist(), order.tolist(), strict=True):
            if found.bins[place] >= 0:
                end = max(found.means[place], found.statistic[place])
                self.ax_.annotate(
                    f"bin {found.bins[place]}", (end, line), xytext=(8, 0),
                    textcoords="offset points", va="center", color=INK, fontsize="small",
                )  # fmt: skip
        labels = [
            f"{shortened(found.values[i], 24)}  ({found.counts[i]:,})" for i in order.tolist()
        ]
        self.ax_.set_yticks(lines, labels)
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.axvline(
            float(np.average(found.means, weights=found.counts)), color=GREY, linestyle=":",
            linewidth=1.2, label="mean of all rows",
        )  # fmt: skip
        self.ax_.set(xlabel=found.target, ylabel=shortened(found.name))
        self.ax_.margins(x=0.12)
        if len(found.values) > n_shown:
            self.ax_.set_title(
                f"the {n_shown} most frequent of {len(found.values):,} values", fontsize="medium"
            )
        self.ax_.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.45, -0.18), ncols=3)
        plain(self.ax_, grid="x")
        self.figure_ = self.ax_.figure
        return self
