"""Rows to train on: read, shown, and ordered by time where they have one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ocelotboost.cli.asked import TASKS, Asked
from ocelotboost.cli.columns import columns_table
from ocelotboost.cli.options import Files
from ocelotboost.cli.rows import (
    Rows,
    as_numbers,
    described,
    is_sparse_file,
    load,
    load_sparse,
    rows_of,
    text_columns,
    with_description,
)
from ocelotboost.cli.screen import Screen
from ocelotboost.errors import InputError, ParameterError
from ocelotboost.files.opened import arrow
from ocelotboost.files.profile import Roles, guess_task, profile_columns
from ocelotboost.files.reading import formats_of, open_batches
from ocelotboost.loss.names import parse_name
from ocelotboost.loss.registry import CLASS_LOSSES, REGRESSION_LOSSES
from ocelotboost.table.sources import dataset_of

#: Rows of a table that is read in batches, by which its columns are judged.
_FIRST_ROWS = 100_000


class Prepared(NamedTuple):
    """rows   in memory or in batches
    task   "classification" or "regression"
    known  parameters that follow from the columns
    """

    rows: Any
    task: str
    known: dict[str, Any]


def training_rows(screen: Screen, files: Files, asked: Asked) -> Prepared:
    """All rows in memory; what the columns are is shown."""
    if is_sparse_file(files):
        rows = load_sparse(screen, files)
        return Prepared(rows, task_of(screen, asked, arrow().chunked_array([rows.y])), {})
    table, description = load(screen, files, asked.roles.cat)
    roles = _checked(with_description(asked.roles, description, table.column_names), table)
    table = as_numbers(table, roles.num)
    if screen.talks:
        screen.out.print(columns_table(profile_columns(table, roles)))
    kind = task_of(screen, asked, table[roles.target])
    if roles.time is not None:
        table = table.sort_by(roles.time)
    rows = rows_of(table, roles, drop=asked.drop)
    categorical = [name for name in roles.cat if name in rows.X.column_names]
    known = {"has_time": roles.time is not None, "cat_features": categorical or None}
    return Prepared(rows, kind, known)


def _checked(roles: Roles, table: Any) -> Roles:
    """With a target, and with columns that are there."""
    names = table.column_names
    if not roles.target:
        shown = ", ".join(map(repr, names[-5:]))
        raise InputError(f"Give the column to predict by --target. The last columns are {shown}.")
    roles.check(names)
    if not roles.features(names):
        raise InputError("No column is left to learn from: name fewer columns by --ignore.")
    return roles


def task_of(screen: Screen, asked: Asked, target: Any) -> str:
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


def divided(rows: Rows, kind: str, share: float | None) -> tuple[Rows, Rows | None]:
    """Rows to train on, and rows kept aside: the last, whole groups, or a random share."""
    if share is None:
        return rows, None
    if not 0 < share < 1:
        raise ParameterError(f"--holdout {share:g} is not possible; give a share such as 0.2.")
    from sklearn.model_selection import GroupShuffleSplit, train_test_split

    places = np.arange(rows.n_rows)
    if rows.time is not None:
        first = round(rows.n_rows * (1 - share))
        parts = places[:first], places[first:]
    elif rows.groups is not None:
        splitter = GroupShuffleSplit(1, test_size=share, random_state=0)
        parts = next(splitter.split(places, groups=rows.groups))
    else:
        counts = np.unique(rows.y, return_counts=True)[1] if kind == "classification" else None
        even = rows.y if counts is not None and counts.min() > 1 else None
        parts = train_test_split(places, test_size=share, random_state=0, stratify=even)
    return rows.take(np.sort(parts[0])), rows.take(np.sort(parts[1]))


def eval_rows(screen: Screen, path: str, files: Files, asked: Asked, X: Any) -> tuple[Any, ...]:
    """An eval set, read as the training rows are. Their texts stay texts in it: X has them."""
    own = Files((path,), files.options, files.cd)
    if is_sparse_file(own):
        rows = load_sparse(screen, own)
        return rows.X, rows.y
    table, description = load(screen, own, (*asked.roles.cat, *text_columns(X)))
    roles = with_description(asked.roles, description, table.column_names)
    present = tuple(name for name in roles.ignore if name in table.column_names)
    roles = Roles(roles.target, roles.weight, roles.group, None, present, roles.cat, roles.num)
    roles.check(table.column_names)
    rows = rows_of(as_numbers(table, roles.num), roles, drop=asked.drop)
    return (rows.X, rows.y) if rows.weight is None else (rows.X, rows.y, rows.weight)


# ---- batches ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowsInBatches:
    """Like ``Rows``, for ``fit``: features in batches, and the names of the other columns."""

    X: Iterator[Any]
    y: str
    weight: str | None
    n_rows: int


def can_be_batches(files: Files, asked: Asked) -> bool:
    """With --memory-limit, Parquet and Arrow files are never in memory as a whole."""
    limited = asked.parameters.get("memory_limit") is not None
    return limited and formats_of(files.paths, files.options) <= {"parquet", "arrow"}


def rows_in_batches(screen: Screen, files: Files, asked: Asked) -> Prepared:
    """The first rows tell what the columns are."""
    if asked.roles.num:
        raise ParameterError("--num needs the rows in memory: leave it out, or --memory-limit.")
    dataset = dataset_of(files.paths, files.named)
    some = dataset.head(_FIRST_ROWS)
    roles = _checked(asked.roles, some)
    if screen.talks:
        screen.out.print(columns_table(profile_columns(some, roles)))
    kind = task_of(screen, asked, some[roles.target])
    columns = [*roles.features(some.column_names), roles.target]
    columns += [] if roles.weight is None else [roles.weight]
    batches = open_batches(files.paths, described(files)[0]).read(columns, {})
    rows = RowsInBatches(batches, roles.target, roles.weight, dataset.count_rows())
    known = {"has_time": roles.time or False, "cat_features": list(roles.cat) or None}
    return Prepared(rows, kind, known)
