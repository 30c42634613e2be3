"""Which commands there are. A command's module is imported when the command runs, so that
``ocelot --help`` need not wait for scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


@dataclass(frozen=True)
class Entry:
    """module  in this folder, with a function that is called like the command
    panel   of the help
    text    one line of the help
    """

    module: str
    panel: str
    text: str


MAKE, USE, UNDERSTAND, OTHER = "Make a model", "Use it", "Understand it", "And more"

COMMANDS = {
    "train": Entry("train", MAKE, "Train a model on a table, and save it."),
    "cv": Entry("search", MAKE, "Cross-validation: how good a model will be on new rows."),
    "tune": Entry("search", MAKE, "Search better parameters, and train a model with them."),
    "predict": Entry("predict", USE, "Predict the rows of a table, also in a pipe."),
    "evaluate": Entry("judging", USE, "Metrics on rows with a target, with intervals."),
    "compare": Entry("judging", USE, "Two models on the same rows, with a paired test."),
    "report": Entry("judging", UNDERSTAND, "Write a page about a model, for people."),
    "explain": Entry("explaining", UNDERSTAND, "SHAP values: why each row is predicted so."),
    "importance": Entry("explaining", UNDERSTAND, "Which columns matter most."),
    "describe": Entry("explaining", UNDERSTAND, "A model in words: size, choices, trees."),
    "convert": Entry("models", OTHER, "Write a model in another format."),
    "params": Entry("models", OTHER, "Search the training parameters."),
    "demo": Entry("demo", OTHER, "What ordered statistics are for, in half a minute."),
    "version": Entry("models", OTHER, "Versions, to be quoted in questions."),
}

EPILOG = (
    "Start with: [bold]ocelot train data.csv --target price[/bold]  or  [bold]ocelot demo[/bold]"
)


class _Tidy:
    """Help that does not call a flag <bool>."""

    def get_params(self, ctx: Any) -> list[Any]:
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for own in found:
            if getattr(own, "is_flag", False) and own.metavar is None:
                own.metavar = ""
        return found


class OneCommand(_Tidy, TyperCommand):
    """A command with its options."""


class Commands(_Tidy, TyperGroup):
    """Knows all commands by name, and loads the one that runs."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, entry in COMMANDS.items():  # for lists of commands: a name and a line of help
            own = OneCommand(name, help=entry.text, rich_help_panel=entry.panel)
            self.add_command(own, name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load(str(name)), rest


def load(name: str) -> Any:
    """The command with its options."""
    entry = COMMANDS[name]
    function = getattr(import_module(f"ocelotboost.cli.{entry.module}"), name)
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    # --learning_rate and --learning-rate are the same.
    settings = {"token_normalize_func": lambda text: text.replace("_", "-")}
    app.command(name, cls=OneCommand, context_settings=settings)(function)
    command = typer.main.get_command(app)
    command.name = name
    return command


def group() -> Any:
    """The command ``ocelot`` itself."""
    app = typer.Typer(
        name="ocelot",
        cls=Commands,
        help="Gradient boosting for tables with categories, which does not leak its targets.",
        epilog=EPILOG,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def ocelot(
        version: bool = typer.Option(False, "--version", help="Print the version and exit."),
    ) -> None:
        if version:
            from ocelotboost import __version__

            typer.echo(__version__)
            raise typer.Exit

    return typer.main.get_command(app)
