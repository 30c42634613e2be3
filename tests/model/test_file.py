"""Saved models come back the same, and a file that is not one is refused with a clear text."""

from __future__ import annotations

import contextlib
import dataclasses
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
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.data import assert_same_bits, forest_arrays
from tests.forests import (
    N_FEATURES,
    TEXTS,
    category_forest,
    raw_by_hand,
    rows_of,
    text_hash,
)

from ocelotboost.errors import ModelFileError, ParameterError
from ocelotboost.model import file as model_file
from ocelotboost.model.file import dumps, load_trained, loads, save_model
from ocelotboost.model.file_arrays import (
    CATEGORY_ARRAYS,
    CATEGORY_FIELDS,
    TREE_ARRAYS,
    arrays_of,
    narrowed,
)
from ocelotboost.model.file_json import write_json
from ocelotboost.model.forest import Forest
from ocelotboost.model.trained import TrainedModel, validate
from ocelotboost.predict.predictor import make_predictor

FORMS = ["safetensors", "json"]
GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "model_format.md"


def make_forest(
    depths: list[int], n_outputs: int = 1, n_features: int = 3, seed: int = 0
) -> Forest:
    random = np.random.default_rng(seed)
    n_splits, n_leaves = sum(depths), sum(2**d for d in depths)
    borders = random.normal(size=n_splits)
    borders[::5] = np.nan
    borders[3::7] = np.inf
    borders[4::7] = -np.inf
    return Forest(
        split_columns=random.integers(0, n_features, n_splits).astype(np.uint32),
        split_borders=borders,
        tree_depths=np.array(depths, dtype=np.uint32),
        leaf_values=random.normal(size=(n_leaves, n_outputs)),
        leaf_weights=random.exponential(size=n_leaves),
        start_value=random.normal(size=n_outputs),
        missing_high=np.arange(n_features) % 2 == 1,
    )


def make_model(forest: Forest | None = None, **changes: Any) -> TrainedModel:
    model = TrainedModel(
        forest=make_forest([2, 3, 0, 1]) if forest is None else forest,
        kind="regressor",
        loss="RMSE",
        feature_names=("age", "größe", 'a "quoted"\nname'),
        classes=None,
        parameters={"depth": 3, "learning_rate": 0.1, "rsm": None, "verbose": False, "x": [1, "a"]},
        history={"learn": {"RMSE": [1.5, 0.1 + 0.2, float("inf"), float("nan"), -float("inf")]}},
        best_iteration=2,
    )
    return dataclasses.replace(model, **changes)


def make_category_model(**options: Any) -> TrainedModel:
    """A model whose trees use all indicators, statistic columns and tables."""
    forest = category_forest(**options).pruned()
    return make_model(forest, feature_names=None)


WITH_CATEGORIES = make_category_model(seed=1, n_trees=30)


def assert_same(found: TrainedModel, expected: TrainedModel) -> None:
    assert_same_bits(found.forest, expected.forest)
    for field in dataclasses.fields(TrainedModel):
        if field.name not in ("forest", "classes"):
            # repr tells 1 from 1.0 and True, 0.0 from -0.0, and finds NaN equal to itself
            one, other = getattr(found, field.name), getattr(expected, field.name)
            assert repr(one) == repr(other), field.name
    assert (found.classes is None) == (expected.classes is None)
    if found.classes is not None and expected.classes is not None:
        assert found.classes.dtype == expected.classes.dtype
        assert repr(found.classes.tolist()) == repr(expected.classes.tolist())


# Round trips


@pytest.mark.parametrize("form", FORMS)
def test_a_model_comes_back_with_every_bit(form: str) -> None:
    model = make_model()
    assert_same(loads(dumps(model, form)), model)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(
    depths=st.lists(st.integers(0, 4), max_size=4),
    n_outputs=st.integers(1, 3),
    n_features=st.integers(1, 4),
    data=st.data(),
)
def test_any_forest_comes_back_with_every_bit(
    form: str, depths: list[int], n_outputs: int, n_features: int, data: st.DataObject
) -> None:
    forest = make_forest(depths, n_outputs, n_features, seed=data.draw(st.integers(0, 99)))
    finite = st.floats(allow_nan=False, allow_infinity=False)
    for values in (forest.leaf_values.reshape(-1), forest.start_value):
        values[:] = data.draw(
            st.lists(finite, min_size=len(values), max_size=len(values)), label="values"
        )
    forest.split_borders[:] = data.draw(
        st.lists(st.floats(), min_size=sum(depths), max_size=sum(depths)), label="borders"
    )
    forest.split_borders[np.isnan(forest.split_borders)] = np.nan
    names = data.draw(st.none() | st.tuples(*[st.text()] * n_features), label="names")
    model = make_model(forest, feature_names=names)
    assert_same(loads(dumps(model, form)), model)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "forest",
    [
        make_forest([]),
        make_forest([], n_outputs=4),
        make_forest([], n_features=0),
        make_forest([0, 0]),
        make_forest([16]),
    ],
    ids=["no trees", "no trees, four outputs", "no columns", "no questions", "depth 16"],
)
def test_empty_and_extreme_forests_come_back(form: str, forest: Forest) -> None:
    model = make_model(forest, feature_names=None, history={}, parameters={}, best_iteration=None)
    assert_same(loads(dumps(model, form)), model)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "classes",
    [
        np.array([0, 1]),
        np.array([-(2**63), 2**63 - 1]),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([1, 2], dtype=np.int8),
        np.array([False, True]),
        np.array([0.1, 0.3], dtype=np.float32),
        np.array([-np.inf, 0.1]),
        np.array(["no", "yes ✓"]),
        np.array(["", "longer text"]),
        np.array(["no", "yes"], dtype=object),
        np.array([1, "one"], dtype=object),
    ],
    ids=str,
)
def test_class_labels_keep_value_and_type(form: str, classes: NDArray[Any]) -> None:
    model = make_model(kind="classifier", loss="Logloss", classes=classes)
    assert_same(loads(dumps(model, form)), model)


@pytest.mark.parametrize("form", FORMS)
def test_several_outputs_have_as_many_classes(form: str) -> None:
    classes = np.array(["a", "b", "c"])
    model = make_model(make_forest([2, 1], 3), kind="classifier", classes=classes)
    assert_same(loads(dumps(model, form)), model)


@pytest.mark.parametrize("form", FORMS)
def test_parameters_that_json_cannot_hold_are_dropped_and_listed(form: str) -> None:
    circle: list[Any] = []
    circle.append(circle)
    kept = {"depth": np.int64(4), "rate": np.float32(0.5), "pair": (1, 2), "nested": {"a": [None]}}
    lost = {
        "loss": print,
        "weights": np.ones(2),
        "by_class": {0: 1.0},
        "nan": float("nan"),
        "circle": circle,
        "huge": 10**5000,
    }
    found = loads(dumps(make_model(parameters={**kept, **lost}), form))
    assert found.parameters == {"depth": 4, "rate": 0.5, "pair": [1, 2], "nested": {"a": [None]}}
    assert found.dropped_parameters == tuple(sorted(lost))
    assert_same(loads(dumps(found, form)), found)


@pytest.mark.parametrize("form", FORMS)
def test_equal_models_give_equal_bytes(form: str) -> None:
    assert len({dumps(make_model(), form) for _ in range(10)}) == 1


def test_both_forms_have_the_same_checksum() -> None:
    def checksum(data: bytes) -> bytes:
        return data.partition(b"sha256")[2].partition(b": ")[2].strip(b'\\"')[:64]

    one, other = (checksum(dumps(make_model(), form)) for form in FORMS)
    assert one == other
    int(one, 16)


def test_nan_borders_of_any_bits_become_one_nan() -> None:
    forest = make_forest([1])
    forest.split_borders[:] = np.array([0xFFF8000000000123], dtype=np.uint64).view(np.float64)
    for form in FORMS:
        assert np.isnan(loads(dumps(make_model(forest), form)).forest.split_borders).all()


def test_arrays_that_are_not_contiguous_are_saved_by_value() -> None:
    forest = make_forest([2, 2], n_outputs=2)
    spread = np.repeat(forest.leaf_values, 2, axis=1)[:, ::2]
    strange = dataclasses.replace(forest, leaf_values=np.asfortranarray(spread))
    for form in FORMS:
        found = loads(dumps(make_model(strange), form))
        assert_same(found, make_model(forest))
        assert found.forest.leaf_values.flags.c_contiguous


@pytest.mark.parametrize("form", FORMS)
def test_loaded_arrays_are_aligned_and_may_be_written(form: str) -> None:
    forest = loads(dumps(make_model(), form)).forest
    for array in forest_arrays(forest).values():
        flags = array.flags
        assert flags.aligned and flags.writeable and flags.c_contiguous  # noqa: PT018


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_tables=st.integers(0, 6),
    n_outputs=st.integers(1, 3),
    weighted=st.booleans(),
)
def test_any_categories_come_back_with_every_bit(
    form: str, seed: int, n_tables: int, n_outputs: int, weighted: bool
) -> None:
    model = make_category_model(
        seed=seed, n_tables=n_tables, n_outputs=n_outputs, weighted=weighted
    )
    found = loads(dumps(model, form))
    assert_same(found, model)
    rows = rows_of(seed, 20)
    np.testing.assert_array_equal(
        make_predictor(found.forest).raw(rows, 1), make_predictor(model.forest).raw(rows, 1)
    )


@pytest.mark.parametrize("form", FORMS)
def test_what_no_tree_uses_is_not_saved(form: str) -> None:
    forest = category_forest(1, n_tables=30)
    few = make_model(forest.first(2), feature_names=None)
    assert few.forest.statistics.n_tables == 30
    found = loads(dumps(few, form))
    assert found.forest.statistics.n_tables < 8
    rows = rows_of(2, 20)
    np.testing.assert_array_equal(
        make_predictor(found.forest).raw(rows, 1), make_predictor(few.forest).raw(rows, 1)
    )


def test_numbers_take_the_fewest_bytes_that_hold_them() -> None:
    for array, expected in (
        (np.array([0, 255], np.uint32), np.uint8),
        (np.array([0, 2**63], np.uint64), np.uint64),
        (np.array([-1, 300], np.int32), np.int16),
        (np.array([0.0, 70000.0]), np.uint32),
        (np.array([0.5, np.nan, np.inf]), np.float32),
        (np.array([-0.0, 1.0]), np.float32),
        (np.array([0.1]), np.float64),
        (np.array([1e300]), np.float64),
        (np.zeros((2, 0)), np.uint8),
        (np.array([True]), np.bool_),
    ):
        small = narrowed(array)
        assert small.dtype == expected, array
        assert small.astype(array.dtype).tobytes() == array.tobytes()


@pytest.mark.parametrize("form", ["ocelot", "json"])
def test_files_of_format_1_are_read_for_ever(form: str) -> None:
    model = load_trained(GOLDEN / f"format_1.{form}")
    known = json.loads((GOLDEN / "format_1_predictions.json").read_text(encoding="utf-8"))
    rows = np.array(known["rows"], dtype=np.float64)
    raw = make_predictor(model.forest).raw_of_matrix(rows, 1)
    np.testing.assert_array_equal(raw.T, known["raw"])
    assert model.feature_names == ("age", "income", "größe")
    assert model.classes is not None
    assert model.classes.tolist() == ["blue", "green", "red"]
    assert not model.forest.categorical.any()
    for again in FORMS:
        assert_same(loads(dumps(model, again)), model)


# The documented JSON form


def test_the_json_form_is_strict_json() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not strict JSON")

    text = dumps(make_model(), "json").decode("ascii")
    document = json.loads(text, parse_constant=refuse)
    assert document["format"] == 2
    assert document["history"]["learn"]["RMSE"][2:] == ["Infinity", "NaN", "-Infinity"]
    assert "NaN" in document["trees"][0]["borders"]
    assert len(text.splitlines()) == len(document) + 2 + 4 + 1  # fields, braces, trees, bracket


def test_the_json_form_of_categories_is_readable() -> None:
    document = json.loads(dumps(WITH_CATEGORIES, "json"))
    assert document["categorical"] == [False, True, False, True, True, False]
    assert {"column": 1, "hash": f"{text_hash('Paris'):016x}", "text": "Paris"} in document[
        "indicators"
    ]
    tables, columns = document["statistic_tables"], document["statistic_columns"]
    assert {column["table"] for column in columns} == set(range(len(tables)))
    assert any(column["target"] is None for column in columns)
    for table in tables:
        assert all(len(key) == 16 for key in table["keys"])
        assert len(table["sums"]) == len(table["targets"])
        assert all(len(sums) == len(table["keys"]) for sums in table["sums"])


def predictions(forest: Forest, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The forest's own words in NumPy: what the document's Python must agree with."""
    total = np.tile(forest.start_value, (len(rows), 1))
    splits, leaves = forest.split_offsets(), forest.leaf_offsets()
    for tree in range(forest.n_trees):
        answers = []
        for split in range(splits[tree], splits[tree + 1]):
            column, border = forest.split_columns[split], forest.split_borders[split]
            values = rows[:, column]
            missing, high = np.isnan(values), forest.missing_high[column]
            above = np.where(missing, high, values > border)
            answers.append(missing == high if np.isnan(border) else above)
        for row in range(len(rows)):
            digits = "0" + "".join(str(int(answer[row])) for answer in answers)
            total[row] += forest.leaf_values[leaves[tree] + int(digits, 2)]
    return total


def test_the_python_of_the_document_evaluates_a_model() -> None:
    code = DOCUMENT.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    for seed in range(5):
        forest = make_forest([3, 0, 2, 5, 1, 4], n_outputs=2, seed=seed)
        document = json.loads(dumps(make_model(forest), "json"))
        rows = np.random.default_rng(seed).normal(size=(60, 3))
        rows[::3, 0] = np.nan
        rows[::4, 1] = np.nan
        rows[::7, 2] = np.inf
        rows[1::7, 2] = -np.inf
        rows[5] = np.nan
        rows[6, 0] = forest.split_borders[1]  # equal is "no"
        found = [names["raw_score"](document, row) for row in rows.tolist()]
        np.testing.assert_array_equal(found, predictions(forest, rows))


def test_the_python_of_the_document_evaluates_categories() -> None:
    code = DOCUMENT.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    text_of = {text_hash(text): text for text in TEXTS}
    for seed in range(5):
        model = make_category_model(seed=seed, n_trees=20, weighted=seed % 2 == 0)
        document = json.loads(dumps(model, "json"))
        table = rows_of(seed, 40)
        rows: list[list[Any]] = [[None] * table.n_columns for _ in range(40)]
        for part in table.parts:
            for row, value in enumerate(part.values()[:, 0].tolist()):
                rows[row][part.first] = value
        for column, hashed in table.categories.items():
            for row, value in enumerate(hashed.row_hashes().tolist()):
                rows[row][column] = text_of[value]
        found = [names["raw_score"](document, row) for row in rows]
        np.testing.assert_array_equal(np.transpose(found), raw_by_hand(model.forest, table))


def test_the_document_names_every_field() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    document = json.loads(dumps(WITH_CATEGORIES, "json"))
    lists = ("trees", "indicators", "statistic_tables", "statistic_columns")
    fields = [*document, *(name for part in lists for name in document[part][0])]
    fields += [*TREE_ARRAYS, *CATEGORY_ARRAYS, *CATEGORY_FIELDS]
    assert [name for name in fields if f"`{name}`" not in text] == []


# Files


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


# Files that are not models


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
    with pytest.raises(ModelFileError, match=r"format 7, .*up to 2.*pip install --upgrade"):
        loads(change(form, '"format": 2', '"format": 7'))


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


# Mutations


TINY = make_model(
    make_forest([1, 2], n_features=2),
    kind="classifier",
    loss="Logloss",
    feature_names=("a", "b"),
    classes=np.array([0, 1]),
    history={"learn": {"Logloss": [0.5]}},
    parameters={"depth": 2, "rsm": 0.5},
)


TINY_CATEGORIES = dataclasses.replace(
    TINY,
    forest=category_forest(12, n_tables=2, n_trees=4).pruned(),
    feature_names=None,
)
TINY_MODELS = {"numbers": TINY, "categories": TINY_CATEGORIES}


def mutate(data: bytes, random: np.random.Generator) -> bytes:
    changed = bytearray(data)
    kind = random.integers(0, 6)
    for _ in range(int(random.integers(1, 4))):
        place = int(random.integers(0, len(changed)))
        if kind == 0:
            changed[place] ^= 1 << int(random.integers(0, 8))
        elif kind == 1:
            changed[place] = int(random.integers(0, 256))
        elif kind == 2:
            changed[place:place] = random.bytes(int(random.integers(1, 9)))
        elif kind == 3:
            del changed[place : place + int(random.integers(1, 9))]
        elif kind == 4:
            token = random.choice([b"0", b"1", b" ", b"-", b"e9", b'"', b"[", b"}", b",", b"null"])
            changed[place:place] = bytes(token)
        else:
            return bytes(changed[:place])
    return bytes(changed)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TINY_MODELS)
def test_thousands_of_mutated_files_are_refused_or_the_same_model(form: str, kind: str) -> None:
    tiny = TINY_MODELS[kind]
    data = dumps(tiny, form)
    random = np.random.default_rng(2024)
    refused = 0
    for _ in range(5000):
        mutated = mutate(data, random)
        try:
            found = loads(mutated)
        except ModelFileError:
            refused += 1
        else:
            assert_same(found, tiny)
    assert refused > 4000  # the mutations bite


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TINY_MODELS)
def test_every_single_flipped_bit_is_refused_or_harmless(form: str, kind: str) -> None:
    tiny = TINY_MODELS[kind]
    data = dumps(tiny, form)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << (place % 8)
        try:
            found = loads(bytes(changed))
        except ModelFileError:
            continue
        assert_same(found, tiny)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TINY_MODELS)
def test_every_truncation_is_refused(form: str, kind: str) -> None:
    data = dumps(TINY_MODELS[kind], form)
    data = data.rstrip(b"\n") if form == "json" else data
    for length in range(len(data)):
        with pytest.raises(ModelFileError):
            loads(data[:length])


JUNK: list[Any] = [
    None, True, -1, 10**400, 1.5, "", "NaN", [], [1], [[]], {}, {"a": 1}, {"dtype": "U9"},
    {"dtype": "int8", "values": [1, 1]}, {"dtype": "int8", "values": [1, 10**30]},
    {"dtype": "bool", "values": [0, 1]}, {"dtype": "object", "values": [[1], None]},
    {"dtype": "float64", "values": ["x", 1]}, {"a": {"b": "c"}}, {"a": {"b": [None]}},
]  # fmt: skip


def test_junk_with_a_right_checksum_is_refused_or_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file made on purpose can have any checksum: the content must be checked all the same."""
    monkeypatch.setattr(model_file, "_checksum", lambda fields, arrays: fields["sha256"])
    original = dumps_unsigned(TINY)
    for field in original:
        for junk in JUNK:
            accept_only_valid({**original, field: junk})
    for field in original["trees"][0]:
        for junk in JUNK:
            trees = [{**original["trees"][0], field: junk}, original["trees"][1]]
            accept_only_valid({**original, "trees": trees})
            content = original["trees"][0][field]
            trees[0] = {**original["trees"][0], field: [junk, *content[1:]]}
            accept_only_valid({**original, "trees": trees})
    for junk in JUNK:
        accept_only_valid({**original, "trees": [junk]})


def test_junk_in_categories_is_refused_or_safe_to_predict_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model_file, "_checksum", lambda fields, arrays: fields["sha256"])
    original = dumps_unsigned(TINY_CATEGORIES)
    junk_numbers = [0, 1, 2, 5, 6, 9, 2**32, 1e-310, 1e308, -0.5, "ff" * 8, "FF" * 8, "0" * 15]
    for part in ("categorical", "indicators", "statistic_tables", "statistic_columns"):
        first, rest = original[part][0], original[part][1:]
        for junk in [*JUNK, *junk_numbers]:
            accept_only_valid({**original, part: junk})
            accept_only_valid({**original, part: [junk, *rest]})
            for field in first if isinstance(first, dict) else ():
                accept_only_valid({**original, part: [{**first, field: junk}, *rest]})
                if isinstance(first[field], list):
                    content = [junk, *first[field][1:]]
                    accept_only_valid({**original, part: [{**first, field: content}, *rest]})


def dumps_unsigned(model: TrainedModel) -> dict[str, Any]:
    document = {"sha256": "", **json.loads(_without_checksum(model))}
    assert_same(loads(json.dumps(document).encode()), model)
    return document


def _without_checksum(model: TrainedModel) -> bytes:
    return write_json(model_file._fields_of(model), arrays_of(model.forest))


def accept_only_valid(document: dict[str, Any]) -> None:
    """Refused, or safe: prediction trusts what was accepted."""
    with contextlib.suppress(ModelFileError):
        model = loads(json.dumps(document).encode())
        validate(model)
        if model.n_features == N_FEATURES:
            raw = make_predictor(model.forest).raw(rows_of(0, 5), 1)
            assert raw.shape == (1, 5)


# What validate refuses


def changed_forest(**changes: Any) -> TrainedModel:
    return make_model(dataclasses.replace(make_forest([2, 1]), **changes))


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (changed_forest(split_columns=np.zeros(3, np.int64)), "split_columns is int64"),
        (changed_forest(split_columns=[0, 0, 0]), "split_columns is not an array"),
        (changed_forest(leaf_values=np.zeros(6)), "leaf_values is float64 with 1 axes"),
        (changed_forest(split_columns=np.array([0, 3, 1], np.uint32)), "column 3, .* 3 columns"),
        (changed_forest(split_columns=np.zeros(2, np.uint32)), "split_columns has length 2.* 3"),
        (changed_forest(split_borders=np.zeros(4)), "split_borders has length 4"),
        (changed_forest(tree_depths=np.array([17], np.uint32)), "depth 17; at most 16"),
        (changed_forest(tree_depths=np.array([2**32 - 1], np.uint32)), "depth 4294967295"),
        (changed_forest(leaf_values=np.zeros((5, 1))), "leaf_values has length 5.* ask for 6"),
        (changed_forest(leaf_values=np.zeros((6, 2))), "leaf_values has 2 outputs"),
        (changed_forest(leaf_values=np.full((6, 1), np.nan)), "leaf_values has .* not finite"),
        (changed_forest(leaf_weights=np.zeros(7)), "leaf_weights has length 7"),
        (changed_forest(leaf_weights=np.full(6, np.inf)), "leaf_weights has .* not finite"),
        (changed_forest(leaf_weights=np.full(6, -1.0)), "leaf_weights has a negative"),
        (changed_forest(start_value=np.array([np.inf])), "start_value has .* not finite"),
        (changed_forest(start_value=np.zeros(0)), "no output"),
        (changed_forest(missing_high=np.zeros(0, bool)), "categorical has length 3 for 0 columns"),
        (changed_forest(missing_high=np.full(3, 2, np.uint8).view(bool)), "beyond 0 and 1"),
        (make_model(kind="ranker"), "kind 'ranker' is none of classifier, regressor"),
        (make_model(classes=np.array([0, 1])), "a regressor cannot have classes"),
        (make_model(kind="classifier"), "needs its classes"),
        (make_model(kind="classifier", classes=np.arange(3)), "3 classes, but 1 outputs need 2"),
        (make_model(kind="classifier", classes=np.array([1, 1])), "label occurs twice"),
        (
            make_model(kind="classifier", classes=np.array(["2020", "2021"], "datetime64[Y]")),
            "dtype datetime64.*encode the target",
        ),
        (make_model(feature_names=("a",)), "1 feature names for 3 columns"),
        (make_model(feature_names=("a", "b", 3)), "not a tuple of texts"),
        (make_model(best_iteration=-1), "best_iteration is -1"),
        (make_model(loss=print), "not a name"),
        (make_model(history={"learn": [1.0]}), "history is not"),
        (make_model(history={"learn": {"RMSE": ["low"]}}), "history is not"),
    ],
)
def test_parts_that_do_not_fit_are_named_and_never_saved(
    model: TrainedModel, complaint: str
) -> None:
    with pytest.raises(ModelFileError, match=complaint):
        validate(model)
    with pytest.raises(ModelFileError, match=f"Cannot save the model: .*{complaint}"):
        dumps(model)


def changed_indicators(**changes: Any) -> TrainedModel:
    forest = TINY_CATEGORIES.forest
    return changed(indicators=dataclasses.replace(forest.indicators, **changes))


def changed_tables(**changes: Any) -> TrainedModel:
    forest = TINY_CATEGORIES.forest
    return changed(statistics=dataclasses.replace(forest.statistics, **changes))


def changed(**changes: Any) -> TrainedModel:
    forest = dataclasses.replace(TINY_CATEGORIES.forest, **changes)
    return dataclasses.replace(TINY_CATEGORIES, forest=forest)


def with_value(name: str, place: int, value: Any) -> TrainedModel:
    """The tables with one number replaced."""
    array = getattr(TINY_CATEGORIES.forest.statistics, name).copy()
    array[place] = value
    return changed_tables(**{name: array})


def with_border(kind: str, border: float) -> TrainedModel:
    """The forest with another border at its first question about an indicator or a statistic."""
    forest = TINY_CATEGORIES.forest
    statistic = forest.split_columns >= forest.first_statistic
    indicator = (forest.split_columns >= forest.n_features) & ~statistic
    borders = forest.split_borders.copy()
    borders[np.flatnonzero(statistic if kind == "statistic" else indicator)[0]] = border
    return changed(split_borders=borders)


TABLES = TINY_CATEGORIES.forest.statistics


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (changed(categorical=np.zeros(6, np.uint8)), "categorical is uint8"),
        (changed(categorical=np.full(6, 3, np.uint8).view(bool)), "beyond 0 and 1"),
        (changed(categorical=np.zeros(5, bool)), "categorical has length 5 for 6"),
        (changed(categorical=np.ones(6, bool)), "compares the categories of a column"),
        (changed(categorical=np.zeros(6, bool)), "about a column that is not categorical"),
        (changed(indicators=None), "not Indicators"),
        (changed(statistics=None), "not StatisticTables"),
        (changed_indicators(texts=()), "hashes and 0 texts"),
        (changed_indicators(texts=["Paris"]), "not a tuple of texts"),
        (changed_indicators(hashes=TINY_CATEGORIES.forest.indicators.hashes * 0), "hash .* is 0"),
        (changed_indicators(columns=TINY_CATEGORIES.forest.indicators.columns + 9), "6 features"),
        (with_border("indicator", 0.4), "border of an indicator is not 0.5"),
        (with_border("statistic", 15.0), "no whole number from 0 to 14"),
        (with_border("statistic", 0.5), "no whole number from 0 to 14"),
        (with_border("statistic", np.nan), "no whole number from 0 to 14"),
        (with_value("member_offsets", 0, 1), "member_offsets do not cut"),
        (with_value("member_offsets", 1, 10**6), "member_offsets do not cut"),
        (with_value("entry_offsets", -1, 10**6), "entry_offsets do not cut"),
        (with_value("question_offsets", -1, 99), "question_offsets do not cut"),
        (with_value("members", 0, 99), "column 99, but the model has 6 features"),
        (with_value("members", 0, 0), "not categorical"),
        (with_value("keys", 0, 2**64 - 1), "keys of a table do not ascend"),
        (changed_tables(keys=TABLES.keys[:-1]), "keys and"),
        (changed_tables(keys=TABLES.keys.astype(np.int64)), "keys is int64"),
        (changed_tables(counts=TABLES.counts.astype(np.int8)), "counts is int8"),
        (changed_tables(counts=TABLES.counts - 100.0), "counts has a negative"),
        (changed_tables(counts=TABLES.counts * np.nan), "counts has .* not finite"),
        (changed_tables(sums=TABLES.sums[:-1]), "sums where"),
        (changed_tables(sums=TABLES.sums + np.inf), "sums has .* not finite"),
        (with_value("n_targets", 0, 9), "sums where"),
        (changed_tables(target_names=()), "target_names are not"),
        (with_value("prior_weight", 0, 0.0), "prior_weight .* not above 0"),
        (with_value("prior_weight", 0, np.nan), "prior_weight .* not finite"),
        (with_value("column_tables", 0, 7), "of a table that there is not"),
        (with_value("column_targets", 0, 7), "of a sum that its table does not have"),
        (with_value("column_targets", 0, -2), "of a sum that its table does not have"),
        (with_value("column_priors", 0, np.inf), "column_priors .* not finite"),
        (with_value("column_lows", 0, 5.0), "column_low is not below"),
        (with_value("column_highs", 0, np.nan), "column_highs .* not finite"),
        (changed_tables(column_priors=np.zeros(1)), "column_priors has length 1"),
        (
            changed_tables(
                question_offsets=np.array([0] + [17] * TABLES.n_tables, np.uint32),
                question_columns=np.zeros(17, np.uint32),
                question_borders=np.zeros(17),
            ),
            "17 questions; at most 16",
        ),
        (
            changed_tables(
                question_offsets=np.array([0] + [1] * TABLES.n_tables, np.uint32),
                question_columns=np.full(1, TINY_CATEGORIES.forest.first_statistic, np.uint32),
                question_borders=np.zeros(1),
            ),
            "base question is about a statistic column",
        ),
        (
            changed(split_columns=TINY_CATEGORIES.forest.split_columns + np.uint32(99)),
            "a tree asks about column",
        ),
    ],
)
def test_categories_that_do_not_fit_are_named_and_never_saved(
    model: TrainedModel, complaint: str
) -> None:
    with pytest.raises(ModelFileError, match=complaint):
        validate(model)
    with pytest.raises(ModelFileError, match=f"Cannot save the model: .*{complaint}"):
        dumps(model)


def test_a_model_knows_its_number_of_columns() -> None:
    assert make_model().n_features == 3
