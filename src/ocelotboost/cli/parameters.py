"""An option for each training parameter, made from its declaration: name, type, default, text.

A parameter is declared once, in ``estimator/declared.py`` and next to it. Here its text becomes the
help, its choices the completion, and its rule the check.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from ocelotboost.cli.signatures import with_options
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.classifier import OcelotClassifier
from ocelotboost.estimator.hints import did_you_mean
from ocelotboost.estimator.parameters import Rule
from ocelotboost.estimator.regressor import OcelotRegressor
from ocelotboost.loss.registry import LOSSES
from ocelotboost.metric.registry import METRICS

ESTIMATORS = (OcelotClassifier, OcelotRegressor)

#: Parameters that are no options of their own, and what is there instead.
ELSEWHERE = {
    "cat_features": "--cat",
    "verbose": "--quiet",
    "interrupt": "Ctrl-C, which always saves the trees so far",
}

_MODEL = "Parameters of the model (all about one of them: ocelot params depth)"
_RUN = "Parameters of this run"


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A declared parameter.

    rule     what values it may have
    choices  the texts that it may be, if it is one of several
    owners   the estimators that have it
    """

    name: str
    default: Any
    rule: Rule
    text: str
    aliases: tuple[str, ...]
    runtime: bool
    choices: tuple[str, ...]
    is_flag: bool
    owners: tuple[type, ...]

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")


def parameters() -> dict[str, Parameter]:
    """All of them, by name, in the order of their declaration."""
    found: dict[str, Parameter] = {}
    for estimator in ESTIMATORS:
        hints = get_type_hints(estimator)
        for field in dataclasses.fields(estimator):
            known = found.get(field.name)
            if known is not None:
                owners = (*known.owners, estimator)
                found[field.name] = dataclasses.replace(known, owners=owners)
                continue
            about = field.metadata
            found[field.name] = Parameter(
                field.name,
                field.default,
                about["rule"],
                about["text"],
                tuple(about["aliases"]),
                about["runtime"],
                _choices(field.name, hints[field.name]),
                hints[field.name] is bool,
                (estimator,),
            )
    return found


def _choices(name: str, hint: Any) -> tuple[str, ...]:
    if name in ("loss_function", "eval_metric"):
        return tuple(LOSSES if name == "loss_function" else METRICS)
    pieces = [hint, *get_args(hint)]
    return tuple(c for p in pieces if get_origin(p) is Literal for c in get_args(p))


def option_for_alias(name: str) -> str | None:
    """The option for a parameter of another library, or for one with a similar name."""
    declared = parameters()
    meant = did_you_mean(name, {own.name: own.aliases for own in declared.values()})
    options = [ELSEWHERE.get(one, declared[one].option) for one in meant]
    return " or ".join(options) if options else None


# ---- as options ------------------------------------------------------------------------------


def with_parameters(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command gets an option for each parameter; ``given`` has those that the user gave, by name,
    as values."""
    declared = {n: own for n, own in parameters().items() if n not in ELSEWHERE}

    def run(*args: Any, **options: Any) -> Any:
        texts = {name: options.pop(name) for name in declared}
        given = {n: value_of(declared[n], t) for n, t in texts.items() if t is not None}
        return function(*args, given=given, **options)

    return with_options(
        function, run, "given", {name: (_annotation(own), None) for name, own in declared.items()}
    )


def _annotation(own: Parameter) -> Any:
    about: dict[str, Any] = {
        "help": _help(own),
        "rich_help_panel": _RUN if own.runtime else _MODEL,
        "show_default": False,
    }
    choices = ("true", "false") if own.is_flag else own.choices
    if choices:
        about["autocompletion"] = _completion(choices)
    return Annotated[str | None, typer.Option(own.option, metavar=_metavar(own), **about)]


def _completion(choices: tuple[str, ...]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return [c for c in choices if c.lower().startswith(incomplete.lower())]

    return complete


def _help(own: Parameter) -> str:
    """The first sentence of its text, and the default; ``ocelot params`` shows all of it."""
    first = re.split(r"(?<=[.])\s+(?=[A-Z'])", own.text)[0]
    text = re.sub(r"([\[\\])", r"\\\1", first)
    only = "" if len(own.owners) > 1 else f" For {_task(own.owners[0])} only."
    return f"{text}{only} [dim](default: {shown(own.default)})[/dim]"


def _task(owner: type) -> str:
    return "classification" if owner is OcelotClassifier else "regression"


def _metavar(own: Parameter) -> str:
    if own.is_flag:
        return "true|false"
    if own.choices:
        return "NAME"
    words = {"whole number": "INTEGER", "a number": "NUMBER", "a list of": "NUMBERS"}
    return next((meta for word, meta in words.items() if word in own.rule.wanted), "TEXT")


def shown(default: Any) -> str:
    """A default, as the command line takes it."""
    if isinstance(default, tuple):
        return ",".join(f"{one:g}" for one in default)
    if isinstance(default, bool) or default is None:
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)


# ---- texts -> values -------------------------------------------------------------------------


def value_of(own: Parameter, text: Any) -> Any:
    """What a text means: the first reading that the parameter's rule allows.

    >>> known = parameters()
    >>> value_of(known["depth"], "6"), value_of(known["priors"], "0,1"), value_of(
    ...     known["class_weights"], "yes=2,no=1"
    ... )
    (6, [0, 1], {'yes': 2, 'no': 1})
    """
    readings = iter([text]) if not isinstance(text, str) else _readings(text)
    for value in readings:
        if own.rule.holds(value):
            return _with_labels(value) if isinstance(value, dict) else value
    raise ParameterError(
        f"{own.option} {text} is not possible; give {_without_quotes(own.rule.wanted)} "
        f"(default: {shown(own.default)})."
    )


def _with_labels(weights: dict[Any, Any]) -> dict[Any, Any]:
    """Classes are texts here and in TOML; those that are numbers in a table are numbers."""
    return {_scalar(str(label)): weight for label, weight in weights.items()}


def _without_quotes(wanted: str) -> str:
    return wanted.replace("'", "").replace("None", "none")


def _readings(text: str) -> Iterator[Any]:
    """A text as None, truth, number, list, text and mapping, as far as it can be one."""
    words = {"none": None, "null": None, "true": True, "yes": True, "false": False, "no": False}
    if text.lower() in words:
        yield words[text.lower()]
    scalar = _scalar(text)
    if not isinstance(scalar, str):
        yield scalar
    if text[:1] in ("[", "{"):
        with contextlib.suppress(ValueError):
            yield json.loads(text)
    pieces = [piece.strip() for piece in text.split(",") if piece.strip()]
    if "," in text and "=" not in text:
        yield [_scalar(piece) for piece in pieces]
    yield text
    if all("=" in piece for piece in pieces):
        pairs = (piece.rsplit("=", 1) for piece in pieces)
        yield {key.strip(): _scalar(value) for key, value in pairs}
    if len(pieces) == 1:
        yield [scalar]


def _scalar(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
