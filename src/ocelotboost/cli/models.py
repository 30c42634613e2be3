"""``ocelot convert``, ``params`` and ``version``."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ocelotboost import __version__
from ocelotboost.cli.options import Model
from ocelotboost.cli.screen import Screen, command
from ocelotboost.cli.summary import in_bytes
from ocelotboost.errors import ParameterError

FORMATS = ("safetensors", "json")
_LIBRARIES = ("numpy", "scikit-learn", "narwhals", "pyarrow", "pandas", "polars", "typer", "rich")


@command
def convert(
    screen: Screen,
    model: Model,
    output: Annotated[str, typer.Argument(metavar="OUTPUT", help="The file to write.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="NAME",
            help="safetensors or json; by default what the ending of OUTPUT says.",
            autocompletion=lambda: list(FORMATS),
        ),
    ] = None,
) -> None:
    """Write a model in another format.

    .ocelot files are safetensors, small and fast. JSON has one line per tree, for people and for
    other languages. Both hold the same model.
    """
    from ocelotboost.estimator.load import load_model
    from ocelotboost.files.opened import check_writable

    check_writable(output)
    if form is not None and form not in FORMATS:
        raise ParameterError(f"--to {form} is not possible; give {' or '.join(FORMATS)}.")
    load_model(model).save_model(output, form or "auto")
    size = Path(output).stat().st_size
    told = Text.assemble("Wrote ", (output, "bold green"), f" ({in_bytes(size)}).")
    if not screen.quiet or screen.as_json:
        screen.show(told, output=output, bytes=size)


@command
def params(
    screen: Screen,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORDS]...",
            help="What to look for, in names and texts; also other libraries' names.",
        ),
    ] = None,
) -> None:
    """Search the training parameters.

    Each with its option, what it may be, its default and its meaning. Names of CatBoost, LightGBM,
    XGBoost and scikit-learn are found, too: ocelot params n_estimators
    """
    from ocelotboost.cli.parameters import ELSEWHERE, Parameter, parameters, shown

    def fits(own: Parameter) -> bool:
        everything = " ".join([own.name, own.option, own.text, *own.aliases, *own.choices]).lower()
        return all(word.lower().replace("-", "_").strip("_") in everything for word in words or ())

    known = [own for own in parameters().values() if own.name not in ("verbose", "interrupt")]
    found = [own for own in known if fits(own)]
    exact = [own for own in found if words and (words[0] in (own.name, *own.aliases))]
    found = exact or found
    if not found:
        raise ParameterError(f"No parameter is about {' '.join(words or ())!r}: try one word.")
    blocks: list[Any] = []
    for own in found:
        option = ELSEWHERE.get(own.name, own.option)
        head = Text.assemble((option, "bold cyan"), ("  default ", "dim"), shown(own.default))
        about = [f"{_wanted(own.rule.wanted)}"]
        about += [f"for {' and '.join(_tasks(own.owners))} only"] if len(own.owners) == 1 else []
        about += [f"elsewhere: {', '.join(own.aliases)}"] if own.aliases else []
        blocks.append(head)
        blocks.append(Padding(Text.assemble(own.text, "\n", ("; ".join(about), "dim")), (0, 4)))
    ends = Text(f"{len(found)} of {len(known)} parameters.", style="dim")
    screen.show(
        Group(*blocks, ends),
        parameters=[
            {
                "name": own.name,
                "option": ELSEWHERE.get(own.name, own.option),
                "type": own.rule.wanted,
                "default": own.default,
                "meaning": own.text,
                "aliases": own.aliases,
                "choices": own.choices,
            }
            for own in found
        ],
    )


def _wanted(text: str) -> str:
    return text.replace("'", "").replace("None", "none")


def _tasks(owners: tuple[type, ...]) -> list[str]:
    names = {"OcelotClassifier": "classification", "OcelotRegressor": "regression"}
    return [names[owner.__name__] for owner in owners]


@command
def version(screen: Screen) -> None:
    """Versions, to be quoted in questions."""
    versions = {"ocelot-boost": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            versions[name] = installed(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    table = Table(box=SIMPLE_HEAD, show_header=False, padding=(0, 1, 0, 0))
    for name, number in versions.items():
        table.add_row(name, Text(number, style="bold" if name == "ocelot-boost" else ""))
    table.add_row("machine", f"{platform.system()} {platform.machine()}")
    screen.show(table, **versions, machine=f"{platform.system()} {platform.machine()}")
