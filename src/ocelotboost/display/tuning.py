"""How a search went: the score of each trial, and which parameters mattered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ocelotboost.display.style import BLUE, GREY, INK, ORANGE, axes_for, number, plain, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class TuningDisplay:
    """Left: trials as points, the best so far as a line. Right: one bar per parameter.

    scores            of each trial, None where it was pruned; the first is the defaults
    metric            what they are scores of
    higher_is_better  whether a larger one is better
    importances       shares of the parameters in how much the scores vary, the largest first
    """

    scores: Sequence[float | None]
    metric: str
    higher_is_better: bool
    importances: dict[str, float]

    @classmethod
    def from_tuning(cls, tuning: Any, *, ax: Any = None) -> TuningDisplay:
        """Of the result of ``tune``; ``ax`` is a pair of axes."""
        scores = [one["score"] for one in tuning.trials]
        display = cls(scores, tuning.metric, tuning.higher_is_better, tuning.importances)
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> TuningDisplay:
        """Draw on two axes, or on a new figure."""
        if ax is None:
            left = axes_for(None, width=10.0, height=4.0)
            figure: Any = left.figure
            left.remove()
            ax = figure.subplots(1, 2, width_ratios=(3, 2))
        self.ax_: tuple[Axes, Axes] = (ax[0], ax[1])
        self._plot_trials(self.ax_[0])
        self._plot_importances(self.ax_[1])
        self.figure_ = self.ax_[0].figure
        return self

    def _plot_trials(self, ax: Axes) -> None:
        scores = np.array([np.nan if s is None else s for s in self.scores], dtype=np.float64)
        trials = np.arange(len(scores))
        running = np.fmax if self.higher_is_better else np.fmin
        best = running.accumulate(scores)
        known = np.isfinite(scores)
        ax.axhline(scores[0], color=GREY, linewidth=1, linestyle=":", label="defaults")
        ax.plot(trials[known], scores[known], "o", color=BLUE, alpha=0.55, markersize=5)
        ax.step(trials, best, where="post", color=ORANGE, linewidth=1.8, label="best so far")
        edge = float(np.nanmin(scores) if self.higher_is_better else np.nanmax(scores))
        if not known.all():
            ax.plot(trials[~known], np.full((~known).sum(), edge), "x", color=GREY, label="pruned")
        ax.annotate(
            number(float(best[-1])),
            (trials[-1], best[-1]),
            xytext=(0, 8 if not self.higher_is_better else -14),
            textcoords="offset points",
            ha="right",
            color=INK,
        )
        ax.set(xlabel="trial", ylabel=self.metric)
        ax.legend(frameon=False)
        plain(ax, grid="y")

    def _plot_importances(self, ax: Axes) -> None:
        names = list(self.importances)[::-1]
        values = [self.importances[name] for name in names]
        ax.barh(np.arange(len(names)), values, color=BLUE, height=0.68)
        ax.set_yticks(np.arange(len(names)), [shortened(name) for name in names])
        ax.set_xlabel("share of the variation of the scores")
        ax.tick_params(axis="y", length=0)
        plain(ax, grid="x")
