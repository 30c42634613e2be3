"""What a file is: by the ending of its name, or by its first bytes."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ocelotboost.errors import InputError

Kind = Literal["csv", "tsv", "parquet", "arrow", "json", "libsvm"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: The name of stdin among paths, and of stdout.
STREAM = "-"

_ENDINGS: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
}
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_BEGINNINGS = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"))


@dataclass(frozen=True)
class Format:
    """kind         how rows are written
    compression  "gzip", "zstd" or None
    """

    kind: Kind
    compression: str | None = None

    @property
    def streams(self) -> bool:
        """Can it be read from the first byte to the last, without going back?"""
        return self.kind in ("csv", "tsv", "json")


def format_of(path: str, given: str | None = None) -> Format:
    """By the name of the file; ``given`` is a kind that the user named.

    >>> format_of("sales.csv.gz")
    Format(kind='csv', compression='gzip')
    >>> format_of("sales.data", "tsv")
    Format(kind='tsv', compression=None)
    """
    endings = [ending.lower() for ending in Path(path).suffixes]
    compression = _COMPRESSIONS.get(endings[-1]) if endings else None
    inner = endings[:-1] if compression else endings
    kind = checked_kind(given) or (_ENDINGS.get(inner[-1]) if inner else None)
    if kind is None:
        raise InputError(
            f"The ending of {path!r} does not say what it is. Give the --format, one of "
            f"{', '.join(KINDS)}, or an ending such as .csv, .parquet or .jsonl.gz."
        )
    if compression and kind in ("parquet", "arrow"):
        raise InputError(
            f"{path!r} is compressed a second time: decompress it first, {kind} files compress "
            "by themselves."
        )
    return Format(kind, compression)


def checked_kind(given: str | None) -> Kind | None:
    """A kind that the user named, or None."""
    if given is None:
        return None
    for kind in KINDS:
        if kind == given.lower():
            return kind
    close = difflib.get_close_matches(given.lower(), KINDS, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"There is no format {given!r}; give one of {', '.join(KINDS)}.{hint}")


def format_of_stream(beginning: bytes, given: str | None = None) -> Format:
    """By the first bytes of a stream that has no name.

    >>> format_of_stream(b"city;price"), format_of_stream(b'{"city": "Oslo"}').kind
    (Format(kind='csv', compression=None), 'json')
    """
    compression = next((name for magic, name in _BEGINNINGS if beginning.startswith(magic)), None)
    kind = checked_kind(given)
    if kind is None:
        kind = "csv" if compression else _kind_of_bytes(beginning)
    return Format(kind, compression)


def _kind_of_bytes(beginning: bytes) -> Kind:
    if beginning.startswith(b"PAR1"):
        return "parquet"
    if beginning.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if beginning.lstrip()[:1] == b"{":
        return "json"
    return "csv"
