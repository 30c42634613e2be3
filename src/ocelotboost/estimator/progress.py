"""A progress bar with the metric and the remaining time."""

from __future__ import annotations

from types import TracebackType

from ocelotboost.boost.callback import IterationInfo


class ProgressBar:
    """A callback that draws a bar while training runs, and is silent when not asked for."""

    def __init__(self, shown: bool, metric: str) -> None:
        self._metric = metric
        self._progress = None
        if shown:
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("trees"),
                TimeRemainingColumn(),
            )

    def __enter__(self) -> ProgressBar:
        if self._progress is not None:
            self._progress.start()
            self._task = self._progress.add_task("training")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def after_iteration(self, info: IterationInfo) -> None:
        if self._progress is None:
            return
        shown = [
            f"{data} {values[self._metric][-1]:.5g}"
            for data, values in info.history.items()
            if values[self._metric]
        ]
        self._progress.update(
            self._task,
            total=info.iterations,
            completed=info.iteration + 1,
            description=f"{self._metric}: {', '.join(shown)}",
        )
