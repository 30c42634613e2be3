"""What a cross-validation found."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.cross_validation.folds import Fold
from ocelotboost.cross_validation.running import best_place
from ocelotboost.estimator.html_summary import STYLE, html_table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation:
    """What a cross-validation found. Metrics are by name; the first one is ``metric``.

    folds             row numbers of each fold: those to train on, those to judge by
    metric            the one that decides: the first ``eval_metric``, or else the loss
    higher_is_better  whether a larger value of it is better
    scores            {metric: (n_folds,)} of the rows that judge, by models of ``n_trees`` trees
    curves            {metric: (n_folds, n_iterations)} the same after each tree; empty where a fold
                      is more than one model, as with the defaults
    learn_curves      {metric: (n_folds, n_iterations)} of the rows that train
    n_trees           (n_folds,) trees of each fold's model
    predictions       (n,), or (n, n_classes) probabilities: of each row by the models that have not
                      seen it, their mean where there are several; NaN where there is none
    classes           the columns of ``predictions``; None for a regressor
    estimator         name of its class
    models            the fitted estimator of each fold, where they were asked for, else None
    model             the estimator, fitted on all rows, where ``refit`` asked for it, else None
    seconds           that it took, ``refit`` included
    """

    folds: list[Fold]
    metric: str
    higher_is_better: bool
    scores: dict[str, Floats]
    curves: dict[str, Floats]
    learn_curves: dict[str, Floats]
    n_trees: NDArray[np.intp]
    predictions: Floats
    classes: NDArray[Any] | None
    estimator: str
    models: list[Any] | None = None
    model: Any = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def n_folds(self) -> int:
        return len(self.folds)

    @property
    def mean(self) -> dict[str, Floats]:
        """{metric: (n_iterations,)} the mean of the folds after each tree."""
        return {name: curves.mean(axis=0) for name, curves in self.curves.items()}

    @property
    def spread(self) -> dict[str, Floats]:
        """{metric: (n_iterations,)} the standard deviation over the folds after each tree."""
        return {name: _deviation(curves) for name, curves in self.curves.items()}

    @property
    def best_iteration(self) -> int | None:
        """The tree after which the mean of ``metric`` is best, counted from 0; None without
        curves."""
        if not self.curves:
            return None
        return best_place(self.mean[self.metric], self.higher_is_better)

    @property
    def best_score(self) -> float:
        """The mean of ``metric`` over the folds, by models of ``n_trees`` trees."""
        return self.mean_scores[self.metric]

    @property
    def mean_scores(self) -> dict[str, float]:
        """{metric: mean of ``scores``}"""
        return {name: float(values.mean()) for name, values in self.scores.items()}

    @property
    def score_spreads(self) -> dict[str, float]:
        """{metric: standard deviation of ``scores``}"""
        return {name: float(_deviation(values)) for name, values in self.scores.items()}

    def plot(self, *, metric: str | None = None, ax: Any = None) -> Any:
        """The learning curve: the mean of the folds, with a band of one standard deviation."""
        from ocelotboost.display.fold_curves import FoldCurvesDisplay

        return FoldCurvesDisplay.from_cross_validation(self, metric=metric, ax=ax)

    def __str__(self) -> str:
        rows = sum(len(fold.test) for fold in self.folds)
        lines = [f"{self.n_folds} folds of {self.estimator}, {rows:,} rows judged"]
        width = max(map(len, self.scores))
        for name, values in self.scores.items():
            mean, spread = self.mean_scores[name], self.score_spreads[name]
            folds = " ".join(f"{value:.4g}" for value in values[:10])
            more = " …" if len(values) > 10 else ""
            lines.append(f"{name:{width}}  {mean:.5g} ± {spread:.2g}   folds: {folds}{more}")
        return "\n".join([*lines, self.trees_in_words()])

    def __repr__(self) -> str:
        mean, spread = self.best_score, self.score_spreads[self.metric]
        return f"<CrossValidation: {self.n_folds} folds, {self.metric} {mean:.5g} ± {spread:.2g}>"

    def _repr_html_(self) -> str:
        head = ["", "mean", "±", *(f"fold {number + 1}" for number in range(self.n_folds))][:13]
        lines = [[f"<th>{text}</th>" for text in head]]
        for name, values in self.scores.items():
            mean, spread = self.mean_scores[name], self.score_spreads[name]
            cells = [f"<b>{mean:.5g}</b>", f"{spread:.2g}", *(f"{own:.5g}" for own in values)][:12]
            lines.append([f"<th>{escape(name)}</th>", *(f"<td>{cell}</td>" for cell in cells)])
        return (
            f'<div class="ocelot-summary">{STYLE}<span class="name">{self.n_folds} folds of '
            f"{self.estimator}</span>\n{html_table(lines)}\n"
            f'<span class="muted">{self.trees_in_words()}</span></div>'
        )

    def trees_in_words(self) -> str:
        """How many trees the models have, and how long it took."""
        low, high = int(self.n_trees.min()), int(self.n_trees.max())
        words = f"{low:,} trees" if low == high else f"{low:,} to {high:,} trees"
        if self.best_iteration is not None:
            n_tried, best = self.curves[self.metric].shape[1], self.best_iteration + 1
            words += f", best of {n_tried:,}" if best == low else f"; best after {best:,}"
        return f"{words}; {self.seconds:.1f} s"


def _deviation(values: Floats) -> Any:
    """Over the folds; 0 of one fold."""
    return values.std(axis=0, ddof=1 if len(values) > 1 else 0)
