"""An array of anything -> floats, or an error that says which element of what is no number.

float32 and float64 stay where they are; whatever float32 holds exactly becomes float32; all else
becomes float64. None and pandas' NA become NaN, which is missing.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import InputError
from ocelotboost.table.formulas import TimeKind
from ocelotboost.table.remedies import as_category, as_number

FloatArray: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

#: uint64 (2,): what categories are hashed under.
HashKey: TypeAlias = NDArray[np.uint64]

FLOAT32: np.dtype[np.float32] = np.dtype(np.float32)
FLOAT64: np.dtype[np.float64] = np.dtype(np.float64)

TEXT_REMEDY = "pass numbers, because the model was trained with numbers there"


class InputTypeError(InputError, TypeError):
    """An element has a type that cannot be used; scikit-learn expects a TypeError for those."""


@dataclass(frozen=True)
class Origin:
    """Where an array comes from, in a person's words.

    argument      "X", "y", "sample_weight", "eval_set[0]" ...
    column        "column 'age' (position 3)" when the array is one column
    n_columns     columns of the array when it is a matrix, whose elements are counted row by row
    first_column  where the matrix's first column stands in the argument
    unit          what the elements are: rows, or categories of a dictionary
    remedy        what to do when it is text
    library       what holds it: "pandas", "polars", "pyarrow", or "numpy"
    name          of the column in a data frame, as it is written in X[...]
    """

    argument: str
    column: str | None = None
    n_columns: int | None = None
    first_column: int = 0
    unit: str = "row"
    remedy: str = TEXT_REMEDY
    library: str = "numpy"
    name: object = None

    def whole(self) -> str:
        return self.argument if self.column is None else f"{self.column} of {self.argument}"

    def element(self, index: int) -> str:
        if self.n_columns is not None:
            row, column = divmod(index, self.n_columns)
            return f"row {row}, column {self.first_column + column} of {self.argument}"
        link = "," if self.column else " of"
        return f"{self.unit} {index}{link} {self.whole()}"

    def code(self, index: int = 0) -> str:
        """The column of an element as the user would write it: ``X['age']``, ``X[:, 3]``."""
        argument = self.argument if self.argument.isidentifier() else "X"
        if self.name is not None:
            return f"{argument}[{self.name!r}]"
        if self.n_columns is None and self.column is None:
            return argument
        return f"{argument}[:, {self.first_column + index % (self.n_columns or 1)}]"

    def of_category(self) -> Origin:
        """The same place, for the values of a column's dictionary."""
        return replace(self, unit="category")


class Header(NamedTuple):
    """What is known of a table before its columns are read; names are None where it has none."""

    names: tuple[str, ...] | None
    n_columns: int


class Reading(NamedTuple):
    """How X is to be read: the arguments of table_from_input, which says more."""

    argument: str
    cat_features: Any
    detect: bool
    check: Callable[[Header], None] | None
    hash_key: HashKey
    n_threads: int
    times: Mapping[int, TimeKind] | None = None

    def wants_time(self, position: int, found: TimeKind | None) -> TimeKind | None:
        """What a column is to be read as, which holds ``found``: None is a number."""
        return found if self.times is None else self.times.get(position)

    def detects(self, position: int) -> bool:
        """May the column be categorical by itself?"""
        return self.detect and position not in (self.times or {})

    def check_header(self, names: tuple[str, ...] | None, n_columns: int) -> None:
        if self.check is not None:
            self.check(Header(names, n_columns))


def floats(array: NDArray[Any], origin: Origin) -> FloatArray:
    """The array as float32 or float64 of the same shape, without a copy where possible."""
    kind = array.dtype.kind
    if kind in "fiub":
        target = float_dtype(array.dtype)
        if array.dtype == target and array.flags.aligned:
            return array
        # The order of bytes or the alignment may differ while the type is the same: copy then.
        return array.astype(FLOAT32) if target == FLOAT32 else array.astype(FLOAT64)
    if kind == "O":
        return _floats_from_objects(array, origin)
    raise not_numbers(array, origin)


def float_dtype(dtype: np.dtype[Any]) -> np.dtype[np.float32] | np.dtype[np.float64]:
    """The smallest of float32 and float64 that holds a real dtype's values (64 bits: nearly)."""
    exact_bytes = 4 if dtype.kind == "f" else 2
    return FLOAT32 if dtype.itemsize <= exact_bytes else FLOAT64


def has_text(column: NDArray[Any]) -> bool:
    """Is it text, or are there strings or booleans among its objects?"""
    if column.dtype.kind != "O":
        return column.dtype.kind in "UT"
    return any(issubclass(kind, str | bool | np.bool_) for kind in set(map(type, column)))


def is_missing(value: object) -> bool:
    """None, NaN, NaT, or pandas' NA (known by its type's name: pandas may not be there)."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, numbers.Real) and bool(value != value)


def first_where(mask: Iterable[Any]) -> int:
    """Position of the first true element; there must be one."""
    return next(index for index, true in enumerate(mask) if true)


def _floats_from_objects(array: NDArray[Any], origin: Origin) -> NDArray[np.float64]:
    foreign = {kind for kind in set(map(type, array.flat)) if not is_number_type(kind)}
    if foreign:
        index = first_where(type(value) in foreign for value in array.flat)
        _raise_no_number(array.flat[index], index, origin)
    try:
        return array.astype(FLOAT64)
    except (TypeError, ValueError, OverflowError):
        # pandas' NA, and numbers that float() refuses, such as 10 ** 400.
        converted = [_float(value, i, origin) for i, value in enumerate(array.flat)]
        return np.array(converted, dtype=FLOAT64).reshape(array.shape)


def is_number_type(kind: type) -> bool:
    """Are values of this type real numbers, booleans, or missing?"""
    if issubclass(kind, np.timedelta64):  # NumPy counts durations among the integers
        return False
    real = issubclass(kind, numbers.Real | Decimal | np.bool_)
    return real or kind is type(None) or kind.__name__ == "NAType"


def _float(value: Any, index: int, origin: Origin) -> float:
    if is_missing(value):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        _raise_no_number(value, index, origin)


def _raise_no_number(value: object, index: int, origin: Origin) -> NoReturn:
    remedy = origin.remedy
    if not isinstance(value, str):
        remedy = as_category(value, origin.library, origin.code(index))
    raise InputTypeError(
        f"{capital(origin.element(index))} is {shorten(value)} ({type(value).__name__}), which "
        "cannot be used: the argument must be free of strings and of anything else that is not a "
        f"number in the range of float64. Please {remedy}."
    )


def not_numbers(array: NDArray[Any], origin: Origin) -> InputError:
    """The error for an array whose dtype says that it holds no real numbers."""
    what, kind = capital(origin.whole()), array.dtype.kind
    if kind == "c":
        return InputError(
            f"Complex data not supported: {origin.whole()} has dtype {array.dtype}. "
            "Pass its real and imaginary parts as two columns."
        )
    if array.dtype.names is not None:
        return InputError(
            f"{what} is a structured array with the fields {list(array.dtype.names)}: "
            "make a data frame of it first, for example pandas.DataFrame(X)."
        )
    example = f" (for example {shorten(array.flat[0])})" if array.size else ""
    code = replace(origin, n_columns=None).code() if array.ndim > 1 else origin.code()
    if kind == "S":
        return InputError(
            f"{what} holds bytes{example}: decode them to text, for example by "
            f"numpy.char.decode({code}, 'utf-8')."
        )
    if kind in "UT":
        return InputError(f"{what} holds text{example}: {origin.remedy}.")
    kinds = {"M": "date", "m": "duration"}
    remedy = as_number(kinds.get(kind, "other"), "numpy", code)
    return InputError(f"{what} has dtype {array.dtype}{example}: {remedy}.")


def shorten(value: object) -> str:
    """A value as an error message shows it."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return str(value)
    try:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    except ValueError:  # Python does not print integers of more than 4300 digits
        return "too long to print"
    return text if len(text) <= 60 else text[:57] + "..."


def capital(text: str) -> str:
    """The beginning of a sentence: "Row 3 of y ...", but "y ..." as the user wrote it."""
    return text[0].upper() + text[1:] if text.startswith(("row ", "column ", "category ")) else text
