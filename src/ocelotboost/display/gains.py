"""Gains and lift: how many of the wanted rows are among those with the highest scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.display.style import BLUE, GREY, axes_for, output_of, plain
from ocelotboost.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass
class GainsDisplay:
    """The share of the wanted rows that the rows with the highest scores contain.

    share   float64 (n,) of all rows, those with the highest scores first
    gains   float64 (n,) of the wanted rows, among them
    wanted  share of all rows that is wanted: a perfect model has found all of them there
    """

    share: Floats
    gains: Floats
    wanted: float

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, output: Any = None, ax: Any = None
    ) -> GainsDisplay:
        """Of a classifier, some rows and their classes; wanted are those of class ``output``, by
        default the second of two."""
        is_wanted, scores = wanted_and_scores(estimator, X, y, output)
        return cls.from_predictions(is_wanted, scores, ax=ax)

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, ax: Any = None) -> GainsDisplay:
        """Of rows that are wanted or not, and their scores."""
        wanted = float(np.mean(np.asarray(y_true, dtype=np.float64)))
        return cls(*gains_curve(y_true, y_pred), wanted).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> GainsDisplay:
        """Draw on ``ax``, or on a new figure."""
        self.ax_: Axes = axes_for(ax, 5.4, 4.8)
        self.ax_.plot(
            [0, self.wanted, 1], [0, 1, 1], color=GREY, linestyle="--", linewidth=1, label="perfect"
        )
        self.ax_.plot(self.share, self.gains, color=BLUE, linewidth=2, label="model")
        self.ax_.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1, label="random")
        self.ax_.set(
            xlabel="share of rows, highest scores first", ylabel="share of the wanted rows"
        )
        self.ax_.set(xlim=(0, 1), ylim=(0, 1.02))
        self.ax_.legend(frameon=False, loc="lower right")
        plain(self.ax_, grid="both")
        self.figure_ = self.ax_.figure
        return self


@dataclass
class LiftDisplay:
    """How many times as many wanted rows there are among those with the highest scores as among
    all rows.

    share  float64 (n,) of all rows, those with the highest scores first
    lift   float64 (n,)
    """

    share: Floats
    lift: Floats

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, output: Any = None, ax: Any = None
    ) -> LiftDisplay:
        """Of a classifier, some rows and their classes; wanted are those of class ``output``, by
        default the second of two."""
        is_wanted, scores = wanted_and_scores(estimator, X, y, output)
        return cls.from_predictions(is_wanted, scores, ax=ax)

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, ax: Any = None) -> LiftDisplay:
        """Of rows that are wanted or not, and their scores."""
        share, gains = gains_curve(y_true, y_pred)
        return cls(share[1:], gains[1:] / share[1:]).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> LiftDisplay:
        """Draw on ``ax``, or on a new figure."""
        self.ax_: Axes = axes_for(ax, 5.4, 4.8)
        enough = self.share >= min(0.01, float(self.share[-1]))  # a few rows say nothing
        self.ax_.plot(self.share[enough], self.lift[enough], color=BLUE, linewidth=2, label="model")
        self.ax_.axhline(1, color=GREY, linestyle=":", linewidth=1, label="random")
        self.ax_.set(xlabel="share of rows, highest scores first", ylabel="lift", xlim=(0, 1))
        self.ax_.set_ylim(bottom=0)
        self.ax_.legend(frameon=False)
        plain(self.ax_, grid="both")
        self.figure_ = self.ax_.figure
        return self


def gains_curve(y_true: Any, y_pred: Any) -> tuple[Floats, Floats]:
    """Shares of rows and of wanted rows, with a point where the score changes, from (0, 0)."""
    wanted, scores = np.asarray(y_true, dtype=np.float64), np.asarray(y_pred, dtype=np.float64)
    if wanted.shape != scores.shape or wanted.ndim != 1:
        raise InputError(
            f"y_true has shape {wanted.shape} and y_pred {scores.shape}: give one number per row."
        )
    if not wanted.sum() > 0:
        raise InputError("y_true has no wanted row, so there is nothing to find; check the class.")
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    found = np.cumsum(wanted[order])[last]
    share = np.concatenate([[0.0], (last + 1) / len(scores)])
    return share, np.concatenate([[0.0], found / wanted.sum()])


def wanted_and_scores(
    estimator: Any, X: Any, y: Any, output: Any
) -> tuple[NDArray[np.bool_], Floats]:
    """Which rows are of a class, and its probability for each."""
    classes = [str(label) for label in estimator.classes_.tolist()]
    if output is None and len(classes) == 2:
        output = classes[1]
    place = output_of(len(classes), classes, output)
    labels = np.asarray(y)
    return labels == estimator.classes_[place], estimator.predict_proba(X)[:, place]
