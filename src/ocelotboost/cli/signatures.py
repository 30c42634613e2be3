"""Options that several commands share, added to their signatures, which typer reads."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any


def with_options(
    function: Callable[..., Any],
    run: Callable[..., Any],
    replaced: str,
    added: Mapping[str, tuple[Any, Any]],
    first: Mapping[str, tuple[Any, Any]] | None = None,
) -> Callable[..., Any]:
    """``run`` with the signature of ``function``, except for one parameter.

    replaced  the parameter that ``run`` makes of the options
    added     options: name -> (annotation, default)
    first     the same, in the place of ``replaced``
    """
    signature = inspect.signature(function, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name == replaced:
            parameters += _parameters(first or {})
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*parameters, *_parameters(added)]
    )
    run.__doc__, run.__name__, run.__annotations__ = function.__doc__, function.__name__, {}
    return run


def _parameters(options: Mapping[str, tuple[Any, Any]]) -> list[inspect.Parameter]:
    return [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
        for name, (annotation, default) in options.items()
    ]
