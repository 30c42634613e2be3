"""A file that is not a model, or no longer one, is refused with a clear text."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import resource
import struct
import zipfile
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from ocelotboost.errors import ModelFileError
from ocelotboost.model.file import dumps, load_trained, loads
from tests.model.models import FORMS, assert_same, make_model


class Bomb:
    """A pickle that would do something when loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("exploded",)


def zip_bytes(folder: pathlib.Path) -> bytes:
    with zipfile.ZipFile(folder / "z", "w") as archive:
        archive.writestr("a", "b")
    return (folder / "z").read_bytes()


def test_foreign_files_are_refused_by_name_and_content_and_not_run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain_tensors = safetensors.numpy.save({"weight": np.zeros(3)})
    foreign = {
        "empty": (b"", "it is empty"),
        "picture": (b"\x89PNG\r\n\x1a\n" + bytes(50), "looks like a PNG image"),
        "pickle": (pickle.dumps(Bomb()), "looks like a Python pickle"),
        "archive": (zip_bytes(tmp_path), "looks like a zip archive"),
        "catboost": (b"CBM1" + bytes(100), "looks like a CatBoost model"),
        "text": (b"age,income\n1,2\n", "begins with b'age,inco'"),
        "one byte": (b"{", "begins like JSON but is not"),
        "zeros": (bytes(1000), "not a model of Ocelot"),
        "other json": (b'{"learner": {"version": [3, 2]}}', "JSON, but not a model of Ocelot"),
        "not json": (b"{ this is a set of words }", "begins like JSON but is not"),
        "deep json": (b'{"a":' + b"[" * 100_000, "damaged|begins like JSON but is not"),
        "other tensors": (plain_tensors, "safetensors file, but not a model of Ocelot"),
    }
    for name, (content, complaint) in foreign.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ModelFileError, match=complaint) as caught:
            load_trained(tmp_path / name)
        assert repr(str(tmp_path / name)) in str(caught.value)
    assert not (tmp_path / "exploded").exists()


def change(form: str, old: str, new: str) -> bytes:
    """The bytes of a model in which one text was replaced by one of the same length."""
    assert len(old) == len(new)
    data = dumps(make_model(), form)
    if form == "safetensors":
        old, new = old.replace('"', r"\""), new.replace('"', r"\"")
    assert data.count(old.encode()) == 1
    return data.replace(old.encode(), new.encode())


@pytest.mark.parametrize("form", FORMS)
def test_a_newer_format_says_what_it_is_and_how_to_read_it(form: str) -> None:
    with pytest.raises(ModelFileError, match=r"format 7, .*up to 3.*pip install --upgrade"):
        loads(change(form, '"format": 3', '"format": 7'))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", [1, 2])
def test_a_format_of_before_the_first_release_says_to_train_again(form: str, number: int) -> None:
    with pytest.raises(ModelFileError, match=f"format {number}, .*train the model again"):
        loads(change(form, '"format": 3', f'"format": {number}'))


@pytest.mark.parametrize("form", FORMS)
def test_one_changed_digit_is_found(form: str) -> None:
    with pytest.raises(ModelFileError, match="does not match its checksum"):
        loads(change(form, '"learning_rate": 0.1', '"learning_rate": 0.2'))
    with pytest.raises(ModelFileError, match="missing or unknown: "):
        loads(change(form, '"sha256"', '"sha257"'))


def test_one_changed_number_of_a_tree_is_found() -> None:
    document = json.loads(dumps(make_model(), "json"))
    assert_same(loads(json.dumps(document).encode()), make_model())
    leaf = document["trees"][1]["leaf_values"][2]
    leaf[0] = float(np.nextafter(leaf[0], 1))
    with pytest.raises(ModelFileError, match="does not match its checksum"):
        loads(json.dumps(document).encode())


def test_a_key_that_occurs_twice_is_refused() -> None:
    data = dumps(make_model(), "json")
    with pytest.raises(ModelFileError, match="a key occurs twice"):
        loads(data.replace(b'"kind"', b'"loss": "MAE",\n"kind"'))


def header(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def test_huge_claims_are_refused_without_taking_memory() -> None:
    entry = '{"leaf_values":{"dtype":"F64","shape":[%d,%d],"data_offsets":[0,%d]}}'
    claims = [
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 2**40) + b"{}",
        struct.pack("<Q", 99_000_000) + b"{}",
        header(entry % (2**37, 1, 2**40)),
        header(entry % (2**62, 8, 0)),
        header(entry % (2**37, 1, 0)),
        header(entry % (0, 2**62, 0)),
        header('{"leaf_values":{"dtype":"F64","shape":[1],"data_offsets":[9,1]}}'),
        b'{"format": 1, "n": ' + b"9" * 10_000 + b"}",
    ]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for claim in claims:
        with pytest.raises(ModelFileError):
            loads(claim)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes
