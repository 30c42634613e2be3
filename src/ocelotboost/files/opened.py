"""Files, stdin and stdout as streams of bytes, decompressed and compressed on the way."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from ocelotboost.errors import InputError
from ocelotboost.files.formats import STREAM, Format, format_of, format_of_stream
from ocelotboost.table.sources import pyarrow_module

#: Told of everything that is opened: a function that says how far reading is, and where it ends
#: (None: nobody knows).
Watch = Callable[[Callable[[], int], int | None], None]

_PEEKED = 1 << 16
_CHUNK = 1 << 24


@dataclass(frozen=True)
class Opened:
    """A file that is being read.

    stream  pyarrow's, decompressed
    name    for messages
    """

    stream: Any
    name: str
    format: Format


def arrow() -> Any:
    return pyarrow_module("pyarrow", "reading files")


def expand(paths: Sequence[str]) -> list[str]:
    """Patterns become the files that they match, in the order of their names."""
    found: list[str] = []
    for path in paths:
        if path == STREAM or Path(path).exists() or "://" in path:
            found.append(path)
        elif has_magic(path):
            matches = sorted(glob(path, recursive=True))
            if not matches:
                raise InputError(f"The pattern {path!r} matches no file.")
            found += matches
        else:
            raise InputError(f"There is no file {path!r}.{_similar_file(path)}")
    return found


def _similar_file(path: str) -> str:
    """A file in the same directory with a name like it."""
    import difflib

    folder = Path(path).parent
    if not folder.is_dir():
        return f" There is no directory {str(folder)!r} either."
    names = [entry.name for entry in folder.iterdir()]
    close = difflib.get_close_matches(Path(path).name, names, n=1)
    return f" Did you mean {str(folder / close[0])!r}?" if close else ""


def open_file(path: str, kind: str | None, watch: Watch | None = None) -> Opened:
    """Open a file, or stdin where the path is "-"."""
    pa = arrow()
    if path == STREAM:
        return _open_stdin(kind, watch)
    if Path(path).is_dir():
        raise InputError(f"{path!r} is a directory: name the files in it, such as {path}/*.csv.")
    form = format_of(path, kind)
    raw = pa.OSFile(path)
    if raw.size() == 0:
        raise InputError(f"{path!r} is empty.")
    if watch is not None:
        watch(raw.tell, raw.size())
    stream = pa.CompressedInputStream(raw, form.compression) if form.compression else raw
    return Opened(stream, path, form)


def _open_stdin(kind: str | None, watch: Watch | None) -> Opened:
    pa = arrow()
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("No file was named, and nothing is piped in: name one, or use '< file'.")
    buffer: Any = sys.stdin.buffer
    beginning = buffer.peek(_PEEKED)[:_PEEKED]
    if not beginning:
        raise InputError("stdin is empty.")
    form = format_of_stream(beginning, kind)
    counted = Forward(buffer)
    if watch is not None:
        watch(counted.tell, None)
    raw = pa.PythonFile(counted, mode="r")
    stream = pa.CompressedInputStream(raw, form.compression) if form.compression else raw
    return Opened(stream, "stdin", form)


class Forward:
    """A file that only goes forward, as pyarrow wants it: bytes that were read already, then the
    rest. It knows how far it is."""

    def __init__(self, rest: Any, beginning: bytes = b"") -> None:
        self._rest, self._beginning = rest, beginning
        self._position = 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        found: bytes
        if self._beginning:
            end = len(self._beginning) if size < 0 else size
            found, self._beginning = self._beginning[:end], self._beginning[end:]
        else:
            found = self._rest.read(size)
        self._position += len(found)
        return found

    def tell(self) -> int:
        return self._position

    def seekable(self) -> bool:
        return False

    def readable(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def all_bytes(stream: Any) -> bytes:
    """What is left of a stream whose size nobody knows."""
    return b"".join(iter(lambda: stream.read(_CHUNK), b""))


def check_writable(path: str) -> None:
    """Refuse a destination before hours of work, and not after them."""
    if path == STREAM:
        return
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path!r} is a directory: give the name of a file in it.")
    folder = target.parent
    if not folder.is_dir():
        raise InputError(f"There is no directory {str(folder)!r} to write {target.name!r} to.")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise InputError(f"{path!r} cannot be written: no permission. Choose another place.")
