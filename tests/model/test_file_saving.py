"""Where a model is saved, and what is left when that fails."""

from __future__ import annotations

import os
import pathlib
import resource

import pytest

from ocelotboost.errors import ModelFileError, ParameterError
from ocelotboost.model.file import dumps, load_trained, save_model
from tests.model.models import assert_same, make_model


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
        save_model(make_model(best_iteration=7), tmp_path / "model")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["model"]
    assert_same(load_trained(tmp_path / "model"), make_model())


def test_a_disk_that_takes_only_half_a_file_leaves_the_old_one(tmp_path: pathlib.Path) -> None:
    save_model(make_model(), tmp_path / "model")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(dumps(make_model())) // 2, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            save_model(make_model(best_iteration=7), tmp_path / "model")
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
