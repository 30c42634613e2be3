"""``ocelot train``: read, show what was read, train, save, and say how good it is."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from ocelotboost import OcelotClassifier, OcelotRegressor
from ocelotboost.cli.columns import columns_table
from ocelotboost.cli.config import read_config, write_config
from ocelotboost.cli.errors import INTERRUPTED
from ocelotboost.cli.options import COLUMNS, FILES, Files, Target, Weight, names_in, with_files
from ocelotboost.cli.parameters import with_parameters
from ocelotboost.cli.rows import (
    Rows,
    as_numbers,
    described,
    is_sparse_file,
    load,
    load_sparse,
    rows_of,
    with_description,
)
from ocelotboost.cli.screen import Screen, command
from ocelotboost.cli.summary import evaluation_table, summary
from ocelotboost.errors import InputError, ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.parameters import check_parameters
from ocelotboost.files.opened import check_writable
from ocelotboost.files.profile import Roles, guess_task, profile_columns
from ocelotboost.files.reading import formats_of, open_batches
from ocelotboost.loss.names import parse_name
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES
from ocelotboost.table.sources import dataset_of

TASKS = {"classification": OcelotClassifier, "regression": OcelotRegressor}
#: What the table of columns says already.
_SAID = "Numbers are stored as text"
_INTERRUPTED = "Training was interrupted"


@dataclass(frozen=True)
class Asked:
    """What the user asked for, on the command line or in a file.

    task        "classification", "regression" or None: by the target
    evaluated   files of eval sets
    holdout     share of the rows that are kept aside, to judge the model by
    parameters  of training
    """

    roles: Roles
    task: str | None
    evaluated: tuple[str, ...]
    holdout: float | None
    parameters: dict[str, Any]
    drop: bool


@command
@with_files
@with_parameters
def train(
    screen: Screen,
    files: Files,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="The model's file; .json is readable."),
    ] = "model.ocelot",
    target: Target = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="classification or regression; by default texts and few whole numbers are "
            "classes.",
            autocompletion=lambda: list(TASKS),
        ),
    ] = None,
    cat: Annotated[
        list[str] | None,
        typer.Option(
            "--cat", metavar="COLUMNS", help="Columns of categories.", rich_help_panel=COLUMNS
        ),
    ] = None,
    num: Annotated[
        list[str] | None,
        typer.Option(
            "--num", metavar="COLUMNS", help="Columns of numbers.", rich_help_panel=COLUMNS
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore", metavar="COLUMNS", help="Columns to leave out.", rich_help_panel=COLUMNS
        ),
    ] = None,
    weight: Weight = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Rows of a group stay together in --holdout; it is no feature.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Rows are ordered by this column: none learns from later ones, and --holdout "
            "takes the last.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    evaluated: Annotated[
        list[str] | None,
        typer.Option(
            "--eval", metavar="FILE", help="Files to watch and to stop on.", rich_help_panel=FILES
        ),
    ] = None,
    holdout: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="Keep this share of the rows aside, and judge the model by them."
        ),
    ] = None,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out rows without a target.")
    ] = False,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Read options from a TOML file.", rich_help_panel=FILES),
    ] = None,
    save_config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the options to it.", rich_help_panel=FILES),
    ] = None,
    init_model: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A model to continue from.", rich_help_panel=FILES),
    ] = None,
    snapshot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Store training here, and go on from it.", rich_help_panel=FILES
        ),
    ] = None,
    given: dict[str, Any] = {},  # noqa: B006  made by the decorator
) -> int:
    """Train a model on a table, and save it.

    What the columns are is found and shown first. Ctrl-C saves the trees so far.
    """
    check_writable(output)
    options: dict[str, Any] = {
        "target": target,
        "task": task,
        "cat": names_in(cat),
        "num": names_in(num),
        "ignore": names_in(ignore),
        "weight": weight,
        "group": group,
        "time": time,
        "eval": tuple(evaluated or ()),
        "holdout": holdout,
    }
    if config is not None:
        read, stored = read_config(config)
        options = {key: value or read.get(key) for key, value in options.items()}
        given = {**stored, **given}
    if save_config is not None:
        check_writable(save_config)
        write_config(save_config, options, given)
    asked = _asked(options, given, drop_missing)
    began = clock.perf_counter()
    rows, kind, held_out = _rows(screen, files, asked)
    model = _estimator(kind, asked, screen)
    watched = [_eval_rows(screen, path, files, asked) for path in asked.evaluated]
    interrupted = _fit(screen, model, rows, watched, init_model, snapshot)
    model.save_model(output)
    evaluation = None
    if held_out is not None:
        evaluation = model.evaluate(held_out.X, held_out.y, sample_weight=held_out.weight)
    seconds = clock.perf_counter() - began
    told, data = summary(model, output, rows.n_rows, seconds, interrupted)
    if evaluation is not None:
        data["evaluation"] = evaluation
        if not screen.as_json:
            screen.out.print(evaluation_table(evaluation, "rows that were kept aside"))
    screen.show(told, **data)
    return INTERRUPTED if interrupted else 0


def _asked(options: dict[str, Any], given: dict[str, Any], drop: bool) -> Asked:
    roles = Roles(
        options["target"] or "",
        options["weight"],
        options["group"],
        options["time"],
        tuple(options["ignore"] or ()),
        tuple(options["cat"] or ()),
        tuple(options["num"] or ()),
    )
    task, holdout = options["task"], options["holdout"]
    if task is not None and task not in TASKS:
        raise ParameterError(f"--task {task} is not possible; give {' or '.join(TASKS)}.")
    if holdout is not None and not 0 < holdout < 1:
        raise ParameterError(f"--holdout {holdout:g} is not possible; give a share such as 0.2.")
    return Asked(roles, task, tuple(options["eval"] or ()), holdout, given, drop)


# ---- rows ------------------------------------------------------------------------------------


def _rows(screen: Screen, files: Files, asked: Asked) -> tuple[Rows, str, Rows | None]:
    """The rows to train on, the task, and the rows that are kept aside."""
    if is_sparse_file(files):
        rows = load_sparse(screen, files)
        kind = _task_of(screen, asked, _arrow_of(rows.y))
        train_rows, held_out = _divided(rows, kind, asked)
        return train_rows, kind, held_out
    if asked.parameters.get("memory_limit") is not None and _in_batches(files):
        return _batches(screen, files, asked)
    table, description = load(screen, files, asked.roles.cat)
    roles = checked_roles(with_description(asked.roles, description, table.column_names), table)
    table = as_numbers(table, roles.num)
    profile = profile_columns(table, roles)
    if screen.talks:
        screen.out.print(columns_table(profile))
    kind = _task_of(screen, asked, table[roles.target])
    if roles.time is not None:
        table = table.sort_by(roles.time)
    rows = rows_of(table, roles, drop=asked.drop)
    asked.parameters.setdefault("has_time", roles.time is not None)
    asked.parameters["cat_features"] = _present(roles.cat, rows.X) or None
    train_rows, held_out = _divided(rows, kind, asked)
    return train_rows, kind, held_out


def checked_roles(roles: Roles, table: Any) -> Roles:
    """With a target, and with columns that are there."""
    names = table.column_names
    if not roles.target:
        shown = ", ".join(map(repr, names[-5:]))
        raise InputError(f"Give the column to predict by --target. The last columns are {shown}.")
    roles.check(names)
    if not roles.features(names):
        raise InputError("No column is left to learn from: name fewer columns by --ignore.")
    return roles


def _present(columns: tuple[str, ...], X: Any) -> list[str]:
    return [name for name in columns if name in X.column_names]


def _arrow_of(values: NDArray[Any]) -> Any:
    from ocelotboost.files.opened import arrow

    return arrow().chunked_array([values])


def _task_of(screen: Screen, asked: Asked, target: Any) -> str:
    """As the user says, as the loss asks, or by the target."""
    if asked.task is not None:
        return asked.task
    loss = asked.parameters.get("loss_function")
    if isinstance(loss, str):
        name = parse_name(loss)[0]
        if name in REGRESSION_LOSSES and name not in CLASS_LOSSES:
            return "regression"
        if name in CLASS_LOSSES:
            return "classification"
    kind, why = guess_task(target)
    other = next(task for task in TASKS if task != kind)
    screen.note(f"[bold]{kind}[/bold], because the target has {why} (else: --task {other})")
    return kind


def _divided(rows: Rows, kind: str, asked: Asked) -> tuple[Rows, Rows | None]:
    """Rows to train on, and rows kept aside: the last, whole groups, or a random share."""
    if asked.holdout is None:
        return rows, None
    from sklearn.model_selection import GroupShuffleSplit, train_test_split

    places = np.arange(rows.n_rows)
    if asked.roles.time is not None:
        first = round(rows.n_rows * (1 - asked.holdout))
        parts = places[:first], places[first:]
    elif rows.groups is not None:
        splitter = GroupShuffleSplit(1, test_size=asked.holdout, random_state=0)
        parts = next(splitter.split(places, groups=rows.groups))
    else:
        counts = np.unique(rows.y, return_counts=True)[1] if kind == "classification" else None
        even = rows.y if counts is not None and counts.min() > 1 else None
        parts = train_test_split(places, test_size=asked.holdout, random_state=0, stratify=even)
    return rows.take(np.sort(parts[0])), rows.take(np.sort(parts[1]))


# ---- batches ---------------------------------------------------------------------------------


def _in_batches(files: Files) -> bool:
    return formats_of(files.paths, files.options) <= {"parquet", "arrow"}


@dataclass(frozen=True)
class _Batches:
    """Looks like ``Rows`` to ``fit``: features in batches, and the names of the other columns."""

    X: Iterator[Any]
    y: str
    weight: str | None
    n_rows: int


def _batches(screen: Screen, files: Files, asked: Asked) -> tuple[Any, str, None]:
    """With --memory-limit, Parquet and Arrow files are never in memory as a whole."""
    if asked.holdout is not None or asked.roles.num:
        raise ParameterError("--holdout and --num need the rows in memory: leave out one of them.")
    options, _ = described(files)
    dataset = dataset_of(files.paths, files.named)
    some = dataset.head(100_000)
    roles = checked_roles(asked.roles, some)
    if screen.talks:
        screen.out.print(columns_table(profile_columns(some, roles)))
    kind = _task_of(screen, asked, some[roles.target])
    columns = [*roles.features(some.column_names), roles.target]
    columns += [] if roles.weight is None else [roles.weight]
    asked.parameters.setdefault("has_time", roles.time or False)
    asked.parameters["cat_features"] = list(roles.cat) or None
    batches = open_batches(files.paths, options).read(columns, (), ())
    return _Batches(batches, roles.target, roles.weight, dataset.count_rows()), kind, None


# ---- training --------------------------------------------------------------------------------


def _estimator(kind: str, asked: Asked, screen: Screen) -> OcelotEstimator:
    """The estimator with its parameters, checked before anything takes time."""
    estimator = TASKS[kind]
    known = {*estimator.__dataclass_fields__}
    for name in asked.parameters:
        if name not in known:
            option = "--" + name.replace("_", "-")
            raise ParameterError(f"{option} is not for {kind}.")
    own = {**asked.parameters, "verbose": screen.talks, "interrupt": "keep"}
    model = estimator(**own)
    check_parameters(model)
    return model


def _eval_rows(screen: Screen, path: str, files: Files, asked: Asked) -> tuple[Any, ...]:
    """An eval set, read as the training rows are."""
    table, description = load(screen, Files((path,), files.options, files.cd), asked.roles.cat)
    roles = with_description(asked.roles, description, table.column_names)
    kept = [name for name in roles.ignore if name in table.column_names]
    roles = Roles(
        roles.target, roles.weight, roles.group, roles.time, tuple(kept), roles.cat, roles.num
    )
    roles.check(table.column_names)
    rows = rows_of(as_numbers(table, roles.num), roles, drop=asked.drop)
    return (rows.X, rows.y) if rows.weight is None else (rows.X, rows.y, rows.weight)


def _fit(
    screen: Screen,
    model: OcelotEstimator,
    rows: Any,
    watched: list[tuple[Any, ...]],
    init_model: str | None,
    snapshot: str | None,
) -> bool:
    """Train; was it interrupted?"""
    interrupted = False
    with screen.warnings_as_notes(ignore=(_SAID, _INTERRUPTED)) as caught:
        model.fit(
            rows.X,
            rows.y,
            sample_weight=rows.weight,
            eval_set=watched or None,
            init_model=init_model,
            snapshot=snapshot,
        )
        interrupted = any(str(one.message).startswith(_INTERRUPTED) for one in caught)
    if interrupted and model.n_iter_ == 0:
        raise KeyboardInterrupt
    return interrupted
