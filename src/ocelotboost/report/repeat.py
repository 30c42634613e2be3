"""What it takes to repeat the training: parameters, versions, seed, and the command."""

from __future__ import annotations

import ast
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ocelotboost.report.document import (
    Block,
    Cell,
    Code,
    Paragraph,
    Section,
    Table,
    code,
    listed,
    section,
    strong,
)
from ocelotboost.report.figures import count, number
from ocelotboost.report.subject import Subject

_PACKAGES = ("ocelot-boost", "numpy", "scikit-learn", "narwhals", "safetensors")


def repeat_section(subject: Subject) -> Section:
    return section("repeat", "Repeat", "How to repeat the training", _blocks(subject))


def _blocks(subject: Subject) -> Iterator[Block]:
    model, chosen = subject.model, subject.model.resolved
    seed = subject.parameters.get("random_state")
    n_trees = count(model.forest.n_trees, "tree")
    yield Paragraph(
        f"{code(subject.estimator)}, loss {code(model.loss)}: {n_trees} in "
        f"{_modes(subject)} mode, learning rate {strong(number(chosen.learning_rate))}, "
        f"sampling {chosen.bootstrap_type}, leaves by {chosen.leaf_estimation_method}. "
        + (f"The seed is {strong(str(seed))}." if seed is not None else "No seed was given.")
        + " With the same rows, parameters and version, training gives the same bits on any "
        "machine."
    )
    if model.dropped_parameters:
        names = [code(own) for own in model.dropped_parameters]
        yield Paragraph(
            f"Objects of the user's own are not part of a saved model: {listed(names)}. Give them "
            "again.",
            "warning",
        )
    yield Code(_command(subject))
    if model.choices:
        yield Table(
            ("left open", "became", "because"),
            tuple(
                (code(name), Cell(strong(_short(own.value))), own.reason)
                for name, own in model.choices.items()
            ),
            "Parameters that training chose.",
            left=(0, 1, 2),
        )
    yield Table(
        ("package", "version"),
        (("Python", platform.python_version()), *((name, _version(name)) for name in _PACKAGES)),
        "The versions that made this report.",
        left=(0, 1),
    )
    yield Table(
        ("parameter", "value"),
        tuple(
            (code(name), Cell(strong(_short(value)) if _changed(subject, name) else _short(value)))
            for name, value in subject.parameters.items()
        ),
        "Those that differ from their defaults are bold.",
        left=(0, 1),
        collapsed=f"All {len(subject.parameters)} parameters",
        page_only=True,  # the command has those that differ from their defaults
    )


def _modes(subject: Subject) -> str:
    """Several models may take turns in their mode."""
    choice = subject.model.choices.get("boosting_type")
    if choice is not None and isinstance(choice.value, list):
        return listed(choice.value)
    return subject.model.resolved.boosting_type


def _changed(subject: Subject, name: str) -> bool:
    return repr(subject.parameters[name]) != repr(subject.defaults.get(name))


def _command(subject: Subject) -> str:
    changed = [
        f"    {name}={value!r}," if _is_literal(value) else f"    {name}=...,  # an object"
        for name, value in subject.parameters.items()
        if _changed(subject, name)
    ]
    made = (
        "\n".join([f"{subject.estimator}(", *changed, ")"])
        if changed
        else (f"{subject.estimator}()")
    )
    continued = ", init_model=..." if subject.model.n_init_trees else ""
    own_rows = ("learn", "ordered", "validation")  # those that fit itself sets aside included
    watched = any(own not in own_rows for own in subject.model.history)
    rows = ", eval_set=(X_val, y_val)" if watched else ""
    return (
        f"# pip install ocelot-boost=={_version('ocelot-boost')}\n"
        f"from ocelotboost import {subject.estimator}\n\n"
        f"model = {made}\n"
        f"model.fit(X, y{rows}{continued})"
    )


def _is_literal(value: Any) -> bool:
    """Whether its text is Python that makes the same value."""
    try:
        ast.literal_eval(repr(value))
    except (SyntaxError, ValueError):
        return False
    return True


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
