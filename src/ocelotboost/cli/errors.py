"""What went wrong, in a line or two, and the exit code.

    0    done
    1    a failure: of this program, the machine, or the disk
    2    a mistake in what was asked, which the message helps to correct
    130  interrupted by Ctrl-C; ``train`` has saved the trees so far
    141  whoever read the output has closed it, as ``head`` does

``--debug`` shows where it happened.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from ocelotboost.errors import OcelotError

DONE, FAILURE, MISTAKE, INTERRUPTED, CLOSED = 0, 1, 2, 130, 141

CODES = {
    DONE: "done",
    FAILURE: "a failure: of the program, the machine or the disk",
    MISTAKE: "a mistake in what was asked; the message says what to do",
    INTERRUPTED: "interrupted by Ctrl-C; `train` has saved the trees so far",
    CLOSED: "the reader of a pipe has closed it, as `head` does",
}


class PipeClosedError(Exception):
    """Nobody reads what is written to stdout any more."""


class StoppedError(Exception):
    """Ctrl-C. The parser would end the program without a word."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code; nothing is raised, unless --debug is given."""
    from ocelotboost.cli.app import group

    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        result = group().main(given, prog_name="ocelot", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else DONE
    except (PipeClosedError, BrokenPipeError):
        # Python would write to stdout once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except (StoppedError, KeyboardInterrupt) as error:
        _say(given, str(error) or "interrupted.", INTERRUPTED)
        return INTERRUPTED
    except Exception as error:
        if "--debug" in given:
            raise
        message, code = explain(error, given)
        _say(given, message, code)
        return code


def explain(error: Exception, given: Sequence[str]) -> tuple[str, int]:
    """A message for people, and the exit code."""
    if hasattr(error, "format_message"):  # of the parser, whichever version it is
        return _usage(error, given), MISTAKE
    if isinstance(error, OcelotError | ImportError):  # what is not installed is named
        return str(error), MISTAKE
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        name = "" if error.filename is None else f"{str(error.filename)!r}: "
        return f"{name}{error.strerror or error}.", MISTAKE
    if isinstance(error, MemoryError):
        return "there is not enough memory; train with --memory-limit, such as 4GB.", FAILURE
    if isinstance(error, OSError):
        return f"{error}.", FAILURE
    if type(error).__name__ == "Abort":
        return "interrupted.", INTERRUPTED
    kind = type(error).__name__
    return (
        f"{kind}: {error}\nThis should not happen. Show where by --debug, and report it.",
        FAILURE,
    )


def _usage(error: Any, given: Sequence[str]) -> str:
    """What the parser says, with the name that was meant, and where help is."""
    message = error.format_message().strip()
    option = getattr(error, "option_name", None)
    if option and type(error).__name__ == "NoSuchOption":
        meant = _meant(option) or next(iter(error.possibilities or ()), None)
        message = f"There is no option {option}." + (f" Did you mean {meant}?" if meant else "")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "ocelot"
    return f"{message}\nTry: {path} --help"


def _meant(option: str) -> str | None:
    """The option for what another library calls a parameter."""
    from ocelotboost.cli.parameters import option_for_alias

    return option_for_alias(option.lstrip("-").replace("-", "_"))


def _say(given: Sequence[str], message: str, code: int) -> None:
    from rich.console import Console
    from rich.text import Text

    from ocelotboost.cli.app import COMMANDS

    if "--json" in given:
        print(json.dumps({"error": message, "code": code}), flush=True)
    name = f"ocelot {given[0]}" if given[0] in COMMANDS else "ocelot"
    text = Text.assemble((f"{name}: ", "bold red"), message)
    Console(stderr=True, highlight=False).print(text, soft_wrap=True)
