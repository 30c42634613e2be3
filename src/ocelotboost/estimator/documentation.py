"""The estimators' documentation, from their declarations and docstrings.

The same tables become the class docstrings (numpydoc) and docs/estimators.md.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from ocelotboost.estimator.parameters import Rule

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Member:
    """A fitted attribute with its type, or a method with its arguments; and the first paragraph
    of its docstring."""

    name: str
    form: str
    text: str

    def entry(self, between: str) -> str:
        """As numpydoc wants it."""
        return f"{self.name}{between}{self.form}\n    {self.text}"


def fitted_attributes(cls: type) -> list[Member]:
    """What ``fit`` leaves behind, ending in an underscore."""
    return [
        Member(name, str(member.fget.__annotations__["return"]), _first_paragraph(member))
        for name, member in _ours(cls)
        if isinstance(member, property) and name.endswith("_")
    ]


def methods(cls: type) -> list[Member]:
    """What can be called."""
    return [
        Member(name, _arguments(member), _first_paragraph(member))
        for name, member in _ours(cls)
        if inspect.isfunction(member)
    ]


def documented(cls: Class) -> Class:
    """Complete the docstring of an estimator: its first part, then sections, then its example."""
    idea, _, example = inspect.cleandoc(cls.__doc__ or "").partition("\n\n>>> ")
    cls.__doc__ = "\n".join(
        [
            idea,
            *_section("Parameters", _parameters(cls)),
            *_section("Attributes", [m.entry(" : ") for m in fitted_attributes(cls)]),
            *_section("Methods", [m.entry("") for m in methods(cls)]),
            *_section("Examples", [f">>> {example}"]),
        ]
    )
    return cls


def _ours(cls: type) -> Iterator[tuple[str, Any]]:
    """Public members that this package defines, in alphabetical order."""
    ours = [c for c in cls.__mro__ if c.__module__.startswith("ocelotboost.")]
    names = {name for c in ours for name in vars(c) if not name.startswith("_")}
    declared = {f.name for f in dataclasses.fields(cls)}
    for name in sorted(names - declared):
        yield name, inspect.getattr_static(cls, name)


def _arguments(method: Any) -> str:
    """As they are written in a call, without ``self`` and types."""
    signature = inspect.signature(method)
    bare = [
        argument.replace(annotation=argument.empty)
        for name, argument in signature.parameters.items()
        if name != "self"
    ]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def _first_paragraph(member: Any) -> str:
    text = inspect.cleandoc(member.__doc__ or "").split("\n\n")[0]
    return " ".join(text.split())


def _parameters(cls: type) -> Iterator[str]:
    for declared in dataclasses.fields(cls):
        rule: Rule = declared.metadata["rule"]
        yield f"{declared.name} : {rule.wanted}; default {declared.default!r}"
        yield f"    {declared.metadata['text']}"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    return ["", title, "-" * len(title), *lines]
