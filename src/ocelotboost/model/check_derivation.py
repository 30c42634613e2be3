"""Whether columns of dates and derived columns fit the forest."""

from __future__ import annotations

from ocelotboost.model.check_categories import require
from ocelotboost.model.forest import Forest
from ocelotboost.table.formulas import KINDS, Derivation, Formula, reads_texts

_TIMES = ("date", "time", "duration")


def check_derivation(forest: Forest) -> None:
    """Raise ModelFileError unless all columns are there and hold what is derived from them."""
    derivation = forest.derivation
    require(
        len(derivation.formulas) <= forest.n_features,
        f"there are {len(derivation.formulas)} derived columns among {forest.n_features}",
    )
    for column, kind in derivation.times.items():
        _check_column(forest, column, "times")
        require(kind.what in _TIMES, f"the column {column} holds {kind.what!r}, not times")
        named = isinstance(kind.zone, str) and kind.what == "date"
        require(kind.zone is None or named, f"the time zone {kind.zone!r} is none of dates")
    for formula in derivation.formulas:
        _check_formula(forest, formula, derivation)
    derived = forest.categorical[forest.n_given :]
    require(not derived.any(), "a derived column holds categories")


def _check_formula(forest: Forest, formula: Formula, derivation: Derivation) -> None:
    known = isinstance(formula.kind, str) and formula.kind in KINDS
    require(known, f"a derived column is of the kind {formula.kind!r}, which is not known")
    takes = KINDS[formula.kind].takes
    require(
        len(formula.sources) == len(takes),
        f"a derived column {formula.kind!r} has {len(formula.sources)} sources, not {len(takes)}",
    )
    for source, wanted in zip(formula.sources, takes, strict=True):
        _check_column(forest, source, "a derived column", categorical=reads_texts(wanted))
        if reads_texts(wanted):
            continue
        kind = derivation.times.get(source)
        holds = "number" if kind is None else kind.what
        # A number may be the elapsed time of a date, too.
        fits = wanted == "number" or holds == wanted
        require(fits, f"a derived column {formula.kind!r} is about column {source}, of {holds}s")


def _check_column(forest: Forest, column: object, what: str, categorical: bool = False) -> None:
    """A column of the user's, with categories or without."""
    whole = type(column) is int and 0 <= column < forest.n_given
    require(whole, f"{what} is about column {column!r}, but the model has {forest.n_given}")
    assert isinstance(column, int)
    holds = "categories" if forest.categorical[column] else "numbers"
    fits = bool(forest.categorical[column]) == categorical
    require(fits, f"{what} is about column {column}, of {holds}")
