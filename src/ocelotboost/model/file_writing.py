"""Bytes into a file, whole or not at all.

A regular file is written under another name in the same folder, and then renamed. The unfinished
file is locked as long as its process lives. So one that is not locked was left by a process that
was killed, and the next save into the same folder removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from io import BufferedWriter

from ocelotboost.errors import ModelFileError

try:
    import fcntl
except ImportError:  # Windows: unfinished files stay
    fcntl = None  # type: ignore[assignment]

_UNFINISHED = re.compile(r"\.ocelot-[0-9a-f]{16}\.tmp")


def write_file(name: str, data: bytes) -> None:
    """Replace the file, keeping its permissions; links are followed.

    What is not a regular file (a device, a pipe) stays what it is, and the bytes go through it.
    """
    there = _status(name)
    if there is not None and stat.S_ISDIR(there.st_mode):
        raise ModelFileError(f"Cannot save to {name!r}: it is a folder. Give a file name in it.")
    if there is not None and not stat.S_ISREG(there.st_mode):
        with open(name, "wb") as file:
            file.write(data)
        return
    path = os.path.realpath(name)
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "Make this folder before saving into it", folder)
    _remove_abandoned(folder)
    _replace(path, data, there)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _replace(path: str, data: bytes, there: os.stat_result | None) -> None:
    """A reader sees the old file or the new one, whole."""
    with _unfinished_file(os.path.dirname(path), there) as (file, temporary):
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        if there is not None:
            _keep_owner_and_mode(temporary, there)
        if fcntl is None:  # Windows renames no open file
            file.close()
        os.replace(temporary, path)


@contextlib.contextmanager
def _unfinished_file(
    folder: str, there: os.stat_result | None
) -> Iterator[tuple[BufferedWriter, str]]:
    """A new locked file; it is removed unless it gets its final name."""
    descriptor, temporary = _create(folder, 0o666 if there is None else there.st_mode & 0o777)
    try:
        with open(descriptor, "wb") as file:
            yield file, temporary
    except BaseException:  # Ctrl-C too must leave nothing behind
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _create(folder: str, mode: int) -> tuple[int, str]:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        temporary = os.path.join(folder, f".ocelot-{secrets.token_hex(8)}.tmp")
        try:
            descriptor = os.open(temporary, flags, mode)
        except PermissionError as problem:
            text = "No permission to make files in this folder; save somewhere else"
            raise PermissionError(problem.errno, text, folder) from None
        _lock(descriptor)
        # Another save may have taken it for an abandoned one before it was locked.
        if os.fstat(descriptor).st_nlink > 0:
            return descriptor, temporary
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks: nobody can remove it
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def _keep_owner_and_mode(temporary: str, there: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root gives files away
            os.chown(temporary, there.st_uid, there.st_gid)
    os.chmod(temporary, stat.S_IMODE(there.st_mode))


def _remove_abandoned(folder: str) -> None:
    """Remove unfinished files of processes that no longer live."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _UNFINISHED.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_unless_locked(entry.path)


def _remove_unless_locked(path: str) -> None:
    with contextlib.suppress(OSError):  # locked, gone, or not ours to open
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)
        finally:
            os.close(descriptor)
