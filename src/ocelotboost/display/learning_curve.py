"""Learning curves: a metric after each tree, and the tree that was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ocelotboost.display.style import GREY, INK, LINES, axes_for, number, plain
from ocelotboost.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {"learn": "training rows", "ordered": "training rows, not yet seen"}


@dataclass
class LearningCurveDisplay:
    """One curve per data set, and a mark at the tree that was chosen.

    curves       values after each tree, by name of the data set
    metric       what they are values of
    first_tree   number of the tree that the first value belongs to
    best         number of the chosen tree and the name of its curve; None when nothing was watched
    """

    curves: dict[str, list[float]]
    metric: str
    first_tree: int = 0
    best: tuple[int, str] | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, metric: str | None = None, ax: Any = None
    ) -> LearningCurveDisplay:
        """Of a fitted model; ``metric`` is the watched one if not given."""
        model = estimator.model_
        recorded = list(dict.fromkeys(name for by in model.history.values() for name in by))
        if not recorded:
            raise ParameterError("The model has no history_: it was trained without trees.")
        watched = model.watched
        chosen = metric or (watched[1] if watched else recorded[0])
        if chosen not in recorded:
            raise ParameterError(f"metric={metric!r} was not recorded; give one of {recorded}.")
        curves = {
            data: values[chosen] for data, values in model.history.items() if chosen in values
        }
        best = None
        if watched is not None and watched[1] == chosen and model.best_iteration is not None:
            best = (model.best_iteration, watched[0])
        return cls(curves, chosen, model.n_init_trees, best).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> LearningCurveDisplay:
        """Draw on ``ax``, or on a new figure."""
        self.ax_: Axes = axes_for(ax)
        for (data, values), colour in zip(self.curves.items(), cycle(LINES), strict=False):
            trees = np.arange(len(values)) + self.first_tree + 1
            self.ax_.plot(trees, values, color=colour, label=_NAMES.get(data, data), linewidth=1.6)
            if self.best is not None and self.best[1] == data:
                self._mark(self.best[0], values[self.best[0] - self.first_tree], colour)
        self.ax_.set(xlabel="trees", ylabel=self.metric)
        self.ax_.legend(frameon=False)
        plain(self.ax_, grid="y")
        self.figure_ = self.ax_.figure
        return self

    def _mark(self, tree: int, value: float, colour: str) -> None:
        self.ax_.axvline(tree + 1, color=GREY, linewidth=1, linestyle=":")
        self.ax_.plot([tree + 1], [value], "o", color=colour, markersize=6)
        right = tree > self.first_tree + 0.5 * max(len(v) for v in self.curves.values())
        self.ax_.annotate(
            f"{tree + 1:,} trees: {number(value)}",
            (tree + 1, value),
            xytext=(-8 if right else 8, 14),
            textcoords="offset points",
            ha="right" if right else "left",
            color=INK,
        )
