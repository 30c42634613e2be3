"""CSV and TSV: which delimiter, which types, and what pyarrow's errors mean.

Types are found from all rows when a table is read at once. A stream finds them from its first
block alone, so whoever reads one says which columns are numbers and which are texts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ocelotboost.errors import InputError
from ocelotboost.files.opened import Opened
from ocelotboost.table.sources import pyarrow_module

_DELIMITERS = ",;\t|"
_FIRST_BYTES = 1 << 16
_SHOWN = 60


#: What a column can be, as pyarrow says it. A text stays as it is written: "007" is not 7.
TYPES: dict[str, Callable[[Any], Any]] = {
    "text": lambda arrow: arrow.string(),
    "number": lambda arrow: arrow.float64(),
    "date": lambda arrow: arrow.timestamp("us"),
    "date with zone": lambda arrow: arrow.timestamp("us", "UTC"),
    "time": lambda arrow: arrow.time64("us"),
}


def delimiter_of(opened: Opened, given: str | None, beginning: bytes) -> str:
    """The one that is given, or that the first line has most of."""
    if given is not None:
        character = {"tab": "\t", "\\t": "\t"}.get(given, given)
        if len(character) != 1:
            raise InputError(f"The delimiter {given!r} is not one character (or 'tab').")
        return character
    if opened.format.kind == "tsv":
        return "\t"
    line = beginning.split(b"\n", 1)[0].decode("utf-8", "replace")
    outside = re.sub(r'"[^"]*"', "", line)
    return max(_DELIMITERS, key=lambda one: (outside.count(one), -_DELIMITERS.index(one)))


def csv_options(
    delimiter: str,
    *,
    names: Collection[str] | None,
    header: bool,
    encoding: str,
    types: Mapping[str, str],
    missing: Collection[str] = (),
    columns: Collection[str] | None = None,
    newlines: bool,
) -> dict[str, Any]:
    """Keywords of ``read_csv`` and ``open_csv``.

    names     of the columns; None: the first line has them, or they are numbered
    header    whether the first line is no row
    types     of columns, whatever their rows look like: names in ``TYPES``
    missing   texts that mean it, in addition to empty cells, NA, NaN, NULL and the like
    columns   the only ones that are read; None: all
    newlines  texts in quotes may go over several lines, which takes longer
    """
    csv, arrow = (pyarrow_module(n, "CSV files") for n in ("pyarrow.csv", "pyarrow"))
    known = {name: TYPES[kind](arrow) for name, kind in types.items()}
    return {
        "read_options": csv.ReadOptions(
            column_names=None if names is None else list(names),
            skip_rows=1 if names is not None and header else 0,
            autogenerate_column_names=names is None and not header,
            encoding=encoding,
            use_threads=not newlines,
        ),
        "parse_options": csv.ParseOptions(delimiter=delimiter, newlines_in_values=newlines),
        "convert_options": csv.ConvertOptions(
            column_types=known,
            include_columns=None if columns is None else list(columns),
            # "true" stays a text, in training and in a stream of rows to predict alike.
            true_values=[],
            false_values=[],
            null_values=[*csv.ConvertOptions().null_values, *missing],
            strings_can_be_null=True,
        ),
    }


def explained(error: Exception, name: str) -> InputError:
    """An error of pyarrow, as one sentence with what to do."""
    text = " ".join(str(error).split())
    uneven = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): ?(.*)", text)
    if uneven:
        row, expected, found, line = uneven.groups()
        where = f"line {row}" if row else "a line"
        return InputError(
            f"{name}: {where} has {found} values instead of {expected}: "
            f"{_short(line)}. Repair the line, or give another --delimiter."
        )
    converted = re.search(
        r"In CSV column #\d+: (?:Row #(\d+): )?(?:CSV )?conversion error to (\w+): "
        r"invalid value '(.*)'",
        text,
    )
    if converted:
        row, wanted, value = converted.groups()
        kind = "a number" if wanted in ("double", "int64", "float") else f"of type {wanted}"
        where = f"line {row}: " if row else ""
        return InputError(
            f"{name}: {where}{_short(value)} is not {kind}. If it means a missing value: --missing "
            f"{shlex.quote(value)}"
        )
    if "Empty CSV file" in text:
        return InputError(f"{name} is empty.")
    if "UTF8" in text or "utf-8" in text.lower():
        return InputError(f"{name} is not UTF-8: give its --encoding, such as latin-1.")
    return InputError(f"{name} cannot be read: {text.rstrip('.')}.")


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")
