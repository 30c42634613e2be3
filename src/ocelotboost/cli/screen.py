"""What is shown where.

Results go to stdout. Notes and progress go to stderr, so that they never mix with data in a pipe.
With --json stdout has one object and nothing else; with --quiet only results are shown.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ocelotboost.cli.errors import PipeClosedError, StoppedError
from ocelotboost.cli.signatures import with_options

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100
_PANEL = "Output"
_QUIET = typer.Option("--quiet", "-q", help="Show results only.", rich_help_panel=_PANEL)
_JSON = typer.Option("--json", help="Print one JSON object.", rich_help_panel=_PANEL)
_DEBUG = typer.Option("--debug", help="Show where an error happened.", rich_help_panel=_PANEL)


@dataclasses.dataclass(frozen=True)
class Screen:
    """quiet    show results only
    as_json  print one JSON object, and nothing for people
    """

    quiet: bool = False
    as_json: bool = False

    @property
    def out(self) -> Console:
        """For results."""
        return _console(sys.stdout)

    @property
    def notes(self) -> Console:
        """For notes and progress."""
        return _console(sys.stderr)

    @property
    def talks(self) -> bool:
        """Are there notes and progress?"""
        return not self.quiet and not self.as_json

    def note(self, text: str) -> None:
        if self.talks:
            self.notes.print(text, soft_wrap=True)

    def show(self, shown: Any, **data: Any) -> None:
        """A result: something that rich can print, and the same as data."""
        if self.as_json:
            print(json.dumps(plain(data), ensure_ascii=False), flush=True)
        else:
            self.out.print(shown)

    @contextlib.contextmanager
    def warnings_as_notes(self, ignore: tuple[str, ...] = ()) -> Iterator[list[Any]]:
        """Warnings of the library become notes, except for those that begin with one of the texts
        to ignore. Gives all of them, as they come."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield caught
        for message in dict.fromkeys(str(one.message) for one in caught):
            if not message.startswith(ignore):
                self.note(f"[yellow]note:[/yellow] {_escaped(message)}")

    @contextlib.contextmanager
    def reading(self, what: str) -> Iterator[Any]:
        """A bar while files are read; gives what ``read_table`` takes as ``watch``."""
        console = self.notes
        if not self.talks or not console.is_terminal:
            yield None
            return
        with Meter(what, console) as meter:
            yield meter.watch


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command gets a ``screen``, and the options that all of them have: --quiet, --json and
    --debug."""

    def run(*, quiet: bool, as_json: bool, debug: bool, **options: Any) -> Any:
        try:
            return function(Screen(quiet, as_json), **options)
        except BrokenPipeError as error:
            raise PipeClosedError from error
        except KeyboardInterrupt as error:
            raise StoppedError(str(error)) from error

    added = {"quiet": _QUIET, "as_json": _JSON, "debug": _DEBUG}
    options = {name: (Annotated[bool, option], False) for name, option in added.items()}
    return with_options(function, run, "screen", options)


class Meter:
    """A bar that asks from time to time how far reading is."""

    def __init__(self, what: str, console: Console) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(20),
            TaskProgressColumn(),
            Remaining(compact=True),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task(what, total=None)
        self._watched: list[tuple[Callable[[], int], int | None]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def watch(self, position: Callable[[], int], total: int | None) -> None:
        """Another file was opened."""
        self._watched.append((position, total))

    def __enter__(self) -> Meter:
        self._progress.start()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self._progress.stop()

    def _follow(self) -> None:
        while not self._ended.wait(0.1):
            done, total = 0, 0
            for position, size in list(self._watched):
                total += size or 0
                try:
                    done += position()
                except (OSError, ValueError):  # it was closed: all of it was read
                    done += size or 0
            self._progress.update(self._task, completed=done, total=total or None)


def _console(file: Any) -> Console:
    from rich.console import Console

    console = Console(file=file, highlight=False)
    if console.width > WIDTH or not console.is_terminal:
        console.width = WIDTH
    return console


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def plain(value: Any) -> Any:
    """As JSON can hold it: records are objects, and a number that is not finite is null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [plain(own) for own in value]
    if hasattr(value, "tolist"):  # of NumPy
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
