"""Where trials look: the ranges that are declared with the parameters, or the user's own.

Parameters that the user has set in the estimator keep their values. Those that cannot matter for
the data, such as combinations where there are no categories, are left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ocelotboost.errors import ParameterError
from ocelotboost.estimator.base import OcelotEstimator
from ocelotboost.estimator.hints import hint, parameter_aliases
from ocelotboost.estimator.parameters import Choices, Range
from ocelotboost.tuning.workbench import Workbench

Space = dict[str, Range | Choices]

_FORMS = (
    "give names of parameters, or a dict from names to (low, high), a list of values, a Range or "
    "Choices"
)


def choose_space(given: Any, estimator: OcelotEstimator, bench: Workbench) -> Space:
    """What is searched: by default all that is declared, and open, and matters."""
    declared = declared_space(estimator)
    if given is None:
        searched = {
            name: search
            for name, search in declared.items()
            if _is_open(estimator, name) and (search.needs is None or search.needs in bench.has)
        }
        if not searched:
            raise ParameterError(
                "All parameters that tune would search are set in the estimator; leave some of "
                f"them at their defaults, or {_FORMS} as space."
            )
        return searched
    if isinstance(given, Mapping):
        return {name: _search(name, one, estimator, declared) for name, one in given.items()}
    if isinstance(given, Sequence) and not isinstance(given, str):
        return {name: _search(name, None, estimator, declared) for name in given}
    raise ParameterError(f"space={given!r} is not possible; {_FORMS}.")


def declared_space(estimator: OcelotEstimator | type[OcelotEstimator]) -> Space:
    """All parameters that have a range."""
    return {
        field.name: field.metadata["search"]
        for field in dataclasses.fields(estimator)
        if field.metadata["search"] is not None
    }


def first_trials(
    space: Space, estimator: OcelotEstimator, bench: Workbench
) -> list[dict[str, Any]]:
    """What is tried before the sampler suggests anything: the defaults, and the other recipes that
    a default fit would let race (estimator/choosing.py). Where the space does not have a default,
    the sampler is told the nearest value; trial 0 has the default itself."""
    settings = bench.resolve({}).settings
    chosen = {
        "learning_rate": settings.training.loop.learning_rate,
        "depth": settings.training.loop.depth,
        "boosting_type": settings.order.boosting_type,
        "one_hot_max_size": settings.quantize.one_hot_max_size,
        "rsm": settings.training.loop.rsm,
    }
    usual = {name: chosen.get(name, getattr(estimator, name)) for name in space}
    every = [usual, *({**usual, **asdict(recipe)} for recipe in bench.recipes)]
    found = [
        {name: value for name in space for value in _nearest(space[name], own[name])}
        for own in every
    ]
    return [one for i, one in enumerate(found) if one not in found[:i]]


def _nearest(search: Range | Choices, value: Any) -> list[Any]:
    """Of the values that are searched, the nearest to this one; nothing where no value is near."""
    if isinstance(search, Choices):
        return [value] if value in search.values else []
    value = search.usual if value is None else value
    return [] if value is None else [min(max(value, search.low), search.high)]


def _is_open(estimator: OcelotEstimator, name: str) -> bool:
    default = next(f.default for f in dataclasses.fields(estimator) if f.name == name)
    return bool(getattr(estimator, name) == default)


def _search(name: Any, given: Any, estimator: OcelotEstimator, declared: Space) -> Range | Choices:
    """One entry of a user's space."""
    fields = {field.name: field for field in dataclasses.fields(estimator)}
    if name not in fields:
        aliases = parameter_aliases(type(estimator))
        raise ParameterError(f"space: there is no parameter {name!r}{hint(str(name), aliases)}")
    if given is None:
        if name not in declared:
            raise ParameterError(
                f"space: no range is declared for {name!r}; give one, as in {{{name!r}: (low, "
                "high)}."
            )
        return declared[name]
    search = _as_search(name, given, declared)
    rule = fields[name].metadata["rule"]
    ends = search.values if isinstance(search, Choices) else (search.low, search.high)
    for value in ends:
        if not rule.holds(value):
            raise ParameterError(f"space: {name}={value!r} is not possible; give {rule.wanted}.")
    return search


def _as_search(name: str, given: Any, declared: Space) -> Range | Choices:
    if isinstance(given, Range | Choices):
        return given
    if isinstance(given, list) and given:
        return Choices(tuple(given))
    if isinstance(given, tuple) and len(given) == 2:
        low, high = given
        whole = isinstance(low, int) and isinstance(high, int)
        known = declared.get(name)
        if isinstance(known, Range):
            whole = known.whole
        if not low < high:
            raise ParameterError(f"space: {name!r} goes from {low!r} to {high!r}; give low < high.")
        log = isinstance(known, Range) and known.log and low > 0
        return Range(low, high, log=log, whole=whole)
    raise ParameterError(f"space: {name!r} is {given!r}; {_FORMS}.")
