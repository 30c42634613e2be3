"""A column of a data frame -> dates, times of day or durations, by way of narwhals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ocelotboost.errors import InputError
from ocelotboost.table.category_series import holds_objects
from ocelotboost.table.date_parts import MISSING_TICK, Ticks
from ocelotboost.table.formulas import TimeKind
from ocelotboost.table.remedies import with_zone
from ocelotboost.table.times import (
    TimesRead,
    all_missing,
    array_kind,
    canonical_zone,
    check_kind,
    fixed_offset,
    is_alike,
    read_array,
    ticks_of,
    times_read,
)
from ocelotboost.table.values import Origin, capital

if TYPE_CHECKING:
    import narwhals as nw


def series_kind(column: nw.Series[Any]) -> TimeKind | None:
    """What the column holds; None: no times."""
    import narwhals as nw

    dtype = column.dtype
    if dtype in (nw.Date, nw.Datetime):
        return TimeKind("date", canonical_zone(getattr(dtype, "time_zone", None)))
    if dtype == nw.Duration:
        return TimeKind("duration")
    if dtype == nw.Time:
        return TimeKind("time")
    if dtype == nw.Unknown or holds_objects(column):  # narwhals does not know Arrow's date64
        return array_kind(column.to_numpy())
    return None


def time_series(
    column: nw.Series[Any], found: TimeKind | None, wanted: TimeKind, origin: Origin
) -> TimesRead:
    """One column of a frame, in the zone of ``wanted``. ``found`` is what it holds; where that is
    something else, it has no value at all."""
    import narwhals as nw

    if found is None or not is_alike(found, wanted):
        return all_missing(wanted, len(column))
    dtype = column.dtype
    if dtype == nw.Datetime and found.zone is not None and wanted.zone is not None:
        utc = ticks_of(column.to_numpy(), origin)
        return times_read(wanted, utc, _local(column, utc, found.zone, wanted.zone, origin))
    if dtype == nw.Time and column.implementation.is_polars():
        nanoseconds = column.cast(nw.Int64).fill_null(MISSING_TICK).to_numpy()
        ticks = np.where(nanoseconds == MISSING_TICK, MISSING_TICK, nanoseconds // 1000)
        return times_read(wanted, ticks, None)
    if dtype == nw.Date and column.implementation.is_pandas_like():
        column = column.cast(nw.Datetime("us"))  # else each date becomes an object
    return read_array(column.to_numpy(), wanted, origin)


def check_series(
    column: nw.Series[Any], found: TimeKind | None, wanted: TimeKind | None, origin: Origin
) -> None:
    """Raise InputError unless the column holds what the model was trained with."""
    if found != wanted:
        check_kind(found, wanted, iter(column.drop_nulls()), origin)


def _local(column: nw.Series[Any], utc: Ticks, found: str, wanted: str, origin: Origin) -> Ticks:
    """The local time of a zone. The zone of a model is kept, whatever the column shows now."""
    offset = fixed_offset(wanted)
    if offset is not None:
        return np.where(utc == MISSING_TICK, utc, utc + offset)
    if found != wanted:
        try:
            column = column.dt.convert_time_zone(wanted)
        except Exception as error:
            code = with_zone(origin.library, origin.code(), wanted)
            raise InputError(
                f"{capital(origin.whole())} has the time zone {found}, but the model was trained "
                f"with {wanted}, and it cannot be converted ({error}): try {code}."
            ) from error
    return ticks_of(column.dt.replace_time_zone(None).to_numpy(), origin)
