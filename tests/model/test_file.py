"""Saved models come back the same."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ocelotboost.model.file import dumps, loads
from ocelotboost.model.file_arrays import narrowed
from ocelotboost.model.forest import Forest
from ocelotboost.predict.predictor import make_predictor
from tests.data import forest_arrays
from tests.model.forests import category_forest, rows_of
from tests.model.models import FORMS, assert_same, make_category_model, make_forest, make_model


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
    finite = st.floats(-1e100, 1e100)
    for values in (forest.leaf_values.reshape(-1), forest.start_value):
        values[:] = data.draw(
            st.lists(finite, min_size=len(values), max_size=len(values)), label="values"
        )
    forest.split_borders[:] = data.draw(
        st.lists(st.floats(), min_size=sum(depths), max_size=sum(depths)), label="borders"
    )
    forest.split_borders[np.isnan(forest.split_borders)] = np.nan
    texts = st.lists(st.text(), min_size=n_features, max_size=n_features, unique=True)
    names = data.draw(st.none() | texts.map(tuple), label="names")
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
    kept = {
        "depth": np.int64(4),
        "rate": np.float32(0.5),
        "pair": (1, 2),
        "nested": {"a": [None]},
        "weights": np.ones(2),
        "columns": {"b", "a", 3},
        "by_class": {np.int8(0): 1.0},
    }
    lost = {
        "loss": print,
        "random": np.random.default_rng(0),
        "nan": float("nan"),
        "circle": circle,
        "huge": 10**5000,
    }
    found = loads(dumps(make_model(parameters={**kept, **lost}), form))
    assert found.parameters == {
        "depth": 4,
        "rate": 0.5,
        "pair": [1, 2],
        "nested": {"a": [None]},
        "weights": [1.0, 1.0],
        "columns": [3, "a", "b"],
        "by_class": {"pairs": [[0, 1.0]]},
    }
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
