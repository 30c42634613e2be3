"""How losses and metrics are written: ``"Logloss"``, ``"Quantile:alpha=0.9"``.

    Name[:parameter=number[;parameter=number]...]

``loss/`` and ``metric/`` share this file, so that a name means the same as a loss and as a metric.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ocelotboost.errors import ParameterError


@dataclass(frozen=True)
class NumberParameter:
    """One number that may follow a name; ``low`` and ``high`` themselves are outside its range."""

    name: str
    low: float
    high: float
    default: float | None  # None: the user must give it

    def range_text(self) -> str:
        if math.isinf(self.high):
            return f"above {self.low:g}"
        return f"between {self.low:g} and {self.high:g} (both excluded)"


def meant_by(text: str, other_names: Mapping[str, Sequence[str]]) -> str | None:
    """Our name for what another library calls so; ``other_names`` are in lower case.

    >>> meant_by("Binary:Logistic", {"Logloss": ("binary:logistic",)})
    'Logloss'
    """
    called = text.strip().lower()
    return next((ours for ours, others in other_names.items() if called in others), None)


def parse_name(text: str) -> tuple[str, dict[str, float]]:
    """Split ``"Quantile:alpha=0.9"`` into ``("Quantile", {"alpha": 0.9})``.

    Only the form is judged here; ``fill_parameters`` judges which parameters a name takes.
    """
    if not isinstance(text, str):
        raise ParameterError(
            f"A loss or metric is written as text like 'Quantile:alpha=0.9', but {text!r} is "
            f"of type {type(text).__name__}."
        )
    name, colon, rest = text.partition(":")
    name = name.strip()
    if not name:
        raise ParameterError(f"{text!r} has no name; write it like 'Quantile:alpha=0.9'.")
    parameters: dict[str, float] = {}
    for piece in rest.split(";") if colon else []:
        key, value = _parse_parameter(piece, text)
        if key in parameters:
            raise ParameterError(f"{text!r} gives {key!r} twice; give it once.")
        parameters[key] = value
    return name, parameters


def _parse_parameter(piece: str, text: str) -> tuple[str, float]:
    key, _, number = piece.partition("=")
    key = key.strip()
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not key or not math.isfinite(value):
        raise ParameterError(
            f"{piece!r} in {text!r} is not of the form parameter=number; "
            "write it like 'Quantile:alpha=0.9', several parameters with ';' between them."
        )
    return key, value


def fill_parameters(
    name: str, given: Mapping[str, float], declared: Sequence[NumberParameter]
) -> dict[str, float]:
    """The given parameters, checked against the declared ones and completed with defaults."""
    allowed = [parameter.name for parameter in declared]
    for key in given:
        if key not in allowed:
            takes = f"it takes {_listed(allowed)}" if allowed else "it takes no parameters"
            raise ParameterError(f"{name} has no parameter {key!r}; {takes}.")
    return {parameter.name: _checked(name, parameter, given) for parameter in declared}


def _checked(name: str, parameter: NumberParameter, given: Mapping[str, float]) -> float:
    value = given.get(parameter.name, parameter.default)
    if value is None:
        raise ParameterError(
            f"{name} needs {parameter.name!r}, a number {parameter.range_text()}; "
            f"write '{name}:{parameter.name}=...'."
        )
    if not parameter.low < value < parameter.high:
        raise ParameterError(
            f"{name}: {parameter.name} must be {parameter.range_text()}, but is {value:g}."
        )
    return value


def unknown_name(
    kind: str, name: str, allowed: Iterable[str], meant: str | None = None
) -> ParameterError:
    """The error for a name nobody knows; ``kind`` is "loss" or "metric". ``meant`` is what it is
    called here, if another library has the name."""
    by_lower_case = {known.lower(): known for known in allowed}
    close = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
    meant = meant or (by_lower_case[close[0]] if close else None)
    hint = f" Did you mean {meant!r}?" if meant in by_lower_case.values() else ""
    return ParameterError(
        f"There is no {kind} {name!r}.{hint} Allowed: {_listed(by_lower_case.values())} "
        f"(upper and lower case matter), or an object of your own."
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def number_text(value: float) -> str:
    """A number as people write it, exactly.

    >>> number_text(0.9), number_text(2.0), number_text(0.12345678)
    ('0.9', '2', '0.12345678')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
