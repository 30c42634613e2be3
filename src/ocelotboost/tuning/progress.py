"""What ``tune`` shows while it runs: nothing, a bar, or lines.

in a terminal   12/50 ━━━━━━━━━━━━━━━━━━━━ 0:01:28 best Logloss 0.2712, defaults 0.2748
in a log file   trial 12/50, 0:21, best Logloss 0.2712, defaults 0.2748
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ocelotboost.estimator.progress import Shown, bar, print_text
from ocelotboost.estimator.progress import clock as as_clock
from ocelotboost.tuning.budget import Clock
from ocelotboost.tuning.study import finished
from ocelotboost.tuning.workbench import Judge

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial
    from rich.console import Console

Self = TypeVar("Self", bound="ProgressBar")


class Progress(Shown):
    """Shows nothing; what shows something is derived from it. Called after each trial."""

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """One more trial."""

    def say(self, text: str) -> None:
        """What happens after the trials."""


def progress_for(verbose: Any, n_trials: int | None, clock: Clock, judge: Judge) -> Progress:
    """As ``verbose`` asks."""
    if not verbose:
        return Progress()
    from rich.console import Console

    console = Console()
    if console.is_terminal and not console.is_dumb_terminal and not console.is_jupyter:
        return ProgressBar(n_trials, clock, judge, console)
    return ProgressLines(n_trials, clock, judge)


class ProgressLines(Progress):
    """A line for the defaults, for each improvement, for every tenth trial and for the last."""

    def __init__(self, n_trials: int | None, clock: Clock, judge: Judge) -> None:
        self._n_trials = n_trials
        self._clock = clock
        self._judge = judge

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        done, best = len(finished(study)), study.best_trial
        if done % 10 == 0 or best.number == trial.number or done == self._n_trials:
            of = "" if self._n_trials is None else f"/{self._n_trials}"
            passed = as_clock(self._clock.elapsed)
            print_text(f"trial {done}{of}, {passed}, {_scores(study, self._judge)}")

    def say(self, text: str) -> None:
        print_text(text)


class ProgressBar(Progress):
    """A bar that counts trials, or the seconds of the budget where those end the search."""

    def __init__(self, n_trials: int | None, clock: Clock, judge: Judge, console: Console) -> None:
        self._n_trials = n_trials
        self._clock = clock
        self._judge = judge
        self._progress = bar(console)
        total = clock.seconds if n_trials is None else n_trials
        self._task = self._progress.add_task("the defaults first", total=total)

    def __enter__(self: Self) -> Self:
        self._progress.start()
        return self

    def close(self) -> None:
        self._progress.stop()

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        done, scores = len(finished(study)), _scores(study, self._judge)
        if self._n_trials is None:
            scores = f"seconds, {done} trials, {scores}"
        self._progress.update(
            self._task,
            completed=done if self._n_trials is not None else round(self._clock.elapsed),
            description=scores,
        )

    def say(self, text: str) -> None:
        self._progress.update(self._task, description=text)


def _scores(study: Study, judge: Judge) -> str:
    default = finished(study)[0].value
    return f"best {judge.name} {study.best_value:.5g}, defaults {default:.5g}"
