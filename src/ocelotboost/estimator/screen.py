"""What is shown of models that train at the same time: one after the other, as they began.

A model that is not on the screen yet is silent. When those before it have ended, its title comes,
and its progress from then on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any

from ocelotboost.boost.boosting import Boosted, boost
from ocelotboost.boost.callback import IterationInfo
from ocelotboost.boost.evaluation import EvalSet
from ocelotboost.boost.settings import BoostSettings
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.estimator.progress import Progress, print_text, progress_for
from ocelotboost.loss.base import Loss
from ocelotboost.metric.base import MetricLike


class Screen:
    """The texts and the progress of models, in the order in which they came.

    verbose  as the user gave it; False: nothing is shown
    """

    def __init__(self, verbose: bool | int) -> None:
        self._verbose = verbose
        self._lock = Lock()
        self._waiting = deque[_Shown]()  # the first one is on the screen

    def tell(self, text: str) -> None:
        """A line by itself."""
        if text:
            self.end(self._begin(text, Progress))

    def boost(
        self,
        title: str,
        training: TrainingSet,
        eval_sets: list[EvalSet],
        loss: Loss,
        metrics: list[MetricLike],
        settings: BoostSettings,
        callbacks: list[Any],
        *others: Any,
    ) -> Boosted:
        """The training loop, with its title and its progress."""
        metric = metrics[0].name if metrics else loss.name
        shown = self._begin(title, lambda: progress_for(self._verbose, metric))
        heard = [*callbacks, shown]
        try:
            return boost(training, eval_sets, loss, metrics, settings, heard, *others)
        finally:
            self.end(shown)

    def _begin(self, title: str, make_progress: Callable[[], Progress]) -> _Shown:
        shown = _Shown(self, title, make_progress)
        with self._lock:
            self._waiting.append(shown)
            if self._waiting[0] is shown:
                self._open(shown)
        return shown

    def hear(self, shown: _Shown, info: IterationInfo) -> None:
        """One more tree."""
        with self._lock:
            shown.latest = info
            if shown.progress is not None:
                shown.progress.after_iteration(info)

    def end(self, shown: _Shown) -> None:
        """There will be no more of it."""
        with self._lock:
            shown.ended = True
            while self._waiting and self._waiting[0].ended:
                self._close(self._waiting.popleft())
                if self._waiting:
                    self._open(self._waiting[0])

    def _open(self, shown: _Shown) -> None:
        if self._verbose and shown.title:
            print_text(shown.title)
        shown.progress = shown.make_progress().__enter__()
        if shown.latest is not None:
            shown.progress.after_iteration(shown.latest)

    def _close(self, shown: _Shown) -> None:
        if shown.progress is not None:
            shown.progress.close()


class _Shown:
    """A model: a callback of its training.

    progress  None: it is not on the screen yet
    latest    of its trees
    """

    def __init__(self, screen: Screen, title: str, make_progress: Callable[[], Progress]) -> None:
        self._screen = screen
        self.title = title
        self.make_progress = make_progress
        self.progress: Progress | None = None
        self.latest: IterationInfo | None = None
        self.ended = False

    def after_iteration(self, info: IterationInfo) -> None:
        self._screen.hear(self, info)
