"""What training shows while it runs: nothing, lines, a bar, or a curve.

in a terminal   120/1000 ━━━━━━━━━━━━━━━━━━━━ 0:01:28 RMSE: eval_0 0.488, learn 0.42
in a log file   120/1000 trees, 0:12, 1:28 left, RMSE: eval_0 0.488, learn 0.42
in a notebook   a curve that grows (live_curve.py)
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ocelotboost.boost.callback import History, IterationInfo
from ocelotboost.boost.evaluation import LEARN, UNSEEN

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress

Self = TypeVar("Self", bound="Shown")
Bar = TypeVar("Bar", bound="ProgressBar")

_LINE_WIDTH = 79
_NAME_WIDTH = 12
_LINES_OF_A_LOG = 20
_BAR_WIDTH, _TIME_WIDTH, _GAPS = 20, len("0:00:00"), 3


class Shown:
    """Something on the screen while a ``with`` block runs."""

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """What is shown has ended."""


class Progress(Shown):
    """A callback that shows nothing; what shows something is derived from it."""

    def after_iteration(self, info: IterationInfo) -> None:
        """One more tree."""


def progress_for(verbose: bool | int, metric: str) -> Progress:
    """As ``verbose`` asks: True is a bar or a curve where one can be drawn, a number is lines."""
    if not verbose:
        return Progress()
    if not isinstance(verbose, bool | np.bool_):
        return ProgressLines(metric, every=int(verbose))
    from rich.console import Console

    console = Console()
    if console.is_jupyter:  # where rich would need ipywidgets
        return _curve(metric)
    if console.is_terminal and not console.is_dumb_terminal:
        return ProgressBar(metric, console)
    return ProgressLines(metric)


def _curve(metric: str) -> Progress:
    try:
        display = import_module("IPython.display").display
    except ImportError:
        return ProgressLines(metric)
    from ocelotboost.estimator.live_curve import LiveCurve

    return LiveCurve(metric, display)


class ProgressLines(Progress):
    """A line every ``every`` trees, and one for the last tree. None: about twenty lines in all."""

    def __init__(self, metric: str, every: int | None = None) -> None:
        self._metric = metric
        self._every = every
        self._unwritten: IterationInfo | None = None

    def after_iteration(self, info: IterationInfo) -> None:
        every = self._every or max(info.iterations // _LINES_OF_A_LOG, 1)
        if (info.iteration + 1) % every == 0:
            self._write(info)
        else:
            self._unwritten = info

    def close(self) -> None:
        if self._unwritten is not None:
            self._write(self._unwritten)

    def _write(self, info: IterationInfo) -> None:
        self._unwritten = None
        done = info.iteration + 1
        left = info.seconds / done * (info.iterations - done)
        count = f"{done:{len(str(info.iterations))}}/{info.iterations} trees"
        times = f"{clock(info.seconds)}, {clock(left)} left"
        beginning = f"{count}, {times}, "
        print_text(beginning + _latest(info, self._metric, _LINE_WIDTH - len(beginning)))


class ProgressBar(Progress):
    """A bar that fits the width of the terminal."""

    def __init__(self, metric: str, console: Console) -> None:
        self._metric = metric
        self._progress = bar(console)
        self._task = self._progress.add_task("training", total=None)

    def __enter__(self: Bar) -> Bar:
        self._progress.start()
        return self

    def close(self) -> None:
        self._progress.stop()

    def after_iteration(self, info: IterationInfo) -> None:
        count = f"{info.iterations}/{info.iterations}"
        width = self._progress.console.width - len(count) - _BAR_WIDTH - _TIME_WIDTH - _GAPS
        self._progress.update(
            self._task,
            total=info.iterations,
            completed=info.iteration + 1,
            description=_latest(info, self._metric, width),
        )


def bar(console: Console) -> RichProgress:
    """How many are done, a bar, the time that is left, and a description that may be cut."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress
    from rich.table import Column

    return RichProgress(
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        BarColumn(_BAR_WIDTH),
        TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True)),
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis"),
        ),
        console=console,
    )


def _latest(info: IterationInfo, metric: str, width: int) -> str:
    """The metric's last values, as many as fit."""
    order = in_order_of_interest(info.history)
    values = [f"{_short(data)} {info.history[data][metric][-1]:.5g}" for data in order]
    text = f"{_short(metric)}: {values[0]}"
    for value in values[1:]:
        if len(text) + 2 + len(value) <= width:
            text = f"{text}, {value}"
    return text


def in_order_of_interest(history: History) -> list[str]:
    """Data sets of a history: eval sets first, because the first of them decides."""
    training = [data for data in (LEARN, UNSEEN) if data in history]
    return [*(data for data in history if data not in training), *training]


def _short(name: str) -> str:
    return name if len(name) <= _NAME_WIDTH else name[: _NAME_WIDTH - 2] + ".."


def clock(seconds: float) -> str:
    """
    >>> clock(62.4), clock(3723)
    ('1:02', '1:02:03')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def print_text(text: str) -> None:
    """Text, as far as the encoding of the output can hold it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)
