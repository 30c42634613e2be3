"""What prediction trusts about indicators and tables of statistics is checked here."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ModelFileError
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import (
    FREQUENCY,
    N_STATISTIC_BINS,
    STATISTIC_ARRAYS,
    Indicators,
    StatisticTables,
)

LARGEST_DEPTH = 16

# Sums and priors are far smaller, and no arithmetic with such numbers leaves the range of floats.
LARGEST_NUMBER = 1e100


def require(fits: bool, problem: str) -> None:
    """Raise ModelFileError unless it fits."""
    if not fits:
        raise ModelFileError(problem)


def check_array(name: str, array: Any, dtypes: tuple[type[np.generic], ...], n_axes: int) -> None:
    """Is it an array, of one of these dtypes?"""
    require(isinstance(array, np.ndarray), f"{name} is not an array but {type(array)}")
    allowed = [np.dtype(dtype) for dtype in dtypes]
    require(
        array.dtype in allowed and array.ndim == n_axes,
        f"{name} is {array.dtype} with {array.ndim} axes, "
        f"but must be {' or '.join(map(str, allowed))} with {n_axes}",
    )


def check_flags(name: str, array: NDArray[np.bool_]) -> None:
    """A byte that is neither 0 nor 1 is not a bool to a compiler."""
    bytes_of_bools = np.ascontiguousarray(array).view(np.uint8)
    require(int(bytes_of_bools.max(initial=0)) <= 1, f"{name} has a value beyond 0 and 1")


def check_categories(forest: Forest) -> None:
    """Raise ModelFileError unless indicators, tables and statistic columns fit together."""
    check_array("categorical", forest.categorical, (np.bool_,), 1)
    check_flags("categorical", forest.categorical)
    require(
        len(forest.categorical) == forest.n_features,
        f"categorical has length {len(forest.categorical)} for {forest.n_features} columns",
    )
    check_array("hash_key", forest.hash_key, (np.uint64,), 1)
    require(len(forest.hash_key) == 2, f"hash_key has {len(forest.hash_key)} words, not 2")
    _check_indicators(forest)
    tables = forest.statistics
    require(isinstance(tables, StatisticTables), "statistics are not StatisticTables")
    for array in STATISTIC_ARRAYS:
        check_array(array.name, getattr(tables, array.name), array.dtypes, 1)
    _check_tables(tables)
    _check_members(forest)
    _check_entries(tables)
    _check_columns(tables)


def check_questions(forest: Forest, columns: NDArray[np.uint32], borders: NDArray[Any]) -> None:
    """Are these questions about columns that there are, with borders of their kind?"""
    largest = int(columns.max(initial=0))
    require(
        len(columns) == 0 or largest < forest.n_columns,
        f"a tree asks about column {largest}, but the model has {forest.n_columns} columns",
    )
    numeric = columns < forest.n_features
    asked = columns[numeric]
    require(
        not forest.categorical[asked].any(),
        "a question compares the categories of a column with a number",
    )
    statistic = columns >= forest.first_statistic
    require(
        bool((borders[~numeric & ~statistic] == 0.5).all()),
        "the border of an indicator is not 0.5",
    )
    bins = borders[statistic]
    whole = np.isin(bins, np.arange(N_STATISTIC_BINS - 1))
    require(
        bool(whole.all()),
        f"the border of a statistic column is no whole number from 0 to {N_STATISTIC_BINS - 2}",
    )


def _check_indicators(forest: Forest) -> None:
    indicators = forest.indicators
    require(isinstance(indicators, Indicators), "indicators are not Indicators")
    check_array("indicators.columns", indicators.columns, (np.uint32,), 1)
    check_array("indicators.hashes", indicators.hashes, (np.uint64,), 1)
    texts = indicators.texts
    require(
        isinstance(texts, tuple) and all(text is None or type(text) is str for text in texts),
        "the texts of indicators are not a tuple of texts",
    )
    require(
        len(indicators.columns) == len(indicators.hashes) == len(texts),
        f"there are {len(indicators.columns)} columns, {len(indicators.hashes)} hashes and "
        f"{len(texts)} texts of indicators",
    )
    _require_categorical(forest, indicators.columns, "an indicator")
    missing = np.array([text is None for text in texts], dtype=np.bool_)
    require(
        bool(((indicators.hashes == 0) == missing).all()),
        "the hash of an indicator is 0 where its text is not missing, or the other way round",
    )


def _require_categorical(forest: Forest, columns: NDArray[np.uint32], what: str) -> None:
    largest = int(columns.max(initial=0))
    require(
        len(columns) == 0 or largest < forest.n_features,
        f"{what} is about column {largest}, but the model has {forest.n_features} features",
    )
    require(
        bool(forest.categorical[columns].all()),
        f"{what} is about a column that is not categorical",
    )


def _check_offsets(name: str, offsets: NDArray[Any], n_tables: int, end: int) -> None:
    numbers = offsets.tolist()
    ascending = all(a <= b for a, b in itertools.pairwise(numbers))
    require(
        len(numbers) == n_tables + 1 and numbers[0] == 0 and numbers[-1] == end and ascending,
        f"{name} do not cut {end} values into {n_tables} pieces",
    )


def _check_tables(tables: StatisticTables) -> None:
    n_tables = tables.n_tables
    require(len(tables.n_targets) == n_tables, f"n_targets has length {len(tables.n_targets)}")
    require(
        len(tables.question_borders) == len(tables.question_columns),
        f"there are {len(tables.question_columns)} question_columns and "
        f"{len(tables.question_borders)} question_borders",
    )
    require(
        len(tables.counts) == len(tables.keys),
        f"there are {len(tables.keys)} keys and {len(tables.counts)} counts",
    )
    for name, end in (
        ("member_offsets", len(tables.members)),
        ("question_offsets", len(tables.question_columns)),
        ("entry_offsets", len(tables.keys)),
    ):
        _check_offsets(name, getattr(tables, name), n_tables, end)
    n_entries, n_targets = tables.n_entries().tolist(), tables.n_targets.tolist()
    n_sums = sum(entries * targets for entries, targets in zip(n_entries, n_targets, strict=True))
    require(
        len(tables.sums) == n_sums, f"there are {len(tables.sums)} sums where {n_sums} are needed"
    )
    names = tables.target_names
    require(
        isinstance(names, tuple)
        and all(isinstance(own, tuple) and all(type(n) is str for n in own) for own in names)
        and [len(own) for own in names] == n_targets,
        "target_names are not a tuple of texts for each table, one a sum",
    )
    sizes = np.diff(tables.question_offsets)
    most = int(sizes.max(initial=0))
    require(most <= LARGEST_DEPTH, f"a table has {most} questions; at most {LARGEST_DEPTH} fit")


def _check_members(forest: Forest) -> None:
    tables = forest.statistics
    _require_categorical(forest, tables.members, "a table")
    require(bool((np.diff(tables.member_offsets) > 0).all()), "a table has no members")
    require(
        _ascending_inside(tables.members, tables.member_offsets),
        "the members of a table do not ascend",
    )
    columns, borders = tables.question_columns, tables.question_borders
    require(
        bool((columns < forest.first_statistic).all()),
        "a base question is about a statistic column",
    )
    check_questions(forest, columns, borders)


def _ascending_inside(values: NDArray[Any], offsets: NDArray[Any]) -> bool:
    """Do the values of each piece ascend strictly?"""
    rises = np.ones(len(values), dtype=np.bool_)
    rises[1:] = values[1:] > values[:-1]
    begins = offsets[:-1][offsets[:-1] < offsets[1:]].astype(np.int64)
    rises[begins] = True
    return bool(rises.all())


def _check_entries(tables: StatisticTables) -> None:
    require(_ascending_inside(tables.keys, tables.entry_offsets), "keys of a table do not ascend")
    require(int(tables.n_entries().max(initial=0)) < 1 << 31, "a table has more than 2^31 entries")
    for name in ("prior_weight", "counts", "sums"):
        _check_numbers(name, getattr(tables, name))
    require(bool((tables.counts >= 0).all()), "counts has a negative value")
    require(bool((tables.prior_weight > 0).all()), "prior_weight has a value that is not above 0")


def _check_numbers(name: str, numbers: NDArray[Any]) -> None:
    require(
        bool((np.abs(numbers) <= LARGEST_NUMBER).all()),
        f"{name} has a value that is not finite, or beyond {LARGEST_NUMBER:g}",
    )


def _check_columns(tables: StatisticTables) -> None:
    n_columns = tables.n_columns
    for name in ("column_targets", "column_priors", "column_lows", "column_highs"):
        found = len(getattr(tables, name))
        require(found == n_columns, f"{name} has length {found}, column_tables {n_columns}")
    require(
        bool((tables.column_tables < tables.n_tables).all()),
        "a statistic column is of a table that there is not",
    )
    n_targets = tables.n_targets[tables.column_tables].astype(np.int64)
    require(
        bool(((tables.column_targets >= FREQUENCY) & (tables.column_targets < n_targets)).all()),
        "a statistic column is of a sum that its table does not have",
    )
    for name in ("column_priors", "column_lows", "column_highs"):
        _check_numbers(name, getattr(tables, name))
    widths = tables.column_highs - tables.column_lows
    require(bool((widths > 1 / LARGEST_NUMBER).all()), "a column_low is not below its column_high")
