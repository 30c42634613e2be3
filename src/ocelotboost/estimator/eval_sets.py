"""Rows to watch, as users give them: eval_set, or X_val and y_val."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ocelotboost.boost.evaluation import LEARN, UNSEEN
from ocelotboost.errors import InputError
from ocelotboost.estimator.reading import Arguments, Given, read_alike
from ocelotboost.estimator.target import Target
from ocelotboost.quantize.quantizer import refuse_missing
from ocelotboost.table.cache_directory import CacheDirectory
from ocelotboost.table.columns import Table
from ocelotboost.table.labelled import LabelledTable, WatchedRows
from ocelotboost.table.roles import match_columns, row_weights
from ocelotboost.table.sources import is_source
from ocelotboost.table.values import Header

#: In the history: rows that were held out of the training data, or given as X_val and y_val.
VALIDATION = "validation"

_FORMS = "give (X, y), (X, y, weight), a list of such, or a dict of names and such"


@dataclass(frozen=True)
class GivenRows:
    """One eval set before anybody has looked into it.

    name       in the history
    argument   what errors call it
    arguments  what errors call its X, y and weight
    """

    name: str
    argument: str
    given: Given
    arguments: Arguments

    @classmethod
    def from_item(cls, name: str, argument: str, item: Any, like: Given) -> GivenRows:
        """From one element of eval_set. A source alone has target and weight in the columns in
        which the training data ``like`` has them."""
        if is_source(item) and not isinstance(item, tuple | list) and isinstance(like.y, str):
            item = (item, like.y, like.weight if isinstance(like.weight, str) else None)
        if not isinstance(item, tuple | list):
            raise InputError(f"{argument} is of type {type(item).__name__}; {_FORMS}.")
        if len(item) not in (2, 3):
            raise InputError(f"{argument} has {len(item)} elements; {_FORMS}.")
        arguments = Arguments(f"{argument} X", f"{argument} y", f"{argument} weight")
        return cls(name, argument, Given(*(*item, None)[:3]), arguments)


def rows_to_watch(
    eval_set: Any, X_val: Any, y_val: Any, sample_weight_val: Any, training: Given
) -> list[GivenRows]:
    """Whichever of the two forms is used."""
    if X_val is None and y_val is None and sample_weight_val is None:
        return _from_eval_set(eval_set, training)
    if eval_set is not None:
        raise InputError("eval_set and X_val are two ways to give rows to watch; use one of them.")
    if X_val is None or y_val is None:
        raise InputError("X_val and y_val go together; give both of them.")
    arguments = Arguments("X_val", "y_val", "sample_weight_val")
    return [GivenRows(VALIDATION, "X_val", Given(X_val, y_val, sample_weight_val), arguments)]


def _from_eval_set(eval_set: Any, training: Given) -> list[GivenRows]:
    if eval_set is None:
        return []
    if isinstance(eval_set, Mapping):
        for name in eval_set:
            _check_name(name)
        items = eval_set.items()
        return [GivenRows.from_item(n, f"eval_set[{n!r}]", item, training) for n, item in items]
    listed = eval_set if isinstance(eval_set, list) else [eval_set]
    return [
        GivenRows.from_item(f"eval_{i}", f"eval_set[{i}]", item, training)
        for i, item in enumerate(listed)
    ]


def _check_name(name: Any) -> None:
    taken = (LEARN, UNSEEN)
    if not isinstance(name, str) or not name or name in taken:
        raise InputError(
            f"An eval set is called {name!r}; use a text, and not {LEARN!r} or {UNSEEN!r}, which "
            "are the training rows in history_."
        )


def watched_rows(
    given: list[GivenRows], training: Table, learned: Target, nan_mode: str, cache: CacheDirectory
) -> list[WatchedRows]:
    """Tables and targets, known to fit the training data."""
    inputs = []
    for rows in given:
        check = partial(_match_training, rows.argument, training)
        table, y, weights = read_alike(rows.given, training, rows.arguments, check, cache)
        target = learned.encode(y, table.n_rows, rows.arguments.y)
        with _naming(rows.argument):
            learned.loss.check_target(target)
            if nan_mode == "Forbidden":
                refuse_missing(table, n_threads=1)
        weight = row_weights(weights, table.n_rows, argument=rows.arguments.weight)
        inputs.append(WatchedRows(rows.name, LabelledTable(table, target, weight)))
    return inputs


def _match_training(argument: str, training: Table, header: Header) -> None:
    with _naming(argument):
        match_columns(header, training.names, training.n_given, "the model")


@contextmanager
def _naming(argument: str) -> Iterator[None]:
    """An error says which of the user's tables it is about."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"{argument}: {problem}") from None
