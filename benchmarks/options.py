"""The options that all commands share, and a call as text."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path


def make_parser(
    module: str, description: str | None, choice: str, names: Iterable[str]
) -> ArgumentParser:
    """Some of the names by the option `choice`, a scale, and a file to keep values in."""
    names = tuple(names)
    parser = ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument(choice, nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the real size")
    parser.add_argument("--json", type=Path, help="keep the values in this file, by name")
    return parser


def command(parser: ArgumentParser, options: Namespace) -> str:
    """The call, without the files it writes and what is the default anyway."""
    parts = [parser.prog]
    for name, value in vars(options).items():
        if name in ("json", "markdown") or value == parser.get_default(name):
            continue
        if value is True:
            parts.append("--" + name.replace("_", "-"))
            continue
        several = "," if name == "only" else " "
        text = several.join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        parts += ["--" + name.replace("_", "-"), text]
    return " ".join(parts)
