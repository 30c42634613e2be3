"""Files of a training are removed after it, also when its process was killed."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from ocelotboost.errors import ParameterError
from ocelotboost.table import cache_directory
from ocelotboost.table.cache_directory import CacheDirectory, default_parent, map_file

HOLDER = """
import sys, time
from ocelotboost.table.cache_directory import CacheDirectory
with CacheDirectory(sys.argv[1]) as cache:
    array = cache.zeros((1000,), "uint8")
    array[:] = 1
    print("ready", flush=True)
    time.sleep(600)
"""


def _holder(parent):
    """A process that has a directory there."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(parent)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_arrays_are_files_that_are_removed(tmp_path):
    with CacheDirectory(tmp_path / "new" / "cache") as cache:
        array = cache.zeros((3, 5), np.uint32)
        array[1] = 7
        assert array.sum() == 35
        assert array.ctypes.data % 64 == 0
        path = cache.new_file()
        path.write_bytes(np.arange(4.0).tobytes())
        assert map_file(path, np.float64).tolist() == [0, 1, 2, 3]
        assert len(list((tmp_path / "new" / "cache").iterdir())) == 1
        assert cache.zeros((0, 5), np.uint8).shape == (0, 5)
    assert list((tmp_path / "new" / "cache").iterdir()) == []


def test_nothing_is_made_before_it_is_needed(tmp_path):
    with CacheDirectory(tmp_path / "cache"):
        pass
    assert not (tmp_path / "cache").exists()


def test_an_error_removes_the_files_too(tmp_path):
    def interrupted():
        with CacheDirectory(tmp_path) as cache:
            cache.zeros((10,), np.uint8)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    killed, living = _holder(tmp_path), _holder(tmp_path)
    try:
        assert len(list(tmp_path.iterdir())) == 2
        killed.kill()
        killed.wait()
        before = set(tmp_path.iterdir())
        assert len(before) == 2
        with CacheDirectory(tmp_path) as cache:
            cache.zeros((10,), np.uint8)
            assert len(list(tmp_path.iterdir())) == 2  # that of the living process, and ours
            assert len(before & set(tmp_path.iterdir())) == 1
    finally:
        living.kill()
        living.wait()
        killed.stdout.close()
        living.stdout.close()


def test_a_directory_that_is_being_made_is_left_alone(tmp_path):
    young, old = tmp_path / "ocelot-cache-young", tmp_path / "ocelot-cache-old"
    young.mkdir()
    old.mkdir()
    os.utime(old, (0, 0))
    (tmp_path / "of a user").mkdir()
    with CacheDirectory(tmp_path) as cache:
        cache.new_file()
    assert {path.name for path in tmp_path.iterdir()} == {"of a user", "ocelot-cache-young"}


def test_a_full_disk_is_an_error_with_a_remedy(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_directory.os, "posix_fallocate", full, raising=False)
    with CacheDirectory(tmp_path) as cache, pytest.raises(ParameterError, match="has no room"):
        cache.zeros((10,), np.uint8)


def test_the_default_is_not_where_memory_is(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(cache_directory.tempfile, "tempdir", None)
    assert default_parent() == tmp_path
    monkeypatch.delenv("TMPDIR")
    assert str(default_parent()) in ("/var/tmp", cache_directory.tempfile.gettempdir())
