"""Categories: when two values are the same, and columns of them as 64-bit hashes.

Two values are the same category when their canonical texts are the same, and a category is the
hash of that text under a key, which all columns of a table and of its model share:

    text                    itself            "Paris"  -> "Paris"
    whole numbers           their digits      1, 1.0, Decimal("1.00"), "1"  -> "1"
    other numbers           Python's repr     0.1, Decimal("0.10"), "0.1"  -> "0.1"
    infinities              inf and -inf
    booleans                True and False    True, "True"  -> "True"
    None, NaN, NaT, NA      missing: a category of its own, which no text is

float32 numbers are float64 numbers first: np.float32(0.1) is "0.10000000149011612".
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import NoneType
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.table.remedies import as_category
from ocelotboost.table.values import (
    HashKey,
    InputTypeError,
    Origin,
    capital,
    first_where,
    is_missing,
    is_number_type,
    shorten,
)

Hashes: TypeAlias = NDArray[np.uint64]
Codes: TypeAlias = NDArray[np.uint32]
Rows: TypeAlias = NDArray[np.intp]

MISSING_HASH = 0
TEXTS_AT_ONCE = 1 << 14


#: Rows that tell columns of ids.
_LOOKED_AT = 2_000


class TextsNotKeptError(Exception):
    """Texts of a column that was read in batches, and has many values."""


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """One category a row, as hashes of canonical texts; missing is hash 0.

    hashes  uint64: of every entry of a dictionary that a row uses; of every row when codes is None
    codes   uint32 (n_rows,) into hashes, or None
    texts   canonical texts of some rows (their positions), None is missing; made only when asked,
            and may raise TextsNotKeptError
    """

    hashes: Hashes
    codes: Codes | None
    texts: Callable[[Rows], list[str | None]]

    @property
    def n_rows(self) -> int:
        return len(self.hashes if self.codes is None else self.codes)

    def row_hashes(self) -> Hashes:
        """uint64 (n_rows,)."""
        return self.hashes if self.codes is None else self.hashes[self.codes]

    def seems_to_exceed(self, most_values: int) -> bool:
        """Have a few rows more values than this? So have columns of ids, which costs little to
        see."""
        some = np.linspace(0, self.n_rows - 1, num=min(self.n_rows, _LOOKED_AT)).astype(np.intp)
        return len(np.unique(self.row_hashes()[some])) > most_values

    def take(self, rows: NDArray[Any]) -> CategoryColumn:
        """The same column for a choice of rows (an integer array)."""
        chosen = np.asarray(rows, dtype=np.intp)

        def texts(rows: Rows) -> list[str | None]:
            return self.texts(chosen[rows])

        if self.codes is None:
            return CategoryColumn(self.hashes[chosen], None, texts)
        return CategoryColumn(self.hashes, self.codes[chosen], texts)

    def encode(self, n_threads: int) -> tuple[Codes, Hashes]:
        """Codes uint32 (n_rows,) and values uint64 (n_values,).

        Values are the distinct hashes of the rows, ascending; a code is the place of its row's hash
        among them. What a dictionary has and no row uses is left out.
        """
        if self.codes is None:
            return encode_hashes(self.hashes, n_threads)
        used = np.zeros(len(self.hashes), dtype=np.bool_)
        used[self.codes] = True
        places = np.zeros(len(self.hashes), dtype=np.uint32)
        places[used], values = encode_hashes(self.hashes[used], n_threads)
        return places[self.codes], values

    def distinct(self) -> tuple[Codes, Rows]:
        """Codes of the rows, uint32 (n_rows,), and a row of each code."""
        codes, values = self.encode(1)
        rows = np.zeros(len(values), dtype=np.intp)
        rows[codes[::-1]] = np.arange(self.n_rows)[::-1]
        return codes, rows


def encode_hashes(hashes: Hashes, n_threads: int) -> tuple[Codes, Hashes]:
    """Codes of the rows, and the distinct hashes, ascending."""
    codes = np.empty(len(hashes), dtype=np.uint32)
    values = np.empty(len(hashes), dtype=np.uint64)
    n_values = native.encode_hashes(hashes, codes, values, n_threads=n_threads)
    return codes, values[:n_values].copy()


# ---- canonical texts ------------------------------------------------------------------------


def canonical_text(value: Any) -> str | None:
    """The text that stands for a value; None when it is missing.

    >>> [canonical_text(v) for v in (1, 1.0, "1", Decimal("1.00"), True, 0.5, -0.0, float("nan"))]
    ['1', '1', '1', '1', 'True', '0.5', '0', None]
    """
    if isinstance(value, str | bool | int):
        return str(value)
    if is_missing(value):
        return None
    if isinstance(value, np.bool_):
        return str(bool(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, Decimal):
        return _decimal_text(value)
    return _float_text(float(value))


def _float_text(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite():
        return _float_text(float(value))
    digits = format(value, "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def text_hashes(texts: Sequence[str | None], key: HashKey) -> Hashes:
    """Hashes uint64 (n,) of canonical texts; None is missing."""
    hashes = np.empty(len(texts), dtype=np.uint64)
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        some = slice(first, first + TEXTS_AT_ONCE)
        _hash_texts(texts[some], key, hashes[some])
    return hashes


def _hash_texts(texts: Sequence[str | None], key: HashKey, out_hashes: Hashes) -> None:
    valid, present = None, cast(Sequence[str], texts)
    if None in texts:
        valid = np.array([text is not None for text in texts], dtype=np.bool_)
        present = [text or "" for text in texts]
    joined = "".join(present)
    if joined.isascii():
        encoded, sizes = joined.encode(), map(len, present)
    else:
        # Half of a surrogate pair is no UTF-8, but Python strings may hold one.
        pieces = [text.encode("utf-8", "surrogatepass") for text in present]
        encoded, sizes = b"".join(pieces), map(len, pieces)
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(sizes, np.int64, len(texts)), out=offsets[1:])
    joined_bytes = np.frombuffer(encoded, dtype=np.uint8)
    native.hash_texts(offsets, joined_bytes, valid, key, out_hashes, n_threads=1)


# ---- arrays ---------------------------------------------------------------------------------


def category_column(
    array: NDArray[Any], origin: Origin, key: HashKey, n_threads: int
) -> CategoryColumn:
    """A column (n_rows,) of any dtype as categories; NaN and None are missing."""
    kind = array.dtype.kind

    def texts(rows: Rows) -> list[str | None]:
        return [canonical_text(value) for value in array[rows].tolist()]

    if kind == "b":
        return CategoryColumn(text_hashes(["False", "True"], key), array.astype(np.uint32), texts)
    if kind in "iu":
        return CategoryColumn(integer_hashes(array, key, n_threads), None, texts)
    if kind == "f":
        return CategoryColumn(float_hashes(array, key, n_threads), None, texts)
    if kind not in "OUT":
        raise unsupported(array[0], 0, origin)
    return CategoryColumn(_object_hashes(array.tolist(), origin, key), None, texts)


def integer_hashes(values: NDArray[Any], key: HashKey, n_threads: int) -> Hashes:
    """Hashes uint64 (n,) of whole numbers of any width."""
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    hashes = np.empty(len(values), dtype=np.uint64)
    native.hash_integers(np.ascontiguousarray(values, dtype=wide), key, hashes, n_threads=n_threads)
    return hashes


def float_hashes(values: NDArray[Any], key: HashKey, n_threads: int) -> Hashes:
    """Hashes uint64 (n,) of floats of any width; NaN is missing."""
    values = values.astype(np.float64, copy=False)
    whole = (np.abs(values) < 2.0**63) & (values == np.rint(values))
    hashes = integer_hashes(np.where(whole, values, 0).astype(np.int64), key, n_threads)
    distinct, places = np.unique(values[~whole], return_inverse=True)
    texts = [canonical_text(value) for value in distinct.tolist()]
    hashes[~whole] = text_hashes(texts, key)[places]
    return hashes


def _object_hashes(values: list[Any], origin: Origin, key: HashKey) -> Hashes:
    """Hashes uint64 (n,) of strings, numbers, booleans and missing values in any mixture."""
    kinds = set(map(type, values))
    foreign = {kind for kind in kinds if not _is_category_type(kind)}
    if foreign:
        row = first_where(type(value) in foreign for value in values)
        raise unsupported(values[row], row, origin)
    if all(issubclass(kind, str | NoneType) for kind in kinds):
        return text_hashes(values, key)
    try:
        return text_hashes([canonical_text(value) for value in values], key)
    except (ValueError, OverflowError) as error:  # such as 10 ** 5000
        row = first_where(not _has_text(value) for value in values)
        raise unsupported(values[row], row, origin) from error


def _is_category_type(kind: type) -> bool:
    return issubclass(kind, str) or is_number_type(kind) or kind.__name__ == "NaTType"


def _has_text(value: Any) -> bool:
    try:
        canonical_text(value)
    except (ValueError, OverflowError):
        return False
    return True


def unsupported(value: object, row: int, origin: Origin) -> InputTypeError:
    """The error for a value that has no canonical text."""
    return InputTypeError(
        f"{capital(origin.element(row))} is {shorten(value)} ({type(value).__name__}), which is no "
        "category: the argument must be a string, a boolean or a number there. "
        f"Please {as_category(value, origin.library, origin.code(row))}."
    )
