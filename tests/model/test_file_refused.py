"""A file that is not a model, or no longer one, is refused with a clear text."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import resource
import struct
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from ocelotboost import load_model
from ocelotboost.errors import ModelFileError
from ocelotboost.model import file as model_file
from ocelotboost.model.file import dumps, load_trained, loads
from ocelotboost.model.file_json import read_parts
from tests.model.models import FORMS, TINY_DATES, assert_same, make_forest, make_model


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
    with pytest.raises(ModelFileError, match=r"format 7, .*up to 4.*pip install --upgrade"):
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


def test_a_million_empty_arrays_are_refused_before_any_is_made() -> None:
    entry = '"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    data = header("{" + ",".join(entry % number for number in range(300_000)) + "}")
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=r"far more . than in a model of this size"):
            loads(data)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("field", ["history", "parameters", "trees", "classes"])
@pytest.mark.parametrize("empty", [b"{}", b"[]"])
def test_a_document_of_empty_things_is_refused_with_little_memory(field: str, empty: bytes) -> None:
    document = dumps(make_model(), "json").replace(b'"%s"' % field.encode(), b'"unused"')
    data = (
        document.rstrip(b"}\n") + b',\n"%s": [' % field.encode() + (empty + b",") * 300_000 + b"0]}"
    )
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=r"far more . than in a model of this size"):
            loads(data)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", FORMS)
def test_brackets_in_texts_are_not_counted(form: str) -> None:
    labels = [c + b * 3000 + c for b in ("[", "{", '["', '{\\"') for c in ('"', "\\", '\\"', "")]
    model = make_model(make_forest([1], len(labels)), classes=np.array(labels))
    assert_same(loads(dumps(model, form)), model)


def test_unknown_arrays_and_fields_are_named_briefly() -> None:
    text = json.dumps({name: {} for name in ["x" * 10**6, *map(str, range(50))]})
    data = dumps(make_model())
    end = 8 + int.from_bytes(data[:8], "little")
    fields = json.loads(data[8:end])["__metadata__"]
    with pytest.raises(ModelFileError, match=r"missing or unknown: .* and .* more") as caught:
        loads(header(json.dumps({"__metadata__": fields, **json.loads(text)})))
    assert len(str(caught.value)) < 600


def test_labels_that_would_fill_the_memory_are_refused() -> None:
    n_classes = 2000
    model = make_model(make_forest([], n_classes), feature_names=None)
    document = json.loads(dumps(model, "json"))
    labels = [str(number) for number in range(n_classes - 1)]
    document["classes"] = {"dtype": "str", "values": [*labels, "x" * 10**5]}
    with pytest.raises(ModelFileError, match=r"2000 class labels of up to 100000 characters"):
        loads(signed(document))


def signed(document: dict[str, Any]) -> bytes:
    """The document with a right checksum."""
    fields = json.loads(json.dumps(document))
    arrays = read_parts(fields)
    document["sha256"] = model_file.checksum(fields, arrays)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"loss": "Quantile:alpha=7"}, "alpha"),
        ({"loss": "Huber:width=1"}, "width"),
        ({"parameters": {"depth": "deep"}}, "depth='deep' is not possible"),
        ({"parameters": {"priors": 5}}, "priors=5"),
        ({"parameters": {"nan_mode": None}}, "nan_mode=None"),
        ({"feature_names": "abc"}, "damaged"),
        ({"dropped_parameters": "abc"}, "damaged"),
        ({"history": {"learn": {"RMSE": "NaN"}}}, "damaged"),
        ({"parameters": {"cat_features": {"pairs": [[[1], 2]]}}}, "unhashable"),
        ({"parameters": {"depth": 10**400}}, "parameters that no model has: depth"),
    ],
)
def test_what_cannot_be_is_a_model_file_error_that_names_the_file(
    tmp_path: pathlib.Path, changes: dict[str, Any], complaint: str
) -> None:
    document = json.loads(dumps(make_model(), "json"))
    (tmp_path / "m.json").write_bytes(signed({**document, **changes}))
    with pytest.raises(ModelFileError, match=complaint) as caught:
        load_model(tmp_path / "m.json")
    assert "m.json" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"times": []}, "of numbers"),
        ({"times": [{"column": 0, "holds": "week", "zone": None}]}, "holds 'week', not times"),
        ({"times": [{"column": 0, "holds": "date", "zone": 4}]}, "time zone 4 is none of dates"),
        ({"times": [{"column": 1, "holds": "time", "zone": "UTC"}]}, "'UTC' is none of dates"),
        ({"times": [{"column": 2, "holds": "date", "zone": None}]}, "about column 2, but .* has 2"),
        ({"times": [{"column": True, "holds": "date", "zone": None}]}, "about column True"),
        ({"times": [{"column": 0, "holds": "date"}]}, "does not have the fields"),
        ({"times": [{"column": 0, "holds": "date", "zone": None}] * 2}, "times twice"),
        ({"derived": [{"kind": "hour", "sources": [0]}]}, "2 feature names for 3 columns"),
        ({"derived": [{"kind": "hour", "sources": [0]}] * 9}, "9 derived columns among 4"),
        ({"derived": [{"kind": "hour", "sources": [1]}] * 2}, "about column 1, of duration"),
        ({"derived": [{"kind": "hour", "sources": [2]}] * 2}, "about column 2, but .* has 2"),
        ({"derived": [{"kind": "hour", "sources": [0, 0]}] * 2}, "2 sources, not 1"),
        ({"derived": [{"kind": "century", "sources": [0]}] * 2}, "'century', which is not known"),
        ({"derived": [{"kind": ["hour"], "sources": [0]}] * 2}, "which is not known"),
        ({"derived": [{"kind": "hour"}] * 2}, "does not have the fields"),
        ({"derived": [{"kind": "as_number", "sources": [0]}] * 2}, "about column 0, of numbers"),
        ({"derived": 3}, "damaged"),
        ({"categorical": [True, False, False, False]}, "about column 0, of categories"),
        ({"categorical": [False, False, True, False]}, "a derived column holds categories"),
        ({"format": 3}, "missing or unknown: derived, times"),
    ],
)
def test_derived_columns_that_cannot_be_are_refused(
    changes: dict[str, Any], complaint: str
) -> None:
    document = json.loads(dumps(TINY_DATES, "json"))
    assert document["format"] == 4
    with pytest.raises(ModelFileError, match=complaint):
        loads(signed({**document, **changes}))


def test_a_foreign_file_is_not_read_to_its_end(tmp_path: pathlib.Path) -> None:
    with open(tmp_path / "zeros", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ModelFileError, match="not a model of Ocelot"):
        load_trained(tmp_path / "zeros")


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
