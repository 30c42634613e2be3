"""What ``tune`` gives back: the fitted model, the study, and what mattered."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.html_summary import STYLE
from ocelotboost.estimator.progress import clock
from ocelotboost.lazy import cached_property

if TYPE_CHECKING:
    from optuna.study import Study

    from ocelotboost.display.tuning import TuningDisplay

#: Fewer complete trials do not tell which parameter matters.
_FEWEST_FOR_IMPORTANCES = 4


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """The result of a search.

    estimator         fitted on all rows with the best parameters
    study             of Optuna, with all trials
    best_params       those that were searched and found; empty: the defaults are the best
    best_score        of single models with these parameters, on the rows that judge
    default_score     of single models with the defaults, on the same rows
    metric            what they are scores of
    higher_is_better  whether a larger score is better
    default_params    what the searched parameters are by default for these rows
    finalists         scores of the trials that were judged by all folds, by trial number
    judges            which rows judge, in words
    seconds           of the whole call
    interrupted       a Ctrl-C has ended the search
    """

    estimator: OcelotEstimator
    study: Study
    best_params: dict[str, Any]
    best_score: float
    default_score: float
    metric: str
    higher_is_better: bool
    default_params: dict[str, Any]
    finalists: dict[int, float]
    judges: str
    seconds: float
    interrupted: bool

    @property
    def trials(self) -> list[dict[str, Any]]:
        """One record per trial, the defaults first; ``pandas.DataFrame(result.trials)`` is a table.

        trial   its number
        state   "complete" or "pruned"
        score   on the rows of the search; None where it was pruned
        judged  on all folds; None for those that were no finalists
        trees   of a model, seconds of the trial, and the parameters follow
        """
        from ocelotboost.tuning.study import finished

        done = finished(self.study)
        return [
            {
                "trial": place,
                "state": trial.state.name.lower(),
                "score": trial.value if trial.state.name == "COMPLETE" else None,
                "judged": self.finalists.get(trial.number),
                "trees": trial.user_attrs.get("trees"),
                "seconds": trial.user_attrs.get("seconds"),
                **(trial.params if place else {**trial.params, **self.default_params}),
            }
            for place, trial in enumerate(done)
        ]

    @cached_property
    def importances(self) -> dict[str, float]:
        """The share of each parameter in how much the scores of complete trials vary (fANOVA), the
        largest first; empty where too few trials are complete."""
        from ocelotboost.tuning.study import importances

        return importances(self.study, _FEWEST_FOR_IMPORTANCES)

    @property
    def improvement(self) -> float:
        """By how much the best score is better than that of the defaults, as a share of it."""
        change = self.best_score - self.default_score
        change = change if self.higher_is_better else -change
        return change / abs(self.default_score) if self.default_score else 0.0

    def plot(self, *, ax: Any = None) -> TuningDisplay:
        """The trials, the best so far, and which parameters mattered; ``ax`` is two axes."""
        from ocelotboost.display.tuning import TuningDisplay

        return TuningDisplay.from_tuning(self, ax=ax)

    # ---- as text and HTML ----------------------------------------------------------------

    def __str__(self) -> str:
        head, *rest = self._sentences()
        rows = [("parameter", "default", "best", "share of the variation"), *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True))
            for row in rows
        ]
        return "\n".join([head, *rest, "", *(line.rstrip() for line in table)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rest = self._sentences()
        cells = "".join(
            f"<tr><td><code>{escape(name)}</code></td><td>{escape(default)}</td>"
            f"<td><b>{escape(best)}</b></td><td>{escape(share)}</td></tr>"
            for name, default, best, share in self._rows()
        )
        return (
            f'<div class="ocelot-summary">{STYLE}<span class="name">{escape(head)}</span><br>'
            f'<span class="muted">{"<br>".join(map(escape, rest))}</span>'
            "<table><tr><th>parameter</th><th>default</th><th>best</th>"
            f"<th>share of the variation</th></tr>{cells}</table></div>"
        )

    def _sentences(self) -> list[str]:
        trials = self.trials
        n_pruned = sum(one["state"] == "pruned" for one in trials)
        score = f"{self.metric} {self.best_score:.5g}"
        if self.best_params:
            side = "above" if self.higher_is_better else "below"
            result = (
                f"{score}, {self.improvement:.2%} {side} the defaults ({self.default_score:.5g})"
            )
        else:
            result = f"{score}: the defaults are the best"
        how = "interrupted after " if self.interrupted else ""
        return [
            f"{type(self.estimator).__name__}, tuned: {result}",
            f"{how}{len(trials)} trials, {n_pruned} of them pruned, in {clock(self.seconds)}; "
            f"judged by {self.judges}",
        ]

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Name, default, best value and importance of each parameter."""
        shares = self.importances
        names = sorted(self.study.trials[0].params, key=lambda name: -shares.get(name, 0.0))
        return [
            (
                name,
                _text(self.default_params.get(name)),
                _text(self.best_params.get(name, self.default_params.get(name))),
                f"{shares[name]:.0%}" if name in shares else "",
            )
            for name in names
        ]


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
