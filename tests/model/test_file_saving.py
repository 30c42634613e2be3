"""Where a model is saved, and what is left when that fails."""

from __future__ import annotations

import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import tty
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from ocelotboost.errors import ModelFileError, ParameterError
from ocelotboost.model.file import dumps, load_trained, save_model
from tests.model.models import FORMS, assert_same, make_model


@pytest.mark.parametrize(
    ("name", "format", "is_json"),
    [
        ("model.ocelot", "auto", False),
        ("model.json", "auto", True),
        ("MODEL.JSON", "auto", True),
        ("model", "auto", False),
        ("model.json", "safetensors", False),
        ("model.ocelot", "json", True),
    ],
)
def test_the_suffix_chooses_the_form_and_the_content_tells_it(
    tmp_path: pathlib.Path, name: str, format: str, is_json: bool
) -> None:
    model = make_model()
    save_model(model, tmp_path / name, format)
    assert (tmp_path / name).read_bytes().startswith(b"{") == is_json
    assert_same(load_trained(tmp_path / name), model)
    assert_same(load_trained(str(tmp_path / name)), model)
    assert os.listdir(tmp_path) == [name]


def test_an_unknown_form_is_a_parameter_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ParameterError, match=r"format is 'pickle'.*'safetensors' or 'json'"):
        save_model(make_model(), tmp_path / "model", "pickle")
    assert os.listdir(tmp_path) == []


def test_relative_paths_are_of_the_working_folder(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_model(make_model(), "model.ocelot")
    assert_same(load_trained("model.ocelot"), make_model())


def test_saving_through_a_link_writes_the_file_it_points_to(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    save_model(make_model(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert_same(load_trained(tmp_path / "real"), make_model())


def test_a_new_file_has_ordinary_permissions_and_an_old_one_keeps_its_own(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "ordinary").write_bytes(b"")
    save_model(make_model(), tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "ordinary").stat().st_mode
    (tmp_path / "new").chmod(0o640)
    save_model(make_model(), tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    save_model(make_model(), tmp_path / "model")

    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        save_model(make_model(best_iteration=1), tmp_path / "model")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["model"]
    assert_same(load_trained(tmp_path / "model"), make_model())


KILLED_WHILE_SAVING = """
import os, signal, sys
from ocelotboost.model.file import save_model
from tests.model.models import make_model
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
save_model(make_model(best_iteration=1), sys.argv[1])
"""


def test_what_a_killed_save_leaves_is_removed_by_the_next(tmp_path: pathlib.Path) -> None:
    save_model(make_model(), tmp_path / "model")
    command = [sys.executable, "-c", KILLED_WHILE_SAVING, str(tmp_path / "model")]
    folder = pathlib.Path(__file__).parents[2]
    assert subprocess.run(command, cwd=folder, check=False).returncode == -signal.SIGKILL
    (left,) = {path.name for path in tmp_path.iterdir()} - {"model"}
    assert left.startswith(".ocelot-")
    assert_same(load_trained(tmp_path / "model"), make_model())
    for name in (".ocelot-notes.tmp", ".ocelot-0123456789abcdef.tmp.bak", "other.tmp"):
        (tmp_path / name).write_text("somebody else's")
    (tmp_path / ".ocelot-00000000000000aa.tmp").symlink_to(tmp_path / "model")
    save_model(make_model(), tmp_path / "another")
    assert sorted(os.listdir(tmp_path)) == [
        ".ocelot-00000000000000aa.tmp", ".ocelot-0123456789abcdef.tmp.bak", ".ocelot-notes.tmp",
        "another", "model", "other.tmp",
    ]  # fmt: skip


def test_a_save_leaves_the_unfinished_file_of_another_alone(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, saved = os.fsync, []

    def save_another(descriptor: int) -> None:
        fsync(descriptor)
        if not saved:
            saved.append(True)
            save_model(make_model(), tmp_path / "second")

    monkeypatch.setattr(os, "fsync", save_another)
    save_model(make_model(best_iteration=1), tmp_path / "first")
    assert sorted(os.listdir(tmp_path)) == ["first", "second"]
    assert_same(load_trained(tmp_path / "first"), make_model(best_iteration=1))


def test_many_saves_at_once_all_succeed(tmp_path: pathlib.Path) -> None:
    def save(number: int) -> None:
        for _ in range(10):
            save_model(make_model(), tmp_path / f"model {number % 2}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(8)))
    assert sorted(os.listdir(tmp_path)) == ["model 0", "model 1"]
    assert_same(load_trained(tmp_path / "model 1"), make_model())


@pytest.mark.parametrize("form", FORMS)
def test_a_pipe_is_written_through_and_stays_a_pipe(tmp_path: pathlib.Path, form: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit((tmp_path / "pipe").read_bytes)
        save_model(make_model(), tmp_path / "link", form)
    assert received.result() == dumps(make_model(), form)
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


def test_a_model_can_be_read_from_a_pipe(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(load_trained, tmp_path / "pipe")
        save_model(make_model(), tmp_path / "pipe")
    assert_same(found.result(), make_model())


def test_a_device_is_written_through_and_stays_a_device(tmp_path: pathlib.Path) -> None:
    """A terminal of our own, so that no mistake can touch a device of the system."""
    ours, terminal = os.openpty()
    tty.setraw(terminal)
    (tmp_path / "device").symlink_to(os.ttyname(terminal))
    expected = dumps(make_model())
    with open(ours, "rb") as reading, ThreadPoolExecutor(1) as pool:
        found = pool.submit(reading.read, len(expected))
        save_model(make_model(), tmp_path / "device")
        assert found.result(timeout=60) == expected
        assert (tmp_path / "device").is_char_device()
    os.close(terminal)
    assert os.listdir(tmp_path) == ["device"]


def test_a_link_to_nothing_makes_the_file_it_points_to(tmp_path: pathlib.Path) -> None:
    (tmp_path / "link").symlink_to("real")
    save_model(make_model(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert_same(load_trained(tmp_path / "real"), make_model())


def test_a_private_file_is_private_at_every_moment(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model(make_model(), tmp_path / "model")
    (tmp_path / "model").chmod(0o600)
    fsync, modes = os.fsync, []

    def look(descriptor: int) -> None:
        modes.append(os.fstat(descriptor).st_mode & 0o777)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    save_model(make_model(), tmp_path / "model")
    assert modes == [0o600]
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o600


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may write everywhere: become somebody else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_folder_that_may_not_be_written_is_named() -> None:
    with ordinary_user(), tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        save_model(make_model(), folder / "model")
        folder.chmod(0o555)
        try:
            with pytest.raises(PermissionError, match="No permission to make files in this folder"):
                save_model(make_model(best_iteration=1), folder / "model")
        finally:
            folder.chmod(0o755)
        assert_same(load_trained(folder / "model"), make_model())


def test_the_owner_of_a_file_stays(tmp_path: pathlib.Path) -> None:
    """Only root gives files away; others give them to another of their groups."""
    owner = (
        (12345, 54321) if os.geteuid() == 0 else (os.geteuid(), [*os.getgroups(), os.getegid()][0])
    )
    save_model(make_model(), tmp_path / "model")
    os.chown(tmp_path / "model", *owner)
    save_model(make_model(), tmp_path / "model")
    status = (tmp_path / "model").stat()
    assert (status.st_uid, status.st_gid) == owner


def test_a_disk_that_takes_only_half_a_file_leaves_the_old_one(tmp_path: pathlib.Path) -> None:
    save_model(make_model(), tmp_path / "model")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(dumps(make_model())) // 2, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            save_model(make_model(best_iteration=1), tmp_path / "model")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.listdir(tmp_path) == ["model"]
    assert_same(load_trained(tmp_path / "model"), make_model())


def test_a_missing_folder_or_a_folder_as_target_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"Make this folder before saving.*nowhere"):
        save_model(make_model(), tmp_path / "nowhere" / "model")
    with pytest.raises(ModelFileError, match="it is a folder"):
        save_model(make_model(), tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no model file here; check the path.*missing"):
        load_trained(tmp_path / "missing")
    with pytest.raises(ModelFileError, match="it is a folder"):
        load_trained(tmp_path)
