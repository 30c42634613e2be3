"""Keywords that nobody knows here, and what their writer may have meant.

People come from CatBoost, LightGBM, XGBoost and scikit-learn, and type what is called so there. The
other libraries' names are declared with the parameters (``aliases``).
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Class = TypeVar("Class", bound=type)
Given = ParamSpec("Given")
Result = TypeVar("Result")

#: What the arguments of ``fit`` are called elsewhere.
FIT_ALIASES: Mapping[str, Collection[str]] = {
    "sample_weight": ("weight", "weights", "sample_weights"),
    "eval_set": ("eval_sets", "eval_data", "evals", "valid_sets", "validation_data", "test_set"),
    "X_val": ("eval_X", "X_valid", "X_eval"),
    "y_val": ("eval_y", "y_valid", "y_eval"),
    "sample_weight_val": ("eval_sample_weight", "sample_weight_eval_set"),
    "cat_features": ("categorical_feature", "categorical_features", "cat_feature"),
    "init_model": ("xgb_model", "model", "base_model"),
    "callbacks": ("callback",),
    "snapshot": ("snapshot_file", "save_snapshot", "checkpoint"),
}


def parameter_aliases(cls: type) -> dict[str, Collection[str]]:
    """By parameter: what it is called elsewhere."""
    return {declared.name: declared.metadata["aliases"] for declared in dataclasses.fields(cls)}


def did_you_mean(name: str, aliases: Mapping[str, Collection[str]]) -> list[str]:
    """The names that ``name`` is an alias of, or that it looks like.

    >>> did_you_mean("n_estimators", {"iterations": ("n_estimators",), "depth": ()})
    ['iterations']
    >>> did_you_mean("Depht", {"iterations": ("n_estimators",), "depth": ()})
    ['depth']
    """
    meant = [known for known, others in aliases.items() if name in others]
    if not meant:
        by_lower_case = {known.lower(): known for known in aliases}
        close = difflib.get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.75)
        meant = [by_lower_case[match] for match in close]
    return meant


def hint(name: str, aliases: Mapping[str, Collection[str]]) -> str:
    """The end of an error message: a question, or nothing."""
    meant = did_you_mean(name, aliases)
    return f"; did you mean {_listed(meant)}?" if meant else ""


def hint_in_constructor(cls: Class) -> Class:
    """The constructor of a dataclass says what an unknown keyword is called here; its signature
    stays the one that the fields declare."""
    construct: Callable[..., None] = cls.__init__  # type: ignore[misc]
    aliases = parameter_aliases(cls)

    @wraps(construct)
    def with_hints(self: Any, *args: Any, **keywords: Any) -> None:
        for name in keywords:
            if name not in aliases:
                raise TypeError(_unexpected(self, "__init__", name) + hint(name, aliases))
        construct(self, *args, **keywords)

    cls.__init__ = with_hints  # type: ignore[misc]
    return cls


def hint_in_fit(fit: Callable[Given, Result]) -> Callable[Given, Result]:
    """The same for ``fit`` and ``plan``, where people also give what belongs to the constructor."""
    known = [name for name in inspect.signature(fit).parameters if name != "self"]
    own = {name: FIT_ALIASES.get(name, ()) for name in known}

    @wraps(fit)
    def with_hints(*args: Given.args, **keywords: Given.kwargs) -> Result:
        for name in keywords:
            if name not in own:
                unexpected = _unexpected(args[0], fit.__name__, name)
                raise TypeError(unexpected + _fit_hint(args[0], name, own))
        return fit(*args, **keywords)

    return with_hints


def _fit_hint(estimator: Any, name: str, own: Mapping[str, Collection[str]]) -> str:
    if name in (alias for others in own.values() for alias in others):
        return hint(name, own)
    declared = parameter_aliases(type(estimator))
    meant = [name] if name in declared else did_you_mean(name, declared)
    if not meant:
        return hint(name, own)
    kind, calls = type(estimator).__name__, [f"{one}=..." for one in meant]
    return f"; give it to the constructor: {' or '.join(f'`{kind}({call})`' for call in calls)}"


def _unexpected(estimator: Any, method: str, name: str) -> str:
    """As Python says it."""
    return f"{type(estimator).__name__}.{method}() got an unexpected keyword argument {name!r}"


def _listed(names: Iterable[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)
