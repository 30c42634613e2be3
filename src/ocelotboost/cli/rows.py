"""Options -> a table, its columns by role, its target and weights."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.cli.options import Files
from ocelotboost.cli.screen import Screen
from ocelotboost.errors import InputError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.files.column_descriptions import ColumnDescription, read_column_description
from ocelotboost.files.profile import Roles, is_float
from ocelotboost.files.reading import FileOptions, formats_of, open_batches, read_table
from ocelotboost.files.sparse import read_libsvm
from ocelotboost.table.sources import no_column, pyarrow_module

_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"


@dataclass(frozen=True, eq=False)
class Rows:
    """X       features: an Arrow table, or a sparse matrix
    y       (n,) the target
    weight  (n,) or None
    groups  (n,) or None
    time    (n,) or None; then the rows are in its order
    """

    X: Any
    y: Any
    weight: Any
    groups: Any
    time: Any = None

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    def take(self, rows: NDArray[Any]) -> Rows:
        """Some of the rows."""
        X = self.X.take(rows) if hasattr(self.X, "take") else self.X[rows]
        others = (self.y, self.weight, self.groups, self.time)
        return Rows(X, *(None if values is None else values[rows] for values in others))


def described(files: Files) -> tuple[FileOptions, ColumnDescription | None]:
    """How to read files, with the names of a column description where there is one."""
    if files.cd is None:
        return files.options, None
    description = read_column_description(files.cd)
    options = files.options
    if options.kind is None and options.delimiter is None:
        options = dataclasses.replace(options, delimiter="tab", kind=_kind_of(files))
    found = open_batches(files.paths[:1], options).names
    names = description.names_of(found if options.header else None, len(found))
    text = frozenset(description.columns("category", names))
    return dataclasses.replace(options, names=names, text=text), description


def _kind_of(files: Files) -> str | None:
    """Tables that CatBoost reads are TSV, whatever they are called."""
    try:
        formats_of(files.paths[:1], files.options)
    except InputError:
        return "tsv"
    return None


def with_description(roles: Roles, description: ColumnDescription | None, names: Any) -> Roles:
    """Roles of a column description, where the options say nothing else."""
    if description is None:
        return roles
    columns = {role: description.columns(role, tuple(names)) for role in description.roles.values()}

    def alone(role: str) -> str | None:
        return next(iter(columns.get(role, [])), None)

    return Roles(
        roles.target or alone("target") or "",
        roles.weight or alone("weight"),
        roles.group or alone("group"),
        roles.time or alone("time"),
        (*roles.ignore, *columns.get("ignored", [])),
        (*roles.cat, *(c for c in columns.get("category", []) if c not in roles.cat)),
        roles.num,
    )


def load(screen: Screen, files: Files, text: tuple[str, ...] = ()) -> tuple[Any, Any]:
    """The whole table, and the column description if there is one."""
    options, description = described(files)
    options = dataclasses.replace(options, text=options.text | set(text))
    with screen.reading(f"reading {files.named}") as watch:
        table = read_table(files.paths, options, watch)
    if len(table) == 0:
        raise InputError(f"{files.named} has columns, but no rows.")
    return table, description


def is_sparse_file(files: Files) -> bool:
    return files.cd is None and "libsvm" in formats_of(files.paths, files.options)


def load_sparse(screen: Screen, files: Files, n_columns: int | None = None) -> Rows:
    """Rows of libsvm files, which have their target with them."""
    with screen.reading(f"reading {files.named}") as watch:
        found = read_libsvm(files.paths, n_columns, watch)
    return Rows(found.X, found.target, None, found.groups)


def text_columns(X: Any) -> tuple[str, ...]:
    """Of an Arrow table; other tables have none that can be told."""
    types = pyarrow_module("pyarrow.types", "reading files")
    return tuple(f.name for f in getattr(X, "schema", ()) if types.is_string(f.type))


# ---- roles -----------------------------------------------------------------------------------


def as_numbers(table: Any, columns: tuple[str, ...]) -> Any:
    """Columns of texts as numbers; what is no number is missing."""
    compute, types = (
        pyarrow_module(f"pyarrow.{name}", "reading files") for name in ("compute", "types")
    )
    for name in columns:
        place, column = table.column_names.index(name), table[name]
        if types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if not types.is_string(column.type) and not types.is_large_string(column.type):
            continue
        numbers = compute.match_substring_regex(column, _NUMBER)
        if not compute.any(numbers, min_count=0).as_py():
            raise InputError(f"--num {name}: there is no number in this column.")
        known = compute.if_else(numbers, compute.utf8_trim_whitespace(column), None)
        table = table.set_column(place, name, known.cast("float64"))
    return table


def target_of(table: Any, name: str, *, drop: bool = False) -> tuple[Any, Any]:
    """The table, perhaps without rows that have no target, and the target as an array."""
    compute = pyarrow_module("pyarrow.compute", "reading files")
    column = table[name]
    missing = compute.is_null(column, nan_is_null=is_float(column.type))
    n_missing = compute.sum(missing).as_py() or 0
    if n_missing and not drop:
        first = int(np.argmax(missing.to_numpy()))
        raise InputError(
            f"The target {name!r} is missing in {n_missing:,} of {len(table):,} rows (the first is "
            f"row {first}). Leave them out with --drop-missing."
        )
    if n_missing:
        table = table.filter(compute.invert(missing))
    if len(table) == 0:
        raise InputError(f"The target {name!r} is missing in all rows.")
    return table, as_array(table[name])


def as_array(column: Any) -> NDArray[Any]:
    """An Arrow column as NumPy has it; texts are objects."""
    types = pyarrow_module("pyarrow.types", "reading files")
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    found: NDArray[Any] = column.to_numpy()
    return found


def rows_of(table: Any, roles: Roles, *, drop: bool = False) -> Rows:
    """The features, and one value per row for each other role."""
    table, y = target_of(table, roles.target, drop=drop)
    others = (
        None if name is None else as_array(table[name])
        for name in (roles.weight, roles.group, roles.time)
    )
    return Rows(table.select(roles.features(table.column_names)), y, *others)


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows to judge models by.

    table   all columns as they were read; None for a libsvm file
    sparse  the features of a libsvm file, else None
    y       (n,) the target
    weight  (n,) or None
    """

    table: Any
    sparse: Any
    y: Any
    weight: Any
    where: str

    @property
    def n_rows(self) -> int:
        return len(self.y)

    def X(self, model: OcelotEstimator) -> Any:  # noqa: N802
        """The columns of a model."""
        if self.sparse is not None:
            return self.sparse
        features = features_of(model, self.table.column_names, self.where)
        texts = _texts_for_numbers(model, self.table, features)
        return as_numbers(self.table, texts).select(features)

    def column(self, name: str) -> NDArray[Any]:
        """A column of the table."""
        names = [] if self.table is None else self.table.column_names
        if name not in names:
            raise no_column(name, names, self.where)
        return as_array(self.table[name])


def rows_for(
    screen: Screen,
    models: list[OcelotEstimator],
    files: Files,
    target: str | None,
    weight: str | None = None,
    *,
    drop: bool = False,
) -> JudgedRows:
    """Rows with a target, which may be left unnamed where only one column can be it."""
    first = models[0]
    if is_sparse_file(files):
        sparse = load_sparse(screen, files, first.n_features_in_)
        return JudgedRows(None, sparse.X, sparse.y, None, files.named)
    text = tuple(name for model in models for name in categorical_columns(model))
    table, description = load(screen, files, text)
    names = table.column_names
    roles = with_description(Roles(target or "", weight), description, names)
    chosen = roles.target
    if not chosen:
        used = {name for model in models for name in features_of(model, names, files.named)}
        chosen = only_other(names, sorted(used), screen)
    for option, column in (("--target", chosen), ("--weight", roles.weight)):
        if column is not None and column not in names:
            raise no_column(column, names, files.named, f"{option} {column}")
    table, y = target_of(table, chosen, drop=drop)
    counted = None if roles.weight is None else as_array(table[roles.weight])
    if first.model_.feature_names is None:  # then all other columns are features
        table = table.drop_columns([chosen])
    return JudgedRows(table, None, y, counted, files.named)


def _texts_for_numbers(model: OcelotEstimator, table: Any, features: list[str]) -> tuple[str, ...]:
    """Columns that are numbers to the model, but were read as texts: numbers with marks of missing
    values, such as "?", or none at all."""
    types = pyarrow_module("pyarrow.types", "reading files")
    categorical = categorical_columns(model)
    return tuple(
        name for name in features if name not in categorical and types.is_string(table[name].type)
    )


def categorical_columns(model: OcelotEstimator) -> tuple[str, ...]:
    names = model.model_.feature_names
    if names is None:
        return ()
    return tuple(names[place] for place in np.flatnonzero(model.forest_.categorical))


def features_of(
    model: OcelotEstimator, names: list[str], where: str, known: str | None = None
) -> list[str]:
    """The columns of the model in a table; ``known`` is one that is none of them."""
    own = model.model_.feature_names
    if own is None:
        others = [name for name in names if name != known]
        if len(others) != model.n_features_in_:
            raise InputError(
                f"{where} has {len(others)} columns, but the model was trained with "
                f"{model.n_features_in_} that have no names."
            )
        return others
    missing = [name for name in own if name not in names]
    if missing:
        shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
        single = no_column(missing[0], names, where)
        raise InputError(
            str(single)
            if len(missing) == 1
            else f"{where} lacks {len(missing)} columns of the model: {shown}."
        )
    return list(own)


def only_other(names: list[str], features: list[str], screen: Screen) -> str:
    """The target, where it is the only column that the model does not use."""
    others = [name for name in names if name not in features]
    if len(others) == 1:
        screen.note(f"target: {others[0]!r}, the only column that the model does not use")
        return others[0]
    listed = ", ".join(map(repr, others[:5])) or "none"
    raise InputError(
        f"Give the column of the target by --target. Columns that the model does not use: {listed}."
    )
