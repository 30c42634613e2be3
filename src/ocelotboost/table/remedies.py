"""What to do about values that are neither numbers nor categories: code that works as it stands."""

from __future__ import annotations

_DATES = ("date", "datetime", "Timestamp", "datetime64", "Period")
_DURATIONS = ("timedelta", "Timedelta", "timedelta64")

#: Dates and durations as seconds (pyarrow: in the unit they have); missing ones stay missing.
_NUMBERS = {
    ("pandas", "date"): "(pandas.to_datetime({c}) - pandas.Timestamp(0)).dt.total_seconds()",
    ("pandas", "zoned date"): ("({c} - pandas.Timestamp(0, tz='UTC')).dt.total_seconds()"),
    ("pandas", "duration"): "pandas.to_timedelta({c}).dt.total_seconds()",
    ("polars", "date"): "{c}.dt.epoch('s')",
    ("polars", "duration"): "{c}.dt.total_seconds()",
    ("pyarrow", "date"): "{c}.cast('timestamp[ns]').cast('int64')",
    ("pyarrow", "duration"): "{c}.cast('int64')",
    ("numpy", "date"): "({c}.astype('datetime64[s]') - numpy.datetime64(0, 's')) "
    "/ numpy.timedelta64(1, 's')",
    ("numpy", "duration"): "{c}.astype('timedelta64[ns]') / numpy.timedelta64(1, 's')",
}
_TEXTS = {
    "pandas": "{c}.astype(str)",
    "polars": "{c}.cast(polars.String)",
    "pyarrow": "{c}.cast('string')",
    "numpy": "{c}.astype(str)",
}
_TIMES = {
    ("pandas", "date"): "pandas.to_datetime({c})",
    ("pandas", "duration"): "pandas.to_timedelta({c})",
    ("pandas", "time"): "pandas.to_datetime({c}).dt.time",
    ("polars", "date"): "{c}.str.to_datetime()",
    ("polars", "duration"): "polars.Series({c}).cast(polars.Duration)",
    ("polars", "time"): "{c}.str.to_time()",
    ("pyarrow", "date"): "{c}.cast('timestamp[us]')",
    ("pyarrow", "duration"): "{c}.cast('duration[us]')",
    ("pyarrow", "time"): "{c}.cast('time64[us]')",
    ("numpy", "date"): "{c}.astype('datetime64[us]')",
    ("numpy", "duration"): "{c}.astype('timedelta64[us]')",
}
_WITH_ZONE = {
    "pandas": "{c}.dt.tz_localize({z!r})",
    "polars": "{c}.dt.replace_time_zone({z!r})",
    "pyarrow": "pyarrow.compute.assume_timezone({c}, {z!r})",
}
_WITHOUT_ZONE = {
    "pandas": "{c}.dt.tz_localize(None)",
    "polars": "{c}.dt.replace_time_zone(None)",
    "pyarrow": "pyarrow.compute.local_timestamp({c})",
}
_LAZY = {"dask": ".compute()", "pyspark": ".toPandas()", "ibis": ".to_pyarrow()"}


def as_number(kind: str, library: str, code: str) -> str:
    """How a column becomes a number.

    kind     "date", "zoned date", "duration", or anything else, for which there is no code
    library  what holds the column
    code     how the user would write the column

    >>> as_number("duration", "polars", "X['wait']")
    "convert it to a number, for example X['wait'].dt.total_seconds(), or drop it"
    """
    code_of = _NUMBERS.get((library, kind)) or _NUMBERS.get((library, kind.split()[-1]))
    if code_of is None:
        return "convert it to a number (or to several, each in a column of its own), or drop it"
    return f"convert it to a number, for example {code_of.format(c=code)}, or drop it"


def as_time(what: str, library: str, code: str) -> str:
    """How a column becomes one of dates ("date"), times of day ("time") or durations.

    >>> as_time("date", "pandas", "X['bought']")
    "convert it, for example by pandas.to_datetime(X['bought'])"
    """
    code_of = _TIMES.get((library, what), _TIMES["pandas", what])
    return f"convert it, for example by {code_of.format(c=code)}"


def with_zone(library: str, code: str, zone: str) -> str:
    """How dates get a time zone."""
    return _WITH_ZONE.get(library, _WITH_ZONE["pandas"]).format(c=code, z=zone)


def without_zone(library: str, code: str) -> str:
    """How dates lose their time zone and keep the local time."""
    return _WITHOUT_ZONE.get(library, _WITHOUT_ZONE["pandas"]).format(c=code)


def as_category(value: object, library: str, code: str) -> str:
    """What to do about one value that is neither text nor a number."""
    name = type(value).__name__
    if name in ("bytes", "bytes_"):
        return "decode it to text, for example value.decode('utf-8') for each value"
    if name in _DATES or name in _DURATIONS:
        text = _TEXTS.get(library, _TEXTS["numpy"]).format(c=code)
        return f"make it text, for example {text}, or a number"
    return "make it text or a number, or drop its row or column"


def collected(library: str) -> str:
    """The call that reads a lazy frame."""
    return _LAZY.get(library, ".collect()")
