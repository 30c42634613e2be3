"""CacheDirectory: arrays in memory-mapped files, for tables that are larger than memory.

The system keeps what it has room for of such an array in memory, and writes the rest to disk. A
directory lives as long as the ``with`` block that made it. A process that was killed leaves its
directory behind; the next one that makes a directory in the same place removes it, because a lock
tells whether its process still lives.
"""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
import time
from math import prod
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ocelotboost.errors import ParameterError
from ocelotboost.kernels.memory import aligned_zeros

Array = TypeVar("Array", bound=NDArray[Any])

_PREFIX = "ocelot-cache-"
_LOCK = "lock"

#: A directory without a lock is just being made, unless it is as old as this (seconds).
_BEING_MADE = 600.0


class Memory(Protocol):
    """Where large arrays are."""

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Like ``numpy.zeros``."""
        ...

    def keep(self, array: Array) -> Array:
        """The array, or a copy of it where it should be. The given one is not used again."""
        ...


class ProcessMemory:
    """The memory of the process; arrays begin at a cache line."""

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        return aligned_zeros(shape, dtype)

    def keep(self, array: Array) -> Array:
        return array


PROCESS_MEMORY = ProcessMemory()


class CacheDirectory:
    """Files of one training, removed after it. Nothing is made before the first file."""

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        """``parent`` is where the directory is made; None: where the system has large files."""
        self._parent = default_parent() if parent is None else Path(parent)
        self._path: Path | None = None
        self._lock: IO[bytes] | None = None
        self._n_files = 0

    def __enter__(self) -> CacheDirectory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()
        self._path = self._lock = None

    @property
    def parent(self) -> Path:
        return self._parent

    def new_file(self) -> Path:
        """The path of a file that is not there yet."""
        if self._path is None:
            self._make()
        assert self._path is not None
        self._n_files += 1
        return self._path / f"{self._n_files}"

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Like ``numpy.zeros``, in a file of its own."""
        n_bytes = prod(shape) * np.dtype(dtype).itemsize
        if n_bytes == 0:
            return np.zeros(shape, dtype=dtype)
        with self.new_file().open("w+b") as file:
            _reserve(file, n_bytes, self._parent)
            mapped = mmap.mmap(file.fileno(), n_bytes)
        return np.frombuffer(mapped, dtype=dtype).reshape(shape)

    def keep(self, array: Array) -> Array:
        """A copy in a file of its own."""
        kept: Any = self.zeros(array.shape, array.dtype)
        kept[...] = array
        return kept  # type: ignore[no-any-return]

    def _make(self) -> None:
        try:
            self._parent.mkdir(parents=True, exist_ok=True)
            remove_abandoned(self._parent)
            self._path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._parent))
            # Locked before it has its name: nobody finds it without a holder.
            self._lock = (self._path / f"new-{_LOCK}").open("wb")
            _try_lock(self._lock)
            (self._path / f"new-{_LOCK}").rename(self._path / _LOCK)
        except OSError as error:
            raise ParameterError(
                f"cache_dir={str(self._parent)!r} cannot be used: {error}. Give a directory that "
                "can be written to."
            ) from error


def map_file(path: Path, dtype: DTypeLike) -> NDArray[Any]:
    """The values (n,) of a file, which is not empty; they cannot be written to."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(mapped, dtype=dtype)


def default_parent() -> Path:
    """TMPDIR, or the system's place for large temporary files: /tmp is often kept in memory."""
    large = Path("/var/tmp")
    if "TMPDIR" not in os.environ and large.is_dir() and os.access(large, os.W_OK):
        return large
    return Path(tempfile.gettempdir())


def remove_abandoned(parent: Path) -> None:
    """Remove directories whose processes have ended without doing so."""
    for path in parent.glob(_PREFIX + "*"):
        try:
            with (path / _LOCK).open("r+b") as lock:
                abandoned = _try_lock(lock)
        except FileNotFoundError:
            abandoned = _age(path) > _BEING_MADE
        except OSError:
            continue  # somebody else's
        if abandoned:
            shutil.rmtree(path, ignore_errors=True)


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def _try_lock(file: IO[bytes]) -> bool:
    """Whether no other process holds the lock. The system frees it when its process ends."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _reserve(file: IO[bytes], n_bytes: int, parent: Path) -> None:
    """Have the disk's room before it is written to through memory, where an error would end the
    process."""
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        else:
            file.truncate(n_bytes)
    except OSError as error:
        raise no_room(error, parent) from error


def no_room(error: OSError, parent: Path) -> ParameterError:
    """The error for a disk that is full."""
    return ParameterError(
        f"cache_dir={str(parent)!r} has no room for another file: {error}. Give a directory on a "
        "disk with more room."
    )
