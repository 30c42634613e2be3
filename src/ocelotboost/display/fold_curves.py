"""FoldCurvesDisplay: how well the models of a cross-validation do with each further tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.style import BLUE, GREY, INK, ORANGE, axes_for, number, plain
from ocelotboost.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class FoldCurvesDisplay:
    """The mean of the folds, a band of one standard deviation, and a line per fold.

    test     (n_folds, n_trees) of the rows that judge
    learn    (n_folds, n_trees) of the rows that train
    metric   what they are values of
    n_trees  that the models keep
    """

    test: NDArray[np.float64]
    learn: NDArray[np.float64]
    metric: str
    n_trees: int

    @classmethod
    def from_cross_validation(
        cls, found: Any, *, metric: str | None = None, ax: Any = None
    ) -> FoldCurvesDisplay:
        """Of what ``ocelotboost.cv`` returns; ``metric`` is the one that decided if not given."""
        if not found.curves:
            raise ParameterError(
                "There are no curves: each fold is several models. Give the estimator iterations."
            )
        chosen = metric or found.metric
        if chosen not in found.curves:
            raise ParameterError(
                f"metric={metric!r} was not recorded; give one of {list(found.curves)}."
            )
        test, learn = found.curves[chosen], found.learn_curves[chosen]
        return cls(test, learn, chosen, int(found.n_trees[0])).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> FoldCurvesDisplay:
        """Draw on ``ax``, or on a new figure."""
        self.ax_: Axes = axes_for(ax)
        trees = np.arange(self.test.shape[1]) + 1
        mean, spread = (
            self.test.mean(axis=0),
            self.test.std(axis=0, ddof=min(len(self.test), 2) - 1),
        )
        self.ax_.fill_between(trees, mean - spread, mean + spread, color=BLUE, alpha=0.15, lw=0)
        for own in self.test:
            self.ax_.plot(trees, own, color=BLUE, alpha=0.35, linewidth=0.7)
        self.ax_.plot(trees, mean, color=BLUE, linewidth=1.8, label="rows not trained on")
        self.ax_.plot(
            trees, self.learn.mean(axis=0), color=ORANGE, linewidth=1.2, label="training rows"
        )
        self._mark(mean)
        self.ax_.set(xlabel="trees", ylabel=self.metric)
        self.ax_.legend(frameon=False)
        plain(self.ax_, grid="y")
        self.figure_ = self.ax_.figure
        return self

    def _mark(self, mean: NDArray[np.float64]) -> None:
        value = float(mean[self.n_trees - 1])
        self.ax_.axvline(self.n_trees, color=GREY, linewidth=1, linestyle=":")
        self.ax_.plot([self.n_trees], [value], "o", color=BLUE, markersize=6)
        right = self.n_trees > 0.5 * len(mean)
        self.ax_.annotate(
            f"{self.n_trees:,} trees: {number(value)}",
            (self.n_trees, value),
            xytext=(-8 if right else 8, 14),
            textcoords="offset points",
            ha="right" if right else "left",
            color=INK,
        )
