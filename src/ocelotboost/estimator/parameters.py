"""Every parameter of the estimators, declared once: type, range, default and text.

The declarations become the constructor's signature, the checks at ``fit``, the documentation, and
the space that ``tune`` searches.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np

from ocelotboost.errors import ParameterError
from ocelotboost.table.cat_features import columns_listed


@dataclass(frozen=True)
class Rule:
    """What values a parameter may have: a sentence, and the test of it."""

    wanted: str
    holds: Callable[[Any], bool]


def whole(low: int, high: int | None = None) -> Rule:
    """A whole number in [low, high]."""
    text = f"a whole number from {low}" + ("" if high is None else f" to {high}")
    return Rule(
        text,
        lambda v: (
            isinstance(v, Integral)
            and not isinstance(v, bool | np.bool_)
            and int(v) >= low
            and (high is None or int(v) <= high)
        ),
    )


def number(
    low: float, high: float = np.inf, *, open_low: bool = False, open_high: bool = False
) -> Rule:
    """A finite number between low and high."""
    lower = f"above {low:g}" if open_low else f"at least {low:g}"
    upper = "" if high == np.inf else f" and {'below' if open_high else 'at most'} {high:g}"

    def holds(v: Any) -> bool:
        if not isinstance(v, Real) or isinstance(v, bool | np.bool_):
            return False
        try:
            x = float(v)
        except OverflowError:
            return False
        above = x > low if open_low else x >= low
        below = x < high if open_high else x <= high
        return above and below and math.isfinite(x)

    return Rule(f"a number {lower}{upper}", holds)


def numbers(low: float, high: float) -> Rule:
    """Some numbers between low and high."""
    each = number(low, high)

    def holds(v: Any) -> bool:
        listed = isinstance(v, list | tuple | np.ndarray) and len(v) > 0
        return listed and all(each.holds(item) for item in v)

    return Rule(f"a list of numbers from {low:g} to {high:g}", holds)


def one_of(literal: Any) -> Rule:
    """One of the texts of a ``Literal``."""
    choices: tuple[str, ...] = get_args(literal)
    return Rule(
        "one of " + ", ".join(map(repr, choices)), lambda v: isinstance(v, str) and v in choices
    )


def flag() -> Rule:
    return Rule("True or False", lambda v: isinstance(v, bool | np.bool_))


def either(*rules: Rule) -> Rule:
    """What any of the rules allows."""
    return Rule(", or ".join(r.wanted for r in rules), lambda v: any(r.holds(v) for r in rules))


def auto() -> Rule:
    return Rule("'auto'", lambda v: isinstance(v, str) and v == "auto")


def nothing() -> Rule:
    return Rule("None", lambda v: v is None)


@dataclass(frozen=True)
class Range:
    """Numbers among which ``tune`` looks for a better value.

    log    evenly by their logarithms
    whole  whole numbers
    usual  what a default of None stands for; None: ``estimator/choosing.py`` says it
    needs  what the data must have for the parameter to matter (``tuning/space.py``)
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False
    usual: float | None = None
    needs: str | None = None

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}" + (", log" if self.log else "")


@dataclass(frozen=True)
class Choices:
    """Values among which ``tune`` looks for a better one; ``needs`` as in ``Range``."""

    values: tuple[Any, ...]
    needs: str | None = None

    def __str__(self) -> str:
        return ", ".join(map(repr, self.values))


def parameter(
    default: Any,
    rule: Rule,
    text: str,
    *,
    aliases: tuple[str, ...] = (),
    runtime: bool = False,
    search: Range | Choices | None = None,
) -> Any:
    """Declare one parameter, as a dataclass field that carries its rule and text.

    aliases  what it is called in CatBoost, LightGBM, XGBoost or scikit-learn; for hints in errors
    runtime  it is about this machine and this run, not about the model: no file holds it
    search   where ``tune`` looks for a better value; None: nowhere
    """
    metadata = {
        "rule": rule,
        "text": text,
        "aliases": aliases,
        "runtime": runtime,
        "search": search,
    }
    return field(default=default, metadata=metadata)


def model_parameters(estimator: Any) -> dict[str, Any]:
    """The parameters that belong to the model; those of a run are left out."""
    return {
        declared.name: _kept(declared.name, getattr(estimator, declared.name))
        for declared in dataclasses.fields(estimator)
        if not declared.metadata["runtime"]
    }


def _kept(name: str, value: Any) -> Any:
    """As a model keeps it: columns, whatever holds their names, are a list."""
    if name != "cat_features" or value is None or isinstance(value, str | Integral):
        return value
    listed = columns_listed(value)
    return sorted(listed, key=str) if isinstance(value, set | frozenset) else listed


def check_parameters(estimator: Any) -> None:
    """Raise ParameterError for the first parameter whose value its rule does not allow."""
    for declared in dataclasses.fields(estimator):
        rule: Rule = declared.metadata["rule"]
        value = getattr(estimator, declared.name)
        if not rule.holds(value):
            raise ParameterError(
                f"{declared.name}={value!r} is not possible; give {rule.wanted}."
                f"{_similar(value, rule)} (default: {declared.default!r})"
            )


def _similar(value: Any, rule: Rule) -> str:
    if not isinstance(value, str):
        return ""
    choices = [piece.strip().strip("'") for piece in rule.wanted.split(",") if "'" in piece]
    choices = [choice.removeprefix("one of '").strip("'") for choice in choices]
    close = {choice.lower(): choice for choice in choices}
    match = difflib.get_close_matches(value.lower(), close, n=1)
    return f" Did you mean {close[match[0]]!r}?" if match else ""


def is_columns(value: Any) -> bool:
    """Names and positions of columns; whether there are such columns is seen later.

    A generator would be empty in the second fit, and in the fit of a clone.
    """
    alone = value is None or isinstance(value, str | Integral)
    return alone or (isinstance(value, Iterable) and not isinstance(value, Iterator))


def is_class_weights(value: Any) -> bool:
    """A weight for each class: a mapping, or numbers in the order of the sorted classes."""
    if isinstance(value, Mapping):
        return all(number(0).holds(v) for v in value.values())
    return isinstance(value, list | tuple | np.ndarray) and all(number(0).holds(v) for v in value)
