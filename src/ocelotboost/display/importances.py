"""Importances as bars, with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ocelotboost.display.style import BLUE, INK, axes_for, height_for, plain, shortened
from ocelotboost.explain.importances import Importances

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MEANING = {
    "prediction_change": "share of the change of predictions",
    "loss_change": "loss without the column's SHAP values, minus loss",
    "shap": "mean |SHAP value|",
    "splits": "questions in the trees",
    "permutation": "loss with the column shuffled, minus loss",
}


@dataclass
class ImportancesDisplay:
    """One bar per column, the most important first; lines are two standard errors."""

    importances: Importances

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        kind: str = "prediction_change",
        max_columns: int = 15,
        ax: Any = None,
        **options: Any,
    ) -> ImportancesDisplay:
        """Of a fitted model; what it needs of X and y depends on the kind, and ``options`` are
        those of ``model.importances``."""
        return cls(estimator.importances(kind, X, y, **options)).plot(
            max_columns=max_columns, ax=ax
        )

    def plot(self, *, max_columns: int = 15, ax: Any = None) -> ImportancesDisplay:
        """Draw on ``ax``, or on a new figure."""
        found = self.importances
        order = np.argsort(-found.values, kind="stable")[:max_columns][::-1]
        self.ax_: Axes = axes_for(ax, height=height_for(len(order)))
        errors = None if found.errors is None else 2 * found.errors[order]
        names = [shortened(found.names[place]) for place in order.tolist()]
        self.ax_.barh(
            np.arange(len(order)),
            found.values[order],
            xerr=errors,
            color=BLUE,
            height=0.68,
            error_kw={"ecolor": INK, "elinewidth": 1.2, "capsize": 2},
        )
        self.ax_.set_yticks(np.arange(len(order)), names)
        self.ax_.set_xlabel(_MEANING[found.kind])
        self.ax_.tick_params(axis="y", length=0)
        plain(self.ax_, grid="x")
        left_out = len(found.names) - len(order)
        if left_out:
            self.ax_.set_title(f"{len(order)} of {len(found.names)} columns", fontsize="medium")
        self.figure_ = self.ax_.figure
        return self
