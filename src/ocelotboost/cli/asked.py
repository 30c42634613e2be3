"""What ``train``, ``cv`` and ``tune`` have in common: columns, the task, and the parameters; on the
command line or in a TOML file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.cli.config import read_config
from ocelotboost.cli.options import COLUMNS, FILES, Target, Weight, names_in
from ocelotboost.cli.parameters import with_parameters
from ocelotboost.cli.signatures import with_options
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.parameters import check_parameters
from ocelotboost.files.profile import Roles

TASKS = {"classification": OcelotClassifier, "regression": OcelotRegressor}


@dataclass(frozen=True)
class Asked:
    """What the user asked for.

    options     as a configuration file has them
    parameters  of training
    drop        leave out rows without a target
    """

    options: dict[str, Any]
    parameters: dict[str, Any]
    drop: bool

    @property
    def roles(self) -> Roles:
        own = self.options
        return Roles(
            own["target"] or "",
            own["weight"],
            own["group"],
            own["time"],
            tuple(own["ignore"] or ()),
            tuple(own["cat"] or ()),
            tuple(own["num"] or ()),
        )

    @property
    def task(self) -> str | None:
        """None: the target decides."""
        task: str | None = self.options["task"]
        if task is not None and task not in TASKS:
            raise ParameterError(f"--task {task} is not possible; give {' or '.join(TASKS)}.")
        return task

    def estimator(self, kind: str, known: dict[str, Any], **others: Any) -> OcelotEstimator:
        """The estimator of a task, with its parameters checked before anything takes time.

        known   what the rows say of parameters, unless the user says something else
        others  what the command decides
        """
        for name in self.parameters:
            if name not in TASKS[kind].__dataclass_fields__:
                raise ParameterError(f"--{name.replace('_', '-')} is not for {kind}.")
        model = TASKS[kind](**{**known, **self.parameters, **others})
        check_parameters(model)
        return model


def _columns(name: str, text: str) -> Any:
    option = typer.Option(name, metavar="COLUMNS", help=text, rich_help_panel=COLUMNS)
    return Annotated[list[str] | None, option]


def _column(name: str, text: str) -> Any:
    option = typer.Option(name, metavar="COLUMN", help=text, rich_help_panel=COLUMNS)
    return Annotated[str | None, option]


TRAINING_OPTIONS: dict[str, Any] = {
    "target": Target,
    "task": Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="classification or regression; by default texts and few whole numbers are "
            "classes.",
            autocompletion=lambda: list(TASKS),
        ),
    ],
    "cat": _columns("--cat", "Columns of categories."),
    "num": _columns("--num", "Columns of numbers; what is no number in them is missing."),
    "ignore": _columns("--ignore", "Columns to leave out."),
    "weight": Weight,
    "group": _column(
        "--group",
        "Rows of a group are never both trained on and judged by: in --holdout, cv and tune. It is "
        "no feature.",
    ),
    "time": _column(
        "--time",
        "Rows are ordered by this column: none learns from later ones, and the last are held out.",
    ),
    "config": Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Read options from a TOML file.", rich_help_panel=FILES),
    ],
    "drop_missing": Annotated[
        bool | None, typer.Option("--drop-missing", help="Leave out rows without a target.")
    ],
}


def with_training(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command that takes ``asked`` gets the options that it is made of."""

    def run(*args: Any, given: dict[str, Any], **options: Any) -> Any:
        own = {name: options.pop(name) for name in TRAINING_OPTIONS}
        config, drop = own.pop("config"), bool(own.pop("drop_missing"))
        for name in ("cat", "num", "ignore"):
            own[name] = names_in(own[name])
        stored: dict[str, Any] = {}
        if config is not None:
            stored, parameters = read_config(config)
            given = {**parameters, **given}
        merged = {**stored, **{name: value or stored.get(name) for name, value in own.items()}}
        return function(*args, asked=Asked(merged, given, drop), **options)

    adapted = with_options(
        function,
        run,
        "asked",
        {"given": (dict, None)},
        first={name: (annotation, None) for name, annotation in TRAINING_OPTIONS.items()},
    )
    return with_parameters(adapted)
