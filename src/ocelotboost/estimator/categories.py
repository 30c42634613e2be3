"""From the estimator's parameters to statistics of the categorical features."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.kernels.contract import History
from ocelotboost.model.statistic_table import Indicators
from ocelotboost.order.combination import Combinations
from ocelotboost.order.ordering import Orderings, draw_orderings, single_ordering
from ocelotboost.order.statistic import HISTORIES, StatisticTargets, statistic_columns
from ocelotboost.order.statistic_cache import StatisticCache, StatisticSource
from ocelotboost.quantize.block import ColumnBlock
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.table.columns import Table

if TYPE_CHECKING:
    from ocelotboost.estimator.base import OcelotEstimator

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def is_size(value: Any) -> bool:
    """A number of bytes, or a text such as "512MB"."""
    if isinstance(value, str):
        found = _SIZE.fullmatch(value)
        return found is not None and found[2].upper() in _UNITS and float(found[1]) > 0
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and int(value) > 0


def size_in_bytes(value: int | str) -> int:
    """
    >>> size_in_bytes("512MB"), size_in_bytes("1.5 GiB"), size_in_bytes(1000)
    (512000000, 1610612736, 1000)
    """
    if not isinstance(value, str):
        return int(value)
    number, unit = _SIZE.fullmatch(value).groups()  # type: ignore[union-attr]
    return int(float(number) * _UNITS[unit.upper()])


def check_categorical_parameters(estimator: OcelotEstimator, table: Table) -> None:
    """Refuse parameters that contradict each other, or the table."""
    kind = estimator.target_statistic
    if estimator.statistic_window is not None and kind != "ordered":
        raise ParameterError(
            f"statistic_window={estimator.statistic_window} is for target_statistic='ordered'; "
            f"a {kind!r} statistic has no order."
        )
    if kind == "holdout" and estimator.combine_numbers:
        raise ParameterError(
            "combine_numbers=True is not possible with target_statistic='holdout': use 'ordered'."
        )
    _time_column(estimator, table)


def hold_history(
    estimator: OcelotEstimator, table: Table, seed: np.random.SeedSequence
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows that train trees, and rows that are history only: for 'holdout' half of them each, and
    the earlier half is history where rows have their time."""
    n_rows = table.n_rows
    if estimator.target_statistic != "holdout":
        return np.arange(n_rows), np.arange(0)
    if n_rows < 2:
        raise ParameterError("target_statistic='holdout' needs at least two rows.")
    order = rows_by_time(estimator, table)
    if order is None:
        order = np.random.default_rng(seed).permutation(n_rows)
    return np.sort(order[n_rows // 2 :]), np.sort(order[: n_rows // 2])


def make_combinations(
    estimator: OcelotEstimator, data: CategoricalData, indicators: Indicators, n_features: int
) -> Combinations:
    """Which features have statistics, alone or combined. Those with a single value say nothing,
    except by what leaving one out leaks; those of one-hot have none alone."""
    fewest = 1 if estimator.target_statistic == "leave_one_out" else 2
    n_values = data.value_counts[: len(data.features)].tolist()
    telling = [f for f, n in zip(data.features, n_values, strict=True) if n >= fewest]
    if estimator.max_combination == 1:
        telling = [f for f in telling if f not in indicators.columns]
    columns = range(n_features, n_features + len(indicators))
    return Combinations(
        features=tuple(telling),
        one_hot=dict(zip(columns, indicators.columns.tolist(), strict=True)),
        largest=int(estimator.max_combination),
        with_numbers=bool(estimator.combine_numbers),
    )


def make_statistics(
    estimator: OcelotEstimator,
    data: CategoricalData,
    targets: StatisticTargets,
    weight: NDArray[np.float32] | None,
    block: ColumnBlock,
    orderings: Orderings,
    n_threads: int,
) -> StatisticCache:
    """An empty cache, and all that it needs to fill."""
    window = estimator.statistic_window
    source = StatisticSource(
        data=data,
        targets=targets,
        weight=weight,
        orderings=orderings,
        columns=statistic_columns(
            targets, tuple(float(p) for p in estimator.priors), float(estimator.prior_weight)
        ),
        history=HISTORIES[estimator.target_statistic],
        window=0 if window is None else min(int(window), data.n_rows),
    )
    return StatisticCache(source, block, size_in_bytes(estimator.cache_memory), n_threads)


def make_orderings(
    estimator: OcelotEstimator, table: Table, count: int, seed: np.random.SeedSequence
) -> Orderings:
    """σ₀ … σ_s, s = ``count``; one for all where rows have their time."""
    by_time = rows_by_time(estimator, table)
    if by_time is None:
        return draw_orderings(table.n_rows, count, np.random.default_rng(seed))
    return single_ordering(by_time)


def rows_by_time(estimator: OcelotEstimator, table: Table) -> NDArray[np.intp] | None:
    """The rows, the earliest first, those of equal times as they come; None: they have no time."""
    if _is_flag(estimator.has_time) and not estimator.has_time:
        return None
    column = _time_column(estimator, table)
    if column is None:
        return np.arange(table.n_rows)
    return np.argsort(_numbers(table, column), kind="stable")


def statistic_orderings(
    estimator: OcelotEstimator, table: Table, count: int, seed: np.random.SeedSequence
) -> Orderings:
    """The same for target statistics; one for all where they have no order."""
    if HISTORIES[estimator.target_statistic] != History.BEFORE:
        return single_ordering(np.arange(table.n_rows))
    return make_orderings(estimator, table, count, seed)


def _time_column(estimator: OcelotEstimator, table: Table) -> int | None:
    """The position of the column that ``has_time`` names, or None where it is a flag."""
    has_time = estimator.has_time
    if _is_flag(has_time):
        return None
    names = table.names or ()
    position = names.index(has_time) if has_time in names else has_time
    if isinstance(position, str) or not 0 <= position < table.n_columns:
        raise ParameterError(
            f"has_time={has_time!r} is no column of X; give the name or the position of a column "
            "of numbers, or True for the order of the rows."
        )
    if position in table.categories:
        raise ParameterError(
            f"has_time={has_time!r} is a categorical column; give a column of numbers, for example "
            "seconds since a date, or sort the rows by time and use has_time=True."
        )
    return int(position)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _numbers(table: Table, column: int) -> NDArray[Any]:
    part = next(p for p in table.parts if p.first <= column < p.first + p.width)
    return part.values()[:, column - part.first]
