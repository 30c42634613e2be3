"""The stage as one call: from what the user has to a table, a target and weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.estimator.process_memory import watching_memory
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.table.cat_features import columns_listed, named_positions
from ocelotboost.table.columns import Table
from ocelotboost.table.date_views import date_views
from ocelotboost.table.derived import derive, formulas_for_dates, ranges, varying
from ocelotboost.table.formulas import Derivation
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.number_texts import warn_of_number_texts
from ocelotboost.table.number_views import number_views, viewed_columns
from ocelotboost.table.sources import Source, as_source, is_source, no_column
from ocelotboost.table.streamed import table_from_source
from ocelotboost.table.values import Header, Reading


@dataclass(frozen=True)
class ReadSettings:
    """How the training data is read.

    cat_features  names and positions of columns that hold categories, as the user gave them
    hash_key      uint64 (2,) what categories are hashed under
    cache_dir     where tables that are read in batches are kept; None: the default
    memory_limit  bytes that training may take; None: as much as it needs
    date_parts    parts of dates that become columns
    number_views  whether categories whose texts are numbers or dates become columns of numbers, too
    derivation    of the model that is continued; None: columns tell what they hold
    """

    cat_features: Any
    hash_key: NDArray[np.uint64]
    cache_dir: str | PathLike[str] | None
    memory_limit: int | None
    n_threads: int
    date_parts: tuple[str, ...]
    number_views: bool
    derivation: Derivation | None

    @property
    def makes_views(self) -> bool:
        """Whether they are looked for: a model that is continued has its own."""
        return self.number_views and self.derivation is None

    @property
    def viewed(self) -> frozenset[int]:
        """The columns whose views the continued model has."""
        return viewed_columns(() if self.derivation is None else self.derivation.formulas)


class Given(NamedTuple):
    """Rows as the user gave them: y and weight are arrays, or names of columns of a source."""

    X: Any
    y: Any
    weight: Any


class Arguments(NamedTuple):
    """What errors call them."""

    X: str = "X"
    y: str = "y"
    weight: str = "sample_weight"


class RowsRead(NamedTuple):
    """A table, and one value per row for each role; weight may be None."""

    table: Table
    y: Any
    weight: Any


def read(given: Given, settings: ReadSettings, cache: CacheDirectory) -> RowsRead:
    """The training rows, with the columns that are derived from those that the user gave."""
    known = None if settings.derivation is None else Derivation(settings.derivation.times)
    named = None if settings.cat_features is None else columns_listed(settings.cat_features)
    if is_source(given.X):
        source = watching_memory(as_source(given.X), settings.memory_limit)
        roles = _roles(given, source, Arguments())
        times = None if known is None else known.times
        reading = Reading("X", named, True, None, settings.hash_key, settings.n_threads, times)
        columns = [name for name in source.names if name not in roles]
        viewed = None if settings.makes_views else settings.viewed
        rows = _from_source(given, source, columns, roles, reading, cache, viewed)
        return rows._replace(table=_derived(rows.table, settings))
    _check_arrays(given, Arguments())
    X = given.X
    table = table_from_input(
        X,
        cat_features=named,
        hash_key=settings.hash_key,
        n_threads=settings.n_threads,
        derivation=known,
    )
    named_columns = named_positions(named, table.names, table.n_columns, "X")
    warn_of_number_texts(table, named_columns, X, settings.makes_views)
    if settings.memory_limit is not None:
        table = replace(table, memory=cache)  # what is made of it goes to files
    return RowsRead(_derived(table, settings), given.y, given.weight)


def _derived(table: Table, settings: ReadSettings) -> Table:
    """With parts of dates that vary, and views of numbers and dates; or what the model has that is
    continued."""
    if settings.derivation is not None:
        return derive(table, settings.derivation.formulas)
    possible, views = formulas_for_dates(table, settings.date_parts), []
    if settings.number_views:
        possible += date_views(table, settings.date_parts)
        views = number_views(table)
    return derive(table, [*varying(possible, ranges(table, possible)), *views])


def read_alike(
    given: Given,
    training: Table,
    arguments: Arguments,
    check: Callable[[Header], None],
    cache: CacheDirectory,
) -> RowsRead:
    """Rows with the columns of the training table. A source may have others besides, which are
    not read."""
    categorical = list(training.categories)
    if is_source(given.X):
        source = as_source(given.X, arguments.X)
        roles = _roles(given, source, arguments)
        columns = [name for name in source.names if name not in roles]
        if training.names is not None and set(training.names) <= set(columns):
            columns = list(training.names)
        times = training.derivation.times
        reading = Reading(arguments.X, categorical, False, check, training.hash_key, 1, times)
        viewed = viewed_columns(training.formulas)
        rows = _from_source(given, source, columns, roles, reading, cache, viewed)
        return rows._replace(table=derive(rows.table, training.formulas))
    _check_arrays(given, arguments)
    table = table_from_input(
        given.X,
        argument=arguments.X,
        cat_features=categorical,
        detect=False,
        check=check,
        hash_key=training.hash_key,
        derivation=training.derivation,
    )
    return RowsRead(table, given.y, given.weight)


def _from_source(
    given: Given,
    source: Source,
    columns: Sequence[str],
    roles: Sequence[str],
    reading: Reading,
    cache: CacheDirectory,
    viewed: frozenset[int] | None,
) -> RowsRead:
    streamed = table_from_source(source, columns, roles, reading, cache, viewed)
    y = streamed.roles[given.y] if isinstance(given.y, str) else given.y
    weight = streamed.roles[given.weight] if isinstance(given.weight, str) else given.weight
    return RowsRead(streamed.table, y, weight)


def _roles(given: Given, source: Source, arguments: Arguments) -> list[str]:
    """The columns of a source that are no features."""
    if given.y is None:
        raise InputError(
            f"{arguments.y} is missing: {arguments.X} is read in batches, so give the name of the "
            f"column that holds the target, for example {arguments.y}={source.names[-1]!r}."
        )
    roles = []
    for value, argument in ((given.y, arguments.y), (given.weight, arguments.weight)):
        if isinstance(value, str):
            if value not in source.names:
                raise no_column(value, source.names, arguments.X, f"{argument}={value!r}")
            roles.append(value)
    return roles


def _check_arrays(given: Given, arguments: Arguments) -> None:
    """Names of columns are for sources: of a table in memory the user has the column itself."""
    for value, argument in ((given.y, arguments.y), (given.weight, arguments.weight)):
        if isinstance(value, str):
            raise InputError(
                f"{argument}={value!r} names a column, but {arguments.X} is a table in memory: "
                f"pass the column itself, {arguments.X}[{value!r}], and {arguments.X} without it."
            )
