"""Errors about the shape of X, in scikit-learn's words where it has some."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.table.values import Origin, not_numbers, shorten


def wrong_dimensions(X: NDArray[Any], argument: str) -> InputError:
    """The error for an array that is not rows and columns."""
    if X.dtype.names is not None:
        return not_numbers(X, Origin(argument))
    given = argument if argument.isidentifier() else "X"
    remedy = (
        f"Reshape your data: numpy.reshape({given}, (-1, 1)) if it is a single column, "
        f"numpy.reshape({given}, (1, -1)) if it is a single row."
    )
    if X.dtype.kind == "O" and X.size and isinstance(X.flat[0], Mapping):
        remedy = (
            f"Its elements are dicts: make a data frame of it first, pandas.DataFrame({given})."
        )
    if X.ndim > 2:
        remedy = (
            f"Reshape your data to rows and columns: numpy.reshape({given}, (len({given}), -1))."
        )
    return InputError(
        f"Expected 2D array, got {X.ndim}D array instead ({argument} has shape {X.shape}). {remedy}"
    )


def no_table(X: object, argument: str) -> InputError:
    """The error for something that holds no values at all."""
    remedy = "Pass a data frame, a NumPy array or a list of rows."
    if isinstance(X, str | PathLike):
        remedy = "To train on a file, read it first, for example with polars.read_csv."
    if isinstance(X, dict):
        remedy = "Make a data frame of it first, for example pandas.DataFrame(X)."
    return InputError(
        f"Expected 2D array, got scalar array instead ({argument} is {shorten(X)}, "
        f"a {type(X).__name__}). {remedy}"
    )


def empty(n_rows: int, n_columns: int, argument: str) -> InputError:
    """The error for a table without rows or without columns."""
    found = "0 sample(s)" if n_rows == 0 else "0 feature(s)"
    return InputError(
        f"Found array with {found} (shape=({n_rows}, {n_columns})) while a minimum of 1 is "
        f"required. Check how {argument} was selected: nothing is left of it."
    )


def uneven_rows(X: Any) -> str:
    """Which row of a list of lists differs from the first, if that is what is wrong."""
    try:
        lengths = [len(row) for row in X]
    except TypeError:
        return ""
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            return f" (row 0 has {lengths[0]} values, row {row} has {length})"
    return ""
